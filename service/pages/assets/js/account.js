// The visitor's own page: matches, invitations, who may seat them, tokens, and the end of the account.
import { Refusal, get, post, rulesetsById, send } from "./api.js";
import { copy } from "./copy.js";
import { filled, handleField, mark, refused, select } from "./forms.js";
import { span } from "./intervals.js";
import { attempt, buttonOf, draw, html, keepFresh, launch, listOf, nothing, open } from "./page.js";
import { account, forget, signIn } from "./session.js";
import { whole } from "./standings.js";
import { heading, tableOf } from "./tables.js";
import { ensureAccount } from "./visitor.js";
import { ago, gameName, moment, namesOf, seatsName, t } from "./words.js";

const REFRESH_MS = 5000;
const SCOPES = ["play", "match:create", "ladder:operate", "account:write"];
const TOKEN = ["account.name", "account.scopes", "account.expires"];
const POLICIES = ["nobody", "allowed", "anybody"];
const LISTS = /** @type {const} */ (["allowed", "blocked"]);
/** What the service lists about the visitor. */
const OWN = ["tokens", "invitations", "turns", "ratings", ...LISTS];

open(t("account.title"));

/** @type {any} */
let found = null;
/** A token that was just made: it is shown once. */
let secret = "";
/** Why the service did not delete the account. @type {unknown} */
let refusal = null;
/** What the address ends with when an account was deleted; its name follows. */
const DELETED = "#deleted=";

/** Do something, then show how things are. @param {() => Promise<any>} act */
const change = (act) => attempt(() => act().then(refresh));

/** A button that changes something. @param {string} text @param {() => Promise<any>} act @param {string} [label] */
const button = (text, act, label) => buttonOf(text, () => change(act), { label, isOnce: true });

/** Have an account in this browser. @param {() => Promise<unknown>} act */
const enter = async (act) => (await attempt(act)) && location.reload();

/** @param {SubmitEvent} event */
function useToken(event) {
  const { token } = filled(event);
  return enter(async () => {
    const { account_id, handle } = await get("/v1/me", { headers: { Authorization: `Bearer ${token}` } });
    signIn({ account_id, handle, token });
  });
}

/** A token has a right: say so at the first one while none is ticked. @param {any} event */
function needScope({ currentTarget }) {
  const isNone = !currentTarget.querySelector(":checked");
  currentTarget.querySelector("input").setCustomValidity(isNone ? t("account.no_scope") : "");
}

/** @param {SubmitEvent} event */
async function makeToken(event) {
  const { name } = filled(event);
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const scopes = new FormData(form).getAll("scope");
  const make = async () => (secret = (await post("/v1/me/tokens", { name, scopes })).token);
  if (await change(make)) form.reset();
}

/** @param {SubmitEvent} event @param {string} list */
function put(event, list) {
  const handle = encodeURIComponent(filled(event).handle);
  /** @type {HTMLFormElement} */ (event.currentTarget).reset();
  return change(() => send("PUT", `/v1/me/${list}/${handle}`));
}

/** @param {string} seating Who may seat the visitor. */
const beSeated = (seating) => change(() => send("PATCH", "/v1/me", { body: { seating } }));

/** Delete the account; the page then begins anew, without it. @param {SubmitEvent} event */
async function leave(event) {
  const { handle } = filled(event);
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  try {
    await send("DELETE", `/v1/me?handle=${encodeURIComponent(handle)}`);
    location.hash = DELETED + found.me.handle;
    forget();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return forget();
    refusal = error;
    update();
    mark(form, error);
  }
}

function askToLeave() {
  refusal = null;
  update();
  const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("dialog.sure"));
  dialog.querySelector("form")?.reset();
  dialog.showModal();
}

const deletion = (/** @type {string} */ name) => html`<dialog class="sure" aria-labelledby="question">
    <h2 id="question">${t("account.delete_question", { name })}</h2>
    <p>${t("account.delete_goes")}</p><p>${t("account.delete_stays")}</p>
    <form @submit=${leave}><label>${t("account.delete_confirm", { name })} <input name="handle" required autocomplete="off" autocapitalize="none" spellcheck="false" /></label>
      ${refused(refusal)}
      ${buttonOf(t("ladder.cancel"), (/** @type {any} */ event) => event.target.closest("dialog").close())}
      <button class="primary">${t("account.delete")}</button></form>
  </dialog>`;

function signedOut() {
  const { hash } = location;
  return html`<h1>${t("account.title")}</h1>
    ${hash.startsWith(DELETED) ? html`<p class="panel" role="status">${t("account.deleted", { name: hash.slice(DELETED.length) })}</p>` : nothing}
    <section class="panel"><h2>${t("account.new")}</h2>
      <form @submit=${(/** @type {SubmitEvent} */ event) => {
        const { handle } = filled(event);
        enter(() => post("/v1/accounts", { handle }).then(signIn));
      }}>${handleField({ autocomplete: "username", rule: "rule" })}
        <button class="primary">${t("account.register")}</button></form>
      <p class="faint small" id="rule">${t("new.handle_rule")}</p><p>${buttonOf(t("account.guest"), () => enter(ensureAccount))}</p></section>
    <section class="panel"><h2>${t("account.have")}</h2>
      <form @submit=${useToken}><label>${t("account.token")} <input name="token" type="password" required autocomplete="current-password" /></label>
        <button>${t("account.sign_in")}</button></form></section>`;
}

/** @param {any} match */
const isDue = (match) => found.turns.some((/** @type {any} */ one) => one.match_id === match.match_id);

/** @param {any} match */
const matchRow = (match) => html`<li>
  <a href=${`/matches/${match.match_id}`}>${namesOf(match.seats, t("home.open_seat")).join(" · ")}</a>
  <span class="faint small">${isDue(match) ? t("table.your_turn") : t(`home.is_${match.status}`)} · ${ago(match.created_at)}</span>
  ${match.status === "finished" && found.rulesets.get(match.ruleset).has_reviews ? html`<a class="small" href=${`/matches/${match.match_id}/review`}>${t("review.title")}</a>` : nothing}</li>`;

/** @param {any} one */
const invitationRow = (one) => html`<li>
  <a href=${`/matches/${one.match_id}`}>${t("account.invited", { name: one.invited_by ?? "?" })}</a>
  ${one.rated ? html`<span class="rated">${t("ratings.mark")}</span>` : nothing}
  ${["accept", "decline"].map((what) => button(t(`account.${what}`), () => post(`/v1/me/invitations/${one.match_id}/${what}`, {})))}</li>`;

/** @param {any} one */
const ratingRow = ({ ruleset, seats, rating }) => html`<li>
  <a href=${`/ratings?ruleset=${ruleset}&seats=${seats}`}>${gameName(ruleset)}, ${seatsName(seats)}</a>
  <strong>${whole(rating.rating)}</strong> <span class="faint small">${span(rating.rating_interval, whole)}</span>
  ${rating.provisional ? html`<span class="faint small">${t("ladder.provisional")}</span>` : nothing}</li>`;

const scopeName = (/** @type {string} */ name) => t(`account.scope_${name.replace(":", "_")}`);

/** @param {any} one */
const tokenRow = (one) => html`<tr><th scope="row">${one.name}</th>
  <td>${one.scopes.map(scopeName).join(", ")}</td>
  <td data-name=${t("account.expires")}>${moment(one.expires_at)}</td>
  <td>${one.token_id === found.me.token.token_id ? t("account.in_use") : button(t("account.revoke"), () => send("DELETE", `/v1/me/tokens/${one.token_id}`))}</td></tr>`;

/** @param {typeof LISTS[number]} name */
const handles = (name) => html`<section aria-label=${t(`account.${name}`)}><h3>${t(`account.${name}`)}</h3>
  <ul class="plain">${found[name].map((/** @type {any} */ { handle }) => {
    const remove = () => send("DELETE", `/v1/me/${name}/${encodeURIComponent(handle)}`);
    return html`<li>${handle} ${button("×", remove, t("account.remove", { name: handle }))}</li>`;
  })}</ul>
  <form @submit=${(/** @type {SubmitEvent} */ event) => put(event, name)}>${handleField()} <button>${t("account.add")}</button></form></section>`;

function update() {
  const { me, tokens, matches, invitations, ratings } = found;
  draw(html`<h1>${me.handle}</h1>
    <p class="faint">${t("account.since", { time: moment(me.created_at) })}</p>
    <section><h2>${t("home.own")}</h2>
      ${listOf(matches.map(matchRow), t("home.none_own"))}</section>
    <section><h2>${t("ratings.own")}</h2>
      ${ratings.length ? html`<ul class="plain">${ratings.map(ratingRow)}</ul>` : nothing}
      <p><a href="/ratings">${t("ratings.title")}</a></p></section>
    <section><h2>${t("account.invitations")}</h2>
      ${listOf(invitations.map(invitationRow), t("account.none_invited"))}
      <label>${t("account.seating")}
        ${select(POLICIES, (one) => t(`account.seating_${one}`), me.seating, beSeated)}</label>
      <div class="columns">${LISTS.map(handles)}</div></section>
    <section><h2>${t("account.tokens")}</h2>
      <p>${t("account.tokens_about")}</p>
      ${secret ? html`<p class="panel" role="status">${t("account.once")} <code>${secret}</code> ${buttonOf(t("table.copy"), () => copy(secret))}</p>` : nothing}
      ${tableOf(t("account.tokens"), "tokens", [TOKEN.map(heading), html`<th></th>`], tokens.map(tokenRow))}
      <form class="panel" @submit=${makeToken}><label>${t("account.name")} <input name="name" required maxlength="64" /></label>
        <fieldset @change=${needScope}><legend>${t("account.scopes")}</legend>${SCOPES.map((name) => html`<label><input type="checkbox" name="scope" value=${name} ?checked=${name === "play"} /> ${scopeName(name)}</label>`)}</fieldset>
        <button>${t("account.make")}</button></form></section>
    <section><h2>${t("account.leave")}</h2><p>${t("account.leave_about")}</p>
      ${buttonOf(t("account.copy"), () => copy(account()?.token ?? ""))}
      <details><summary class="button">${t("account.sign_out")}…</summary><p>${t("account.sign_out_sure")}
        ${buttonOf(t("account.sign_out"), () => forget(() => location.assign("/")), { kind: "primary" })}</p></details></section>
    <section><h2>${t("account.delete")}</h2>${buttonOf(`${t("account.delete")}…`, askToLeave)}</section>
    ${deletion(me.handle)}`);
}

async function refresh() {
  const me = await get("/v1/me");
  const matches = `/v1/matches?player=${encodeURIComponent(me.account_id)}&limit=20`;
  const asked = [matches, ...OWN.map((name) => `/v1/me/${name}`)].map((path) => get(path));
  const [rulesets, ...answers] = await Promise.all([rulesetsById(), ...asked]);
  const lists = ["matches", ...OWN].map((name, at) => [name, answers[at].items]);
  found = { me, rulesets, ...Object.fromEntries(lists) };
  update();
}

launch(async () => {
  if (account()) {
    await refresh();
    await keepFresh(refresh, () => REFRESH_MS);
  } else draw(signedOut());
});
