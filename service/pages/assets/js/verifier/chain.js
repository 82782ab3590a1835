// The order of events, and the chain of their hashes.
import { NO_HASH, inGroups, sha256 } from "./hashes.js";
import { canonical } from "./json.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {import("./report.js").Report} Report
 */

/** What is hashed of an event. @param {Members} event */
export function hashedText({ hash, ...rest }) {
  return canonical(rest);
}

/** @param {Members[]} events @param {Report} report */
export function seeSequence(events, report) {
  const commands = new Set();
  events.forEach((event, index) => {
    const at = index + 1;
    const before = events[index - 1];
    const fail = (/** @type {string} */ why, /** @type {any[]} */ ...values) =>
      report.fail("sequence", at, why, ...values);
    if (event.match_id !== report.match.manifest.match_id) fail("other_match");
    if (event.sequence !== at) fail("place", at, event.sequence);
    if (event.command_id === before?.command_id) {
      if (event.time !== before.time || event.actor !== before.actor) fail("split");
    } else {
      if (before && event.time < before.time) fail("time", before.time, event.time);
      if (commands.has(event.command_id)) fail("again");
    }
    commands.add(event.command_id);
  });
}

/** What the manifest says of the events. @param {string} status How they end. @param {Report} report */
export function seeManifest(status, report) {
  const { manifest, events } = report.match;
  const made = events[0].data;
  if (manifest.events !== events.length)
    report.fail("sequence", events.length + 1, "count", events.length, manifest.events);
  const told = [manifest.status, manifest.visibility, manifest.rules_version].join(", ");
  const due = [status, made.visibility, made.rules_version].join(", ");
  if (told !== due) report.fail("sequence", null, "manifest", due, told);
  const { hash } = events[events.length - 1];
  if (manifest.head_hash !== hash) report.fail("chain", events.length, "head", hash, manifest.head_hash);
}

/** @param {Members[]} events @param {Report} report @param {(done: number) => void} onDone */
export async function seeChain(events, report, onDone) {
  const hashes = await inGroups(events, (event) => sha256(hashedText(event)), onDone);
  events.forEach(({ hash, previous_hash }, index) => {
    const before = events[index - 1]?.hash ?? NO_HASH;
    if (hash !== hashes[index]) report.fail("chain", index + 1, "hash", hashes[index], hash);
    else if (previous_hash !== before) report.fail("chain", index + 1, "link", before, previous_hash);
  });
  report.evidence.hashes = hashes;
}
