// The ratings of people: a board for each ruleset and number of seats.
import { all, get, rulesetsById } from "./api.js";
import { select } from "./forms.js";
import { interval, ranged, scale } from "./intervals.js";
import { awaited, draw, fail, html, keepFresh, launch, nothing, open } from "./page.js";
import { account } from "./session.js";
import { axisOf, provisional, whole } from "./standings.js";
import { figure, heading, numeric, tableOf } from "./tables.js";
import { gameName, moment, seatCounts, seatsName, t } from "./words.js";

const REFRESH_MS = 10_000;
const MOST = 10_000;

open(t("ratings.title"));

/** @type {Map<string, any>} */
let rulesets = new Map();
/** What is shown. @type {{ruleset: string, seats: number}} */
const chosen = { ruleset: "base", seats: 2 };
/** What is computed, and from what. @type {any} */
let board = null;
/** @type {any[]} */
let rows = [];

/** The board that the address names, if there is such a one. */
function addressed() {
  const asked = new URLSearchParams(location.search);
  chosen.ruleset = [asked.get("ruleset") ?? "", ...rulesets.keys()].find((id) => rulesets.has(id)) ?? "";
  chosen.seats = fitting(Number(asked.get("seats")) || 2);
}

/** The number of seats that the game has and that is nearest to another. @param {number} seats */
function fitting(seats) {
  const { min, max } = rulesets.get(chosen.ruleset).players;
  return Math.min(Math.max(seats, min), max);
}

/** @param {Partial<typeof chosen>} changed */
async function choose(changed) {
  Object.assign(chosen, changed);
  chosen.seats = fitting(chosen.seats);
  history.replaceState(null, "", `?ruleset=${chosen.ruleset}&seats=${chosen.seats}`);
  await refresh().catch(fail);
}

/** @param {any} one @param {import("./intervals.js").Axis} axis */
const row = (one, axis) => html`<tr class=${one.provisional ? "pale" : ""}
    aria-current=${one.account_id === account()?.account_id ? "true" : nothing}>
    ${figure(ranged(one.rank, one.rank_interval, whole))}
    <th scope="row">${one.handle} ${provisional(one)}</th>
    <td>${interval(axis, one.rating, one.rating_interval)}</td>
    ${figure(ranged(one.rating, one.rating_interval, whole))}
    ${figure(`${whole(one.wins)} / ${whole(one.matches)}`)}
  </tr>`;

function table() {
  if (!rows.length) return html`<p class="panel">${t(board.results ? "ratings.soon" : "ratings.none")}</p>`;
  const axis = axisOf(rows);
  const head = html`${numeric("ladder.rank")}${heading("ratings.player")}
    <th>${scale(axis, whole)}<span class="hidden">${t("ladder.plot")}</span></th>
    ${numeric("ladder.rating")}${numeric("ratings.wins")}`;
  const body = rows.map((one) => row(one, axis));
  return html`${tableOf(t("ratings.title"), "standings", head, body, "panel")}
    <p class="small faint">${t("ratings.counted", { n: board.results_counted, all: board.results, time: moment(board.computed_at) })}</p>`;
}

function update() {
  const seats = seatCounts(rulesets.get(chosen.ruleset));
  draw(html`<h1>${t("ratings.title")}</h1>
    <p>${t("ratings.about")} <a href="/docs/guides/ratings">${t("ratings.how")}</a></p>
    <p class="row">
      <label>${t("new.game")}
        ${select([...rulesets.keys()], gameName, chosen.ruleset, (ruleset) => choose({ ruleset }))}</label>
      <label>${t("ladders.table")}
        ${select(seats, seatsName, chosen.seats, (seats) => choose({ seats }))}</label>
    </p>
    ${board ? table() : awaited}`);
}

async function refresh() {
  const path = `/v1/ratings?ruleset=${chosen.ruleset}&seats=${chosen.seats}`;
  board = await get(`${path}&limit=500`);
  rows = board.next ? await all(`${path}&limit=500`, { most: MOST }) : board.items;
  update();
}

launch(async () => {
  rulesets = await rulesetsById();
  addressed();
  update();
  await refresh();
  await keepFresh(refresh, () => REFRESH_MS);
});
