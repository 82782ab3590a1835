// A ladder: who is ahead, how sure that is, and what happens now.
import { all, get, lines, send } from "./api.js";
import { select } from "./forms.js";
import { jobButtons, operator } from "./operator.js";
import { attempt, awaited, buttonOf, draw, html, keepFresh, launch, nothing, open, sayWhy } from "./page.js";
import { testOf } from "./sequential.js";
import { account } from "./session.js";
import { badge, crosstable, seasonsOf, seats, table } from "./standings.js";
import { tournament } from "./tournament.js";
import { ago, gameName, moment, namesOf, number, percent, seatsName, t } from "./words.js";

const BUSY_MS = 2500;
const IDLE_MS = 12_000;
const NEWEST = 6;
const SHOWN = 40;
const TESTS = 5;
const SEASONS = 12;
/** What is shown of a public value, as far as it is known. */
const BOUND = ["value", "commitment", "seed"];
const TYPES = /** @type {Record<string, string>} */ ({ ndjson: "application/x-ndjson", csv: "text/csv" });

const ladderId = location.pathname.split("/")[2];
const path = `/v1/ladders/${ladderId}`;
open(t("ladder.title"));

/** @type {{standings: any, crosstable: any, jobs: Map<string, any>, running: any[], latest: any[], tests: any[],
 *   results: Map<string, any>, seasons: any[], matches: any[] | null, faults: any[], tournament: any}} */
const found = {
  standings: null,
  crosstable: null,
  jobs: new Map(),
  running: [],
  latest: [],
  tests: [],
  results: new Map(),
  seasons: [],
  matches: null,
  faults: [],
  tournament: null,
};
/** The season that is shown; 0 for the open one. */
let season = Number(new URLSearchParams(location.search).get("season")) || 0;
let shown = SHOWN;
let told = "";
/** How much is known: 1 with the standings, 2 with the jobs of the rounds, 3 with all. What is shown waits for what is
 * above it, so that nothing moves. */
let known = 0;
const of = {
  path,
  ladder: /** @type {any} */ (null),
  strategies: /** @type {any[]} */ ([]),
  refresh,
  update,
};

/** Show what has become known on the first way through. @param {number} stage */
function learn(stage) {
  if (stage <= known) return;
  known = stage;
  update();
}

const query = () => (season ? `?season=${season}` : "");
const selected = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
/** @returns {any[]} */
const entries = () => of.ladder.entries;
/** @param {string} id */
const entryOf = (id) => entries().find((one) => one.entry_id === id);
/** @param {string} id */
const nameOf = (id) => entryOf(id)?.name ?? id;
const isOperator = () => of.ladder.owner === account()?.account_id;
/** @returns {any[]} */
const rounds = () => of.ladder.rounds;
/** @param {any} round Whether it belongs to the season that is shown. */
const isShown = (round) => round.season === (season || of.ladder.season);
/** @param {any} match Whether it does, by the newest round that was open when it began. */
const isOfSeason = ({ created_at: at }) =>
  isShown(rounds().find((one) => one.opened_at <= at) ?? { season: season || of.ladder.season });
const openRounds = () => rounds().filter((one) => one.status !== "finished" && isShown(one));

/** Who is ahead, and how sure that is. */
function answer() {
  const { items, live, as_of, blocks_counted, blocks_finished, computing, groups } = found.standings;
  const [first, second] = items;
  const behind = blocks_finished - blocks_counted;
  const none = entries().length ? "ladder.none_in_season" : "ladder.nothing_yet";
  const nobody = t(blocks_finished ? "ladder.no_table" : none);
  if (!first)
    return html`<section class="answer">
      <p class="lead">${nobody} ${live.length ? t("ladder.live_note") : nothing}</p></section>`;
  const sure = { percent: percent(first.above_next / 100, 1), second: second?.name };
  return html`<section class="answer">
    <p class="lead"><strong>${t("ladder.ahead", { name: first.name })}</strong>
      ${second && first.above_next !== null ? t("ladder.sure", sure) : nothing}</p>
    <p class="faint">${t("ladder.counted", { n: as_of.blocks })} ${t("ladder.computed", { ago: ago(as_of.computed_at) })}
      ${behind ? t("ladder.behind", { n: behind }) : nothing} ${computing ? t("ladder.computing", computing) : nothing}
      ${groups > 1 ? html`<strong>${t("ladder.groups", { n: groups })}</strong>` : nothing}</p>
  </section>`;
}

/** @param {any} round */
function progress(round) {
  const job = found.jobs.get(round.job_id);
  const done = job?.progress.done ?? round.finished + round.given_up;
  const text = t("ladder.progress", { n: round.blocks, done });
  return html`<div class="round" data-round=${round.round}>
    <h3>${t("ladder.round_n", { n: round.round })} <span class="badge">${t(`ladder.purpose_${round.purpose}`)}</span></h3>
    <progress max=${round.blocks} .value=${done} aria-label=${text}></progress>
    <p>${text} <strong>${t(`ladder.round_${round.status}`)}</strong>
      ${job?.stopped_for && job.stopped_for !== "command" ? html`<code>${job.stopped_for}</code>` : nothing}
      ${round.status === "running" && job?.matches_per_second ? t("ladder.speed", { speed: number(job.matches_per_second) }) : nothing}
      ${round.status === "running" && job?.eta_s ? t("ladder.left", { n: Math.ceil(job.eta_s / 60) }) : nothing}
      ${job?.table ? t("ladder.computing", job.table) : nothing}</p>
    ${round.status === "awaiting_value" ? html`<p class="small">${round.public_value.source}</p>` : nothing}
    ${isOperator() ? jobButtons(of, round) : nothing}
  </div>`;
}

/** Rounds whose dice nobody can choose: the value that they are bound to, and how to check that. */
function bound() {
  const found = rounds().filter((one) => one.public_value && isShown(one));
  if (!found.length) return nothing;
  return html`<section>
    <h2>${t("ladder.bound")}</h2>
    <p class="faint">${t("ladder.bound_about")} <code>machi ladder verify ${ladderId} ${found[0].round}</code></p>
    <p class="small"><a href="/docs/guides/fairness#rounds-with-a-public-value">${t("ladder.bound_proof")}</a></p>
    ${found.map(
      ({ round, public_value: one }) => html`<details class="panel bound">
        <summary>${t("ladder.round_n", { n: round })}: <strong>${one.source}</strong>. ${boundState(one)}</summary>
        <dl>${BOUND.filter((name) => one[name]).map(
          (name) => html`<dt class="small">${t(`ladder.bound_${name}`)}</dt>
          <dd><code>${one[name]}</code></dd>`,
        )}</dl>
      </details>`,
    )}
  </section>`;
}

/** @param {any} bound */
function boundState({ at, value, seed }) {
  if (seed) return t("ladder.bound_revealed");
  if (value) return t("ladder.bound_recorded");
  return t(Date.parse(at) > Date.now() ? "ladder.bound_until" : "ladder.bound_due", { time: moment(at) });
}

/** @param {any} match */
const matchLink = (match) =>
  html`<li><a href=${`/matches/${match.match_id}`}>${pairing(namesOf(match.seats), match.winner)}</a></li>`;

/** @param {string[]} names By seat. @param {number | null} winner */
const pairing = (names, winner) =>
  names.map((name, at) => html`${at ? " – " : ""}<span class=${at === winner ? "won" : ""}>${name}</span>`);

function now() {
  const opened = openRounds();
  const last = rounds().find((one) => one.status === "finished" && isShown(one));
  const matches = found.running.length ? found.running : found.latest.slice(0, opened.length ? NEWEST : 3);
  const played = html`<div class="shown">
    <h3>${t(found.running.length ? "ladder.being_played" : "ladder.just_played")}</h3>
    <ul class="latest">${matches.map(matchLink)}</ul></div>`;
  return html`<section class="panel now">
    <h2>${t("ladder.now")}</h2>
    ${opened.length ? opened.map(progress) : html`<p>${t("ladder.idle")} ${last ? t("ladder.last_round", { n: last.round, ago: ago(last.opened_at) }) : nothing}</p>`}
    ${matches.length ? played : nothing}
  </section>`;
}

/** @param {any} one */
const playedRow = (one) => html`<li>
  <a href=${`/matches/${one.match_id}`}>${pairing(one.seats.map(nameOf), one.winner)}</a>
  <span class="faint small">${t("ladder.where", { round: one.round, block: one.block, winner: nameOf(one.seats[one.winner]) })}</span></li>`;

/** The matches that the figures of an entry are made of. */
function details() {
  const { entry, opponent } = selected();
  if (!entry) return nothing;
  const matches = (found.matches ?? []).filter(
    (one) => one.seats.includes(entry) && (!opponent || one.seats.includes(opponent)),
  );
  const won = matches.filter((one) => one.seats[one.winner] === entry).length;
  const about = { name: nameOf(entry), opponent: opponent ? nameOf(opponent) : "", n: matches.length, won };
  return html`<section class="panel details" id="details">
    <h2 tabindex="-1">${t(opponent ? "ladder.matches_against" : "ladder.matches_of", about)}${badge(entryOf(entry))}</h2>
    ${facts(entryOf(entry))}
    ${found.matches ? html`<p>${t("ladder.matches_won", about)}</p>` : html`<p class="faint">${t("ladder.loading")}</p>`}
    <ul class="played">
      ${matches.slice(-shown).reverse().map(playedRow)}
    </ul>
    ${matches.length > shown ? buttonOf(t("ladder.more", { n: matches.length - shown }), () => ((shown += 5 * SHOWN), update())) : nothing}
    <a class="button" href="#">${t("ladder.close")}</a>
  </section>`;
}

/** Why an entry is suspended or removed, its probes, and the faults of a bot. @param {any} entry */
function facts(entry) {
  if (!entry) return nothing;
  /** @param {string[]} ids */
  const links = (ids) =>
    ids.map((id, at) => html`${at ? ", " : ""}<a href=${`/matches/${id}`}>${at + 1}</a>`);
  const { evidence, good_probes: probes } = entry;
  const told = evidence?.matches
    ? t("ladder.evidence", { n: evidence.faults.length, of: evidence.matches })
    : t("ladder.evidence_late");
  return html`${entry.removed_for ? html`<p>${t(`ladder.removed_${entry.removed_for}`)}</p>` : nothing}
    ${
      evidence
        ? html`<p class="bad">${told} ${links(evidence.faults.map((/** @type {any} */ one) => one.match_id))}</p>
          <p>${t("ladder.probes", { n: probes.length, of: of.ladder.config.suspension.probes })} ${links(probes)}</p>`
        : nothing
    }
    ${found.faults.length ? html`<h3>${t("ladder.faults_of")}</h3><ul class="played">${found.faults.map(faultRow)}</ul>` : nothing}`;
}

/** A match in which a bot answered too late or wrongly. @param {any} fault */
const faultRow = ({ match_id: id, round, block, timeouts, errors, refusals }) => html`<li>
  <a href=${`/matches/${id}`}>${t("ladder.where_fault", { round, block })}</a>
  ${t("ladder.fault", { timeouts, errors })} ${refusals.map((/** @type {any} */ one) => html`<code>${one.code}</code> `)}</li>`;

const files = () => html`<section>
  <h2>${t("ladder.files")}</h2>
  <p class="faint">${t("ladder.files_about")} <code>machi ladder rate</code></p>
  <div class="row">
    ${["results", "matches"].flatMap((name) => Object.keys(TYPES).map((type) => saving(name, type)))}
    ${saving("events", "ndjson")}
  </div>
</section>`;

/** @param {string} name @param {string} type */
const saving = (name, type) =>
  buttonOf(`${t(`ladder.${name}`)} ${type.toUpperCase()}`, () => attempt(() => save(name, type)));

/** @param {string} name @param {string} type */
async function save(name, type) {
  const file = name === "events" ? new Blob(await history()) : await download(name, TYPES[type]);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${ladderId}-${name}${season ? `-${season}` : ""}.${type}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {string} name @param {string} type */
const download = async (name, type) =>
  (await send("GET", `${path}/${name}${query()}`, { headers: { Accept: type } })).blob();

/** All events of the ladder as lines. */
async function history() {
  const events = await all(`${path}/events?limit=500`, { most: Infinity, continued: "after" });
  return events.map((one) => `${JSON.stringify(one)}\n`);
}

/** @param {number} chosen */
async function chooseSeason(chosen) {
  season = chosen === of.ladder.season ? 0 : chosen;
  window.history.replaceState(null, "", location.pathname + query() + location.hash);
  await refresh();
}

/** All seasons, the newest first. */
const seasons = () => Array.from({ length: of.ladder.season }, (_, at) => of.ladder.season - at);

function head() {
  const { name, config, season: last } = of.ladder;
  const choice = select(seasons(), String, season || last, chooseSeason);
  return html`<header class="head">
    <h1>${name}</h1>
    <p class="faint">${gameName(config.ruleset)} · ${seatsName(config.seats)}</p>
    ${last > 1 ? html`<label>${t("ladder.season")} ${choice}</label>` : nothing}
  </header>`;
}

function update() {
  document.title = `${of.ladder.name} · Machi Koro`;
  const cup = found.tournament ? tournament(found.tournament) : nothing;
  const operated = isOperator() ? operator(of) : nothing;
  draw(html`${head()}
    <div class="top">${answer()} ${known > 1 ? now() : nothing}</div>
    ${known > 1 ? [cup, operated, standings(), known > 2 ? rest() : awaited] : awaited}`);
}

function standings() {
  if (!entries().length) return nothing;
  return html`<section><h2>${t("ladder.standings")}</h2>${table(found.standings, entries())}
    <p class="faint small"><span class="plotted">${t("ladder.legend_plot")}</span> ${t("ladder.legend")}</p></section>`;
}

function rest() {
  const hasTable = found.standings.items.length > 0;
  const tests = found.tests.map((one) => testOf(one, found.results.get(one.test_id)?.lines ?? [], nameOf));
  /** @param {string} text */
  const tell = (text) => ((told = text), update());
  return html`${details()}
      ${found.tests.length ? html`<section><h2>${t("ladder.tests")}</h2><div class="tests">${tests}</div></section>` : nothing}
      ${hasTable && found.crosstable ? crosstable(found.crosstable, found.standings, told, tell) : nothing}
      ${bound()}
      ${hasTable ? html`<div class="columns">${seats(found.standings)} ${seasonsOf(found.seasons)}</div>` : nothing}
      ${of.ladder.season ? files() : nothing}`;
}

async function refresh() {
  // `ladder` lists what counts already. Anybody may use the tag, so the creator matters.
  const [ladder, standings, running, latest] = await Promise.all([
    get(path),
    get(`${path}/standings${query()}`),
    get(`/v1/matches?tag=${ladderId}&status=running`),
    get(`/v1/matches?ladder=${ladderId}&limit=${NEWEST}`),
  ]);
  /** @param {any} one */
  const age = (one) => `${one?.season} ${one?.as_of?.version}`;
  const isNew = age(standings) !== age(found.standings);
  of.ladder = ladder;
  const own = running.items.filter((one) => one.creator === ladder.owner && isOfSeason(one));
  Object.assign(found, { standings, running: own.slice(0, NEWEST), latest: latest.items.filter(isOfSeason) });
  learn(1);
  await Promise.all([
    Promise.all([...openRounds().map(loadJob), loadTournament()]).then(() => learn(2)),
    isNew && get(`${path}/crosstable${query()}`).then((one) => (found.crosstable = one)),
    isNew && loadSeasons(),
    loadTests(),
    isNew && loadDetails(),
  ]);
  known = 3;
  update();
}

/** @param {any} round */
const loadJob = async ({ job_id: id }) => found.jobs.set(id, await get(`/v1/jobs/${id}`));

async function loadTournament() {
  // A ladder shows the configuration of its open season; the others have theirs in their results.
  const shown = season ? (await lines(`${path}/results${query()}&kind=ladder`))[0] : of.ladder;
  found.tournament = shown?.config.schedule ? await get(`${path}/tournament${query()}`) : null;
}

async function loadSeasons() {
  if (of.ladder.season < 2) return;
  const newest = seasons().slice(0, SEASONS).reverse();
  found.seasons = await Promise.all(newest.map((one) => get(`${path}/standings?season=${one}`)));
}

async function loadTests() {
  const tests = rounds().filter((one) => one.purpose === "test" && isShown(one));
  found.tests = await Promise.all(
    tests.slice(0, TESTS).map(async (round) => {
      const test = await get(`${path}/tests/${round.round}`);
      if (found.results.get(test.test_id)?.blocks !== test.blocks)
        found.results.set(test.test_id, {
          blocks: test.blocks,
          lines: await lines(`${test.results}&kind=result`),
        });
      return test;
    }),
  );
}

async function loadDetails() {
  const { entry } = selected();
  if (!entry) return;
  const isBot = entryOf(entry)?.player.kind === "bot";
  const [items, faults] = await Promise.all([
    lines(`${path}/matches${query()}`),
    isBot ? get(`${path}/entries/${entry}/faults`) : null,
  ]);
  [found.matches, found.faults] = [items, faults?.items ?? []];
}

async function showDetails() {
  [found.matches, found.faults, shown] = [null, [], SHOWN];
  update();
  await loadDetails();
  update();
  const heading = /** @type {HTMLElement | null} */ (document.querySelector("#details h2"));
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

launch(async () => {
  await refresh();
  if (isOperator()) of.strategies = (await get("/v1/strategies")).items;
  if (selected().entry) await showDetails();
  update();
  addEventListener("hashchange", () => showDetails().catch(sayWhy));
  await keepFresh(refresh, () => (openRounds().some((one) => one.status === "running") ? BUSY_MS : IDLE_MS));
});
