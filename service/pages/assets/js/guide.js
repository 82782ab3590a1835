// A guide, which the service has written: its contents beside it, and a button at each piece of code.
import { copyButton } from "./copy.js";
import { html, nothing, open, render } from "./page.js";
import { t } from "./words.js";

open(document.querySelector("h1")?.textContent ?? "");

/** The commands of a session in a terminal, without what they print. @param {string} text */
function commandsOf(text) {
  const taken = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    if (!isOpen && !line.startsWith("$ ")) continue;
    taken.push(isOpen ? line : line.slice(2).replace(/ {2,}# .*$/, ""));
    isOpen = line.endsWith("\\") || taken.join("\n").split("'").length % 2 === 0;
  }
  return taken.join("\n");
}

for (const block of document.querySelectorAll("main pre")) {
  const text = block.textContent ?? "";
  const isSession = block.querySelector(".language-console") !== null;
  const place = document.createElement("div");
  place.className = "code";
  block.replaceWith(place);
  place.append(block);
  render(
    copyButton(() => (isSession ? commandsOf(text) : text.trimEnd())),
    place,
  );
}

const headings = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("article :is(h2, h3)")]);
const contents = html`<details ?open=${matchMedia("(min-width: 1000px)").matches}>
  <summary>${t("docs.contents")}</summary>
  <nav aria-label=${t("docs.contents")}><ul class="plain" lang="en">
    ${headings.map((one) => html`<li class=${one.localName}><a href=${`#${one.id}`}>${one.textContent}</a></li>`)}
  </ul></nav>
</details>`;
render(
  html`<p><a href="/docs">${t("docs.all")}</a></p> ${headings.length ? contents : nothing}`,
  /** @type {HTMLElement} */ (document.querySelector("aside")),
);
