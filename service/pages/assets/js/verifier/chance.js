// Dice, drawn cards and the first seat, from the seeds (docs/fairness.md).
import { bytesOfHex, hexOf, hmacOf, inGroups, sha256 } from "./hashes.js";
import { canonical, isSame } from "./json.js";
import { sum } from "./table.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {import("./report.js").Report} Report
 * @typedef {{at: number, kind: "die" | "draw" | "first_seat", stem: string, choices: number, told: any,
 *   of: (place: number) => any, seat: number, turn: number, purpose: string, index: number}} Need
 *   What has to follow from an address: one of so many choices, which `of` turns into what was recorded.
 * @typedef {Need & {address: string, digest: string, number: number, due: any}} Step
 */

const PURPOSES = /** @type {Record<string, [number, number]>} */ ({
  roll: [1, 2],
  reroll: [1, 2],
  boats: [2, 2],
});
const MOST_CHOICES = 65536;
const DIE_SIDES = 6;

/** Collects what has to follow from the seed while events are read, and derives it once the seed is known. */
export class Chance {
  /** @param {import("./table.js").Table} table @param {Report} report */
  constructor(table, report) {
    this.table = table;
    this.report = report;
    /** @type {Need[]} */
    this.needs = [];
    /** @type {number[][]} */
    this.tape = [...table.made.dice.throws];
  }

  /** Look at an event before it is applied. @param {Members} event */
  see({ sequence, type, data }) {
    if (type === "match_started") this.#seeStart(sequence, data);
    if (type === "dice_rolled") this.#seeThrow(sequence, data);
  }

  /** @param {number} at @param {Members} data */
  #seeStart(at, data) {
    const { position, first_seat, seats } = this.table.made;
    const given = position ? position.active_seat : first_seat;
    const told = data.first_seat;
    const kind = "first_seat";
    if (given === null) this.#need({ kind, at, stem: kind, choices: seats, told, of: (place) => place });
    else if (given !== told) this.report.fail("draws", at, "first_seat", given, told);
  }

  /** @param {number} at @param {Members} data */
  #seeThrow(at, { purpose, values, total }) {
    const { seat, turns, throws, made } = this.table;
    const [least, most] = PURPOSES[purpose] ?? [0, 0];
    const first = purpose === "reroll" ? throws.get("roll")?.length : values.length;
    const isPossible = values.length >= least && values.length <= most && values.length === first;
    if (!isPossible || throws.has(purpose)) this.report.fail("dice", at, "throw");
    if (sum(values) !== total) this.report.fail("dice", at, "die", sum(values), total);
    if (made.dice.mode === "scripted") {
      const due = this.tape.shift() ?? [];
      if (!isSame(due, values)) this.report.fail("dice", at, "die", due.join(", "), values.join(", "));
      return;
    }
    values.forEach((/** @type {number} */ told, /** @type {number} */ index) => {
      const stem = `die|${seat}|${turns[seat]}|${purpose}|1|${index}`;
      const of = (/** @type {number} */ place) => place + 1;
      this.#need({ kind: "die", at, stem, choices: DIE_SIDES, told, of, purpose, index });
    });
  }

  /** Look at a card before it is drawn. @param {number} at @param {Members} row @param {string} card */
  seeDraw(at, row, card) {
    const left = this.table.left(row);
    const order = this.table.orders.get(row.name);
    const total = sum(left.map(([, count]) => count));
    if (order || total < 1 || total > MOST_CHOICES) {
      if (order?.[0] !== card) this.report.fail("draws", at, "draw", order?.[0] ?? "", card);
      return;
    }
    const stem = `draw|${row.name}|${(this.table.drawn.get(row.name) ?? 0) + 1}`;
    const of = (/** @type {number} */ place) => cardAt(left, place);
    this.#need({ kind: "draw", at, stem, choices: total, told: card, of });
  }

  /** @param {Omit<Need, "seat" | "turn" | "purpose" | "index"> & {purpose?: string, index?: number}} need */
  #need(need) {
    const { seat, turns } = this.table;
    this.needs.push({ seat, turn: turns[seat] ?? 0, purpose: "", index: 0, ...need });
  }

  /**
   * Derive everything, and compare.
   * @param {string} seed In hex. @param {string[]} seatSeeds @param {(done: number) => void} onDone
   */
  async derive(seed, seatSeeds, onDone) {
    const matchKey = await hmacOf(/** @type {Uint8Array<ArrayBuffer>} */ (bytesOfHex(seed)));
    const message = canonical(seatSeeds);
    const key = await matchKey(message);
    const digestOf = await hmacOf(key);
    const steps = await inGroups(this.needs, (need) => derived(digestOf, need), onDone);
    for (const { kind, at, due, told } of steps)
      if (due !== told) this.report.fail(kind === "die" ? "dice" : "draws", at, kind, due, told);
    this.report.evidence.chance = { seed, message, tableKey: hexOf(key), steps };
  }
}

/** @param {[string, number][]} left @param {number} place From 0. */
function cardAt(left, place) {
  for (const [card, count] of left) {
    if (place < count) return card;
    place -= count;
  }
  return "";
}

/**
 * The first fair number of the first digest that has one: a byte for a die, 16 bits for a draw.
 * @param {(address: string) => Promise<Uint8Array>} digestOf @param {Need} need
 * @returns {Promise<Step>}
 */
export async function derived(digestOf, need) {
  const width = need.kind === "die" ? 1 : 2;
  const size = 256 ** width;
  const limit = size - (size % need.choices);
  for (let block = 0; ; block++) {
    const address = `${need.stem}|${block}`;
    const digest = await digestOf(address);
    for (let at = 0; at < digest.length; at += width) {
      const number = width === 1 ? digest[at] : digest[at] * 256 + digest[at + 1];
      if (number >= limit) continue;
      const due = need.of(number % need.choices);
      return { ...need, address, digest: hexOf(digest), number, due };
    }
  }
}

/**
 * Check the revealed seed against the commitment. Returns whether dice may be compared.
 * @param {Members} made @param {Members} event `dice_revealed` @param {Report} report
 */
export async function isCommitted({ dice }, { sequence, data }, report) {
  const bytes = bytesOfHex(data.seed);
  const hash = bytes?.length === 32 ? await sha256(/** @type {Uint8Array<ArrayBuffer>} */ (bytes)) : "";
  const isRight = hash === dice.commitment && data.key_id === dice.key_id;
  if (!isRight) report.fail("dice", sequence, "commitment", hash, dice.commitment);
  report.evidence.commitment = { seed: data.seed, hash, commitment: dice.commitment };
  return isRight;
}

/**
 * The order of commitments and seeds, and what was committed to. Returns the seeds by seat.
 * @param {Members} made @param {Members[]} events @param {Report} report
 */
export async function seatSeedsOf(made, events, report) {
  /** @type {string[]} */
  const seeds = Array(made.seats).fill("");
  const due = made.dice.seat_seeds ? new Set() : null;
  /** @type {Map<number, string>} What each seat committed to; nothing where it did not. */
  const said = new Map();
  const opened = new Set();
  const silent = new Set();
  let taken = 0;
  let before = { command_id: "", time: "" };
  let last = before;
  for (const event of events) {
    const { sequence, type, data } = event;
    if (event.command_id !== last.command_id) before = last;
    last = /** @type {any} */ (event);
    const fail = (/** @type {string} */ why, /** @type {any[]} */ ...values) =>
      report.fail("dice", sequence, why, ...values);
    if (type === "seat_taken") {
      taken++;
      if (data.kind === "account") due?.add(data.seat);
      seeds[data.seat] = data.seed;
    } else if (type === "seat_seed_committed" || type === "seat_seed_forgone") {
      if (!due?.has(data.seat) || said.has(data.seat) || opened.size) fail("seat_order");
      said.set(data.seat, data.commitment ?? "");
    } else if (type === "seat_seed_opened") {
      if (!due || taken < made.seats || said.size < due.size || opened.has(data.seat)) fail("seat_order");
      const message = canonical([made.dice.commitment, data.seat, data.seed]);
      const [hash, commitment] = [await sha256(message), said.get(data.seat) ?? ""];
      const isRight = hash === commitment && /^[A-Za-z0-9_-]{32,64}$/.test(data.seed);
      if (!isRight) fail("seat_seed", hash, commitment);
      opened.add(data.seat);
      seeds[data.seat] = data.seed;
      report.evidence.seatSeeds.push({ at: sequence, seat: data.seat, message, hash, commitment });
    } else if (type === "match_started" && due) {
      const committed = [...said.values()].filter(Boolean);
      if (said.size < due.size || opened.size < committed.length) fail("seat_missing");
    } else if (type === "seat_seed_withheld") {
      if (!said.get(data.seat) || opened.has(data.seat) || said.size < (due?.size ?? 0)) fail("seat_order");
      silent.add(data.seat);
    } else if (type === "match_aborted" && data.reason === "seat_seed_withheld" && !silent.size) {
      fail("seat_order");
    }
    if (type === "seat_seed_forgone" || type === "seat_seed_withheld") {
      const within = made.dice.seat_seeds?.within_ms ?? 0;
      const isEarly = Date.parse(event.time) < Date.parse(before.time) + within;
      if (isEarly || event.actor !== "service") fail("seat_early");
    }
  }
  return seeds;
}
