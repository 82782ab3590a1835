// What luck and decisions made of each seat, in the whole match and by stage.
import { key } from "./drawings.js";
import { bar } from "./intervals.js";
import { html } from "./page.js";
import { figure, heading, numeric, tableByKeys } from "./tables.js";
import { chance, number, percent, points, t } from "./words.js";

/** A number with a bar from the middle, to the right for a gain. @param {number} value @param {number} most */
function change(value, most) {
  const width = (50 * Math.abs(value)) / most;
  const drawn = value < 0 ? bar(50 - width, width, 50, "loss") : bar(50, width, 50, "gain");
  return figure(html`<span>${points(value)}</span> ${drawn}`);
}

/** @param {number[]} values */
const most = (values) => Math.max(1, ...values.map(Math.abs));

/** @param {number} sum @param {number} count */
const each = (sum, count) => (count ? Math.round(sum / count) : 0);

const CHANGES = ["luck", "skill", "others"];

/** @param {any} review @param {string[]} names */
export function seats({ seats }, names) {
  const widest = most(seats.flatMap((/** @type {any} */ one) => CHANGES.map((name) => one[name])));
  const parts = ["review.start", "luck.luck", "review.skill", "review.others", "review.result"];
  const rows = seats.map(
    (/** @type {any} */ one) => html`<tr>
      <th scope="row">${key(one.seat)} ${names[one.seat]}</th>${figure(chance(one.start))}
      ${CHANGES.map((name) => change(one[name], widest))}
      <td class="number result">${chance(one.result)}</td>${figure(points(one.adjusted))}
      ${figure(one.accuracy === null ? "–" : percent(one.accuracy / 100))}</tr>`,
  );
  const head = [heading("luck.player"), [...parts, "ladder.adjusted", "review.accuracy"].map(numeric)];
  return html`<section>
    <h2>${t("review.seats")}</h2>
    <p class="faint">${t("review.seats_about")}</p>
    ${tableByKeys(t("review.seats"), "of-seats", head, rows, "panel")}
    <p class="faint small">${t("review.adjusted_about")}</p>
  </section>`;
}

/** @param {any} review @param {string[]} names */
export function stages({ seats }, names) {
  const rows = seats.flatMap((/** @type {any} */ { seat, stages }) =>
    stages.map((/** @type {any} */ one, /** @type {number} */ at) => ({
      ...one,
      seat,
      rows: at ? 0 : stages.length,
      lost: -each(one.lost, one.decisions),
      luck: each(one.luck, one.rolls),
    })),
  );
  const widest = most(rows.flatMap((/** @type {any} */ one) => [one.lost, one.luck]));
  const rates = ["review.decisions", "review.lost_each", "review.rolls", "review.luck_each"];
  const head = [["luck.player", "review.stage"].map(heading), rates.map(numeric)];
  /** @param {any} one */
  const row = (one) => html`<tr>
    ${one.rows ? html`<th scope="rowgroup" rowspan=${one.rows}>${key(one.seat)} ${names[one.seat]}</th>` : ""}
    <td>${t(`review.${one.stage}`)}</td>${figure(number(one.decisions))}${change(one.lost, widest)}
    ${figure(number(one.rolls))}${change(one.luck, widest)}</tr>`;
  return html`<section>
    <h2>${t("review.stages")}</h2>
    <p class="faint">${t("review.stages_about")}</p>
    ${tableByKeys(t("review.stages"), "of-stages", head, rows.map(row), "panel")}
  </section>`;
}
