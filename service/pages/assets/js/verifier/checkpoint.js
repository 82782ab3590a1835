// The signed end of a match.
import { bytesOfBase64, isSigned, sha256 } from "./hashes.js";
import { Unreadable, canonical, isObject, parse } from "./json.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {{message: string, hash: string, told: string, signature: string, keyId: string, fingerprint: string,
 *   publicKey: string, isGood: boolean | null, isTrusted: boolean}} Signed
 */

/**
 * The keys of an answer of `GET /v1/signing-keys` by their ids. Throws Unreadable.
 * @param {string} text
 */
export function keysOf(text) {
  const list = parse(text)?.items;
  const isKey = (/** @type {any} */ one) =>
    isObject(one) &&
    typeof one.key_id === "string" &&
    one.algorithm === "Ed25519" &&
    bytesOfBase64(one.public_key);
  if (!Array.isArray(list) || !list.every(isKey)) throw new Unreadable("keys");
  /** @type {[string, string][]} */
  const keys = list.map((one) => [one.key_id, one.public_key]);
  return new Map(keys);
}

/**
 * @param {import("./report.js").Report} report @param {string} status How the events end.
 * @param {Map<string, string> | null} trusted Public keys by id; null trusts the key beside the signature.
 */
export async function seeCheckpoint(report, status, trusted) {
  const { signature: line, events, manifest } = report.match;
  if (!line) return report.leave("checkpoint", "pending", status === "running" ? "running" : "unsigned");
  const { checkpoint, key } = line;
  const { hash: told, signature, ...signed } = checkpoint;
  const last = events[events.length - 1];
  const message = canonical(signed);
  const hash = await sha256(message);
  const fail = (/** @type {number | null} */ at, /** @type {string} */ why, /** @type {any[]} */ ...values) =>
    report.fail("checkpoint", at, why, ...values);
  const isTrusted = trusted?.get(key.key_id) === key.public_key;
  const bytes = bytesOfBase64(signature);
  const publicKey = bytesOfBase64(key.public_key);
  const isGood = bytes && publicKey ? await isSigned(publicKey, bytes, message) : false;
  report.evidence.signed = {
    ...{ message, hash, told, signature, isGood, isTrusted, keyId: key.key_id, publicKey: key.public_key },
    // 16 hex digits by which people compare keys.
    fingerprint: (await sha256(publicKey ?? "")).slice(8, 24),
  };
  const digest = await sha256(manifest.match_id);
  const isOfMatch =
    checkpoint.match_digest === digest && [null, manifest.match_id].includes(checkpoint.match_id);
  if (hash !== told) return fail(null, "hash", hash, told);
  if (key.key_id !== checkpoint.key_id || key.algorithm !== "Ed25519") return fail(null, "key");
  if (trusted && !isTrusted) return fail(null, "untrusted");
  if (isGood === false) return fail(null, "signature");
  if (checkpoint.type !== "match_checkpoint" || !isOfMatch) return fail(null, "other_match");
  const version = Number(checkpoint.version);
  if (version !== events.length)
    return fail(Math.min(version, events.length) + 1, "number", events.length, version);
  const isEnd =
    [last.hash, last.time, status, last.rules_version].join() ===
    [checkpoint.head_hash, checkpoint.time, checkpoint.status, checkpoint.rules_version].join();
  if (!isEnd) return fail(events.length, "other_end");
  if (isGood === null) report.leave("checkpoint", "pending", "no_ed25519");
}
