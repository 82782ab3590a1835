// How likely each seat was to win, from the first turn to the end: stepped curves, and the moment that is looked at.
import { key } from "./drawings.js";
import { html, nothing, render, svg } from "./page.js";
import { chance, percent, points, t } from "./words.js";

/**
 * The chances after an event, and what changed them.
 * @typedef {{version: number, chances: number[], kind?: string, turn: number, seat: number, change: number[]}} Moment
 */

const GRID = [0, 25, 50, 75, 100];
const LABELS = 8;
/** Half of the lane of luck, where bars go up and down; decisions only go down. */
const MOST = 48;

/** @param {Moment} moment */
const isSkill = ({ kind }) => kind === "decision" || kind === "resignation";
/** @param {Moment} moment What it changed for the seat whose turn it was. */
const own = ({ change, seat }) => change[seat];
/** @param {string} matchId @param {number} version */
export const atTable = (matchId, version) => `/matches/${matchId}#v=${version}`;

/** Where the match turned, with a text that stays in the picture. @param {string} x @param {number} share Of the width. */
function turningPointAt(x, share) {
  const side = share < 0.2 ? "start" : "middle";
  return svg`<line class="turning" x1=${x} x2=${x} y1="-14" y2="100%" />
    <text class="turning" x=${x} y="-18" text-anchor=${share > 0.8 ? "end" : side}>${t("review.point")}</text>`;
}

/** The moment at which the curve of a seat is farthest from all others, for its label. @param {Moment[]} moments @param {number} seat */
function clearest(moments, seat) {
  const gap = (/** @type {number[]} */ all) =>
    Math.min(...all.filter((_, other) => other !== seat).map((other) => Math.abs(other - all[seat])));
  const gaps = moments.slice(0, -1).map(({ chances }) => gap(chances));
  return Math.max(0, gaps.indexOf(Math.max(...gaps)));
}

/**
 * The curves as an element of its own: it shows the moment under the pointer or the keys.
 * @param {{match: any, names: string[], moments: Moment[], sentences?: Promise<Map<number, string>>,
 *   turningPoint?: number | null, mistakes?: number[]}} about
 */
export function curveOf({ match, names, moments, sentences, turningPoint = null, mistakes = [] }) {
  let told = new Map();
  let shown = 0;
  const figure = document.createElement("figure");
  figure.className = "chances";
  const last = Math.max(1, moments.length - 1);
  const turning = moments.findIndex(({ version }) => version === turningPoint);
  const steps = moments.map((one, at) => ({ one, at })).filter(({ one }) => one.kind);
  const decided = steps.filter(({ one }) => isSkill(one));
  const rolls = steps.filter(({ one }) => !isSkill(one));
  const most = Math.max(1, ...steps.map(({ one }) => Math.abs(own(one))));
  const turns = steps.filter(({ one }, at) => one.turn !== steps[at - 1]?.one.turn);
  const every = Math.ceil(turns.length / LABELS);
  const x = (/** @type {number} */ at) => `${((100 * at) / last).toFixed(2)}%`;
  const y = (/** @type {number} */ millionths) => `${(100 - millionths / 1e4).toFixed(2)}%`;
  const way = (/** @type {number} */ seat) =>
    `M0 ${1e6 - moments[0].chances[seat]}${moments.map(({ chances }, at) => `H${at}V${1e6 - chances[seat]}`).join("")}`;
  const isMistake = (/** @type {Moment} */ one) => one.kind === "decision" && mistakes.includes(one.version);
  /** @param {typeof steps} changes @param {number} zero Where no change is, in percent. @param {number} length Of the longest. */
  const bars = (changes, zero, length) =>
    svg`<line class="grid" x1="0" x2="100%" y1="${zero}%" y2="${zero}%" />
    ${changes.map(({ one, at }) => svg`<line class="bar seat-${one.seat}" x1=${x(at)} x2=${x(at)} y1="${zero}%" y2="${zero - (length * own(one)) / most}%" />`)}`;

  /** @param {Moment} one What happened, in words. */
  function words(one) {
    if (!one.kind) return "";
    const text = t(isSkill(one) ? "review.loss_of" : "review.luck_of", {
      name: names[one.seat],
      points: points(own(one)),
    });
    return `${t("review.turn", { n: one.turn })}: ${told.get(one.version) ?? ""} ${text}`;
  }

  const plot = () => html`<svg class="plot" aria-hidden="true" focusable="false">
      ${GRID.map((one) => {
        const height = y(one * 1e4);
        return svg`<line class="grid" x1="0" x2="100%" y1=${height} y2=${height} />
          <text class="tick" x="-8" y=${height}>${percent(one / 100)}</text>`;
      })}
      ${turning < 0 ? nothing : turningPointAt(x(turning), turning / last)}
      <svg viewBox="0 0 ${last} 1000000" preserveAspectRatio="none">${names.map((_, seat) => svg`<path class="way seat-${seat}" d=${way(seat)} />`)}</svg>
      ${steps.map(({ one, at }) => (isMistake(one) ? svg`<text class="mistake seat-${one.seat}" x=${x(at)} y=${y(one.chances[one.seat])}>◆</text>` : nothing))}
      ${names.map((_, seat) => {
        const at = clearest(moments, seat);
        return svg`<text class="label seat-${seat}" x=${x(at)} y=${y(moments[at].chances[seat])} dx=${Math.abs(at - turning) < last / 40 ? 12 : 0} dy="-6">${seat + 1}</text>`;
      })}
    </svg>`;

  const lanes = () => html`<p class="faint small">${t("review.lane_luck")}</p>
    <svg class="lane" aria-hidden="true" focusable="false">${bars(rolls, 50, MOST)}</svg>
    <p class="faint small">${t("review.lane_skill")}</p>
    <svg class="lane skill" aria-hidden="true" focusable="false">${bars(decided, 0, 2 * MOST)}
      ${turns.map(({ one, at }, nth) => {
        if (nth % every) return nothing;
        const text = nth ? one.turn : t("review.turn", { n: one.turn });
        return svg`<text class="tick turn ${nth ? "" : "first"}" x=${x(at)} y="100%" dy="16">${text}</text>`;
      })}</svg>`;

  /** @param {number} at */
  function show(at) {
    shown = at;
    const moment = moments[at];
    const { version, chances } = moment;
    const pick = (/** @type {PointerEvent | MouseEvent} */ event) => {
      const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
      const found = Math.round(((event.clientX - box.x) / box.width) * (moments.length - 1));
      return Math.min(moments.length - 1, Math.max(0, found));
    };
    /** @param {string} name @param {number} seat */
    const inLegend = (name, seat) => html`<li class="seat-${seat}">
      <svg class="sample" aria-hidden="true"><line class="way seat-${seat}" x2="100%" y1="50%" y2="50%" /></svg>
      ${key(seat)} <span class="name">${name}</span> <strong>${chance(chances[seat])}</strong></li>`;
    const said = [words(moment), ...names.map((name, seat) => `${name} ${chance(chances[seat])}`)];
    render(
      html`<figcaption class="hidden">${t("review.curve")}</figcaption>
        <ul class="legend">${names.map(inLegend)}</ul>
        <div class="field" @pointermove=${(/** @type {PointerEvent} */ event) => show(pick(event))}
          @click=${(/** @type {MouseEvent} */ event) => location.assign(atTable(match.match_id, moments[pick(event)].version))}>
          ${plot()} ${steps.length ? lanes() : nothing}
          <svg class="cursor" aria-hidden="true" focusable="false"><line x1=${x(at)} x2=${x(at)} y1="0" y2="100%" /></svg>
        </div>
        <input type="range" min="0" max=${moments.length - 1} .value=${String(at)} aria-label=${t("table.moment")} aria-valuetext=${said.join(", ")}
          @input=${(/** @type {any} */ event) => show(Number(event.target.value))} />
        <p class="told">${words(moment)} <a href=${atTable(match.match_id, version)}>${t("review.show", { n: version })}</a></p>`,
      figure,
    );
  }

  show(turning < 0 ? moments.length - 1 : turning);
  const showTold = (/** @type {Map<number, string>} */ found) => ((told = found), show(shown));
  sentences?.then(showTold, () => {}); // the curve does without them
  return figure;
}
