// What forms share: what was filled in, and why the service refused it.
import { html, nothing } from "../vendor/lit-html.js";
import { Refusal } from "./api.js";
import { language, t } from "./words.js";

/** The fields of a form that were filled in. @param {SubmitEvent} event @returns {Record<string, string>} */
export function filled(event) {
  event.preventDefault();
  const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value),
  );
}

/**
 * Lead to the field of a form that a refusal is about: the name of a field is its place in the body.
 * @param {HTMLFormElement} form @param {unknown} error
 */
export function mark(form, error) {
  /** @type {any[]} */
  const faults = (error instanceof Refusal && error.problem.errors) || [];
  const [field] = faults.flatMap(({ pointer }) => form.elements.namedItem(pointer.slice(1)) ?? []);
  if (!(field instanceof HTMLElement)) return;
  field.ariaInvalid = "true";
  field.addEventListener("input", () => (field.ariaInvalid = null), { once: true });
  field.focus();
}

/**
 * A choice among values.
 * @param {any[]} values @param {(value: any) => unknown} text What each is shown as. @param {any} [chosen]
 * @param {(value: any) => unknown} [choose] If it comes to false, what was chosen before is shown again. @param {string} [name]
 */
export const select = (values, text, chosen, choose, name) =>
  html`<select name=${name ?? nothing} @change=${async (/** @type {any} */ { target }) => (await choose?.(values[target.selectedIndex])) === false && (target.selectedIndex = values.indexOf(chosen))}>
    ${values.map((value) => html`<option value=${value ?? ""} .selected=${value === chosen}>${text(value)}</option>`)}
  </select>`;

/** The handle of an account. @param {{name?: string, value?: string, change?: (event: Event) => void, autocomplete?: string, rule?: string}} [how] */
export const handleField = ({ name = "handle", value = "", change, autocomplete, rule } = {}) =>
  html`<label>${t("new.handle")} <input name=${name} required pattern="[A-Za-z0-9_\\-]{3,32}" title=${t("new.handle_rule")}
    aria-describedby=${rule ?? nothing} autocomplete=${autocomplete ?? nothing} .value=${value} @change=${change} /></label>`;

/** Which request was refused, for whoever asks the operator. @param {unknown} error */
export const requestOf = (error) =>
  error instanceof Refusal && error.requestId
    ? html`<p class="faint">${t("page.request_id")} <code>${error.requestId}</code></p>`
    : nothing;

/** Codes that only say that a value is wrong. What is wrong with it, the service tells in English. */
const WRONG = ["validation_failed", "invalid_parameter"];

/** Why something was refused: by its code and place, by its code, or in English. @param {any} fault */
function told({ code, pointer, detail }) {
  const isTold = language === "en" && WRONG.includes(code);
  return t(`wrong.${code}${pointer}`, {}, isTold ? detail : t(`refused.${code}`, {}, detail));
}

/** Why something failed, in the language of the page if there are words for it. @param {unknown} error @returns {string[]} */
export function reasons(error) {
  if (!(error instanceof Refusal)) return [t("page.unreachable")];
  const { code, message: detail, problem } = error;
  const faults = problem.errors?.length ? problem.errors : [{ code, detail }];
  return [...new Set(faults.map(told))];
}

/** Why the service refused something; nothing if it did not. @param {unknown} error */
export const refused = (error) =>
  error
    ? html`<div class="failure" role="alert">${reasons(error).map((one) => html`<p>${one}</p>`)} ${requestOf(error)}</div>`
    : nothing;
