// The home page: play now, what runs, what ended, and the visitor's own matches.
import { get } from "./api.js";
import { skyline } from "./drawings.js";
import { preview } from "./preview.js";
import { attempt, failure, html, keepFresh, nothing, open, render } from "./page.js";
import { account } from "./session.js";
import { begin } from "./visitor.js";
import { ago, t } from "./words.js";

const OPPONENTS = ["greedy", "expected_value"];
/** A stream shows one match, and browsers keep six connections to a host: previews would take them all. A list and
 * the states of six matches cost little to ask for, since a state that has not changed is a 304. */
const REFRESH_MS = 4000;
const PREVIEWS = 6;
/** The city beside the heading, and its colours. */
const SCENE = [
  ["radio_tower", "red"],
  ["train_station", "blue"],
  ["amusement_park", "purple"],
  ["shopping_mall", "green"],
  ["harbor", "gold"],
  ["airport", "blue"],
];

const main = open(t("home.title"));

/** @type {{rulesets: any[], running: any[], joinable: any[], ended: any[], own: any[], turns: Set<string>, ladders: any[],
 *   states: Map<string, any>}} */
const found = {
  rulesets: [],
  running: [],
  joinable: [],
  ended: [],
  own: [],
  turns: new Set(),
  ladders: [],
  states: new Map(),
};
let isStarting = false;

/** @param {string} ruleset */
async function playNow(ruleset) {
  isStarting = true;
  update();
  const seats = [{ kind: "me" }, ...OPPONENTS.map((strategy) => ({ kind: "strategy", strategy }))];
  isStarting = await attempt(() => begin("/v1/matches", { ruleset, seats }));
  update();
}

/** @param {string} id */
const rulesetName = (id) => found.rulesets.find((one) => one.id === id)?.name ?? id;

/** @param {any} match */
function row(match) {
  const names = match.seats.map((/** @type {any} */ one) => one.name ?? t("home.open_seat")).join(" · ");
  const winner = match.winner === null ? "" : t("home.won", { name: match.seats[match.winner].name });
  const isDue = found.turns.has(match.match_id);
  return html`<li>
    <a href=${`/matches/${match.match_id}`}
      ><strong>${names}</strong>
      <span class="faint small">${rulesetName(match.ruleset)} · ${winner || t(`home.is_${match.status}`)} · ${ago(match.created_at)}</span>
      ${isDue ? html`<b class="due">${t("table.your_turn")}</b>` : nothing}</a
    >
  </li>`;
}

/** @param {string} title @param {any[]} matches @param {string} [none] */
const list = (title, matches, none) =>
  matches.length || none
    ? html`<section><h2>${title}</h2>
        ${matches.length ? html`<ul class="matches">${matches.map(row)}</ul>` : html`<p class="faint">${none}</p>`}</section>`
    : nothing;

function update() {
  const me = account();
  const due = found.turns.size;
  document.title = `${due ? `(${due}) ` : ""}${t("home.title")} · Machi Koro`;
  render(
    html`<section class="hero">
        <h1>${t("home.heading")}</h1>
        <p class="lead">${t("home.lead")}</p>
        <div class="games">
          ${found.rulesets.map(
            (
              one,
              at,
            ) => html`<button type="button" class=${at ? "" : "primary"} ?disabled=${isStarting} @click=${() => playNow(one.id)}>
              ${at ? one.name : t("home.play", { game: one.name })}</button>`,
          )}
          <a class="button" href="/new">${t("home.more")}</a>
        </div>
        <p class="faint small">${t("home.guest")}</p>
        <div class="scene" aria-hidden="true">${SCENE.map(([id, colour]) => skyline({ id, colour, kind: "landmark", symbol: null }, true))}</div>
      </section>
      ${me ? list(t("home.own"), found.own, t("home.none_own")) : nothing}
      <section>
        <h2>${t("home.running")}</h2>
        ${
          found.running.length
            ? html`<ul class="previews">
              ${found.running.map((match) => html`<li>${preview(match, found.states.get(match.match_id), rulesetName(match.ruleset))}</li>`)}
            </ul>`
            : html`<p class="faint">${t("home.none_running")}</p>`
        }
      </section>
      <div class="columns">
        ${list(t("home.joinable"), found.joinable)} ${list(t("home.ended"), found.ended, t("home.none_ended"))}
        ${
          found.ladders.length
            ? html`<section><h2><a href="/ladders">${t("page.ladders")}</a></h2>
              <ul class="matches">${found.ladders.map((one) => html`<li><a href=${`/ladders/${one.ladder_id}`}><strong>${one.name}</strong></a></li>`)}</ul></section>`
            : nothing
        }
      </div>
      <footer class="small faint">
        <p>${t("home.fair")} <a href="/verify">${t("home.verify")}</a> · <a href="/docs">${t("page.docs")}</a> · <a href="/openapi.yaml">openapi.yaml</a></p>
      </footer>`,
    main,
  );
}

async function refresh() {
  const me = account();
  const [running, joinable, ended, own, turns] = await Promise.all([
    get(`/v1/matches?status=running&limit=${PREVIEWS}`),
    get("/v1/matches?status=open&limit=8"),
    get("/v1/matches?status=finished&limit=8"),
    me ? get(`/v1/matches?player=${encodeURIComponent(me.account_id)}&limit=8`) : { items: [] },
    me ? get("/v1/me/turns") : { items: [] },
  ]);
  found.running = running.items;
  found.joinable = joinable.items;
  found.ended = ended.items;
  found.own = own.items;
  found.turns = new Set(turns.items.map((/** @type {any} */ one) => one.match_id));
  const states = await Promise.all(
    found.running.map((match) => get(`/v1/matches/${match.match_id}/state`).catch(() => null)),
  );
  found.states = new Map(found.running.map((match, at) => [match.match_id, states[at]]));
  update();
}

try {
  const [rulesets, ladders] = await Promise.all([get("/v1/rulesets"), get("/v1/ladders?limit=5"), refresh()]);
  found.rulesets = rulesets.items;
  found.ladders = ladders.items;
  update();
  await keepFresh(refresh, () => REFRESH_MS);
} catch (error) {
  render(failure(error), main);
}
