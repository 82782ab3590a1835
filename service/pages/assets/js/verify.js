// The verifier: matches from files or from the service, recomputed here, step by step.
import { get, send } from "./api.js";
import { filled } from "./forms.js";
import { buttonOf, draw, failure, folded, html, nothing, open } from "./page.js";
import { facts, mark, seatName, steps } from "./verify_steps.js";
import { keysOf } from "./verifier/checkpoint.js";
import { matchesOf } from "./verifier/files.js";
import { Unreadable } from "./verifier/json.js";
import { verify } from "./verifier/verify.js";
import { number, t } from "./words.js";

/**
 * @typedef {import("./verifier/report.js").Report} Report
 * @typedef {import("./verifier/report.js").Check} Check
 * @typedef {{id: string, file: string, verdict: string, checks: Check[], count: number, report: Report | null}} Result
 *   The report is kept only of the first matches: many of them do not fit into memory.
 */

const MOST_KEPT = 20;
const MOST_MATCHES = 1000;
const MOST_OF_KEYS = 2 ** 20;
/** The faults whose values are seats. */
const OF_SEATS = new Set(["first_seat", "turn", "winner"]);

open(t("verify.title"));
const [, matchId = ""] = /^\/matches\/([^/]+)\/verify/.exec(location.pathname) ?? [];

const state = {
  /** @type {Result[]} */
  results: [],
  /** @type {unknown[]} What could not be read. */
  faults: [],
  /** @type {{text: string, share: number} | null} */
  progress: null,
  said: "",
  /** @type {Map<string, string> | null} */
  keys: null,
  /** The checks whose details are open. */
  opened: new Set(),
  /** The address of the export as the service sent it. */
  exported: "",
  /** @type {any} What the service claims of the match. */
  claim: null,
};
let run = 0;

/** Verify one after the other; a later call ends this one. @param {{name: string, read: () => Promise<Blob>}[]} files */
async function start(files) {
  const own = ++run;
  Object.assign(state, {
    results: [],
    faults: [],
    claim: null,
    said: "",
    progress: { text: t("verify.reading"), share: 0 },
  });
  show();
  const origins = new Map();
  for (const { name, read } of files) {
    try {
      for await (const match of matchesOf(await read())) {
        if (own !== run) return;
        const id = match.manifest.match_id;
        const count = match.events.length;
        const text = t("verify.checking", { n: count, id });
        const onProgress = (/** @type {number} */ done, /** @type {number} */ all) => {
          if (own !== run) return;
          state.progress = { text, share: done / all };
          show();
        };
        const report = await verify(match, { keys: state.keys, origins, onProgress });
        if (own !== run) return;
        const { checks, verdict } = report;
        const isKept = state.results.length < MOST_KEPT;
        state.results.push({ id, file: name, verdict, checks, count, report: isKept ? report : null });
        if (isKept && verdict !== "failed") origins.set(id, match);
        if (state.results.length >= MOST_MATCHES) throw new Unreadable("matches");
      }
    } catch (error) {
      if (own !== run) return;
      state.faults.push(error instanceof Unreadable ? { name, error } : error);
    }
  }
  finish();
}

function finish() {
  const [first, ...others] = state.results;
  const count = (/** @type {string} */ verdict) =>
    state.results.filter((one) => one.verdict === verdict).length;
  const verdicts = ["verified", "failed", "incomplete"];
  if (state.faults.length) end(t("verify.unreadable"));
  else if (!others.length) end(t(`verify.${first.verdict}`));
  else end(verdicts.map((one) => `${t(`verify.${one}`)}: ${number(count(one))}`).join(", "));
}

/** @param {string} said */
function end(said) {
  run++;
  state.progress = null;
  state.said = said;
  show();
}

/** @param {FileList | File[] | null | undefined} files */
function startFiles(files) {
  if (files?.length) start(Array.from(files, (file) => ({ name: file.name, read: async () => file })));
}

/** @param {string} id */
async function startMatch(id) {
  const address = `/v1/matches/${encodeURIComponent(id)}`;
  const headers = { Accept: "application/x-ndjson" };
  const read = async () => {
    const exported = await (await send("GET", `${address}/export`, { headers })).blob();
    URL.revokeObjectURL(state.exported);
    state.exported = URL.createObjectURL(exported);
    return exported;
  };
  await start([{ name: "", read }]);
  const own = run;
  if (!state.results.length) return;
  const claim = await get(`${address}/verification`).catch((error) => error);
  if (own !== run) return;
  state.claim = claim;
  show();
}

/** @param {File | undefined} file */
async function chooseKeys(file) {
  try {
    state.keys = file ? keysOf(await file.slice(0, MOST_OF_KEYS).text()) : null;
    state.said = file ? t("verify.keys_chosen", { n: state.keys?.size ?? 0 }) : t("verify.keys_none");
  } catch {
    state.said = t("verify.why_keys");
  }
  show();
}

/** A link to the moment of an event at the table. @param {string} id @param {number} sequence */
const moment = (id, sequence) =>
  /^mat_[0-9A-Z]{26}$/.test(id)
    ? html`<a href="/matches/${id}#v=${sequence}">${t("verify.event", { n: sequence })}</a>`
    : t("verify.event", { n: sequence });

/** What to verify; folded where the address says it, so that the verdict is in sight. */
const choice = () => html`<details class="panel" ?open=${!matchId}>
  <summary><h2>${t("verify.choose")}</h2></summary>
  <div class="choice"><label class="drop"
    ><span class="strong">${t("verify.drop")}</span><span class="faint small">${t("verify.kinds")}</span>
    <input id="files" type="file" multiple accept=".ndjson,.jsonl,.gz" @change=${(
      /** @type {any} */ event,
    ) => {
      startFiles(event.target.files);
      event.target.value = "";
    }}
  /></label>
  <form @submit=${(/** @type {SubmitEvent} */ event) => {
    const { id } = filled(event);
    if (id) startMatch(id);
  }}>
    <label for="id">${t("verify.by_id")}</label>
    <input id="id" name="id" placeholder="mat_…" autocomplete="off" spellcheck="false" .value=${matchId} required />
    <button class="primary">${t("verify.verify")}</button>
  </form>
  <div class="keys">
    <label for="keys">${t("verify.keys")}</label>
    <input id="keys" type="file" accept=".json" @change=${(/** @type {any} */ event) => chooseKeys(event.target.files[0])} />
    <p class="faint small">${state.keys ? t("verify.keys_chosen", { n: state.keys.size }) : t("verify.keys_none")}</p>
  </div></div>
</details>`;

const progress = () => html`<div class="progress" ?hidden=${!state.progress}>
  <label
    ><span>${state.progress?.text}</span><progress max="1" .value=${state.progress?.share ?? 0}></progress></label
  >${buttonOf(t("verify.stop"), () => end(t("verify.stopped")))}
</div>
<p role="status" class="hidden">${state.progress ? t("verify.working") : state.said}</p>`;

/** @param {Result} result @param {Check} check */
function row({ id, report }, check) {
  const { name, status, sequence, why, due, told, isPartial } = check;
  const values = OF_SEATS.has(why) ? [due, told].map(seatName) : [due, told];
  const part = isPartial ? t("verify.in_part") : "";
  const summary = html`${mark(status)}<span class="name">${t(`verify.check_${name}`)}</span
    ><span class="why">${why ? t(`verify.why_${why}`) : part}</span>`;
  const content = () => html`<div class="body">
    <p>${t(`verify.about_${name}`)} ${isPartial ? t(`verify.partial_${name}`) : nothing}</p>
    ${due === undefined ? nothing : facts(["due", values[0]], ["told", values[1]])}
    ${report ? steps(report, check, show) : html`<p class="faint">${t("verify.not_kept", { n: MOST_KEPT })}</p>`}
  </div>`;
  return html`<li class=${status}>${folded(state.opened, `${id} ${name}`, summary, content, show)}
    ${status === "failed" && sequence !== null ? html`<p class="where">${moment(id, sequence)}</p>` : nothing}
  </li>`;
}

/** @param {Result} result */
function matchPanel(result) {
  const id = html`<code>${result.id}</code>`;
  return html`<article class="panel result ${result.verdict}">
  <h2>${mark(result.verdict)} ${result.file ? id : html`<a href="/matches/${result.id}">${id}</a>`}</h2>
  <p>${t(`verify.says_${result.verdict}`)}</p>
  <p class="faint small">${t("verify.size", { n: result.count, file: result.file || t("verify.service") })}</p>
  <ul class="checks">${result.checks.map((check) => row(result, check))}</ul>
  ${result.file ? nothing : html`<p><a class="button" download=${`${result.id}.ndjson`} href=${state.exported}>${t("verify.save")}</a></p>`}
  ${result.file ? nothing : claim()}
</article>`;
}

/** What the service says itself, for comparison. */
function claim() {
  if (!state.claim) return nothing;
  if (state.claim instanceof Error) return failure(state.claim);
  return html`<section class="claim"><h3>${t("verify.claim")}</h3>
    <p class="faint small">${t("verify.claim_about")}</p>
    <p>${mark(state.claim.verdict)}</p>
    <ul class="plain">${state.claim.checks.map(
      (/** @type {any} */ { name, status, first_failed_sequence: at }) =>
        html`<li>${mark(status)} ${t(`verify.check_${name}`)} ${at === null ? nothing : moment(state.claim.match_id, at)}</li>`,
    )}</ul></section>`;
}

/** @param {any} fault */
function faultPanel(fault) {
  if (fault instanceof Error) return failure(fault);
  const { name, error } = fault;
  return html`<article class="panel result unreadable"><h2>${mark("unreadable")} ${name || t("verify.service")}</h2>
    <p>${t(`verify.why_${error.why}`)} ${error.line ? t("verify.line", { n: error.line }) : nothing}</p></article>`;
}

function show() {
  const isSafe = Boolean(globalThis.crypto?.subtle);
  draw(html`<h1>${t("verify.title")}</h1>
    <p>${t("verify.lead")}</p>
    ${isSafe ? choice() : html`<p class="failure" role="alert">${t("verify.insecure")}</p>`} ${progress()}
    ${state.faults.map(faultPanel)} ${state.results.map(matchPanel)}
    <section class="limits" aria-labelledby="limits">
      <h2 id="limits">${t("verify.limits")}</h2>
      <ul>${["rules", "tables", "key", "people", "before"].map((one) => html`<li>${t(`verify.limit_${one}`)}</li>`)}</ul>
    </section>`);
}

for (const type of ["dragover", "drop"])
  document.addEventListener(type, (event) => {
    event.preventDefault();
    if (type === "drop") startFiles(/** @type {DragEvent} */ (event).dataTransfer?.files);
  });
show();
if (matchId) startMatch(matchId);
