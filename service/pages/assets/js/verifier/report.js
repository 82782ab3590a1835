// What the checks of a match found.

/**
 * @typedef {"passed" | "failed" | "pending" | "skipped"} Status
 * @typedef {{name: string, status: Status, sequence: number | null, why: string, due?: any, told?: any,
 *   isPartial: boolean}} Check
 *   `why` names a text; `due` is what was computed, `told` what is recorded. A partial check needs the rules
 *   for the rest.
 */

/** The checks in their order. */
const NAMES = "schema sequence chain ruleset decisions dice draws payments result origin checkpoint".split(
  " ",
);
const PARTIAL = new Set(["decisions", "payments", "result"]);
/** What is told of a check that nothing was found of. */
const PASSED = /** @type {const} */ ({ status: "passed", sequence: null, why: "" });

export class Report {
  /** @param {import("./files.js").Match} match */
  constructor(match) {
    this.match = match;
    /** @type {Map<string, Omit<Check, "name" | "isPartial">>} */
    this.found = new Map();
    /** What the page shows of each step. */
    this.evidence = {
      /** The hash computed of each event. @type {string[]} */
      hashes: [],
      /** @type {{seed: string, hash: string, commitment: string} | null} */
      commitment: null,
      /** @type {{at: number, seat: number, message: string, hash: string, commitment: string}[]} */
      seatSeeds: [],
      /** @type {{seed: string, message: string, tableKey: string, steps: import("./chance.js").Step[]} | null} */
      chance: null,
      /** @type {{at: number, type: string, card: string, seat: number, due: number, told: number}[]} */
      amounts: [],
      /** @type {import("./checkpoint.js").Signed | null} */
      signed: null,
    };
  }

  /**
   * A check fails; of several faults the earliest in the file counts.
   * @param {string} name @param {number | null} sequence Of the event at fault.
   * @param {string} why @param {any} [due] @param {any} [told]
   */
  fail(name, sequence, why, due, told) {
    const before = this.found.get(name);
    const isEarlier = sequence !== null && (before?.sequence ?? Infinity) > sequence;
    if (before?.status !== "failed" || isEarlier)
      this.found.set(name, { status: "failed", sequence, why, due, told });
  }

  /** A check waits for data, or has nothing to look at; a failure stays. @param {string} name @param {"pending" | "skipped"} status @param {string} why */
  leave(name, status, why) {
    if (!this.found.has(name)) this.found.set(name, { status, sequence: null, why });
  }

  /** @returns {Check[]} */
  get checks() {
    const isBranch = Boolean(this.match.events[0]?.data?.origin);
    return NAMES.filter((name) => name !== "origin" || isBranch).map((name) => {
      const found = this.found.get(name) ?? PASSED;
      return { name, isPartial: PARTIAL.has(name) && found.status === "passed", ...found };
    });
  }

  /** @returns {"verified" | "failed" | "incomplete"} */
  get verdict() {
    const checks = this.checks;
    if (checks.some((check) => check.status === "failed")) return "failed";
    return checks.every((check) => check.status === "passed") ? "verified" : "incomplete";
  }
}
