// What was decided: the dearest mistakes, and all decisions with what else could have been done.
import { colourOf, drawing, key } from "./drawings.js";
import { select } from "./forms.js";
import { axisFrom, interval, scale, span } from "./intervals.js";
import { attempt, buttonOf, folded, html, nothing } from "./page.js";
import { atTable } from "./review_curve.js";
import { figure, heading, numeric, tableByKeys } from "./tables.js";
import { branch } from "./visitor.js";
import { chance, number, points, t } from "./words.js";

/** @typedef {{match: any, review: any, names: string[], cards: Map<string, any>}} About */

const VERDICTS = { blunder: "??", mistake: "?", inaccuracy: "?!", small: "·", too_close: "≈", best: "✓" };
/** Of the axis of losses: 5 points. */
const STEP = 50_000;
/** An axis with more steps than this has fewer, longer ones. */
const MANY = 8;
const SHOWN = 20;

/** Which decisions the reader wants to see; empty for any. @type {Record<string, any>} */
const wanted = { seat: "", verdict: "" };
let shown = SHOWN;
/** The decisions that are open, by version. */
const opened = new Set();

/** A command in words. @param {{names: string[], cards: Map<string, any>}} about @param {any} command */
export function words({ names, cards }, { type, dice, card, give, take, with_seat: other, from_seat: from }) {
  const [of, given, taken] = [card, give, take].map((id) => cards.get(id)?.name ?? "");
  const members = { n: dice, card: of, give: given, take: taken, name: names[other ?? from] };
  return t(OWN[type] ?? `table.${type}`, members);
}

/** @type {Record<string, string>} */
const OWN = {
  build: "review.build",
  give_establishment: "review.give",
  roll_dice: "table.roll",
  swap_establishments: "review.swap",
  take_coins: "review.take",
};

/** A command with the picture of its card. @param {{names: string[], cards: Map<string, any>}} about @param {any} command */
export function told(about, command) {
  const card = about.cards.get(command.card ?? command.take);
  return html`<span class="told-command">${card ? html`<span class="thumb ${colourOf(card)}">${drawing(card)}</span>` : nothing}<span>${words(about, command)}</span></span>`;
}

/** @param {keyof typeof VERDICTS} verdict */
const badge = (verdict) =>
  html`<span class="verdict ${verdict}"><span aria-hidden="true">${VERDICTS[verdict]}</span> ${t(`review.${verdict}`)}</span>`;

/** @param {number} millionths */
const lost = (millionths) => points(millionths, "never");
/** The axis of losses. @param {any[]} found What has losses. */
function axisOf(found) {
  const most = Math.max(...found.map(({ high }) => high));
  return axisFrom(0, Math.max(most, 3 * STEP), most > MANY * STEP ? 4 * STEP : STEP);
}
/** @param {import("./intervals.js").Axis} axis */
const scaleOf = (axis) => scale(axis, (tick) => number(tick / 1e4));
/** A loss, rounded down: it shows no limit of a verdict that it has not reached. @param {number} millionths */
const reached = (millionths) => lost(1000 * Math.floor(millionths / 1000));
/** A loss and its interval. @param {any} one */
const amount = (one) =>
  html`<span class="amount"><strong>${reached(one.loss)}</strong> <small class="faint">${span([one.low, one.high], lost)}</small></span>`;

/** What one can do about a decision. @param {About} about @param {any} one */
const acts = ({ match }, one) => html`<p class="acts">
  <a class="button" href=${atTable(match.match_id, one.version - 1)}>${t("review.look")}</a>
  ${one.verdict === "best" ? nothing : buttonOf(t("review.try"), () => attempt(() => branch(match, one.version - 1, one.best)))}
</p>`;

/** @param {About} about */
export function mistakes(about) {
  const { review, names } = about;
  const found = review.mistakes.map((/** @type {number} */ version) =>
    review.decisions.find((/** @type {any} */ one) => one.version === version),
  );
  const axis = axisOf(found);
  return html`<section>
    <h2>${t("review.mistakes")}</h2>
    ${found.length ? html`<p class="faint">${t("review.loss_about")}</p>` : html`<p>${t("review.mistakes_none")}</p>`}
    <ol class="mistakes">${found.map(
      (/** @type {any} */ one) => html`<li class="panel seat-${one.seat}">
        <h3>${key(one.seat)} <span class="name">${names[one.seat]}</span> <span class="faint small">${t("review.turn", { n: one.turn })}</span> ${badge(one.verdict)}</h3>
        <dl><dt>${t("review.played")}</dt><dd>${told(about, one.command)}</dd><dt>${t("review.better")}</dt><dd>${told(about, one.best)}</dd>
          <dt>${t("review.lost")}</dt><dd class="loss"><div>${interval(axis, one.loss, [one.low, one.high])}${scaleOf(axis)}</div>${amount(one)}</dd></dl>
        ${acts(about, one)}</li>`,
    )}</ol>
  </section>`;
}

/** What the chance after a command comes from. @param {any} one */
function source({ is_exact: isExact, rollouts }) {
  if (isExact) return t("review.exact");
  return rollouts ? number(rollouts) : t("review.network");
}

/**
 * What else could have been done, and what it would have cost.
 * @param {{names: string[], cards: Map<string, any>}} about @param {any} one @param {string} own What marks the command
 */
export function candidates(about, one, own = t("review.own")) {
  const axis = axisOf(one.candidates);
  const isOwn = (/** @type {any} */ { command }) => JSON.stringify(command) === JSON.stringify(one.command);
  const head = html`${heading("review.choice")}${numeric("review.chance")}
    <th>${t("review.lost")}${scaleOf(axis)}</th>${numeric("review.rollouts")}`;
  const rows = one.candidates.map(
    (/** @type {any} */ of) => html`<tr class=${isOwn(of) ? "own" : ""}>
      <th scope="row">${told(about, of.command)}${isOwn(of) ? html` <span class="faint small">${own}</span>` : nothing}</th>
      ${figure(of.rollouts || of.is_exact ? chance(of.chances[one.seat]) : "–")}<td class="loss">${interval(axis, of.loss, [of.low, of.high])} ${amount(of)}</td>
      ${figure(source(of))}</tr>`,
  );
  return tableByKeys(t("review.choice"), "candidates", head, rows);
}

/** @param {About} about @param {any} one @param {() => void} update */
function row(about, one, update) {
  const summary = html`<span class="faint small">${t("review.turn", { n: one.turn })}</span>
    <span>${key(one.seat)} ${about.names[one.seat]}</span> <span>${words(about, one.command)}</span>
    ${badge(one.verdict)} <span class="number">${one.loss ? reached(one.loss) : ""}</span>`;
  const content = () => [candidates(about, one), acts(about, one)];
  return html`<li>${folded(opened, one.version, summary, content, update)}</li>`;
}

/**
 * A choice of what is wanted.
 * @param {string} name @param {string} text @param {any[]} values @param {(value: any) => string} told
 * @param {() => void} update
 */
function filter(name, text, values, told, update) {
  const textOf = (/** @type {any} */ value) => (value === "" ? t("review.any") : told(value));
  const choose = (/** @type {any} */ value) => {
    wanted[name] = value;
    shown = SHOWN;
    update();
  };
  return html`<label class="small">${text} ${select(["", ...values], textOf, wanted[name], choose)}</label>`;
}

/** @param {About} about @param {() => void} update */
export function decisions(about, update) {
  const { review, names } = about;
  const found = review.decisions.filter((/** @type {any} */ one) =>
    Object.entries(wanted).every(([name, value]) => value === "" || one[name] === value),
  );
  const more = () => ((shown = Infinity), update());
  return html`<section>
    <h2>${t("review.all")}</h2>
    <div class="filters">
      ${filter("seat", t("luck.player"), [...names.keys()], (seat) => names[seat], update)}
      ${filter("verdict", t("review.verdict"), Object.keys(VERDICTS), (one) => t(`review.${one}`), update)}
      <output>${t("review.found", { n: found.length })}</output>
    </div>
    <ol class="decisions">${found.slice(0, shown).map((/** @type {any} */ one) => row(about, one, update))}</ol>
    ${found.length > shown ? buttonOf(t("ladder.more", { n: found.length - shown }), more) : nothing}
  </section>`;
}
