// What the dice brought each seat against what fair dice would have brought, as curves one can click.
import { key } from "./drawings.js";
import { awaited, html, nothing, svg } from "./page.js";
import { figure, heading, numeric, tableOf } from "./tables.js";
import { namesOf, number, signed, t } from "./words.js";

const WIDTH = 360;
const HEIGHT = 200;
const EDGE = 26;

/** @typedef {{sequence: number, values: number[]}} Point The sums of each seat after a throw. */

/** The luck of each seat, summed up throw by throw. @param {any[]} throws @returns {Point[]} */
function sums(throws) {
  const total = (throws[0]?.seats ?? []).map(() => 0);
  return throws.map(({ sequence, seats }) => {
    seats.forEach((/** @type {any} */ one) => (total[one.seat] += fraction(one.luck)));
    return { sequence, values: [...total] };
  });
}

/** @param {string} text Such as `-7/36`. */
function fraction(text) {
  const [above, below = "1"] = text.split("/");
  return Number(above) / Number(below);
}

/**
 * @param {any} game @param {number} shown The version at the table. @param {(version: number) => void} go
 */
export function luckOf(game, shown, go) {
  if (!game.luck) return awaited;
  if (!game.luck.throws.length) return html`<p class="faint">${t("luck.none")}</p>`;
  const points = sums(game.luck.throws);
  const most = Math.max(1, ...points.flatMap((point) => point.values.map(Math.abs)));
  const last = points.length;
  const x = (/** @type {number} */ at) => EDGE + (at / last) * (WIDTH - 2 * EDGE);
  const y = (/** @type {number} */ value) => HEIGHT / 2 - (value / most) * (HEIGHT / 2 - 14);
  const now = points.findLastIndex((point) => point.sequence <= shown) + 1;
  const pick = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const at = Math.round(
      (((event.clientX - box.x) / box.width) * WIDTH - EDGE) / ((WIDTH - 2 * EDGE) / last),
    );
    go(points[Math.min(last, Math.max(1, at)) - 1].sequence);
  };
  const rows = game.luck.totals.map(
    (/** @type {any} */ { seat, decimals }) => html`<tr>
      <th scope="row">${key(seat)} ${namesOf(game.latest.players)[seat]}</th>
      ${[decimals.expected, decimals.realised, decimals.luck].map((value) => figure(signed(value, 1)))}
    </tr>`,
  );
  return html`<figure class="luck">
    <figcaption>${t("luck.about")}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("luck.about")} @click=${pick}>
      <line class="axis" x1=${EDGE} x2=${WIDTH - EDGE} y1=${y(0)} y2=${y(0)} />
      ${[most, -most].map((value) => svg`<text x="2" y=${y(value) + 4}>${number(value, { maximumFractionDigits: 0, signDisplay: "always" })}</text>`)}
      ${game.match.seats.map((/** @type {any} */ { seat }) => {
        const way = points.map((point, at) => `L${x(at + 1)} ${y(point.values[seat])}`).join("");
        return svg`<path class="curve seat-${seat}" d=${`M${x(0)} ${y(0)}${way}`} />
          <text class="end seat-${seat}" x=${WIDTH - EDGE + 4} y=${y(points[last - 1].values[seat]) + 4}>${seat + 1}</text>`;
      })}
      <line class="now" x1=${x(now)} x2=${x(now)} y1="0" y2=${HEIGHT} />
    </svg>
    ${tableOf(t("table.tab_luck"), "", [heading("luck.player"), ["luck.fair", "luck.came", "luck.luck"].map(numeric)], rows)}
    ${game.luck.totals.some((/** @type {any} */ { error }) => error !== "0") ? html`<p class="small faint">${t("luck.choices")}</p>` : nothing}
    ${dearest(game, go)}
  </figure>`;
}

/** The throws that mattered most to their players, each a link to its moment. @param {any} game @param {(version: number) => void} go */
function dearest(game, go) {
  const own = (/** @type {any} */ one) =>
    fraction(one.seats.find((/** @type {any} */ of) => of.seat === one.seat).luck);
  const found = [...game.luck.throws].sort((a, b) => Math.abs(own(b)) - Math.abs(own(a))).slice(0, 3);
  if (found.length < 3) return nothing;
  const items = found.map((one) => {
    const text = t("luck.throw", {
      name: namesOf(game.latest.players)[one.seat],
      total: one.values.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0),
      turn: one.turn,
      luck: signed(own(one), 1),
    });
    return html`<li><a href="#v=${one.sequence}" @click=${() => go(one.sequence)}>${text}</a></li>`;
  });
  return html`<h3>${t("luck.dearest")}</h3><ol>${items}</ol>`;
}
