// The steps of a check: what was computed from what, and what is recorded.
import { buttonOf, html, nothing } from "./page.js";
import { hashedText } from "./verifier/chain.js";
import { number, t } from "./words.js";

/**
 * @typedef {import("./verifier/report.js").Report} Report
 * @typedef {import("./verifier/report.js").Check} Check
 */

const PAGE = 50;
/** What is looked at in each report: an event, and how many steps of each check. @type {WeakMap<Report, any>} */
const looks = new WeakMap();

/** @param {[string, unknown][]} pairs Each a text `verify.…` and what it is about. */
export const facts = (...pairs) =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<dt>${t(`verify.${name}`)}</dt><dd><code>${value}</code></dd>`)}</dl>`;

/** A seat, counted from 1 as on all pages, unless it is something else. @param {unknown} value */
export const seatName = (value) =>
  typeof value === "number" ? t("verify.seat", { seat: value + 1 }) : value;

const MARKS = /** @type {Record<string, string>} */ ({
  passed: "✓",
  verified: "✓",
  failed: "✕",
  unreadable: "✕",
  pending: "…",
  incomplete: "…",
  skipped: "–",
});

/** @param {string} status @param {string} [text] */
export const mark = (status, text = t(`verify.${status}`)) =>
  html`<span class="mark-of ${status}"><span class="sign" aria-hidden="true">${MARKS[status]}</span>${text}</span>`;

/** @param {boolean} isSame */
const equal = (isSame) => (isSame ? mark("passed", t("verify.equal")) : mark("failed", t("verify.unequal")));

/**
 * @param {Report} report @param {Check} check @param {() => void} show
 * @returns {unknown}
 */
export function steps(report, { name, sequence }, show) {
  const { evidence, match } = report;
  if (!looks.has(report)) looks.set(report, { event: null });
  const look = looks.get(report);
  switch (name) {
    case "ruleset":
      return facts(["version", match.ruleset.rules_version], ["told", match.ruleset.digest]);
    case "chain":
      return evidence.hashes.length ? chain(report, look, sequence, show) : nothing;
    case "dice":
      return html`${commitment(evidence)} ${chances("die")}`;
    case "draws":
      return html`${chances("first_seat")} ${chances("draw")}`;
    case "payments":
      return list("payments", evidence.amounts, (one) => amount(one));
    case "checkpoint":
      return evidence.signed ? checkpoint(evidence.signed) : nothing;
    default:
      return nothing;
  }

  /** @param {string} kind */
  function chances(kind) {
    const found = evidence.chance?.steps.filter((step) => step.kind === kind) ?? [];
    return list(kind, found, chance);
  }

  /** The first steps, and a button for more. @template T @param {string} key @param {T[]} all @param {(one: T) => unknown} item */
  function list(key, all, item) {
    if (!all.length) return nothing;
    const shown = look[key] ?? PAGE;
    const more = () => {
      look[key] = shown + PAGE;
      show();
    };
    return html`<ol class="steps">${all.slice(0, shown).map((one) => html`<li>${item(one)}</li>`)}</ol>
      ${shown < all.length ? buttonOf(t("verify.more", { shown: number(shown), n: all.length }), more) : nothing}`;
  }
}

/** One event at a time: what is hashed, and the hash. @param {Report} report @param {any} look @param {number | null} at @param {() => void} show */
function chain({ match, evidence }, look, at, show) {
  const most = evidence.hashes.length;
  const sequence = Math.min(look.event ?? at ?? 1, most);
  const event = match.events[sequence - 1];
  const previous = match.events[sequence - 2]?.hash;
  const choose = (/** @type {any} */ { target }) => {
    look.event = Math.max(1, Math.min(most, Math.trunc(Number(target.value)) || 1));
    show();
  };
  return html`<label class="pick">${t("verify.pick", { n: most })}
      <input type="number" min="1" max=${most} .value=${String(sequence)} @change=${choose} /></label>
    <p>${event.type}</p>
    <pre tabindex="0" aria-label=${t("verify.hashed")}>${hashedText(event)}</pre>
    ${facts(["due", evidence.hashes[sequence - 1]], ["told", event.hash])} ${equal(evidence.hashes[sequence - 1] === event.hash)}
    ${previous ? html`${facts(["before", previous], ["linked", event.previous_hash])} ${equal(previous === event.previous_hash)}` : nothing}`;
}

/** @param {Report["evidence"]} evidence */
const commitment = ({ commitment, chance, seatSeeds }) => html`
  ${
    commitment
      ? html`${facts(["seed", commitment.seed], ["seed_hash", commitment.hash], ["committed", commitment.commitment])}
      ${equal(commitment.hash === commitment.commitment)}`
      : nothing
  }
  ${seatSeeds.map(
    ({ seat, message, hash, commitment }) => html`<p>${seatName(seat)}</p>
      ${facts(["hashed", message], ["due", hash], ["committed", commitment])} ${equal(hash === commitment)}`,
  )}
  ${chance ? facts(["seat_seeds", chance.message], ["table_key", chance.tableKey]) : nothing}
`;

/** @param {import("./verifier/chance.js").Step} step */
function chance(step) {
  const { kind, at, turn, address, digest, due, told } = step;
  const hex = `0x${step.number.toString(16).padStart(kind === "die" ? 2 : 4, "0")}`;
  const purpose = step.purpose && t(`verify.${step.purpose}`);
  const text = { at, turn, purpose, seat: step.seat + 1, die: step.index + 1, left: step.choices };
  const [computed, recorded] = kind === "first_seat" ? [due, told].map(seatName) : [due, told];
  return html`<p>${t(`verify.step_${kind}`, text)} ${equal(due === told)}</p>
    <p><code>${address}</code> → <code>${digest}</code> → <code>${hex}</code> → <strong>${computed}</strong> · ${t("verify.told")}:
    <strong>${recorded}</strong></p>`;
}

/** @param {Report["evidence"]["amounts"][number]} amount */
const amount = ({ at, type, card, seat, due, told }) =>
  html`<p>${t("verify.step_amount", { at, seat: seat + 1 })} <code>${type}</code> <code>${card}</code> ${t("verify.due")}: <strong>${due}</strong>
    · ${t("verify.told")}: <strong>${told}</strong> ${equal(due === told)}</p>`;

/** @param {import("./verifier/checkpoint.js").Signed} signed */
const checkpoint = ({
  message,
  hash,
  told,
  signature,
  keyId,
  fingerprint,
  publicKey,
  isGood,
  isTrusted,
}) => html`
  <pre tabindex="0" aria-label=${t("verify.signed")}>${message}</pre>
  ${facts(["due", hash], ["told", told])} ${equal(hash === told)}
  ${facts(["signature", signature], ["key", keyId], ["public_key", publicKey], ["fingerprint", fingerprint])}
  <p>${t(isGood === null ? "verify.why_no_ed25519" : isGood ? "verify.good_signature" : "verify.why_signature")}</p>
  <p>${t(isTrusted ? "verify.key_trusted" : "verify.key_of_file")}</p>
`;
