// The guides, and the reference of the API from its document. A token stays in its field: a reload forgets it.
import { copyButton } from "./copy.js";
import { failure, html, nothing, open, render } from "./page.js";
import { api, fetchApi, later, marked, member, resolved, tree } from "./schema.js";
import { t } from "./words.js";

/** @typedef {Record<string, any>} Part */

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

open(t("docs.title"));
render(html`<h1>${t("docs.title")}</h1><p class="lead">${t("docs.lead")}</p>`, element("heading"));
const reference = element("reference");
await fetchApi().catch((error) => {
  render(failure(error), reference);
  throw error;
});

const LONGEST = 100_000;

/** @type {Part[]} */
const operations = Object.entries(api.paths).flatMap(([path, { parameters = [], ...methods }]) =>
  Object.entries(methods).map(([method, one]) => ({
    security: api.security,
    ...one,
    path,
    method: method.toUpperCase(),
    parameters: [...parameters, ...(one.parameters ?? [])].map(resolved),
  })),
);

/** @param {Part} operation */
const bodyOf = (operation) =>
  operation.requestBody && Object.values(resolved(operation.requestBody).content)[0];

/** @param {string} text */
const code = (text) =>
  html`<div class="code"><pre tabindex="0"><code>${text}</code></pre>${copyButton(() => text)}</div>`;

/** @param {unknown} value */
const written = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** What the fields of an operation ask for. @param {Part} operation @param {HTMLFormElement} form */
function request(operation, form) {
  const field = (/** @type {string} */ name) =>
    /** @type {any} */ (form.elements.namedItem(name))?.value.trim() ?? "";
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = {};
  let path = operation.path;
  for (const { name, in: place } of operation.parameters) {
    const value = field(name);
    if (place === "path") path = path.replace(`{${name}}`, value ? encodeURIComponent(value) : `{${name}}`);
    else if (value && place === "query") query.append(name, value);
    else if (value) headers[name] = value;
  }
  const body = field(" body") || undefined;
  if (body) headers["Content-Type"] = "application/json";
  return { method: operation.method, url: path + (query.size ? `?${query}` : ""), headers, body };
}

/** @returns {string} */
const token = () => element("token").value.trim();

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Show the same for a terminal, without the token itself. @param {Part} operation @param {HTMLFormElement} form */
function showCurl(operation, form) {
  const { method, url, headers, body } = request(operation, form);
  const words = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  if (operation.security.some((/** @type {Part} */ one) => one.token))
    words.unshift('-H "Authorization: Bearer $TOKEN"');
  if (method !== "GET") words.unshift(`-X ${method}`);
  if (body) words.push(`-d ${quoted(body)}`);
  const text = ["curl", ...words, quoted(location.origin + url)].join(" \\\n  ");
  render(code(text), /** @type {HTMLElement} */ (form.querySelector(".curl")));
}

/** @param {Part} operation @param {HTMLFormElement} form */
async function send(operation, form) {
  const place = /** @type {HTMLElement} */ (form.querySelector(".answer"));
  const { method, url, headers, body } = request(operation, form);
  if (token()) headers.Authorization = `Bearer ${token()}`;
  try {
    const answer = await fetch(url, { method, headers, body, credentials: "omit" });
    const text = await answer.text();
    const isJson = answer.headers.get("Content-Type")?.endsWith("json");
    const shown = isJson && text ? JSON.stringify(JSON.parse(text), null, 2) : text;
    render(
      html`<p><b>${answer.status} ${answer.statusText}</b> <span class="faint small">${answer.headers.get("X-Request-Id")}</span></p>
        ${shown ? code(shown.slice(0, LONGEST)) : nothing}`,
      place,
    );
  } catch {
    render(html`<p>${t("page.unreachable")}</p>`, place);
  }
}

/** The field of a parameter. That of a header has no value of an example: nobody wants to send it.
 * @param {Part} parameter */
const field = ({ name, in: place, schema, example, required }) => html`<label
  ><code>${name}</code>
  ${
    schema.enum
      ? html`<select name=${name}>${required ? nothing : html`<option></option>`}${schema.enum.map((/** @type {any} */ one) => html`<option>${one}</option>`)}</select>`
      : html`<input name=${name} ?required=${required} placeholder=${place === "header" ? "" : (example ?? schema.default ?? "")}
        autocomplete="off" spellcheck="false" />`
  }</label
>`;

/** @param {Part} operation */
function tryOut(operation) {
  const examples = Object.values(bodyOf(operation)?.examples ?? {}).map(resolved);
  const act =
    (/** @type {(operation: Part, form: HTMLFormElement) => void} */ what) => (/** @type {any} */ event) => {
      event.preventDefault();
      what(operation, event.currentTarget);
    };
  const choose = (/** @type {any} */ event) => {
    event.target.form.elements.namedItem(" body").value = written(examples[event.target.selectedIndex].value);
  };
  const options = examples.map((one) => html`<option>${one.summary}</option>`);
  const picking = html`<label>${t("docs.example")}<select @input=${choose}>${options}</select></label>`;
  const text = written(examples[0]?.value ?? {});
  const body = html`${examples.length > 1 ? picking : nothing}
    <label>${t("docs.body")}<textarea name=" body" rows="8" spellcheck="false" .value=${text}></textarea></label>`;
  return html`<form class="try" @input=${act(showCurl)} @submit=${act(send)}>
    ${operation.parameters.map(field)}
    ${bodyOf(operation) ? body : nothing}
    <div class="curl"></div>
    <button class="primary">${t("docs.send")}</button>
    <div class="answer" role="status"></div>
  </form>`;
}

/** @param {[string, Part]} entry */
function response([status, part]) {
  const { description, content = {}, headers = {} } = resolved(part);
  return later(html`<b class="status">${status}</b> ${marked(description)}`, () => [
    Object.keys(headers).length
      ? html`<p class="small faint">${Object.keys(headers).map((one) => html`<code>${one}</code> `)}</p>`
      : nothing,
    Object.entries(content).map(
      ([type, { schema = {}, examples = {} }]) => html`<p><code>${type}</code></p>
      ${tree(schema)}
      ${Object.values(examples)
        .map(resolved)
        .map((one) =>
          later(one.summary ?? t("docs.example"), () => [
            one.description ? marked(one.description) : nothing,
            code(written(one.value)),
          ]),
        )}`,
    ),
  ]);
}

/** @param {Part} operation */
function details(operation) {
  const body = bodyOf(operation);
  const scopes = operation.security.flatMap((/** @type {Part} */ one) => one.token ?? []);
  queueMicrotask(() => showCurl(operation, element(operation.operationId).querySelector("form")));
  const isFree =
    !operation.security.length || operation.security.some((/** @type {Part} */ one) => !one.token);
  const parameters = operation.parameters.map((/** @type {Part} */ one) => {
    const { name, required: isRequired, description, deprecated, schema } = one;
    return member({ name, isRequired, member: { description, deprecated, ...resolved(schema) } });
  });
  return html`
    ${operation.description ? marked(operation.description) : nothing}
    <p class="small">${isFree ? t("docs.open") : t("docs.needs_token")} ${scopes.map((/** @type {string} */ one) => html`<code>${one}</code>`)}
      <a href=${`#${operation.operationId}`}>#${operation.operationId}</a></p>
    ${parameters.length ? html`<h4>${t("docs.parameters")}</h4><ul class="members">${parameters}</ul>` : nothing}
    ${body ? html`<h4>${t("docs.body")}</h4>${tree(body.schema)}` : nothing}
    <h4>${t("docs.responses")}</h4>
    ${Object.entries(operation.responses).map(response)}
    <h4>${t("docs.try")}</h4>
    ${tryOut(operation)}`;
}

/** @param {Part} operation */
const entry = (operation) =>
  later(
    html`<b class=${`method ${operation.method.toLowerCase()}`}>${operation.method}</b> <code>${operation.path.replaceAll("/", "/\u200b")}</code>
    <span>${operation.summary}</span>`,
    () => details(operation),
    operation.operationId,
  );

/** Show the operations with all these words, and the sections that have some. @param {string} words */
function search(words) {
  const wanted = words.toLowerCase().split(/\s+/);
  for (const one of operations) {
    const { method, path: address, operationId: id, summary, description = "" } = one;
    const text = [method, address, id, summary, description].join(" ").toLowerCase();
    element(id).hidden = !wanted.every((word) => text.includes(word));
  }
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("section.tag"))) {
    one.hidden = one.querySelector(".operation:not([hidden])") === null;
  }
  const found = document.querySelectorAll(".operation:not([hidden])").length;
  element("found").textContent = words ? t("docs.found", { n: found }) : "";
}

/** Open the operation that the address names. */
function follow() {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
  named?.scrollIntoView();
}

const [about, ...chapters] = api.info.description.split(/^## /m);
render(
  html`<h2 id="api">${t("docs.reference")}</h2>
    <div lang="en">${marked(about)} ${chapters.map((/** @type {string} */ one) => {
      const [title, ...lines] = one.split("\n");
      return later(title, () => marked(lines.join("\n")));
    })}</div>
    <p><a href="/openapi.yaml">openapi.yaml</a> · <a href="/openapi.json">openapi.json</a></p>
    <div class="tools">
      <label>${t("docs.search")}<input type="search" @input=${(/** @type {any} */ event) => search(event.target.value)} /></label>
      <label>${t("docs.token")}<input id="token" autocomplete="off" spellcheck="false" placeholder="mk_…" aria-describedby="kept" /></label>
      <p id="kept" class="small faint">${t("docs.kept")}</p>
      <p id="found" class="small" role="status"></p>
    </div>
    <nav class="tags" lang="en" aria-label=${t("docs.reference")}>
      ${api.tags.map((/** @type {Part} */ tag) => html`<a href=${`#tag-${tag.name}`}>${tag.name.replaceAll("_", " ")}</a>`)}
    </nav>
    <div lang="en">${api.tags.map(
      (/** @type {Part} */ tag) => html`<section class="tag">
        <h3 id=${`tag-${tag.name}`}>${tag.name.replaceAll("_", " ")}</h3>
        <p>${tag.description}</p>
        ${operations.filter((one) => one.tags[0] === tag.name).map(entry)}
      </section>`,
    )}</div>`,
  reference,
);
addEventListener("hashchange", follow);
follow();
