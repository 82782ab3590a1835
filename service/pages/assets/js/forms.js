// What forms share: what was filled in, and why the service refused it.
import { Refusal } from "./api.js";
import { html, nothing } from "./page.js";
import { t } from "./words.js";

/** The fields of a form that were filled in. @param {SubmitEvent} event @returns {Record<string, string>} */
export function filled(event) {
  event.preventDefault();
  const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value),
  );
}

/** @param {unknown} error */
export function refused(error) {
  if (!(error instanceof Refusal)) return html`<p class="failure" role="alert">${t("page.unreachable")}</p>`;
  const faults = error.problem.errors ?? [];
  return html`<div class="failure" role="alert">
    <p>${error.message}</p>
    ${faults.map((/** @type {any} */ one) => html`<p><code>${one.pointer}</code> ${one.detail}</p>`)}
    ${error.requestId ? html`<p class="faint">${t("page.request_id")} <code>${error.requestId}</code></p>` : nothing}
  </div>`;
}
