// The home page: play now, what runs, what ended, and the visitor's own matches.
import { get } from "./api.js";
import { coin, skyline } from "./drawings.js";
import { attempt, awaited, buttonOf, draw, html, keepFresh, launch, listOf, nothing, open } from "./page.js";
import { account } from "./session.js";
import { begin, canTake } from "./visitor.js";
import { ago, gameName, namesOf, t } from "./words.js";

const OPPONENTS = ["greedy", "expected_value"].map((strategy) => ({ kind: "strategy", strategy }));
/** A stream shows one match, and browsers keep six connections to a host: previews would take them all. A list and
 * the states of six matches cost little to ask for, since a state that has not changed is a 304. */
const REFRESH_MS = 4000;
const PREVIEWS = 6;
/** The city beside the heading, and its colours. */
const SCENE = [
  ["radio_tower", "red"],
  ["train_station", "blue"],
  ["amusement_park", "purple"],
  ["shopping_mall", "green"],
  ["harbor", "gold"],
  ["airport", "blue"],
];

open(t("home.title"));

/** Lists that the service has answered; a section is shown as soon as it and those above it are known, so that
 * none moves. @type {Partial<Record<"rulesets" | "running" | "joinable" | "ended" | "own" | "ladders", any[]>>} */
const found = {};
/** @type {Set<string>} The matches in which the visitor is to act. */
let turns = new Set();
/** @type {any[]} The seats that are reserved for the visitor. */
let invitations = [];
/** @type {Map<string, any>} The states of the matches that are going on. */
const states = new Map();

/** @param {any} match */
function row(match) {
  const names = namesOf(match.seats, t("home.open_seat"));
  const winner = match.winner === null ? "" : t("home.won", { name: names[match.winner] });
  return html`<li>
    <a href=${`/matches/${match.match_id}`}
      ><strong>${names.join(" · ")}</strong>
      <span class="faint small">${gameName(match.ruleset)} · ${winner || t(`home.is_${match.status}`)}${match.rated ? ` · ${t("ratings.mark")}` : ""} · ${ago(match.created_at)}</span>
      ${turns.has(match.match_id) ? html`<b class="due">${t("table.your_turn")}</b>` : nothing}</a></li>`;
}

/**
 * A section with a list, if that has items or if something is said where it has none.
 * @param {unknown} title @param {unknown[]} items @param {string} [none] @param {string} [kind]
 */
const section = (title, items, none, kind = "matches") =>
  items.length || none
    ? html`<section><h2>${title}</h2>${listOf(items, none ?? "", kind)}</section>`
    : nothing;

const games = () => html`<div class="games">
    ${(found.rulesets ?? []).map(({ id }, at) => {
      const text = at ? gameName(id) : t("home.play", { game: gameName(id) });
      const body = { ruleset: id, seats: [{ kind: "me" }, ...OPPONENTS] };
      return buttonOf(text, () => attempt(() => begin("/v1/matches", body)), { kind: at ? "" : "primary" });
    })}
    <a class="button" href="/new">${t("home.more")}</a>
    <a class="button" href="/puzzles">${t("puzzles.title")}</a>
    <a class="button" href="/ratings">${t("ratings.title")}</a>
  </div>
  <p class="faint small">${t("home.guest")}</p>`;

/** @param {any} one */
const invitationRow = (one) => html`<li><a href=${`/matches/${one.match_id}`}>
  <strong>${t("account.invited", { name: one.invited_by ?? "?" })}</strong>
  ${one.rated ? html`<span class="rated">${t("ratings.mark")}</span>` : nothing}</a></li>`;

/** A match in small: who plays, who is ahead, whose turn it is. @param {any} match */
function preview(match) {
  const state = states.get(match.match_id);
  /** @type {any[]} */
  const players = state?.players ?? match.seats;
  const names = namesOf(players, t("home.open_seat"));
  return html`<li><a class="preview" href=${`/matches/${match.match_id}`}>
    <span class="small faint">${gameName(match.ruleset)}${state ? html` · ${t("home.turn", { n: state.turn })}` : nothing}</span>
    ${players.map(
      (one) => html`<span class="player seat-${one.seat} ${state?.active_seat === one.seat ? "active" : ""}">
        <span class="who">${names[one.seat]}</span>
        <span class="built" role="img" aria-label=${t("home.landmarks", { n: one.landmarks?.length ?? 0 })}
          >${(one.landmarks ?? []).map(() => html`<i></i>`)}</span>
        ${state ? html`<span class="purse" role="img" aria-label=${t("table.coins", { n: one.coins })}>${coin(one.coins)}</span>` : nothing}
      </span>`,
    )}
  </a></li>`;
}

/** @param {any} ladder */
const ladderRow = ({ ladder_id: id, name }) =>
  html`<li><a href=${`/ladders/${id}`}><strong>${name}</strong></a></li>`;

function update() {
  const { rulesets, own, running: played, joinable, ended, ladders } = found;
  document.title = `${turns.size ? `(${turns.size}) ` : ""}${t("home.title")} · Machi Koro`;
  draw(html`<section class="hero">
      <h1>${t("home.heading")}</h1>
      <p class="lead">${t("home.lead")}</p>
      ${rulesets ? games() : awaited}
      <div class="scene" aria-hidden="true">${SCENE.map(([id, colour]) => skyline({ id, colour, kind: "landmark", symbol: null }, true))}</div>
    </section>
    ${
      rulesets && own && played
        ? html`${section(t("account.invitations"), invitations.map(invitationRow))}
            ${account() ? section(t("home.own"), own.map(row), t("home.none_own")) : nothing}
            ${section(t("home.running"), played.map(preview), t("home.none_running"), "previews")}`
        : nothing
    }
    ${
      rulesets && own && played && joinable && ended && ladders
        ? html`<div class="columns">
            ${section(t("home.joinable"), joinable.filter(({ seats }) => seats.some(canTake)).map(row))}
            ${section(t("home.ended"), ended.map(row), t("home.none_ended"))}
            ${section(html`<a href="/ladders">${t("page.ladders")}</a>`, ladders.map(ladderRow))}
          </div>
          <footer class="small faint">
            <p>${t("home.fair")} <a href="/verify">${t("home.verify")}</a> · <a href="/docs">${t("page.docs")}</a> · <a href="/openapi.yaml">openapi.yaml</a></p>
          </footer>`
        : nothing
    }`);
}

/** @param {keyof typeof found} name @param {string} path */
async function load(name, path) {
  found[name] = (await get(path)).items;
  update();
}

async function loadOwn() {
  const me = account();
  if (me) {
    const [due, invited] = await Promise.all([get("/v1/me/turns"), get("/v1/me/invitations")]);
    turns = new Set(due.items.map((one) => one.match_id));
    invitations = invited.items;
    await load("own", `/v1/matches?player=${encodeURIComponent(me.account_id)}&limit=8`);
  } else found.own = [];
}

async function loadRunning() {
  await load("running", `/v1/matches?status=running&limit=${PREVIEWS}`);
  const look = async (/** @type {any} */ { match_id: id }) =>
    states.set(id, await get(`/v1/matches/${id}/state`).catch(() => null));
  await Promise.all((found.running ?? []).map(look));
  update();
}

const refresh = () =>
  Promise.all([
    loadOwn(),
    loadRunning(),
    load("joinable", "/v1/matches?status=open&limit=8"),
    load("ended", "/v1/matches?status=finished&limit=8"),
  ]);

launch(async () => {
  update();
  await Promise.all([load("rulesets", "/v1/rulesets"), load("ladders", "/v1/ladders?limit=5"), refresh()]);
  await keepFresh(refresh, () => REFRESH_MS);
});
