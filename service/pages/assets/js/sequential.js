// Sequential tests: whether one entry is better than another, as the likelihood's way between its two bounds.
import { html, nothing, svg } from "./page.js";
import { number, percent, signed, t } from "./words.js";

const WIDTH = 640;
const HEIGHT = 150;
const EDGE = 8;
/** Virtual matches between equals, as in docs/ladders.md. */
const VIRTUAL = 40;

/** @param {number} elo */
const share = (elo) => 1 / (1 + 10 ** (-elo / 400));

/**
 * The log-likelihood ratio after each counted block, by the formula of docs/ladders.md.
 * @param {any} test @param {any[]} results Matches of the test. @returns {number[]}
 */
export function ratios(test, results) {
  const blocks = Map.groupBy(results, ({ block }) => block);
  const [p0, p1] = [share(test.elo0), share(test.elo1)];
  let [a, n, aa, an, nn] = [0, 0, 0, 0, 0];
  const counted = [...blocks.keys()].sort((x, y) => x - y).slice(0, test.blocks);
  return counted.map((block) => {
    const winners = (blocks.get(block) ?? []).map((one) => one.seats[one.winner]);
    const won = winners.filter((one) => one === test.a).length;
    const decided = won + winners.filter((one) => one === test.b).length;
    [a, n, aa, an, nn] = [a + won, n + decided, aa + won * won, an + won * decided, nn + decided * decided];
    const q = (a + 0.5) / (n + 1);
    const variance = (aa - 2 * q * an + q * q * nn + VIRTUAL / 4) / (n + VIRTUAL);
    return ((p1 - p0) * (a - (n * (p0 + p1)) / 2)) / variance;
  });
}

/** @param {any} test @param {any[]} results @param {{a: string, b: string}} names */
function path(test, results, names) {
  const values = ratios(test, results);
  const low = Math.min(test.lower, ...values);
  const high = Math.max(test.upper, ...values);
  const x = (/** @type {number} */ at) => EDGE + (at / Math.max(values.length, 10)) * (WIDTH - 2 * EDGE);
  const y = (/** @type {number} */ value) => 8 + ((high - value) / (high - low)) * (HEIGHT - 16);
  const way = [0, ...values].map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const bound = (/** @type {number} */ value) =>
    svg`<line class="bound" x1="0" x2=${WIDTH} y1=${y(value)} y2=${y(value)} />`;
  const [n, llr] = [values.length, decimal(test.llr ?? 0)];
  const about = { n, llr, low: decimal(test.lower), high: decimal(test.upper) };
  const [endX, endY] = /** @type {string} */ (way.at(-1)).split(",");
  return html`<p class="small">↑ ${t("ladder.better", names)}</p>
    <svg class="way" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("ladder.way", about)}>
    ${bound(test.upper)} ${bound(test.lower)}
    <line class="zero" x1="0" x2=${WIDTH} y1=${y(0)} y2=${y(0)} />
    <polyline points=${way.join(" ")} /><circle cx=${endX} cy=${endY} r="6" />
  </svg>
  <p class="small">↓ ${t("ladder.not_better", names)}</p>`;
}

/** @param {number} value */
const decimal = (value) => number(value, { maximumFractionDigits: 2 });

/** @param {any} test */
function observed({ elo, elo_interval: [low, high], wins_a: a, wins_b: b }) {
  return t("ladder.observed", { elo: signed(elo), interval: `${signed(low)} … ${signed(high)}`, a, b });
}

/** @param {any} test @param {any[]} results @param {(entry: string) => string} nameOf */
export function testOf(test, results, nameOf) {
  const names = { a: nameOf(test.a), b: nameOf(test.b) };
  const said = test.decision
    ? t(`ladder.${test.decision}`, names)
    : t("ladder.testing", { ...names, n: test.blocks, most: test.most_blocks });
  const [elo0, elo1] = [test.elo0, test.elo1].map((elo) => signed(elo));
  const asked = { elo0, elo1, alpha: percent(test.alpha), beta: percent(test.beta) };
  return html`<article class="panel test" data-test=${test.test_id}>
    <h3>${t("ladder.test_of", names)}</h3>
    <p><strong>${said}</strong> ${test.elo === null ? nothing : observed(test)}</p>
    ${test.lower === null ? nothing : path(test, results, names)}
    <p class="faint small">${t("ladder.asked", asked)}</p>
  </article>`;
}
