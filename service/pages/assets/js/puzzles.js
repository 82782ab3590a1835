// Puzzles: a table out of a finished match, on which the best command is to be found.
import { get, rulesetsById } from "./api.js";
import { city, dice, inTurn, market } from "./cards.js";
import { select } from "./forms.js";
import { attempt, buttonOf, draw, html, launch, nothing, open } from "./page.js";
import { candidates, told, words } from "./review_decisions.js";
import { keep, keptJson } from "./session.js";
import { cardsOf, gameName, seatCounts, t } from "./words.js";

const KEY = "machi.puzzles";
open(t("puzzles.title"));

/** How the visitor did, by puzzle: whether the choice was the best. @type {Record<string, boolean>} */
const done = Object(keptJson(KEY));
/** @type {Map<string, any>} */
let rulesets = new Map();
/** The ruleset and the number of seats that the visitor wants; no number is any. */
let wanted = { ruleset: "base", seats: "" };
/** The puzzles that are wanted, as far as they are listed. @type {any[]} */
let listed = [];
/** The cursor of the next page: empty before the first one, null after the last one. @type {string | null} */
let cursor = "";
/** The puzzle, with names for its seats. @type {{commands: any[], players: any[]} & Record<string, any>} */
let puzzle;
/** @type {any} What the drawings of cards ask of a match, and the names of seats within sentences. */
let game;
/** @type {any} What the visitor chose. */
let chosen = null;
/** @type {any} */
let solution = null;

const same = (/** @type {any} */ one, /** @type {any} */ other) =>
  JSON.stringify(one) === JSON.stringify(other);

/** @param {any} command */
const choose = (command) =>
  attempt(async () => {
    solution = await get(`/v1/puzzles/${puzzle.puzzle_id}/solution`);
    chosen = command;
    done[puzzle.puzzle_id] = same(command, solution.best);
    keep(KEY, JSON.stringify(done));
    update();
    /** @type {HTMLElement | null} */ (document.querySelector(".answer h2"))?.focus();
  });

/** What can be done with a card of the market, or with a landmark of the seat to act. @param {any} card */
function building(card) {
  const command = puzzle.commands.find((one) => one.type === "build" && one.card === card.id);
  return command && !solution ? { act: () => choose(command) } : {};
}

/** @param {number} seat @param {any} card @param {boolean} [isBuilt] */
const inCity = (seat, card, isBuilt) =>
  card.kind === "landmark" && seat === puzzle.active_seat && !isBuilt ? building(card) : {};

/** @param {any} command */
const button = (command) =>
  html`<button type="button" ?disabled=${solution} aria-pressed=${solution ? String(same(command, chosen)) : nothing}
    @click=${() => choose(command)}>${words(game, command)}</button>`;

const task = () => html`<section class="centre">
    <p class="task">${t("puzzles.task", { name: puzzle.players[puzzle.active_seat].name, n: puzzle.turn })}</p>
    ${puzzle.dice ? html`<div class="roll">${dice(puzzle)}</div>` : nothing}
    <div class="actions" role="group" aria-label=${t("table.actions")}>
      ${puzzle.commands.filter((one) => one.type !== "build").map(button)}
    </div>
  </section>`;

function answer() {
  if (!solution) return html`<p class="faint">${t("puzzles.about")}</p>`;
  const isRight = same(chosen, solution.best);
  const obvious = solution.candidates.find((/** @type {any} */ one) => same(one.command, solution.obvious));
  const match = `/matches/${solution.match_id}`;
  const links = html`<p><a class="button" href=${`${match}#v=${solution.version}`}>${t("review.look")}</a>
    <a class="button" href=${`${match}/review`}>${t("review.title")}</a></p>`;
  return html`<h2 tabindex="-1" class=${isRight ? "right" : "wrong"}>${t(isRight ? "puzzles.right" : "puzzles.wrong")}</h2>
    <dl><dt>${t("review.better")}</dt><dd>${told(game, solution.best)}</dd>
      ${isRight ? nothing : html`<dt>${t("puzzles.chosen")}</dt><dd>${told(game, chosen)}</dd>`}
      <dt>${t("puzzles.obvious")}</dt><dd>${told(game, solution.obvious)}</dd></dl>
    ${candidates(game, { candidates: solution.candidates, command: chosen, seat: puzzle.active_seat }, t("puzzles.chosen"))}
    <p class="small faint">${t("puzzles.refuted", { n: Math.round(obvious.loss / 1e4) })} ${solution.playouts ? t("puzzles.played", solution.playouts) : ""} ${known() ? "" : t("puzzles.others")}</p>
    ${solution.match_id ? links : nothing}`;
}

/** Whether the review simulated what the visitor chose. */
const known = () => solution.candidates.some((/** @type {any} */ one) => same(one.command, chosen));

const next = () => listed.find(({ puzzle_id: id }) => !(id in done) && id !== puzzle?.puzzle_id);

/** @param {keyof typeof wanted} name @param {any[]} values @param {(value: any) => string} text */
const choice = (name, values, text) =>
  select(values, text, wanted[name], (one) => void attempt(() => begin({ [name]: one })));

function side() {
  // Puzzles come from reviews.
  const games = [...rulesets.keys()].filter((id) => rulesets.get(id).has_reviews);
  const tried = Object.keys(done).length;
  const right = Object.values(done).filter(Boolean).length;
  return html`<section class="answer panel">
    <div class="filters small"><label>${t("new.game")} ${choice("ruleset", games, gameName)}</label>
      <label>${t("puzzles.seats")} ${choice("seats", ["", ...seatCounts(game.ruleset)], (one) => one || t("puzzles.any"))}</label>
      <span class="faint">${t("puzzles.progress", { right, tried })}</span></div>
    ${answer()}
    <p>${next() || cursor !== null ? buttonOf(t("puzzles.next"), () => attempt(begin), { kind: solution && "primary" }) : t("puzzles.all")}</p>
  </section>`;
}

function update() {
  const { active_seat: active } = puzzle;
  const seats = inTurn(puzzle, active);
  draw(html`<h1 class="hidden">${t("puzzles.title")}</h1>
    <div class="board puzzle seats-${seats.length}">
      ${task()}
      <div class="cities">${seats.map((seat) => city(game, puzzle, seat, { pays: new Set(), choose: inCity, isOwn: seat === active }))}</div>
      ${market(game, puzzle, building, false)} ${side()}
    </div>`);
}

/** @param {string} id */
async function show(id) {
  const asked = wanted;
  const found = /** @type {any} */ (await get(`/v1/puzzles/${id}`));
  const [cards, known] = await Promise.all([cardsOf(found.ruleset), rulesetsById()]);
  if (asked !== wanted) return;
  rulesets = known;
  wanted.ruleset = found.ruleset;
  const players = found.players.map((/** @type {any} */ one) => ({
    ...one,
    name: t("new.seat", { n: one.seat + 1 }),
  }));
  puzzle = { ...found, players };
  const names = players.map((/** @type {any} */ { seat }) => t("puzzles.seat", { n: seat + 1 }));
  game = { cards, names, ruleset: rulesets.get(found.ruleset), match: { seats: players } };
  chosen = solution = null;
  history.replaceState(null, "", `/puzzles/${id}`);
  update();
}

/** Go on with a wanted puzzle that the visitor has not tried. @param {Partial<typeof wanted>} [changed] */
async function begin(changed = {}) {
  const asked = (wanted = { ...wanted, ...changed });
  const { ruleset, seats } = asked;
  listed = [];
  cursor = "";
  while (cursor !== null && !next()) {
    const query = { ruleset, ...(seats && { seats }), ...(cursor && { cursor }) };
    const page = await get(`/v1/puzzles?${new URLSearchParams(query)}`);
    if (asked !== wanted) return;
    listed.push(...page.items);
    cursor = page.next;
  }
  const first = next() ?? listed[0];
  if (first) await show(first.puzzle_id);
  else draw(html`<h1>${t("puzzles.title")}</h1><p>${t("puzzles.none")}</p>`);
}

launch(async () => {
  const id = location.pathname.split("/")[2];
  await (id ? show(id) : begin());
});
