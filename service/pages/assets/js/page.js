// What every page shares: its frame, its theme, its messages, and what happens when a request fails.
import { html, nothing, render } from "../vendor/lit-html.js";
import { Refusal, pause } from "./api.js";
import { reasons, requestOf, select } from "./forms.js";
import { account, isEmbedded, keep, kept } from "./session.js";
import { LANGUAGES, choose, language, t } from "./words.js";

export { html, nothing, render, svg } from "../vendor/lit-html.js";

const THEMES = ["auto", "light", "dark"];
const KEY = "machi.theme";

const chosen = document.documentElement.dataset;
chosen.theme = kept(KEY) ?? "auto";

/** What stands where something is awaited. */
export const awaited = html`<div class="awaited"></div>`;

/** @param {string} theme */
function chooseTheme(theme) {
  keep(KEY, theme);
  chosen.theme = theme;
}

/** @param {string} href @param {string} text @param {string} [handle] Whose; a long one is cut short. */
const entry = (href, text, handle) =>
  html`<a href=${href} class=${handle ? "handle" : nothing} title=${handle ?? nothing} aria-current=${location.pathname === href ? "page" : nothing}>${handle ?? text}</a>`;

const frame = () => html`
  <a class="skip" href="#main">${t("page.skip")}</a>
  <header class="site">
    <a class="brand" href="/"><span class="mark" aria-hidden="true"></span>Machi Koro</a>
    <nav aria-label=${t("page.sections")}>
      ${entry("/new", t("page.new"))} ${entry("/ladders", t("page.ladders"))} ${entry("/verify", t("page.verify"))}
      ${entry("/docs", t("page.docs"))} ${entry("/account", t("page.account"), account()?.handle)}
    </nav>
    <div class="choices">
      <label
        ><span class="hidden">${t("page.language")}</span>
        <select @change=${(/** @type {any} */ event) => choose(event.target.value)}>
          ${Object.entries(LANGUAGES).map(
            ([name, own]) =>
              html`<option value=${name} lang=${name} ?selected=${name === language}>${own}</option>`,
          )}
        </select></label
      >
      <label
        ><span class="hidden">${t("page.theme")}</span>
        ${select(THEMES, (name) => t(`page.theme_${name}`), chosen.theme, chooseTheme)}</label
      >
    </div>
  </header>
`;

/** The `<main>` that the service has written, on some pages. */
const written = document.getElementById("main");

/** Show the frame of the page around its `<main>`; again after the visitor has got an account. */
export function showFrame() {
  render(
    html`${isEmbedded ? nothing : frame()}${written ? nothing : html`<main id="main" tabindex="-1"></main>`}`,
    /** @type {HTMLElement} */ (document.getElementById("page")),
  );
}

/** Show the frame of the page. @param {string} title Of the title bar. */
export function open(title) {
  showFrame();
  document.title = `${title} · Machi Koro`;
}

/** What a click does, but not the second half of a double click, which may hit what comes to this place. @type {(act: (event: Event) => unknown) => (event: any) => unknown} */
export const clicked = (act) => (event) => event.detail < 2 && act(event);

/**
 * A button.
 * @param {unknown} text @param {(event: Event) => unknown} act
 * @param {{kind?: string, label?: string, isOff?: boolean, isOnce?: boolean}} [how] Its class, its name if the text is
 *   none, whether it cannot be pressed, and whether a double click counts as one.
 */
export const buttonOf = (text, act, { kind, label, isOff = false, isOnce = false } = {}) =>
  html`<button type="button" class=${kind ?? nothing} aria-label=${label ?? nothing} ?disabled=${isOff} @click=${isOnce ? clicked(act) : act}>${text}</button>`;

/** What went wrong and what to try, for a reader. @param {unknown} error */
export function failure(error) {
  const isMissing = error instanceof Refusal && error.status === 404;
  const text = isMissing ? t("page.not_found") : reasons(error).join(" ");
  return html`<div class="failure" role="alert">
    ${document.querySelector("h1") ? html`<p>${text}</p>` : html`<h1>${text}</h1>`}
    ${requestOf(error)} ${isMissing ? home : again}
  </div>`;
}

const home = html`<a class="button" href="/">${t("page.home")}</a>`;
const again = buttonOf(t("page.again"), () => location.reload());

/**
 * A list, or what is said where it is empty.
 * @param {unknown[]} items @param {string} none @param {string} [kind] The class of the list.
 */
export const listOf = (items, none, kind = "plain") =>
  items.length ? html`<ul class=${kind}>${items}</ul>` : html`<p class="faint">${none}</p>`;

/**
 * Details that are made only while they are open, since there are many of them.
 * @param {Set<unknown>} opened The keys of those that are open. @param {unknown} key @param {unknown} summary
 * @param {() => unknown} content @param {() => void} update
 */
export function folded(opened, key, summary, content, update) {
  const isOpen = opened.has(key);
  const toggle = (/** @type {any} */ { target }) => {
    if (target.open === opened.has(key)) return;
    opened[target.open ? "add" : "delete"](key);
    update();
  };
  return html`<details ?open=${isOpen} @toggle=${toggle}>
    <summary>${summary}</summary>${isOpen ? content() : nothing}</details>`;
}

/** Show the content of the page. @param {unknown} content */
export const draw = (content) =>
  render(content, /** @type {HTMLElement} */ (document.getElementById("main")));

/** Show what went wrong instead of what the page shows. @param {unknown} error */
export function fail(error) {
  draw(nothing);
  draw(failure(error));
}

/** Show a page, or why that fails. @param {() => Promise<unknown>} act */
export const launch = (act) => act().catch(fail);

/** Say something that goes away again, to screen readers too. @param {string} text */
export function say(text) {
  const place = document.getElementById("said") ?? document.body.appendChild(document.createElement("div"));
  place.id = "said";
  place.setAttribute("role", "status");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(Number(place.dataset.timer));
  place.dataset.timer = String(setTimeout(() => place.classList.remove("shown"), 6000));
}

/** Refresh again and again while somebody looks, once at a time. @param {() => Promise<unknown>} refresh @param {() => number} ms */
export async function keepFresh(refresh, ms) {
  for (;;) {
    await pause(ms());
    if (!document.hidden) await refresh().catch(() => {});
  }
}

/** Say why something failed; always false. @param {unknown} error */
export const sayWhy = (error) => (say(reasons(error).join(" ")), false);

/** Do something, and say why if it fails; whether it was done. @param {() => Promise<unknown>} act */
export const attempt = (act) => act().then(() => true, sayWhy);

/** Whether the reader asked for less motion. */
export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
