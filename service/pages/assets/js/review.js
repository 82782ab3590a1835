// The review of a match: where it was won, by luck and by which decisions.
import { all, get, pause, post, rulesetsById, send } from "./api.js";
import { attempt, awaited, buttonOf, draw, html, keepFresh, launch, nothing, open, say } from "./page.js";
import { curveOf } from "./review_curve.js";
import { decisions, mistakes } from "./review_decisions.js";
import { seats, stages } from "./review_seats.js";
import { ensureAccount } from "./visitor.js";
import { cardsOf, chance, language, namesOf, number, points, t, told } from "./words.js";

const REFRESH_MS = 4000;
const matchId = location.pathname.split("/")[2];
const path = `/v1/matches/${matchId}`;
open(t("review.title"));

/** @type {any} */
let match;
/** @type {string[]} */
let names = [];
/** Why the match has no review, as a text; empty if it can have one. */
let lack = "";
/** @type {any} The request for a review; null if nobody has asked for one, undefined until that is known. */
let job;
/** @type {any} */
let review = null;
/** @type {HTMLElement | null} */
let curve = null;
/** @type {Map<string, any>} */
let cards;

function answer() {
  const turning = review.steps.find((/** @type {any} */ one) => one.version === review.turning_point);
  const winner = review.result.findIndex(Boolean);
  const { start, luck, skill, others } = review.seats[winner];
  return html`<p class="lead">${t("table.won", { name: names[winner] })}
      ${turning ? t("review.turning", { n: turning.turn, name: names[winner] }) : t("review.ahead", { name: names[winner] })}</p>
    <p>${t("review.answer", { name: names[winner], start: chance(start), luck: points(luck), skill: points(skill), others: points(others) })}</p>`;
}

const curves = () => (curve ? html`<section><h2>${t("review.curve")}</h2>${curve}</section>` : nothing);

const whole = () => html`${answer()} ${curves()}
  ${seats(review, names)} ${mistakes({ match, review, names, cards })} ${stages(review, names)}
  ${decisions({ match, review, names, cards }, update)}
  <p class="faint small judge">${t("review.judge", { n: review.rollouts, network: review.judge.value_function.slice(0, 19), version: number(review.judge.version) })} <a href="/docs/guides/reviews">${t("review.method")}</a> · <a href="/puzzles">${t("puzzles.title")}</a></p>`;

const progress = () => html`<div class="progress panel"><p role="status">${t("review.computing")}</p>
  <progress max="100" .value=${job.progress.percent} aria-label=${t("review.computing")}></progress></div>`;

const request = () => html`<p>${t("review.ask_about")}</p>
  <p>${buttonOf(t("review.ask"), ask, { kind: "primary" })}</p>`;

function unreviewed() {
  if (lack) return html`<p class="panel">${t(lack)}</p> ${curves()}`;
  if (job === undefined) return awaited;
  return html`${job ? progress() : request()} ${curves()}`;
}

function update() {
  draw(html`<h1>${t("review.heading", { names: names.join(", ") })}</h1>
    <p><a href=${`/matches/${matchId}`}>${t("review.table")}</a></p>
    ${review ? whole() : unreviewed()}`);
}

/** Show the curve of the network until there is a review. */
async function estimate() {
  const moments = /** @type {any} */ ((await get(`${path}/chances`)).items);
  if (review) return;
  curve = curveOf({ match, names, moments });
  update();
}

/** Go on with the curve of a running match, except while somebody looks closely; its end begins the page anew. */
async function watch() {
  const found = await get(path);
  if (found.status !== match.status) location.reload();
  if (found.version === match.version || curve?.matches(":hover, :focus-within")) return;
  match = found;
  await estimate();
}

/** Wait for the review, and show it. */
async function read() {
  for (;;) {
    const found = await send("GET", `${path}/reviews/${job.review_id}`);
    const body = await found.json();
    if (found.status !== 202) return show(body);
    job = body;
    update();
    await pause(1000 * Number(found.headers.get("Retry-After") ?? 1));
  }
}

/** @param {any} found */
function show(found) {
  const moments = [{ version: found.first, chances: found.start }, ...found.steps];
  const { turning_point: turningPoint, mistakes } = found;
  // The log of a long match is large: the review is shown before it comes.
  const log = all(`${path}/log?lang=${language}&limit=500`, { most: Infinity, continued: "after" });
  const sentences = log.then((lines) => new Map(lines.map((one) => [one.sequence, told(one, match.seats)])));
  review = found;
  curve = curveOf({ match, names, moments, sentences, turningPoint, mistakes });
  update();
  if (job.status !== "finished") say(t("review.ready"));
}

async function ask() {
  const isAsked = await attempt(async () => {
    await ensureAccount();
    job = await post(`${path}/reviews`, {});
    update();
  });
  if (isAsked) await launch(read);
}

launch(async () => {
  const [found, rulesets] = await Promise.all([get(path), rulesetsById()]);
  match = found;
  names = namesOf(match.seats, t("home.open_seat"));
  if (!rulesets.get(match.ruleset).has_reviews) lack = "review.not_of_game";
  else if (match.status !== "finished") lack = match.status === "aborted" ? "review.none" : "review.later";
  update();
  if (!lack) {
    const [asked, known] = await Promise.all([get(`${path}/reviews`), cardsOf(match.ruleset)]);
    cards = known;
    job = asked.items.find(({ status }) => status !== "failed") ?? null;
    if (job?.status !== "finished") {
      update();
      estimate().catch(() => {}); // the review does without it
    }
    if (job) await read();
  } else if (match.status === "running" && match.options.commentary && match.visibility === "public") {
    await estimate();
    await keepFresh(watch, () => REFRESH_MS);
  }
});
