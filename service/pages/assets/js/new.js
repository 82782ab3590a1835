// A new match with all its options. What is possible comes from the catalogue of the service.
import { get, post } from "./api.js";
import { cardsOf } from "./game.js";
import { mark, refused } from "./forms.js";
import { failure, html, nothing, open, render } from "./page.js";
import { ensureAccount } from "./visitor.js";
import { t } from "./words.js";

const DECISIONS_S = [30, 60, 300, 86_400];
const POLICIES = ["default_command", "strategy", "forfeit"];
const VISIBILITIES = ["public", "unlisted", "private"];

const main = open(t("new.title"));

/** @type {any[]} */
let rulesets = [];
/** @type {any[]} */
let strategies = [];
/** @type {Map<string, any>} */
let cards = new Map();
/** @type {unknown} */
let refusal = null;

const wished = {
  ruleset: "base",
  /** @type {{kind: string, name: string}[]} */
  seats: [
    { kind: "me", name: "" },
    { kind: "strategy", name: "greedy" },
    { kind: "strategy", name: "expected_value" },
  ],
  /** @type {Record<string, any>} */
  options: {},
  /** @type {Record<string, number>} */
  prices: {},
  visibility: "public",
  decisionS: 0,
  policy: "default_command",
  firstSeat: "",
  hasSeeds: false,
};

const ruleset = () => rulesets.find((one) => one.id === wished.ruleset);

/** @param {() => void} change */
const set = (change) => () => {
  change();
  update();
};

/** @param {(value: string) => void} change */
const choose = (change) => (/** @type {any} */ event) => {
  change(event.target.value);
  update();
};

/** @param {string} name */
async function chooseRuleset(name) {
  wished.ruleset = name;
  wished.options = {};
  wished.prices = {};
  cards = await cardsOf(name);
  update();
}

function body() {
  const { options, prices, seats, decisionS, firstSeat } = wished;
  return {
    ruleset: wished.ruleset,
    seats: seats.map(({ kind, name }) => {
      if (kind === "strategy") return { kind, strategy: name };
      return kind === "account" ? { kind, handle: name } : { kind };
    }),
    options: { ...options, card_costs: prices },
    visibility: wished.visibility,
    ...(decisionS && { clock: { decision_ms: decisionS * 1000, on_timeout: wished.policy } }),
    ...(firstSeat !== "" && { first_seat: Number(firstSeat) }),
    ...(wished.hasSeeds && { dice: { mode: "committed", seat_seeds: {} } }),
  };
}

/** @param {SubmitEvent} event */
async function submit(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  try {
    await ensureAccount();
    const made = await post("/v1/matches", body());
    location.href = `/matches/${made.match_id}`;
  } catch (error) {
    refusal = error;
    update();
    mark(form, error);
  }
}

/** @param {{kind: string, name: string}} seat @param {number} at */
function seatRow(seat, at) {
  return html`<li>
    <label>${t("new.seat", { n: at + 1 })}
      <select @change=${choose((kind) => Object.assign(seat, { kind, name: kind === "strategy" ? "greedy" : "" }))}>
        ${["me", "strategy", "open", "account"].map((kind) => html`<option value=${kind} ?selected=${kind === seat.kind}>${t(`new.kind_${kind}`)}</option>`)}
      </select></label>
    ${
      seat.kind === "strategy"
        ? html`<label><span class="hidden">${t("new.strategy")}</span>
          <select @change=${choose((name) => (seat.name = name))}>
            ${strategies.map(({ name }) => html`<option ?selected=${name === seat.name}>${name}</option>`)}
          </select></label>`
        : nothing
    }
    ${
      seat.kind === "account"
        ? html`<label>${t("new.handle")} <input name=${`seats/${at}/handle`} required pattern="[A-Za-z0-9_\\-]{3,32}" .value=${seat.name} @change=${choose((name) => (seat.name = name))} /></label>`
        : nothing
    }
    <button type="button" ?disabled=${wished.seats.length <= ruleset().players.min} aria-label=${t("new.remove", { n: at + 1 })}
      @click=${set(() => wished.seats.splice(at, 1))}>×</button>
  </li>`;
}

/** @param {string} name */
function option(name) {
  const { values } = ruleset().options[name] ?? { values: [] };
  if (values.length < 2) return nothing;
  const chosen = wished.options[name] ?? ruleset().options[name].default;
  return html`<label>${t(`new.${name}`)}
    <select name=${`options/${name}`} @change=${choose((value) => (wished.options[name] = value === "null" ? null : /^\d+$/.test(value) ? Number(value) : value))}>
      ${values.map((/** @type {any} */ value) => html`<option value=${String(value)} ?selected=${value === chosen}>${t(`new.${name}_${value}`)}</option>`)}
    </select></label>`;
}

function prices() {
  return html`<details>
    <summary>${t("new.prices")}</summary>
    <div class="prices">
      ${[...cards.values()]
        .filter((card) => card.cost)
        .map(
          (card) => html`<label>${card.name}
            <input name=${`options/card_costs/${card.id}`} type="number" min="0" max="100" .value=${String(wished.prices[card.id] ?? card.cost)}
              @change=${choose((value) => {
                if (Number(value) === card.cost || value === "") delete wished.prices[card.id];
                else wished.prices[card.id] = Number(value);
              })} /></label>`,
        )}
    </div>
  </details>`;
}

function update() {
  const { min, max } = ruleset().players;
  render(
    html`<h1>${t("new.title")}</h1>
      <form class="new" @submit=${submit}>
        <fieldset>
          <legend>${t("new.game")}</legend>
          ${rulesets.map((one) => html`<label><input type="radio" name="ruleset" ?checked=${one.id === wished.ruleset} @change=${() => chooseRuleset(one.id)} /> ${one.name}</label>`)}
        </fieldset>
        <fieldset>
          <legend>${t("new.seats", { min, max })}</legend>
          <ol>${wished.seats.map(seatRow)}</ol>
          <button type="button" ?disabled=${wished.seats.length >= max} @click=${set(() => wished.seats.push({ kind: "strategy", name: "greedy" }))}>${t("new.add")}</button>
        </fieldset>
        <fieldset>
          <legend>${t("new.rules")}</legend>
          ${["box", "market", "max_copies"].map(option)}
          <label>${t("new.first")}
            <select @change=${choose((value) => (wished.firstSeat = value))}>
              <option value="">${t("new.first_dice")}</option>
              ${wished.seats.map((_, at) => html`<option value=${at} ?selected=${String(at) === wished.firstSeat}>${t("new.seat", { n: at + 1 })}</option>`)}
            </select></label>
          ${prices()}
        </fieldset>
        <fieldset>
          <legend>${t("new.manners")}</legend>
          <label>${t("new.visibility")}
            <select @change=${choose((value) => (wished.visibility = value))}>
              ${VISIBILITIES.map((one) => html`<option value=${one} ?selected=${one === wished.visibility}>${t(`new.visibility_${one}`)}</option>`)}
            </select></label>
          <label>${t("new.clock")}
            <select @change=${choose((value) => (wished.decisionS = Number(value)))}>
              ${[0, ...DECISIONS_S].map((one) => html`<option value=${one} ?selected=${one === wished.decisionS}>${t(`new.clock_${one}`)}</option>`)}
            </select></label>
          ${
            wished.decisionS
              ? html`<label>${t("new.policy")}
                <select @change=${choose((value) => (wished.policy = value))}>
                  ${POLICIES.map((one) => html`<option value=${one} ?selected=${one === wished.policy}>${t(`new.policy_${one}`)}</option>`)}
                </select></label>`
              : nothing
          }
          <label><input type="checkbox" .checked=${wished.hasSeeds} @change=${(/** @type {any} */ event) => (wished.hasSeeds = event.target.checked)} /> ${t("new.seeds")}</label>
        </fieldset>
        ${refusal ? refused(refusal) : nothing}
        <button class="primary">${t("new.start")}</button>
      </form>`,
    main,
  );
}

try {
  const found = await Promise.all([get("/v1/rulesets"), get("/v1/strategies"), cardsOf(wished.ruleset)]);
  [rulesets, strategies, cards] = [found[0].items, found[1].items, found[2]];
  update();
} catch (error) {
  render(failure(error), main);
}
