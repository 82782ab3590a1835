// All ladders, and a form for a new one.
import { all, get, post, rulesetsById } from "./api.js";
import { filled, mark, refused, select } from "./forms.js";
import { awaited, draw, html, keepFresh, launch, nothing, open } from "./page.js";
import { account } from "./session.js";
import { ago, gameName, seatCounts, seatsName, t } from "./words.js";

const REFRESH_MS = 10_000;
const LUCK = ["off", "coins", "wins"];
const OPTIONS = ["box", "market", "max_copies"];
const CLOCKS_S = [10, 60, 300];
const KINDS = ["none", "round_robin", "swiss", "knock_out"];

open(t("page.ladders"));

/** @type {any[] | null} */
let ladders = null;
/** @type {Map<string, any>} */
let rulesets = new Map();
let mayOperate = false;
let chosen = "base";
let kind = "none";
/** @type {unknown} */
let refusal = null;

/** @param {SubmitEvent} event */
async function create(event) {
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const { name, seats, luck, clock_s, rounds, blocks, ...options } = filled(event);
  try {
    const made = await post("/v1/ladders", {
      name,
      ruleset: chosen,
      seats: Number(seats),
      clock_ms: Number(clock_s) * 1000,
      options: { ...options, ...(options.max_copies && { max_copies: Number(options.max_copies) }) },
      ...(luck && { luck }),
      ...(kind !== "none" && {
        schedule: { kind, blocks: Number(blocks), ...(rounds && { rounds: Number(rounds) }) },
      }),
    });
    location.href = `/ladders/${made.ladder_id}`;
  } catch (error) {
    refusal = error;
    update();
    mark(form, error);
  }
}

/** @param {any} ladder */
const row = (ladder) => html`<li><a href=${`/ladders/${ladder.ladder_id}`}>
    <strong>${ladder.name}</strong>
    <span class="faint small">${[
      gameName(ladder.ruleset),
      seatsName(ladder.seats),
      ...(ladder.tournament ? [t(`tournament.${ladder.tournament}`)] : []),
      t("ladders.entries", { n: ladder.entries }),
      ago(ladder.created_at),
    ].join(" · ")}</span>
    ${ladder.is_playing ? html`<span class="live">${t("ladders.playing")}</span>` : nothing}
  </a></li>`;

/** @param {string} name @param {any[]} values @param {(value: any) => string} text */
const field = (name, values, text) => select(values, text, values[0], undefined, name);

function form() {
  const ruleset = rulesets.get(chosen);
  const { options } = ruleset;
  const chooseKind = (/** @type {string} */ one) => ((kind = one), update());
  const choosable = OPTIONS.filter((name) => options[name]?.values.length > 1);
  return html`<details class="panel" ?open=${refusal !== null || !ladders?.length}>
    <summary><h2>${t("ladders.new")}</h2></summary>
    <form @submit=${create}>
      <label>${t("ladders.name")} <input name="name" required maxlength="64" autocomplete="off" /></label>
      <label>${t("new.game")}
        ${select([...rulesets.keys()], gameName, chosen, (id) => ((chosen = id), update()))}</label>
      <label>${t("ladders.table")} ${field("seats", seatCounts(ruleset), seatsName)}</label>
      ${choosable.map((name) => {
        const values = options[name].values.filter((/** @type {any} */ value) => value !== null);
        return html`<label>${t(`new.${name}`)} ${field(name, ["", ...values], (one) => (one ? t(`new.${name}_${one}`) : t("ladders.default")))}</label>`;
      })}
      <label>${t("ladders.luck")} ${field("luck", ["", ...LUCK], (one) => (one ? t(`ladders.luck_${one}`) : t("ladders.default")))}</label>
      <label>${t("ladders.clock")} ${field("clock_s", CLOCKS_S, (n) => t("ladders.seconds", { n }))}</label>
      <label>${t("tournament.schedule")}
        ${select(KINDS, (one) => t(`tournament.${one}`), kind, chooseKind)}</label>
      ${["round_robin", "swiss"].includes(kind) ? html`<label>${t("tournament.rounds")} <input name="rounds" type="number" min="1" max="50" /></label>` : nothing}
      ${kind !== "none" ? html`<label>${t("tournament.blocks")} <input name="blocks" type="number" required min="1" max="100" value="1" /></label>` : nothing}
      <p class="faint small">${t("ladders.frozen")}</p>
      ${refused(refusal)}
      <button class="primary">${t("ladders.create")}</button>
    </form>
  </details>`;
}

function update() {
  draw(html`<h1>${t("page.ladders")}</h1>
    <p class="lead">${t("ladders.about")}</p>
    ${ladders ? list(ladders) : awaited}`);
}

/** @param {any[]} ladders */
const list = (ladders) => html`
  ${ladders.length ? html`<ul class="list">${ladders.map(row)}</ul>` : html`<p class="panel">${t("ladders.none")}</p>`}
  ${mayOperate ? form() : html`<p class="faint">${t("ladders.sign_in")} <a href="/account">${t("page.account")}</a></p>`}`;

async function refresh() {
  ladders = await all("/v1/ladders?limit=100", { most: 500 });
  update();
}

launch(async () => {
  update();
  const asked = account() && get("/v1/me", { tries: 2 }).catch(() => null);
  const [known, me] = await Promise.all([rulesetsById(), asked]);
  [rulesets, mayOperate] = [known, me?.token.scopes.includes("ladder:operate") ?? false];
  await refresh();
  await keepFresh(refresh, () => REFRESH_MS);
});
