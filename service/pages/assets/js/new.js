// A new match with all its options. What is possible comes from the catalogue of the service.
import { get, rulesetsById } from "./api.js";
import { handleField, mark, refused, select } from "./forms.js";
import { buttonOf, draw, html, launch, nothing, open } from "./page.js";
import { begin } from "./visitor.js";
import { cardsOf, duration, gameName, t } from "./words.js";

const KINDS = ["me", "strategy", "open", "account"];
const DECISIONS_S = [0, 30, 60, 300, 86_400];
const BANKS_S = [0, 60, 300, 900, 3600];
const INCREMENTS_S = [0, 5, 10, 30];
const RATED_CLOCK_S = 60;
const POLICIES = ["default_command", "strategy", "forfeit"];
const VISIBILITIES = ["public", "unlisted", "private"];

open(t("new.title"));

/** @type {Map<string, any>} */
let rulesets = new Map();
/** Levels by name. @type {Map<string, string | null>} */
let strategies = new Map();
/** @type {Map<string, any>} */
let cards = new Map();
/** @type {unknown} */
let refusal = null;

/** @param {string} kind @param {string} [strategy] */
const seated = (kind, strategy = "greedy") => ({ kind, strategy, handle: "" });

const wished = {
  ruleset: "base",
  seats: [seated("me"), seated("strategy"), seated("strategy", "expected_value")],
  /** @type {Record<string, any>} */
  options: {},
  /** @type {Record<string, number>} */
  prices: {},
  visibility: "public",
  clock: 0,
  bank: 0,
  increment: 0,
  policy: "default_command",
  /** @type {number | null} */
  firstSeat: null,
  hasSeeds: false,
  isCommented: false,
  isRated: false,
};

const ruleset = () => rulesets.get(wished.ruleset);
const canComment = () => wished.visibility === "public" && ruleset().has_reviews;

/** @param {() => void} change */
const set = (change) => () => {
  change();
  update();
};

/**
 * A choice that a member keeps.
 * @param {any} of @param {string} key @param {any[]} values @param {(value: any) => string} [text]
 * @param {any} [chosen] @param {string} [name]
 */
const pick = (of, key, values, text = (one) => t(`new.${key}_${one}`), chosen = of[key], name = key) =>
  select(values, text, chosen, (one) => set(() => (of[key] = one))(), name);

/** @param {string} name */
async function chooseRuleset(name) {
  Object.assign(wished, { ruleset: name, options: {}, prices: {} });
  cards = await cardsOf(name);
  update();
}

/** Time for decisions. */
function limit() {
  const { clock, bank, increment, policy } = wished;
  return {
    decision_ms: clock * 1000,
    on_timeout: policy,
    ...(bank && { bank_ms: bank * 1000 }),
    ...(increment && { increment_ms: increment * 1000 }),
  };
}

/** A choice of how long. @param {string} member @param {number[]} values */
const howLong = (member, values) =>
  html`<label>${t(`new.${member}`)} ${pick(wished, member, values, (one) => (one ? duration(one) : t("new.no_bank")))}</label>`;

/** Whether the match counts. What it requires is chosen with it; the service refuses the rest. @param {boolean} isRated */
function rate(isRated) {
  wished.isRated = isRated;
  if (isRated) {
    wished.visibility = "public";
    wished.isCommented = false;
    wished.clock ||= RATED_CLOCK_S;
    for (const seat of wished.seats) if (seat.kind === "strategy") seat.kind = "open";
  }
  update();
}

function body() {
  const { options, prices, seats, clock, firstSeat, visibility, isCommented, isRated } = wished;
  return {
    ruleset: wished.ruleset,
    seats: seats.map(({ kind, strategy, handle }) => ({
      kind,
      ...(kind === "strategy" && { strategy }),
      ...(kind === "account" && { handle }),
    })),
    options: {
      ...options,
      card_costs: prices,
      commentary: isCommented && canComment(),
      rated: isRated,
    },
    visibility,
    ...(clock && { clock: limit() }),
    first_seat: firstSeat,
    ...(wished.hasSeeds && { dice: { mode: "committed", seat_seeds: {} } }),
  };
}

/** @param {SubmitEvent} event */
async function submit(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  try {
    await begin("/v1/matches", body());
  } catch (error) {
    refusal = error;
    update();
    mark(form, error);
  }
}

/** @param {string} name */
const withLevel = (name) =>
  strategies.get(name) ? `${name} (${t(`new.level_${strategies.get(name)}`)})` : name;

/** @param {any} seat @param {number} at */
function seatRow(seat, at) {
  const place = `seats/${at}/handle`;
  const { min } = ruleset().players;
  const remove = set(() => {
    wished.seats.splice(at, 1);
    if (wished.firstSeat === at) wished.firstSeat = null;
    else if (wished.firstSeat !== null && wished.firstSeat > at) wished.firstSeat -= 1;
  });
  const change = (/** @type {any} */ event) => (seat.handle = event.target.value);
  return html`<li>
    <label>${t("new.seat", { n: at + 1 })} ${pick(seat, "kind", KINDS)}</label>
    ${seat.kind === "strategy" ? html`<label><span class="hidden">${t("new.seat", { n: at + 1 })}: ${t("new.strategy")}</span> ${pick(seat, "strategy", [...strategies.keys()], withLevel)}</label>` : nothing}
    ${seat.kind === "account" ? handleField({ name: place, value: seat.handle, change }) : nothing}
    ${buttonOf("×", remove, { label: t("new.remove", { n: at + 1 }), isOff: wished.seats.length <= min })}
  </li>`;
}

/** @param {string} name */
function option(name) {
  const { values } = ruleset().options[name] ?? { values: [] };
  if (values.length < 2) return nothing;
  const chosen = wished.options[name] ?? ruleset().options[name].default;
  return html`<label>${t(`new.${name}`)} ${pick(wished.options, name, values, undefined, chosen, `options/${name}`)}</label>`;
}

/** @param {"hasSeeds" | "isCommented"} member @param {string} text */
const check = (member, text) =>
  html`<label><input type="checkbox" .checked=${wished[member]} @change=${(/** @type {any} */ event) => (wished[member] = event.target.checked)} /> ${t(text)}</label>`;

/** @param {any} card */
const price = ({ id, name, cost }) => html`<label>${name}
  <input name=${`options/card_costs/${id}`} type="number" min="0" max="100" .value=${String(wished.prices[id] ?? cost)}
    @invalid=${(/** @type {any} */ { target }) => (target.closest("details").open = true)}
    @change=${(/** @type {any} */ { target: { value } }) => {
      if (Number(value) === cost || value === "") delete wished.prices[id];
      else wished.prices[id] = Number(value);
    }} /></label>`;

const prices = () => html`<details>
    <summary>${t("new.prices")}</summary>
    <div class="prices">${[...cards.values()].filter(({ cost }) => cost).map(price)}</div>
  </details>`;

function update() {
  const { min, max } = ruleset().players;
  const add = set(() => wished.seats.push(seated("strategy")));
  const clock = html`${howLong("bank", BANKS_S)} ${howLong("increment", INCREMENTS_S)}
    <label>${t("new.policy")} ${pick(wished, "policy", POLICIES)}</label>`;
  draw(html`<h1>${t("new.title")}</h1>
    <form class="new" @submit=${submit}>
      <fieldset>
        <legend>${t("new.game")}</legend>
        ${[...rulesets.keys()].map((id) => html`<label><input type="radio" name="ruleset" ?checked=${id === wished.ruleset} @change=${() => chooseRuleset(id)} /> ${gameName(id)}</label>`)}
      </fieldset>
      <fieldset>
        <legend>${t("new.seats", { min, max })}</legend>
        <ol>${wished.seats.map(seatRow)}</ol>
        <p class="small"><a href="/docs/guides/players">${t("new.strategies")}</a></p>
        ${buttonOf(t("new.add"), add, { isOff: wished.seats.length >= max })}
      </fieldset>
      <fieldset>
        <legend>${t("new.rules")}</legend>
        ${["box", "market", "max_copies"].map(option)}
        <label>${t("new.first")}
          ${pick(wished, "firstSeat", [null, ...wished.seats.keys()], (at) => (at === null ? t("new.first_dice") : t("new.seat", { n: at + 1 })))}</label>
        ${prices()}
      </fieldset>
      <fieldset>
        <legend>${t("new.manners")}</legend>
        <label><input type="checkbox" name="options/rated" .checked=${wished.isRated} @change=${(/** @type {any} */ event) => rate(event.target.checked)} /> ${t("ratings.option")}</label>
        <label>${t("new.visibility")} ${pick(wished, "visibility", VISIBILITIES)}</label>
        ${canComment() ? check("isCommented", "new.commentary") : nothing}
        <label>${t("new.clock")} ${pick(wished, "clock", DECISIONS_S)}</label>
        ${wished.clock ? clock : nothing}
        ${check("hasSeeds", "new.seeds")}
      </fieldset>
      ${refused(refusal)}
      <button class="primary">${t("new.start")}</button>
    </form>`);
}

launch(async () => {
  const [found, levels, known] = await Promise.all([
    rulesetsById(),
    get("/v1/strategies"),
    cardsOf(wished.ruleset),
  ]);
  [rulesets, cards] = [found, known];
  strategies = new Map(levels.items.map((one) => [one.name, one.level]));
  update();
});
