// Tables, each in a frame that scrolls sideways where the screen is too narrow.
import { html, nothing } from "./page.js";
import { t } from "./words.js";

/** The heading of a column. @param {string} text Its address. */
export const heading = (text) => html`<th>${t(text)}</th>`;

/** The heading of a column of numbers. @param {string} text Its address. */
export const numeric = (text) => html`<th class="number">${t(text)}</th>`;

/** A cell of a column of numbers. @param {unknown} value */
export const figure = (value) => html`<td class="number">${value}</td>`;

/** @param {string | typeof nothing} name @param {string} kind @param {unknown} head @param {unknown} rows */
const within = (name, kind, head, rows) => html`<table class=${kind} aria-label=${name}>
  <thead><tr>${head}</tr></thead>
  <tbody>${rows}</tbody>
</table>`;

/**
 * A table.
 * @param {string} name @param {string} kind Its class. @param {unknown} head The headings of its columns.
 * @param {unknown} rows @param {string} [frame] The class of its frame.
 */
export const tableOf = (name, kind, head, rows, frame = "") =>
  html`<div class="scrolls ${frame}">${within(name, kind, head, rows)}</div>`;

/** A table whose frame takes the focus, so that keys scroll it. @type {typeof tableOf} */
export const tableByKeys = (name, kind, head, rows, frame = "") =>
  html`<div class="scrolls ${frame}" tabindex="0" role="group" aria-label=${name}>${within(nothing, kind, head, rows)}</div>`;
