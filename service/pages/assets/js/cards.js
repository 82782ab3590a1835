// Cards, cities and the market as they lie on the table.
import { badge, coin, colourOf, die, drawing, skyline } from "./drawings.js";
import { clicked, html, nothing, say } from "./page.js";
import { duration, namesOf, t } from "./words.js";

/**
 * What can be done with a card now: `act` does it; `why` says why it cannot be done. Without either, the Tab key
 * passes it by if `isPassed`, since others are to be chosen from.
 * @typedef {{act?: () => void, why?: string, isChosen?: boolean, isPassed?: boolean}} Choice
 */

/** @param {any} card */
const first = (card) => card.activation[0] ?? 99;

/** @param {any} card */
const usual = (card) => card.cost ?? card.costs[0];

/** In the order of their numbers, landmarks last, cheap ones first. @param {any} a @param {any} b */
const inOrder = (a, b) => first(a) - first(b) || usual(a) - usual(b);

/** Cards and how many there are of each, in that order. @param {any} game @param {Record<string, number>} counts By id. */
const counted = (game, counts) =>
  Object.entries(counts)
    .filter(([, count]) => count)
    .map(([id, count]) => ({ card: game.cards.get(id), count }))
    .sort((a, b) => inOrder(a.card, b.card));

/** The seats of a match in turn, from one of them on. @param {any} state @param {number} first @returns {number[]} */
export const inTurn = ({ players }, first) =>
  players.map((/** @type {any} */ _, /** @type {number} */ at) => (first + at) % players.length);

/** @param {any} card */
const numbers = ({ activation: all }) => (all.length > 1 ? `${all[0]}–${all.at(-1)}` : String(all[0] ?? ""));

/** @param {any} card @param {any} state @param {number | null} seat */
function price(card, state, seat) {
  const own = state.options.card_costs?.[card.id];
  if (own !== undefined) return own;
  const built = seat === null ? 0 : state.players[seat].landmarks.length;
  return card.cost ?? card.costs[Math.min(built, card.costs.length - 1)];
}

/**
 * A card or landmark: a button if something can be done with it, or could be at another time.
 * @param {any} card @param {string} classes @param {string[]} said What a screen reader says after its name.
 * @param {any} face @param {Choice} choice
 */
function piece(card, classes, said, face, { act, why, isChosen, isPassed }) {
  const label = `${[card.name, ...said].filter(Boolean).join(", ")}. ${card.text} ${why ?? ""}`.trim();
  const inside = html`${face}<span class="effect" aria-hidden="true"
      ><strong>${card.name}</strong> ${card.text}${why ? html`<b>${why}</b>` : nothing}</span
    >`;
  if (!act && !why)
    return html`<div class=${classes} data-card=${card.id} role="img" aria-label=${label} tabindex=${isPassed ? -1 : 0}>${inside}</div>`;
  return html`<button type="button" class="${classes} ${act ? "can" : ""}" data-card=${card.id} aria-label=${label}
    aria-disabled=${act ? nothing : "true"} aria-pressed=${isChosen ?? nothing} @click=${act ? clicked(act) : () => say(why ?? "")}>${inside}</button>`;
}

/** Keep what a card says on the screen, and clear of the time line. @param {Event} event */
function placeEffect({ target }) {
  const card = /** @type {HTMLElement} */ (target).closest("[data-card]");
  const effect = /** @type {HTMLElement | null} */ (card?.querySelector(".effect"));
  if (!card || !effect) return;
  const end = document.querySelector(".time")?.getBoundingClientRect().top ?? innerHeight;
  const { x, width, bottom, height } = card.getBoundingClientRect();
  const left = x + (width - effect.offsetWidth) / 2;
  const shift = Math.max(8, Math.min(left, document.body.clientWidth - effect.offsetWidth - 8)) - left;
  const isAbove = bottom + effect.offsetHeight + 12 > end;
  effect.style.setProperty("--x", `${shift}px`);
  effect.style.setProperty("--y", `${isAbove ? -height - effect.offsetHeight - 12 : 0}px`);
}

for (const way of ["mouseover", "focusin"]) document.addEventListener(way, placeEffect);

/**
 * A card as a tile.
 * @param {any} card
 * @param {{count: number, closed?: number, invested?: number, cost?: number, glows?: boolean, choice: Choice}} about
 */
function tile(card, { count, closed = 0, invested = 0, cost, glows = false, choice }) {
  const said = [
    t(`card.${colourOf(card)}`),
    numbers(card),
    cost === undefined ? "" : t("card.costs", { n: cost }),
    count > 1 ? t("card.copies", { n: count }) : "",
    closed ? t("card.closed", { n: closed }) : "",
    invested ? t("card.invested", { n: invested }) : "",
  ];
  const face = html`
    <span class="number">${numbers(card)}</span><span class="badge">${badge(colourOf(card))}</span>
    <span class="picture">${drawing(card)}</span>
    <span class="name">${card.name}</span>
    ${cost === undefined ? nothing : html`<span class="cost">${coin(cost)}</span>`}
    ${count > 1 ? html`<span class="count">×${count}</span>` : nothing}
    ${closed ? html`<span class="closed">${closed}</span>` : nothing}
    ${invested ? html`<span class="cost">${coin(invested)}</span>` : nothing}
  `;
  return piece(card, `card ${colourOf(card)} ${glows ? "glows" : ""}`, said, face, choice);
}

/** @param {number} seat */
const lookAt = (seat) =>
  document.querySelector(`.city[data-seat="${seat}"]`)?.scrollIntoView({ block: "center" });

/**
 * All seats in short: who is ahead, and whose turn it is. Each leads to its city.
 * @param {any} game @param {any} state @param {number[]} order
 */
export function strip(game, state, order) {
  const names = namesOf(state.players, t("table.open_seat"));
  const { landmarks: goal } = game.ruleset.goal;
  return html`<div class="seats" role="group" aria-label=${t("table.players")}>
    ${order.map((seat) => {
      const { coins, landmarks } = state.players[seat];
      const label = `${names[seat]}, ${t("table.coins", { n: coins })}, ${t("table.goal", { n: landmarks.length, goal })}`;
      return html`<button type="button" class="seat seat-${seat}" data-seat=${seat} aria-label=${label}
        aria-current=${state.active_seat === seat} @click=${() => lookAt(seat)}>
        <span class="who" title=${names[seat]}>${names[seat]}</span> <span class="purse">${coin(coins)}</span> <span class="faint">${landmarks.length}/${goal}</span>
      </button>`;
    })}
  </div>`;
}

/**
 * The landmarks that a city shows, by price: all that it can have, or where these lie in the market, those built.
 * @param {any} game @param {any} state @param {any} player
 */
const landmarksOf = (game, state, player) =>
  [...game.cards.values()]
    .filter((card) => card.kind === "landmark")
    .filter((card) => state.market.kind !== "rows" || player.landmarks.includes(card.id))
    .sort((a, b) => usual(a) - usual(b));

/**
 * What is left in the time bank of a seat; null without one. That of the seat to act runs down once its
 * decision has used the time that every decision has.
 * @param {any} game @param {any} state @param {number} seat
 */
function bankOf(game, state, seat) {
  const { bank_ms: bank } = state.players[seat];
  if (bank === undefined) return null;
  const isRunning = state.active_seat === seat && state.deadline && state.version === game.latest.version;
  const left = isRunning ? Math.max(0, Date.parse(state.deadline) - Date.now()) : Infinity;
  return duration(Math.ceil(Math.min(bank, left) / 1000));
}

/** A sign for those who see it, and what it means for screen readers. @param {string} kind @param {string} sign @param {string} text */
const short = (kind, sign, text) => html`<span class=${kind} title=${text}
  ><span aria-hidden="true">${sign}</span><span class="hidden">${text}</span></span>`;

/**
 * One seat: coins, landmarks as a skyline, establishments by number.
 * @param {any} game @param {any} state @param {number} seat
 * @param {{pays: Set<string>, choose: (seat: number, card: any, isBuilt?: boolean) => Choice, isOwn: boolean}} about
 */
export function city(game, state, seat, { pays, choose, isOwn }) {
  const player = state.players[seat];
  const { landmarks: goal } = game.ruleset.goal;
  const held = game.match.seats[seat];
  // At the end, nobody is to act: who was so last has rolled. Steps in between may be missing yet.
  const roller =
    state.active_seat ??
    game.steps.findLast((/** @type {any} */ one) => one && one.state.active_seat !== null)?.state.active_seat;
  // Red cards take from others on their rolls; green and purple ones pay on one's own.
  const colours = roller === seat ? ["blue", "green", "purple"] : ["blue", "red"];
  const glows = (/** @type {any} */ { activation, effect, ...card }) =>
    colours.includes(colourOf(card)) &&
    activation.includes(state.dice?.total) &&
    (!effect.requires || player.landmarks.includes(effect.requires)) &&
    built < (effect.below_landmarks ?? Infinity) &&
    state.players[roller]?.landmarks.length >= (effect.roller_landmarks ?? 0);
  const open = held.invited ? t("table.invited", { name: held.invited }) : t("table.open_seat");
  const name = namesOf(state.players, open)[seat];
  const classes = `city seat-${seat} ${state.active_seat === seat ? "active" : ""} ${isOwn ? "own" : ""}`;
  const built = player.landmarks.length;
  const left = bankOf(game, state, seat);
  const city = t("table.city_of", { name: player.name ? name : `${name} ${seat + 1}` });
  return html`<section class=${classes} data-seat=${seat} aria-label=${city}>
    <header>
      <h2>${name}${held.resigned ? html` <small>${t("table.resigned")}</small>` : nothing}</h2>
      ${isOwn ? html`<small class="faint">${t("table.you")}</small>` : nothing}
      <span class="purse" role="img" aria-label=${t("table.coins", { n: player.coins })}>${coin(player.coins)}</span>
      ${short("goal", `${built}/${goal}`, t("table.goal", { n: built, goal }))}
      ${left === null ? nothing : short("time-bank small", `+${left}`, t("table.time_bank", { left }))}
    </header>
    <ul class="skyline">
      ${landmarksOf(game, state, player).map((card) => {
        const isBuilt = player.landmarks.includes(card.id);
        const cost = price(card, state, seat);
        const face = html`${skyline(card, isBuilt)}${isBuilt ? nothing : html`<span class="cost">${coin(cost)}</span>`}`;
        return html`<li class="landmark ${colourOf(card)} ${isBuilt ? "built" : ""}">
          ${piece(card, "", [isBuilt ? t("table.built") : t("card.costs", { n: cost })], face, choose(seat, card, isBuilt))}
        </li>`;
      })}
    </ul>
    <ul class="cards">
      ${counted(game, player.establishments).map(({ card, count }) => {
        const paid = pays.has(`${seat} ${card.id}`);
        const closed = player.closed?.[card.id] ?? 0;
        const invested = card.effect.kind === "invest" ? player.invested : 0;
        return html`<li class=${paid ? "paid" : ""}>${tile(card, { count, closed, invested, glows: glows(card), choice: choose(seat, card) })}</li>`;
      })}
    </ul>
  </section>`;
}

/** The roll of the turn, or a die that was not thrown yet. @param {any} state */
export function dice(state) {
  const values = state.dice?.values ?? [];
  const text = values.length
    ? t("table.thrown", { values: values.join(" + "), total: state.dice.total })
    : t("table.not_thrown");
  return html`<div class="dice" role="img" aria-label=${text}>
    ${(values.length ? values : [0]).map((/** @type {number} */ value) => html`<span class="die">${die(value, values.length > 0)}</span>`)}
    ${state.dice?.added ? html`<span class="added">+${state.dice.added}</span>` : nothing}
    ${values.length ? html`<output class="total" aria-hidden="true">${state.dice.total}</output>` : nothing}
  </div>`;
}

/** The rows of the second game's market, as they lie on the table. */
const ROWS = ["low", "high", "landmarks"];

/**
 * The cards to be built, by row.
 * @param {any} game @param {any} state @param {(card: any) => Choice} choose @param {boolean} isUnfolded
 */
export function market(game, state, choose, isUnfolded) {
  const { kind, rows: inRows, decks_remaining: decks, supply, face_up, deck_remaining = null } = state.market;
  const rows =
    kind === "rows"
      ? ROWS.map((name) => ({ name, cards: inRows[name], left: decks[name] }))
      : [{ name: kind, cards: supply ?? face_up, left: deck_remaining }];
  return html`<section class="market ${isUnfolded ? "unfolded" : ""}" id="market" tabindex="-1" aria-label=${t("table.market")}>
    <h2>${t("table.market")}</h2>
    ${rows.map(
      ({ name, cards, left }) => html`<div class="row">
        ${left === null ? nothing : html`<h3>${kind === "rows" ? t(`table.row_${name}`) : ""} <small class="faint">${t("table.deck", { n: left })}</small></h3>`}
        <ul class="cards">
          ${counted(game, cards).map(({ card, count }) => {
            const cost = price(card, state, state.active_seat);
            return html`<li>${tile(card, { count, cost, choice: choose(card) })}</li>`;
          })}
        </ul>
      </div>`,
    )}
  </section>`;
}
