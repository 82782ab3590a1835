// All checks of one match, by docs/verifying.md. It needs no page, no service and no rules.
import { Chance, isCommitted, seatSeedsOf } from "./chance.js";
import { seeAmount } from "./amounts.js";
import { seeChain, seeManifest, seeSequence } from "./chain.js";
import { seeCheckpoint } from "./checkpoint.js";
import { Decisions } from "./decisions.js";
import { isEvent } from "./events.js";
import { breath, sha256 } from "./hashes.js";
import { canonical, isSame } from "./json.js";
import { Report } from "./report.js";
import { Table } from "./table.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {import("./files.js").Match} Match
 * @typedef {{keys?: Map<string, string> | null, origins?: Map<string, Match>,
 *   onProgress?: (done: number, all: number) => void}} Options
 *   `keys` are the only ones to trust; `origins` are matches of which others may be branches, by their ids.
 */

/** The digests of the tables that this verifier knows, by rules version. */
export const DIGESTS = /** @type {Record<string, string>} */ ({
  "base@1": "sha-256:ae3aa2cdf1c1abff21b55384630c10ba3be8cb2ec917f589ac8de831b1f67d3f",
  "harbor@1": "sha-256:01517edea4d99bbbb9e4f993ccdf1cd404c17fa491d24075eef0a2062ad919ad",
  "machi_koro_2@1": "sha-256:2c1d7e2f8d41bee73ef7bd3a930478ecb1952dade8c8a5eb63327f25cde12fa4",
  "millionaires_row@1": "sha-256:665f57a458e42f16bf19a72fd1062e1b00e4b5ff36989d7f9b6965bbb61e6787",
  "harbor_millionaires_row@1": "sha-256:8262478c9ef2c9668a8f2dc46fe928a3d5630559d832488943b73088b9dd62dc",
});

const WALKED_AT_ONCE = 256;

/** @param {Match} match @param {Options} [options] @returns {Promise<Report>} */
export async function verify(match, { keys = null, origins, onProgress = () => {} } = {}) {
  const report = new Report(match);
  const valid = validOf(match.events, report);
  if (!valid.length) return skipAll(report);
  const isWhole = valid.length === match.events.length;
  const [made, last] = [valid[0].data, valid[valid.length - 1]];
  let done = 0;
  const onDone = (/** @type {number} */ more) => onProgress((done += more), valid.length * 2);
  const status = isWhole ? statusOf(valid) : "";

  seeSequence(valid, report);
  await seeChain(valid, report, onDone);
  await seeRuleset(valid, report);
  if (isWhole) {
    seeManifest(status, report);
    await seeCheckpoint(report, status, keys);
  }
  const seeds = await seatSeedsOf(made, valid, report);
  const chance = await walk(valid, report);
  if (!isWhole) skipAll(report);
  else if (status === "running" || status === "open") {
    for (const name of ["dice", "draws", "result"]) report.leave(name, "pending", "running");
  } else if (last.type !== "dice_revealed") {
    report.fail("result", match.events.length + 1, "not_revealed");
    for (const name of ["dice", "draws"]) report.leave(name, "skipped", "no_seed");
  } else if (await isCommitted(made, last, report)) {
    if (chance) await chance.derive(last.data.seed, seeds, onDone);
  } else report.leave("draws", "skipped", "no_seed");
  if (isWhole) seeReveal(made, last, seeds, report);
  if (made.origin) seeOrigin(made.origin, valid, report, origins);
  onProgress(1, 1);
  return report;
}

/** The events before the first that has not the form of its type. @param {Members[]} events @param {Report} report */
function validOf(events, report) {
  const bad = events.findIndex(
    (event, index) => !isEvent(event) || (index === 0 && event.type !== "match_created"),
  );
  if (!events.length) report.fail("sequence", 1, "count", 0, report.match.manifest.events);
  if (bad < 0) return events;
  const isBeginning = isEvent(events[bad]);
  report.fail(isBeginning ? "decisions" : "schema", bad + 1, isBeginning ? "command" : "form");
  return events.slice(0, bad);
}

/** Nothing more is to be looked at. @param {Report} report */
function skipAll(report) {
  for (const { name } of report.checks)
    if (name !== "ruleset" || !report.evidence.hashes.length) report.leave(name, "skipped", "after_fault");
  return report;
}

/** @param {Members[]} events */
function statusOf(events) {
  const types = new Set(events.map((event) => event.type));
  if (types.has("match_finished")) return "finished";
  if (types.has("match_aborted")) return "aborted";
  return types.has("match_started") || types.has("branch_started") ? "running" : "open";
}

/** @param {Members[]} events @param {Report} report */
async function seeRuleset(events, report) {
  const { ruleset } = report.match;
  const made = events[0].data;
  const digest = await sha256(canonical(ruleset.tables));
  if (digest !== ruleset.digest || ruleset.rules_version !== made.rules_version)
    report.fail("ruleset", null, "tables", digest, ruleset.digest);
  const known = DIGESTS[made.rules_version];
  if (made.digest !== (known ?? ruleset.digest))
    report.fail("ruleset", 1, "digest", known ?? ruleset.digest, made.digest);
  else if (digest !== made.digest) report.fail("ruleset", null, "tables", digest, made.digest);
  for (const { sequence, rules_version } of events)
    if (rules_version !== made.rules_version)
      report.fail("ruleset", sequence, "version", made.rules_version, rules_version);
  if (!known) report.leave("ruleset", "pending", "unknown_version");
}

/**
 * Follow coins, cards and turns through the events. What no table could show ends it: the rest is skipped.
 * @param {Members[]} events @param {Report} report
 */
async function walk(events, report) {
  let at = 1;
  try {
    const table = new Table(report.match.ruleset.tables, events[0].data);
    const [chance, decisions] = [new Chance(table, report), new Decisions(table, report)];
    for (const event of events) {
      at = event.sequence;
      if (!isPossible(table, event)) throw new TypeError("no such seat or card");
      chance.see(event);
      decisions.see(event);
      if (table.isStarted) seeAmount(table, report, event);
      if (event.type === "market_refilled") refill(table, chance, decisions, event);
      else table.apply(event.type, event.data);
      const isEnd = event.type === "turn_ended";
      if (isEnd) for (const row of table.rows) decisions.seeFull(at, row);
      if (table.isShort || (isEnd && table.isClosedTooOften)) report.fail("payments", at, "below_zero");
      if (at % WALKED_AT_ONCE === 0) await breath();
    }
    return chance;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    report.fail("decisions", at, "impossible");
    for (const name of ["dice", "draws", "payments", "result"]) report.leave(name, "skipped", "after_fault");
    return null;
  }
}

/** @param {Table} table @param {Chance} chance @param {Decisions} decisions @param {Members} event */
function refill(table, chance, decisions, { sequence, data }) {
  const row = /** @type {Members} */ (table.rows.find((one) => one.name === data.row));
  for (const card of data.cards) {
    chance.seeDraw(sequence, row, card);
    decisions.seeDraw(sequence, row);
    table.draw(row.name, card);
  }
  decisions.seeFull(sequence, row);
}

/** Whether an event is of seats, cards and rows that there are. @param {Table} table @param {Members} event */
function isPossible({ tables, cards, rows, made, isStarted }, { type, data }) {
  const [least, most] = tables.seats;
  if (type === "match_created") return data.seats >= least && data.seats <= most && Array.isArray(rows);
  if (!isStarted && (type === "tokens_placed" || "row" in data)) return false;
  const seats = ["seat", "from_seat", "to_seat", "with_seat", "target", "first_seat", "winner"];
  const bySeat = [data.coins, data.copies, data.cities, data.seat_turns, data.closed, data.invested];
  const stocks = [data.cities, data.closed, data.supply, data.decks].flat().filter(Boolean);
  const named = [data.card, data.give, data.take, data.landmark, data.establishment, data.cards].flat();
  return (
    seats.every((name) => !(name in data) || data[name] < made.seats) &&
    bySeat.filter(Array.isArray).every((one) => one.length === made.seats) &&
    [...named.filter(Boolean), ...stocks.flatMap(Object.keys)].every((card) => cards.has(card)) &&
    (!("row" in data) || rows.some((row) => row.name === data.row))
  );
}

/** The line that collects what was revealed. @param {Members} made @param {Members} last @param {string[]} seeds @param {Report} report */
function seeReveal({ dice }, last, seeds, report) {
  const line = report.match.reveal;
  if (!line) return;
  const isRevealed = last.type === "dice_revealed";
  const due = [dice.key_id, isRevealed ? last.data.seed : "", dice.commitment, seeds];
  const told = [line.key_id, line.seed, line.commitment, line.seat_seeds];
  if (!isSame(due, told)) report.fail("dice", report.match.events.length, "reveal");
}

/** @param {Members} origin @param {Members[]} events @param {Report} report @param {Map<string, Match>} [origins] */
function seeOrigin({ match_id, version, head_hash }, events, report, origins) {
  const match = origins?.get(match_id);
  if (!match) return report.leave("origin", "pending", "no_origin");
  const before = match.events.slice(0, version);
  if (before[version - 1]?.hash !== head_hash)
    return report.fail("origin", 1, "hash", before[version - 1]?.hash, head_hash);
  const start = events.find((event) => event.type === "branch_started");
  if (!start) return;
  const table = new Table(match.ruleset.tables, before[0].data);
  for (const { type, data } of before)
    if (type === "market_refilled") for (const card of data.cards) table.draw(data.row, card);
    else table.apply(type, data);
  const tokens = events.find((event) => event.type === "tokens_placed")?.data;
  const stock = (/** @type {Map<string, number>} */ cards) =>
    Object.fromEntries([...cards].filter(([, count]) => count));
  /** @type {Members} */
  const due = {
    coins: table.coins,
    cities: table.cities.map(stock),
    supply: stock(table.supply),
    decks: stock(table.decks),
    draws: stock(table.drawn),
    closed: table.closed.map(stock),
    invested: table.invested,
    seat: table.seat,
    turn: table.turn,
    seat_turns: table.turns,
    resigned: [...table.resigned].sort(),
  };
  const told = {
    closed: table.closed.map(() => ({})),
    invested: table.invested.map(() => 0),
    ...start.data,
    ...tokens,
    draws: stock(new Map(Object.entries(start.data.draws))),
    resigned: [...start.data.resigned].sort(),
  };
  if (!Object.keys(due).every((name) => isSame(due[name], told[name])))
    report.fail("origin", start.sequence, "origin");
}
