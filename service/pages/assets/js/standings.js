// The tables of a season: standings on one axis, entries against each other, seats, and seasons.
import { axisFrom, bar, interval, ranged, scale, span } from "./intervals.js";
import { html, nothing } from "./page.js";
import { figure, heading, numeric, tableOf } from "./tables.js";
import { number, percent, signed, t } from "./words.js";

const BEYOND = 250;
/** An interval that leaves the ratings by more points than this is cut off, and says so with an arrow. */
const STEPS = [50, 100, 200, 250, 500, 1000, 2000];
const LABELS = 4;
const EDGE = 20;
const Z = 1.96;

/** @typedef {{items: any[], live: any[], seat_ratings: number[], anchor: string, season: number}} Standings */

/** @param {number} value */
export const whole = (value) =>
  number(value, { signDisplay: "negative", maximumFractionDigits: 0, useGrouping: false });
/** The interval of a rating; that of the anchor is fixed. @param {any} one @param {Standings} standings */
const certainty = (one, { anchor }) =>
  one.entry === anchor ? t("ladder.fixed") : span(one.rating_interval, whole);
/** @param {string} entry @param {string} [opponent] */
export const matchesOf = (entry, opponent) => `#entry=${entry}${opponent ? `&opponent=${opponent}` : ""}`;

/** The axis of the ratings. @param {any[]} items */
export function axisOf(items) {
  const ratings = items.map((one) => one.rating);
  const ends = items.flatMap((one) => one.rating_interval);
  const low = Math.max(Math.min(...ratings) - BEYOND, Math.min(...ends) - EDGE);
  const high = Math.min(Math.max(...ratings) + BEYOND, Math.max(...ends) + EDGE);
  return axisFrom(low, high, STEPS.find((one) => (high - low) / one <= LABELS) ?? 5000);
}

/** What is special about an entry, in a word. @param {any} entry */
export function badge(entry) {
  if (entry?.status === "suspended") return html` <span class="badge bad">${t("ladder.is_suspended")}</span>`;
  if (entry?.status === "removed") return html` <span class="badge">${t("ladder.is_removed")}</span>`;
  return nothing;
}

/** The standings; before the first official table, the live ratings. @param {Standings} standings @param {any[]} entries */
export function table(standings, entries) {
  const isOfficial = standings.items.length > 0;
  const items = isOfficial ? standings.items : standings.live;
  const waiting = entries.filter(
    (one) => one.status !== "removed" && !items.some((item) => item.entry === one.entry_id),
  );
  const entryOf = new Map(entries.map((one) => [one.entry_id, one]));
  const axis = axisOf(items);
  const head = html`${numeric("ladder.rank")}${heading("ladder.entry")}
    <th>${items.length ? scale(axis, whole) : nothing}<span class="hidden">${t("ladder.plot")}</span></th>
    ${["ladder.rating", "ladder.wins", "ladder.score"].map(numeric)}
    ${["ladder.adjusted", "ladder.by_seat", "ladder.faults"].map(numeric)}`;
  const rows = html`${items.map(
    (one, at) => html`<tr class=${one.provisional || !isOfficial ? "pale" : ""} data-entry=${one.entry}>
      ${figure(ranged(one.rank ?? at + 1, one.rank_interval, whole))}
      <th scope="row"><a href=${matchesOf(one.entry)}>${one.name}</a>${badge(entryOf.get(one.entry))} ${provisional(one)}</th>
      <td>${interval(axis, one.rating, one.rating_interval)}</td>
      ${figure(html`<a href=${matchesOf(one.entry)}>${whole(one.rating)}</a> <small>${certainty(one, standings)}</small>`)}
      ${[
        html`${isOfficial ? whole(one.wins) : "–"} / ${whole(one.matches)}`,
        share(one.score, one.score_interval),
        share(one.score_adjusted, one.score_adjusted_interval),
        one.wins_by_seat?.map(whole).join(" · ") ?? "–",
        isOfficial ? whole(one.timeouts + one.errors) : "–",
      ].map((text) => figure(html`<a href=${matchesOf(one.entry)}>${text}</a>`))}
    </tr>`,
  )}
  ${waiting.map(
    (one) => html`<tr class="pale" data-entry=${one.entry_id}>
      ${figure("–")}<th scope="row"><a href=${matchesOf(one.entry_id)}>${one.name}</a>${badge(one)}</th>
      <td class="faint" colspan="7">${t("ladder.no_match")}</td>
    </tr>`,
  )}`;
  return tableOf(t("ladder.standings"), "standings", head, rows, "panel");
}

/** @param {{provisional: boolean}} one */
export const provisional = (one) =>
  one.provisional ? html`<span class="badge">${t("ladder.provisional")}</span>` : nothing;

/** @param {number | null | undefined} value @param {number[] | null} interval */
const share = (value, interval) =>
  value === null || value === undefined ? "–" : ranged(value, interval, percent);

/** Wilson's 95 % interval of a share, as of independent matches. @param {number} won @param {number} of */
function wilson(won, of) {
  const p = won / of;
  const middle = p + (Z * Z) / (2 * of);
  const half = Z * Math.sqrt((p * (1 - p)) / of + (Z * Z) / (4 * of * of));
  return [(middle - half) / (1 + (Z * Z) / of), (middle + half) / (1 + (Z * Z) / of)];
}

/**
 * Every entry against every other as a heat map, in the order of the standings.
 * @param {{items: any[]}} found @param {Standings} standings @param {string} told What the cell in focus says. @param {(text: string) => void} tell
 */
export function crosstable(found, standings, told, tell) {
  const entries = standings.items;
  const cells = new Map(found.items.map((one) => [`${one.entry} ${one.opponent}`, one]));
  /** @param {any} a @param {any} b */
  const cell = (a, b) => {
    const one = cells.get(`${a.entry} ${b.entry}`);
    if (!one || one.score === null) return html`<td class="heat">${a === b ? nothing : "–"}</td>`;
    const interval = span(wilson(one.wins, one.wins + one.losses), percent);
    const counts = { won: one.wins, lost: one.losses, share: percent(one.score), interval };
    const text = t("ladder.cell", { a: a.name, b: b.name, ...counts });
    const strength = `--strength: ${Math.round(Math.abs(one.score - 0.5) * 84)}%`;
    return html`<td class="heat ${one.score > 0.5 ? "ahead" : "behind"}" .style=${strength}>
      <a href=${matchesOf(a.entry, b.entry)} aria-label=${text} @mouseenter=${() => tell(text)} @focus=${() => tell(text)}
        >${percent(one.score)}<small>${one.wins} : ${one.losses}</small></a></td>`;
  };
  const head = html`<td></td>
    ${entries.map(({ name }, at) => html`<th scope="col" title=${name}><span aria-hidden="true">${at + 1}</span><span class="hidden">${name}</span></th>`)}`;
  const rows = entries.map(
    (a, at) => html`<tr><th scope="row"><span aria-hidden="true">${at + 1}</span> ${a.name}</th>
      ${entries.map((b) => cell(a, b))}</tr>`,
  );
  return html`<section>
    <h2>${t("ladder.crosstable")}</h2>
    <p class="faint">${t("ladder.crosstable_about")}</p>
    ${tableOf(t("ladder.crosstable"), "cross", head, rows)}
    <p class="told" aria-hidden="true">${told || t("ladder.tell")}</p>
  </section>`;
}

/** How often each seat won, and what it is worth. @param {Standings} standings */
export function seats(standings) {
  const wins = standings.seat_ratings.map((_, seat) =>
    standings.items.reduce((sum, one) => sum + one.wins_by_seat[seat], 0),
  );
  const total = wins.reduce((a, b) => a + b, 0);
  const head = html`${heading("ladder.seat")}${numeric("ladder.wins")}
    ${heading("ladder.share")}${numeric("ladder.worth")}`;
  const rows = wins.map(
    (won, seat) => html`<tr>
      <th scope="row">${seat + 1}</th>${figure(whole(won))}
      <td><span>${total ? percent(won / total) : "–"}</span>
        ${bar(0, total && (100 * won) / total, 100 / wins.length)}</td>
      ${figure(signed(standings.seat_ratings[seat]))}
    </tr>`,
  );
  return html`<section><h2>${t("ladder.seats")}</h2>${tableOf(t("ladder.seats"), "seats", head, rows)}</section>`;
}

/** The ratings of the entries from season to season. @param {Standings[]} seasons Standings, oldest first. */
export function seasonsOf(seasons) {
  const tables = seasons.filter((one) => one.items.length);
  if (tables.length < 2) return nothing;
  const names = new Map(tables.flatMap((one) => one.items.map((item) => [item.entry, item.name])));
  /** @param {string} id */
  const ratings = (id) => tables.map((one) => one.items.find((item) => item.entry === id));
  const head = html`${heading("ladder.entry")}
    ${tables.map((one) => html`<th class="number">${t("ladder.season_n", { n: one.season })}</th>`)}`;
  const rows = [...names].map(
    ([id, name]) => html`<tr><th scope="row">${name}</th>
      ${ratings(id).map((one, at) => figure(one ? html`${whole(one.rating)} <small>${certainty(one, tables[at])}</small>` : "–"))}</tr>`,
  );
  return html`<section><h2>${t("ladder.seasons")}</h2>${tableOf(t("ladder.seasons"), "", head, rows)}</section>`;
}
