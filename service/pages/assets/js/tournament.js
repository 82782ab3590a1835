// The tournament of a season: its bracket or its rounds, and how the entries stand.
import { html, nothing } from "./page.js";
import { matchesOf } from "./standings.js";
import { figure, heading, numeric, tableOf } from "./tables.js";
import { number, t } from "./words.js";

/** @typedef {{entry: string, name: string, wins: number, points: number | null, advances: boolean | null}} Player */
/** @typedef {{players: Player[], blocks: number, finished: number, given_up: number}} Table */
/** @typedef {{number: number, replay: number, round: number, status: string, tables: Table[],
 *   byes: {entry: string, name: string}[]}} Round */

/** @param {number | null} value Points, with halves and quarters. */
const points = (value) => (value === null ? "–" : number(value, { maximumFractionDigits: 2 }));

/** @param {any} found */
export function tournament(found) {
  const isBracket = found.schedule.kind === "knock_out";
  return html`<section class="tournament" data-kind=${found.schedule.kind}>
    <h2>${t(`tournament.${found.schedule.kind}`)}</h2>
    <p>${state(found)}</p>
    ${isBracket && found.rounds.length ? bracket(found) : nothing}
    ${found.items.length ? places(found, !isBracket) : nothing}
    ${found.schedule.kind === "swiss" ? [...found.rounds].reverse().map((one, at) => pairings(one, !at)) : nothing}
    ${found.items.length ? html`<p class="faint small">${t("tournament.check")} <code>machi ladder verify ${found.ladder_id}</code> <a href="/docs/guides/tournaments">${t("tournament.rules")}</a></p>` : nothing}
  </section>`;
}

/** @param {any} found */
function state({ status, items, rounds, planned, schedule }) {
  if (status === "not_started" || status === "abandoned") return t(`tournament.${status}`);
  const last = rounds[rounds.length - 1].number;
  const winners = items.filter((/** @type {any} */ one) => one.place === 1);
  if (status === "running")
    return t(schedule.kind === "knock_out" ? "tournament.stage_of" : "tournament.round_of", {
      n: last,
      of: planned,
    });
  return winners.length > 1
    ? t("tournament.shared", { names: winners.map((/** @type {any} */ one) => one.name).join(", ") })
    : html`<strong>${t("tournament.won", { name: winners[0].name })}</strong>`;
}

/**
 * The stages of a knock-out, side by side; those that played on are one stage. What leads to a table stands beside it,
 * so the order is that of the last stage.
 * @param {any} found
 */
function bracket({ rounds, planned }) {
  const last = rounds[rounds.length - 1].number;
  const columns = [];
  /** @type {string[]} */
  let order = [];
  for (let stage = last; stage > 0; stage--) {
    const played = rounds.filter((/** @type {Round} */ one) => one.number === stage);
    const [{ tables, byes }] = played;
    /** @type {{entries: string[], text: unknown}[]} */
    const items = [
      ...tables.map((/** @type {Table} */ one) => ({
        entries: one.players.map(({ entry }) => entry),
        text: tie(one, played),
      })),
      ...byes.map((/** @type {Player} */ one) => ({ entries: [one.entry], text: bye(one) })),
    ];
    const known = order;
    /** @param {{entries: string[]}} item */
    const place = (item) => Math.max(...item.entries.map((one) => known.indexOf(one)));
    items.sort((a, b) => place(a) - place(b));
    order = items.flatMap((one) => one.entries);
    const name = stage === planned ? t("tournament.final") : t("tournament.stage_n", { n: stage });
    columns.unshift(html`<div class="stage"><h3>${name}</h3><ol>${items.map((one) => one.text)}</ol></div>`);
  }
  return html`<div class="scrolls"><div class="bracket">${columns}</div></div>`;
}

/** @param {{name: string}} one */
const bye = (one) =>
  html`<li class="tie faint"><span>${one.name}</span><span>${t("tournament.bye")}</span></li>`;

/** A table of a stage, with all that it has played. @param {Table} table @param {Round[]} played */
function tie(table, played) {
  /** @param {Player} one */
  const all = (one) =>
    played.flatMap((round) =>
      round.tables.flatMap(({ players }) => players.filter(({ entry }) => entry === one.entry)),
    );
  const replays = all(table.players[0]).length - 1;
  return html`<li class="tie">
    ${table.players.map((one) => {
      const wins = all(one).reduce((sum, each) => sum + each.wins, 0);
      return html`<a class=${one.advances ? "won" : ""} href=${matchesOf(one.entry)}><span>${one.name}</span><span>${wins}</span></a>`;
    })}
    ${replays ? html`<small>${t("tournament.played_on", { n: replays })}</small>` : nothing}
    ${table.given_up ? html`<small>${t("tournament.given_up", { n: table.given_up })}</small>` : nothing}
  </li>`;
}

/** Who met whom in a round. @param {Round} round @param {boolean} isLast */
function pairings(round, isLast) {
  return html`<details class="panel pairings" ?open=${isLast}>
    <summary><h3>${t("ladder.round_n", { n: round.number })}</h3></summary>
    <ul>${round.tables.map(
      ({ players, given_up }) => html`<li>
        <span>${players.map((one, at) => html`${at ? " – " : ""}<a class=${best(one, players) ? "won" : ""} href=${matchesOf(one.entry)}>${one.name}</a>`)}</span>
        <span>${players.map(({ wins }) => wins).join(" : ")}</span>
        ${given_up ? html`<small>${t("tournament.given_up", { n: given_up })}</small>` : nothing}
      </li>`,
    )}
    ${round.byes.map((one) => html`<li class="faint"><span>${one.name}</span><span>${t("tournament.bye")}</span></li>`)}</ul>
  </details>`;
}

/** Whether nobody at the table has as many points, once all is played. @param {Player} one @param {Player[]} players */
const best = (one, players) =>
  one.points !== null && players.every((each) => each === one || (each.points ?? 0) < (one.points ?? 0));

/** @param {any} found @param {boolean} isScored */
function places({ items }, isScored) {
  const scores = html`${numeric("tournament.points")}<th class="number">Buchholz</th><th class="number">Sonneborn-Berger</th>`;
  const head = html`${numeric("tournament.place")}${heading("ladder.entry")}
    ${isScored ? scores : nothing}${numeric("ladder.wins")}${numeric("tournament.seed")}`;
  const rows = items.map(
    (/** @type {any} */ one) => html`<tr>
      ${figure(one.place ?? "–")}<th scope="row"><a href=${matchesOf(one.entry)}>${one.name}</a></th>
      ${isScored ? [html`<strong>${points(one.points)}</strong>`, points(one.buchholz), points(one.sonneborn_berger)].map(figure) : nothing}
      ${[one.wins, one.seed].map(figure)}
    </tr>`,
  );
  return tableOf(t("tournament.places"), "places", head, rows, "panel");
}
