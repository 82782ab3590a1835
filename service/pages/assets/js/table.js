// The table of a match: play, watch, replay.
import { post } from "./api.js";
import { city, dice, inTurn, market, strip } from "./cards.js";
import { copy } from "./copy.js";
import { Game } from "./game.js";
import { invitation } from "./invitation.js";
import { Log } from "./log.js";
import { attempt, awaited, buttonOf, clicked, draw, html, keepFresh, launch, nothing, open } from "./page.js";
import { Playback, addressed } from "./playback.js";
import { account, isEmbedded } from "./session.js";
import { begin, branch, canTake, ensureAccount, once } from "./visitor.js";
import { duration, namesOf, t } from "./words.js";

const REFRESH_MS = 2000;

const matchId = location.pathname.split("/")[isEmbedded ? 3 : 2];
open(t("table.title"));
const game = new Game(matchId, () => changed());
const playback = new Playback(game, () => update());
const log = new Log(game, (version) => playback.show(version));

/** The phases in which cards are chosen, and the commands that clicks on cards give. */
const CHOOSING = new Set(["setup", "build", "swap", "give", "demolish", "move", "renovate"]);
const GIVING = ["give_establishment", "move_establishment"];
const BY_CARDS = new Set(["build", "swap_establishments", ...GIVING, "demolish", "renovate"]);

let tab = "log";
/** What draws luck, once its tab was opened. @type {typeof import("./luck.js") | undefined} */
let luck;
/** What is being picked for a trade or a gift. @type {{give?: string, take?: string, from?: number}} */
let picked = {};
/** Whether the market lies over the cities of a narrow screen. */
let isUnfolded = false;

/** How high the parts of the page are that stick to the screen, or stand above the table, for its style sheet. */
const heights = new ResizeObserver((found) => {
  for (const { target, borderBoxSize } of found)
    document.documentElement.style.setProperty(`--${target.classList[0]}`, `${borderBoxSize[0].blockSize}px`);
});

/** Show what came, at a pace that one can follow; at first, how things are. */
function changed() {
  if (!game.head) draw(invitation(game, seatsToTake()));
  else if (playback.shown) playback.goOn();
  else {
    playback.start();
    document.querySelectorAll(".site, .centre, .time").forEach((one) => heights.observe(one));
  }
}

/** @param {any} command */
function act(command) {
  picked = {};
  isUnfolded = false;
  return attempt(() => game.send(command));
}

/** The commands of the visitor's seat, while the table shows the head. @returns {any[]} */
function commands() {
  return game.legal && !game.sent && playback.isAtHead ? game.legal.commands : [];
}

/** A card with which nothing can be done now. */
const idle = () => ({ isPassed: commands().length > 0 && CHOOSING.has(game.legal.phase) });

/** What can be done with a card of the market or a landmark. @param {any} card */
function building(card) {
  const legal = commands();
  const command = legal.find((one) => one.type === "build" && one.card === card.id);
  if (command) return { act: () => act(command) };
  const refused =
    legal.length && game.legal.unbuildable.find((/** @type {any} */ one) => one.card === card.id);
  if (!refused || !["build", "setup"].includes(game.legal.phase)) return idle();
  const isTooEarly = game.legal.phase === "setup" && refused.code === "card_not_available";
  return { why: t(`table.${isTooEarly ? "after_building_rounds" : refused.code}`, { n: refused.cost }) };
}

/** What can be done with a card in a city. @param {number} seat @param {any} card @param {boolean} [isBuilt] */
function choosing(seat, card, isBuilt) {
  const isOwn = seat === game.legal?.seat;
  const legal = commands();
  const about = legal.filter((one) => one.card === card.id);
  const demolished = about.find((one) => one.type === "demolish");
  if (demolished && isOwn) return { act: () => act(demolished) };
  if (card.kind === "landmark") return isOwn && !isBuilt ? building(card) : idle();
  const closed = about.find((one) => one.type === "renovate");
  if (closed) return { act: () => act(closed) };
  const gifts = about.filter((one) => GIVING.includes(one.type));
  if (gifts.length === 1 && isOwn) return { act: () => act(gifts[0]) };
  // With several opponents, one of them has to be picked, too.
  if (isOwn && (gifts.length || legal.some((one) => fits(one, { give: card.id }))))
    return { act: () => pick({ give: card.id }), isChosen: picked.give === card.id };
  const theirs = { take: card.id, from: seat };
  if (legal.some((one) => fits(one, { give: picked.give, ...theirs })))
    return { act: () => pick(theirs), isChosen: picked.take === card.id && picked.from === seat };
  return idle();
}

/** Whether a command trades what is picked so far. @param {any} command @param {typeof picked} wished */
const fits = ({ type, give, take, with_seat: from }, wished) =>
  type === "swap_establishments" &&
  give === (wished.give ?? give) &&
  take === (wished.take ?? take) &&
  from === (wished.from ?? from);

/** Pick a card; what was picked before goes where both would be no trade. @param {typeof picked} more */
function pick(more) {
  const both = { ...picked, ...more };
  picked = commands().some((one) => fits(one, both)) ? both : more;
  update();
  // All is picked by keys: what is left is to agree.
  if (document.querySelector(".can:focus-visible")) focusOn(".actions .primary");
}

function unfold() {
  isUnfolded = !isUnfolded;
  update();
  if (isUnfolded) focusOn(".market");
}

/** A button for a command. @param {any} command @param {string} text @param {string} [kind] */
const button = (command, text, kind = "") =>
  html`<button type="button" class=${kind} data-command=${command.type} @click=${clicked(() => act(command))}>${text}</button>`;

/** What the button of a command says. @param {any} command */
function labelOf({ type, dice, from_seat: from }) {
  if (type === "roll_dice") return t("table.roll", { n: dice });
  if (type !== "take_coins") return t(`table.${type}`);
  return t("table.take", { name: namesOf(game.latest.players)[from], n: game.latest.players[from].coins });
}

function actions() {
  if (game.sent) return html`<p class="faint" role="status">${t("table.sending")}</p>`;
  const legal = commands();
  const gifts = legal.filter((one) => one.type === "move_establishment" && one.card === picked.give);
  const trade = picked.give && picked.take && legal.find((one) => fits(one, picked));
  return html`
    ${legal.filter(({ type }) => !BY_CARDS.has(type)).map((one) => button(one, labelOf(one), one.type === "roll_dice" ? "primary" : ""))}
    ${game.isOver && playback.isAtHead ? nothing : html`<button type="button" class="unfold ${legal.some((one) => one.type === "build") ? "primary" : ""}" aria-expanded=${isUnfolded} aria-controls="market" @click=${unfold}>${t("table.market")}</button>`}
    ${gifts.map((one) => button(one, t("table.move", { card: nameOf(one.card), name: namesOf(game.latest.players)[one.to_seat] }), "primary"))}
    ${trade ? button(trade, t("table.trade", { give: nameOf(trade.give), take: nameOf(trade.take) }), "primary") : nothing}
  `;
}

/** @param {string} id */
const nameOf = (id) => game.cards.get(id)?.name ?? id;

/** What the visitor, or whoever is to act, has to do; before the head, what happened. @param {any} state */
function task(state) {
  const { status, winner, active_seat: active, phase } = state;
  if (status === "finished")
    return winner === null ? t("table.over") : t("table.won", { name: namesOf(state.players)[winner] });
  if (status === "aborted") return t("table.aborted");
  if (status === "open") return t("table.waiting");
  const happened = !playback.isAtHead && game.sentences.get(playback.shown);
  if (happened) return happened;
  const name = namesOf(state.players)[active];
  const isMine = playback.isAtHead && game.legal;
  const card = state.pending ? nameOf(state.pending.card) : "";
  return isMine ? t(`table.you_${phase}`, { card }) : t(`table.they_${phase}`, { name, card });
}

/** @param {any} state */
function clock(state) {
  if (!state.deadline || !playback.isAtHead || game.isOver) return nothing;
  const left = Math.max(0, Math.round((Date.parse(state.deadline) - Date.now()) / 1000));
  const text = duration(left);
  return html`<span class="clock ${left < 15 ? "late" : ""}" role="timer" aria-label=${t("table.clock", { left: text })}>${text}</span>`;
}

function seatsToTake() {
  const { seats, creator } = game.match;
  if ((game.latest ?? game.match).status !== "open") return nothing;
  const canJoin = !isEmbedded && seats.some(canTake);
  const code = game.match.invitation_code ?? game.code;
  const link = `${location.origin}/matches/${matchId}${code ? `?code=${code}` : ""}`;
  return html`<div class="panel lobby">
    ${game.match.rated ? html`<p class="rated">${t("ratings.agree")}</p>` : nothing}
    <p>${t("table.waiting_for", { n: seats.filter((one) => one.kind === "open").length })}</p>
    ${canJoin && !game.seats.length ? buttonOf(t("table.join"), () => attempt(join), { kind: "primary" }) : nothing}
    <p><label>${t("table.link")} <input readonly .value=${link} size="40" @focus=${(/** @type {any} */ event) => event.target.select()} /></label>
      ${buttonOf(t("table.copy"), () => copy(link))}</p>
    ${creator === account()?.account_id ? buttonOf(t("table.abort"), () => attempt(() => post(`${game.path}/abort`, {}))) : nothing}
  </div>`;
}

const join = once(async () => {
  await ensureAccount();
  await game.join();
  if (!game.following) game.following = game.watch();
});

/** The same seats again. */
function again() {
  const { ruleset, options, seats, clock: limit, visibility, seat_seeds: seeds } = game.match;
  const own = account()?.account_id;
  const body = {
    ruleset,
    options: Object.fromEntries(Object.entries(options).filter(([, chosen]) => chosen !== null)),
    seats: seats.map((one) => player(one, own)),
    clock: limit,
    visibility,
    ...(seeds && { dice: { mode: "committed", seat_seeds: {} } }),
  };
  return attempt(() => begin("/v1/matches", body));
}

/** @param {any} one @param {string | undefined} own */
function player(one, own) {
  if (one.kind === "strategy") return { kind: "strategy", strategy: one.strategy };
  if (one.kind === "open") return { kind: "open" };
  return one.account_id === own ? { kind: "me" } : { kind: "account", handle: one.name };
}

/** @param {string} name Of a tab. */
function choose(name) {
  tab = name;
  if (tab === "luck") attempt(wantLuck);
  update();
}

async function wantLuck() {
  luck = await import("./luck.js");
  await game.wantLuck();
}

/** @param {string} name */
const tabOf = (name) =>
  html`<button type="button" role="tab" id=${`tab-${name}`} aria-selected=${tab === name} aria-controls="beside"
    @click=${() => choose(name)}>${t(`table.tab_${name}`)}</button>`;

function beside() {
  if (tab === "log") return log.at(playback.shown);
  if (tab === "more") return more();
  if (!luck) return awaited;
  return luck.luckOf(game, playback.shown, (version) => playback.show(version));
}

const side = () =>
  html`<section class="side">
    <div role="tablist" aria-label=${t("table.beside")}>${["log", "luck", "more"].map(tabOf)}</div>
    <div role="tabpanel" id="beside" aria-labelledby=${`tab-${tab}`} tabindex="0">
      ${beside()}
    </div>
  </section>`;

/** The way to the review, which comes after the end, or to the chances until then, if the game has them. */
function review() {
  const { status, options } = game.latest;
  if (!game.ruleset.has_reviews || !["running", "finished"].includes(status)) return nothing;
  const isShown = status === "finished" || (options.commentary && game.match.visibility === "public");
  if (!isShown) return html`<p class="small faint">${t("review.later")}</p>`;
  return html`<a class="button" href=${`/matches/${matchId}/review`}>${t(status === "finished" ? "review.title" : "review.curve")}</a>`;
}

const share = () =>
  buttonOf(t("table.share"), () => copy(`${location.origin}/matches/${matchId}#v=${playback.shown}`));

const verify = () => html`<a class="button" href=${`/matches/${matchId}/verify`}>${t("table.verify")}</a>`;

/** What one can do with a match that is over: at its end, or at another moment. */
function afterwards() {
  if (!playback.isAtHead) return share();
  if (isEmbedded) return nothing;
  return html`<button type="button" class="primary" data-act="again" @click=${again}>${t("table.again")}</button>
    ${buttonOf(t("table.replay"), () => playback.playOrPause())}
    ${buttonOf(t("table.lucky"), showLuck)} ${review()} ${verify()}`;
}

function showLuck() {
  choose("luck");
  document.querySelector(".side")?.scrollIntoView({ block: "nearest" });
}

/** The command that brought the match to the version. @param {number} version */
const commandAt = (version) => game.steps[version - 1]?.event.command_id;

function more() {
  if (isEmbedded) return html`<div class="more">${share()}</div>`;
  const canResign = game.seats.length && game.latest.status === "running";
  const canAsk = game.seats.length && "Notification" in window && Notification.permission === "default";
  const isDecided = game.isOver && commandAt(playback.shown) === commandAt(game.head);
  return html`<div class="more">
    ${share()}
    ${buttonOf(t("table.branch"), () => attempt(() => branch(game.match, playback.shown)), { isOff: game.latest.status === "open" || isDecided })}
    ${review()} ${verify()} ${canResign ? resign() : nothing}
    ${canAsk ? buttonOf(t("table.notify"), () => Notification.requestPermission().then(update)) : nothing}
    <p class="small faint">${t("table.keys")}</p>
  </div>`;
}

const resign = () => html`<details><summary class="button">${t("table.resign")}</summary>
  <p>${t("table.resign_sure")} ${buttonOf(t("table.resign"), () => act({ type: "resign", seat: game.seats[0] }), { kind: "primary" })}</p></details>`;

let wasMine = false;

/** The title and, if allowed, a notification say when it is the visitor's turn. */
function tell() {
  const isMine = Boolean(game.legal);
  document.title = `${isMine ? `● ${t("table.your_turn")}` : t("table.title")} · Machi Koro`;
  const isAllowed = "Notification" in window && Notification.permission === "granted";
  if (isMine && !wasMine && document.hidden && isAllowed)
    new Notification("Machi Koro", { body: t("table.your_turn"), tag: matchId });
  wasMine = isMine;
}

function update() {
  const state = game.state(playback.shown);
  if (!state) return;
  tell();
  const own = game.seats;
  const order = inTurn(state, own.length === 1 ? own[0] : 0);
  const names = namesOf(game.match.seats, t("home.open_seat")).join(", ");
  const { rated, ruleset, seats } = game.match;
  const board = `/ratings?ruleset=${ruleset}&seats=${seats.length}`;
  const held = document.activeElement;
  const preventScroll = !held?.matches(":focus-visible");
  draw(html`<h1 class="hidden">${t("table.heading", { names })}</h1>
    <div class="board seats-${order.length}">
      <section class="centre ${game.isOver ? "over" : ""}">
        <p class="task"><span role="status">${task(state)}</span> ${clock(state)}
          ${rated && state.status !== "open" ? html`<a class="rated" href=${board}>${t("ratings.mark")}</a>` : nothing}</p>
        ${state.status === "open" ? nothing : strip(game, state, order)}
        <div class="roll"><span class="bank" title=${t("table.bank")} aria-hidden="true"></span>${dice(state)}</div>
        <div class="actions" role="group" aria-label=${t("table.actions")} tabindex="-1">${actions()}
          ${game.isOver ? afterwards() : nothing}</div>
        ${seatsToTake()}
      </section>
      <div class="cities">${order.map((seat) => city(game, state, seat, { pays: playback.pays, choose: choosing, isOwn: own.includes(seat) }))}</div>
      ${market(game, state, building, isUnfolded)} ${playback.timeline()} ${side()}
    </div>`);
  // What was pressed is gone: the focus waits at the actions, as a group, so that no key held too long passes or
  // builds. Whoever uses keys is led on to the dice, which have to be rolled anyway.
  if (!held?.isConnected) focusOn(".actions", { preventScroll });
  focusOn(".actions:focus-visible > .primary[data-command]");
}

/** @param {string} selector @param {FocusOptions} [options] */
const focusOn = (selector, options) =>
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus(options);

launch(async () => {
  await game.open(addressed());
  setInterval(() => game.latest?.deadline && update(), 1000);
  // Only players have the stream of a private match.
  if (game.isInvitation)
    await keepFresh(
      () => game.lookAgain(),
      () => REFRESH_MS,
    );
});
