// Schemas of the API's document as trees of members, each shown when it is asked for, and texts of the document.
import { get } from "./api.js";
import { html, nothing, render } from "./page.js";
import { t } from "./words.js";

/** @typedef {Record<string, any>} Schema */

/** The document, once it was fetched. @type {Schema} */
export let api = {};

export async function fetchApi() {
  api = await get("/openapi.json");
}

/** What a part of the document says, with what it refers to. @param {Schema} part @returns {Schema} */
export function resolved(part) {
  if (!part.$ref) return part;
  const { $ref, ...own } = part;
  const found = $ref
    .slice(2)
    .split("/")
    .reduce((/** @type {any} */ place, /** @type {string} */ key) => place[key], api);
  return { ...resolved(found), ...own };
}

/** One schema for all of `allOf`. @param {Schema} schema @returns {Schema} */
function whole(schema) {
  const found = resolved(schema);
  const parts = [...(found.allOf ?? []).map(whole), found];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map((one) => one.properties)),
    required: parts.flatMap((one) => one.required ?? []),
  };
}

/** @param {Schema} schema @returns {Schema[]} */
const choices = (schema) => schema.oneOf ?? schema.anyOf ?? [];

/** @param {Schema} part */
const nameOf = (part) => part.$ref?.split("/").at(-1);

/** The kind of a value in a word or two. @param {Schema} part @returns {string} */
export function kindOf(part) {
  const schema = resolved(part);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((/** @type {any} */ one) => JSON.stringify(one)).join(" | ");
  if (schema.type === "array") return `[${schema.items ? kindOf(schema.items) : ""}]`;
  if (choices(schema).length) return nameOf(part) ?? choices(schema).map(kindOf).join(" | ");
  return [schema.type ?? (schema.allOf ? "object" : "")].flat().join(" | ");
}

const LIMITS = {
  minimum: "≥",
  maximum: "≤",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
};

/** What limits a value, as one of whatever kind it can be. @param {Schema} schema @returns {string[]} */
const limitsOf = (schema) => [
  ...Object.entries(LIMITS).flatMap(([name, sign]) => (name in schema ? [`${sign} ${schema[name]}`] : [])),
  ...(schema.pattern ? [schema.pattern] : []),
  ...("default" in schema ? [`= ${JSON.stringify(schema.default)}`] : []),
  ...choices(schema).flatMap((one) => limitsOf(resolved(one))),
];

/** What lies within a value: its members, its kinds, or those of its items. @param {Schema} part @returns {Schema[]} */
function within(part) {
  const schema = whole(part);
  if (schema.items) return within(schema.items);
  const members = Object.entries(schema.properties).map(([name, member]) => ({
    name,
    member,
    isRequired: schema.required.includes(name),
  }));
  if (members.length === 0 && schema.additionalProperties?.type)
    return [{ name: "*", member: schema.additionalProperties }];
  const kinds = choices(schema).filter((one) => within(one).length);
  return members.concat(
    kinds.map((one) => ({ name: nameOf(one) ?? kindOf(one), member: one, isRequired: false })),
  );
}

/** A member: its name, kind and limits, what it means, and what lies within. @param {Schema} given @returns {unknown} */
export function member({ name, member: part, isRequired }) {
  const schema = resolved(part);
  const inner = within(part);
  return html`<li>
    <code class="name">${name}</code> <span class="kind">${kindOf(part)}</span>
    ${isRequired ? html`<b class="small">${t("docs.required")}</b>` : nothing}
    ${schema.deprecated ? html`<b class="small">${t("docs.deprecated")}</b>` : nothing}
    ${limitsOf(schema).map((one) => html`<code class="small faint">${one}</code> `)}
    ${schema.description ? marked(schema.description) : nothing}
    ${inner.length ? later(t("docs.members"), () => list(inner)) : nothing}
  </li>`;
}

/** @param {Schema[]} members */
const list = (members) => html`<ul class="members">${members.map(member)}</ul>`;

/** A schema as a tree. @param {Schema} part */
export const tree = (part) => {
  const inner = within(part);
  return inner.length ? list(inner) : html`<p class="kind">${kindOf(part)}</p>`;
};

/** What is written when it is opened: the document is a hundred times as long as what anybody reads of it.
 * @param {unknown} summary @param {() => unknown} content @param {string} [id] */
export const later = (summary, content, id) =>
  html`<details id=${id ?? nothing} class=${id ? "operation" : nothing} @toggle=${(
    /** @type {any} */ event,
  ) => {
    const place = event.target.lastElementChild;
    if (event.target.open && !place.firstElementChild) render(content(), place);
  }}><summary>${summary}</summary><div></div></details>`;

/** @param {string} text */
const inline = (text) => text.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));

/** A text of the document, which uses paragraphs, lists and code. @param {string} text */
export const marked = (text) =>
  text
    .trim()
    .split(/\n\n+/)
    .map((block) =>
      block.startsWith("- ")
        ? html`<ul>${block
            .slice(2)
            .split("\n- ")
            .map((one) => html`<li>${inline(one)}</li>`)}</ul>`
        : html`<p>${inline(block)}</p>`,
    );
