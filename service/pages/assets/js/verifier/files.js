// Export files, by docs/verifying.md: lines of JSON, perhaps gzipped, of one match or several, within limits.
import { breath, bytesOf } from "./hashes.js";
import { Unreadable, isObject, parse } from "./json.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {{line: number, manifest: Members, ruleset: Members, events: Members[], reveal: Members | null,
 *   signature: Members | null}} Match `line` is that of its manifest, from 1.
 */

/** More than twice the longest match that can be played. */
const LONGEST_LINE = 256 * 1024;
const MOST_LINES = 100_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_COMMAS = 1_000_000;

const LINES_AT_ONCE = 200;

/** The kinds of lines, in their order, with the types of their members. */
const NAMES = { match_id: "string", rules_version: "string", status: "string", visibility: "string" };
const KINDS = /** @type {Record<string, Record<string, string>>} */ ({
  manifest: { ...NAMES, events: "number", head_hash: "string" },
  ruleset: { rules_version: "string", digest: "string", tables: "object" },
  event: { event: "object" },
  reveal: { key_id: "string", seed: "string", commitment: "string", seat_seeds: "list" },
  signature: { checkpoint: "object", key: "object" },
});
const ORDER = Object.keys(KINDS);
const EVENT = ORDER.indexOf("event");

/** @param {any} value */
const typeOf = (value) => (isObject(value) ? "object" : Array.isArray(value) ? "list" : typeof value);

/**
 * The matches of a file, one by one as they are read. Throws Unreadable where it is no export.
 * @param {Blob} file
 * @returns {AsyncGenerator<Match>}
 */
export async function* matchesOf(file) {
  const limits = { lines: 0, bytes: 0, commas: 0 };
  /** @type {Match | null} */
  let match = null;
  let [number, rank] = [0, 0];
  for await (const [text, size] of linesOf(file)) {
    const line = lineOf(text, ++number);
    if (line?.kind === "manifest") {
      if (match) yield whole(match, rank);
      [limits.lines, limits.bytes, limits.commas, rank] = [0, 0, 0, 0];
      match = { line: number, manifest: line, ruleset: line, events: [], reveal: null, signature: null };
    } else if (line) {
      const next = ORDER.indexOf(line.kind);
      const follows = rank === 0 ? next === 1 : next > rank || (next === EVENT && rank === EVENT);
      if (!match || !follows) throw new Unreadable("order", number);
      rank = next;
      if (line.kind === "event") match.events.push(line.event);
      else match[/** @type {"ruleset" | "reveal" | "signature"} */ (line.kind)] = line;
    }
    limits.lines++;
    limits.bytes += size + 1;
    limits.commas += text.split(",").length - 1;
    if (limits.lines > MOST_LINES || limits.bytes > MOST_BYTES || limits.commas > MOST_COMMAS)
      throw new Unreadable("limit", number);
    if (number % LINES_AT_ONCE === 0) await breath();
  }
  if (!match) throw new Unreadable("empty");
  yield whole(match, rank);
}

/** @param {Match} match @param {number} rank */
function whole(match, rank) {
  if (rank === 0) throw new Unreadable("order", match.line);
  return match;
}

/**
 * What a line says; null for an empty one.
 * @param {string} text @param {number} number
 * @returns {Members | null}
 */
function lineOf(text, number) {
  if (!/[^ \t\r]/.test(text)) return null;
  try {
    const line = parse(text);
    const members = isObject(line) && Object.hasOwn(KINDS, line.kind) && KINDS[line.kind];
    if (!members || !Object.entries(members).every(([name, type]) => typeOf(line[name]) === type))
      throw new Unreadable("line");
    if (line.kind === "manifest" && line.format !== 1) throw new Unreadable("format");
    return line;
  } catch (error) {
    if (error instanceof Unreadable) error.line = number;
    throw error;
  }
}

/**
 * Lines with their lengths in bytes.
 * @param {Blob} file @returns {AsyncGenerator<[string, number]>}
 */
async function* linesOf(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = start[0] === 0x1f && start[1] === 0x8b;
  const bytes = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const reader = bytes
    .pipeThrough(new TextDecoderStream("utf-8", { fatal: true, ignoreBOM: true }))
    .getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(() => {
        throw new Unreadable(isPacked ? "gzip" : "utf8");
      });
      const lines = (rest + (value ?? "")).split("\n");
      rest = done ? "" : /** @type {string} */ (lines.pop());
      for (const line of [...lines, rest]) if (sizeOf(line) > LONGEST_LINE) throw new Unreadable("limit");
      for (const line of lines) yield [line, sizeOf(line)];
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {string} line */
const sizeOf = (line) => bytesOf(line).length;
