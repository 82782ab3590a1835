// What the operator of a ladder does: entries, rounds, tests, seasons.
import { post, send } from "./api.js";
import { filled, mark, refused, select } from "./forms.js";
import { buttonOf, html, nothing, say } from "./page.js";
import { t } from "./words.js";

/**
 * A number that a form asks for.
 * @param {string} name @param {number} min @param {number} max @param {number} value
 */
const number = (name, min, max, value) =>
  html`<label>${t(`ladder.${name}`)} <input name=${name} type="number" required min=${min} max=${max} value=${value} /></label>`;

/** @type {unknown} */
let refusal = null;
/** @type {{text: string, yes: string, act: () => Promise<unknown>} | null} */
let question = null;
let kind = "strategy";
let isBusy = false;

/**
 * @typedef {{path: string, ladder: {entries: any[], rounds: any[]} & Record<string, any>, strategies: any[], refresh: () => Promise<void>, update: () => void}} Operated
 * The ladder, and how its page is told what has changed.
 */

/** @param {Operated} of @param {() => Promise<unknown>} act @param {HTMLFormElement | null} [form] */
async function carryOut(of, act, form) {
  if (isBusy) return;
  [isBusy, refusal] = [true, null];
  of.update();
  try {
    await act();
    form?.reset();
    say(t("ladder.done"));
  } catch (error) {
    refusal = error;
    if (form) mark(form, error);
  }
  isBusy = false;
  await of.refresh();
}

/** Do what cannot be undone only after asking. @param {Operated} of @param {string} name @param {Record<string, string | number>} about @param {() => Promise<unknown>} act */
function ask(of, name, about, act) {
  question = { text: t(`ladder.sure_${name}`, about), yes: t(`ladder.${name}`), act };
  of.update();
  /** @type {HTMLDialogElement} */ (document.querySelector("dialog.sure")).showModal();
}

/** @param {Operated} of */
function dialog(of) {
  const yes = () => question && carryOut(of, question.act);
  return html`<dialog class="sure" aria-labelledby="question">
    <p id="question">${question?.text}</p>
    <form method="dialog" class="row"><button>${t("ladder.cancel")}</button>
      <button class="primary" @click=${yes}>${question?.yes}</button></form>
  </dialog>`;
}

/** What a job can be told. @param {Operated} of @param {any} round */
export function jobButtons(of, round) {
  if (!["running", "stopped", "awaiting_value"].includes(round.status)) return nothing;
  const name = round.status === "stopped" ? "resume" : "stop";
  const act = () => carryOut(of, () => post(`/v1/jobs/${round.job_id}/${name}`, {}));
  return buttonOf(t(`ladder.${name}`), act, { isOff: isBusy });
}

/** What an entry can be told. @param {Operated} of @param {any} entry */
function entryRow(of, entry) {
  const address = `${of.path}/entries/${entry.entry_id}`;
  const remove = () => ask(of, "remove", { name: entry.name }, () => send("DELETE", address));
  return html`<li>
    <span>${entry.name}</span>
    ${entry.status === "suspended" ? buttonOf(t("ladder.probe"), () => carryOut(of, () => post(`${address}/probes`, {}))) : nothing}
    ${buttonOf(t("ladder.remove"), remove, { label: t("ladder.remove_one", { name: entry.name }) })}
  </li>`;
}

/** @param {Operated} of */
function entering(of) {
  const bot = html`<label>${t("new.handle")} <input name="bot" required autocomplete="off" /></label>
    <label>${t("ladder.version")} <input name="version" required autocomplete="off" /></label>`;
  const names = of.strategies.map(({ name }) => name);
  const strategy = html`<label>${t("new.strategy")}
    ${select(names, String, names[0], undefined, "strategy")}</label>`;
  const submit = (/** @type {SubmitEvent} */ event) => {
    const given = filled(event);
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    carryOut(of, () => post(`${of.path}/entries`, { kind, ...given }), form);
  };
  const choose = (/** @type {string} */ chosen) => {
    kind = chosen;
    of.update();
  };
  return html`<form @submit=${submit}>
    <h3>${t("ladder.enter")}</h3>
    <label>${t("ladder.kind")}
      ${select(["strategy", "bot"], (one) => t(one === "bot" ? "ladder.bot" : "new.kind_strategy"), kind, choose)}</label>
    ${kind === "bot" ? bot : strategy}
    <label>${t("ladder.other_name")} <input name="name" maxlength="64" autocomplete="off" /></label>
    <button ?disabled=${isBusy}>${t("ladder.enter")}</button>
  </form>`;
}

/** @param {Operated} of */
function running(of) {
  const isCup = Boolean(of.ladder.config.schedule);
  const submit = (/** @type {SubmitEvent} */ event) => {
    const { blocks } = filled(event);
    carryOut(of, () => post(`${of.path}/rounds`, isCup ? {} : { blocks: Number(blocks) }));
  };
  const openSeason = () => ask(of, "open_season", {}, () => post(`${of.path}/seasons`, {}));
  const name = t(isCup ? "tournament.start" : "ladder.run");
  return html`<form @submit=${submit}>
    <h3>${name}</h3>
    ${isCup ? nothing : number("blocks", 1, 5000, 100)}
    <button class="primary" ?disabled=${isBusy}>${name}</button>
    ${of.ladder.season ? buttonOf(t("ladder.open_season"), openSeason, { isOff: isBusy }) : nothing}
  </form>`;
}

/** The public value that a round waits for. @param {Operated} of @param {any} round */
function recording(of, { round, public_value: { source } }) {
  const submit = (/** @type {SubmitEvent} */ event) => {
    const given = filled(event);
    const act = () => post(`${of.path}/rounds/${round}/public-value`, given);
    ask(of, "record", { n: round, value: given.value }, act);
  };
  return html`<form @submit=${submit}>
    <h3>${t("ladder.round_n", { n: round })}: ${t("ladder.bound_value")}</h3>
    <p class="small">${source}</p>
    <label>${t("ladder.value_as_published")} <input name="value" required maxlength="1024" pattern="[ -~]+" autocomplete="off" /></label>
    <button class="primary" ?disabled=${isBusy}>${t("ladder.record")}</button>
  </form>`;
}

/** @param {Operated} of @param {any[]} entries */
function testing(of, entries) {
  const names = new Map(entries.map((one) => [one.entry_id, one.name]));
  const ids = [...names.keys()];
  const nameOf = (/** @type {string} */ id) => names.get(id);
  const submit = (/** @type {SubmitEvent} */ event) => {
    const { a, b, ...given } = filled(event);
    const numbers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
    carryOut(of, () => post(`${of.path}/tests`, { a, b, ...numbers }));
  };
  return html`<form @submit=${submit}>
    <h3>${t("ladder.test")}</h3>
    <label>${t("ladder.is_a")} ${select(ids, nameOf, ids[0], undefined, "a")}</label>
    <label>${t("ladder.than_b")} ${select(ids, nameOf, ids[1], undefined, "b")}</label>
    ${number("elo1", -999, 1000, 50)} ${number("elo0", -1000, 999, 0)} ${number("most_blocks", 1, 5000, 1000)}
    <button ?disabled=${isBusy}>${t("ladder.test")}</button>
  </form>`;
}

/** @param {Operated} of */
export function operator(of) {
  const entries = of.ladder.entries.filter((one) => one.status !== "removed");
  const awaiting = of.ladder.rounds.filter((one) => one.status === "awaiting_value");
  return html`<details class="panel operator" ?open=${!of.ladder.season || awaiting.length > 0}>
    <summary><h2>${t("ladder.operate")}</h2></summary>
    ${refused(refusal)}
    <div class="forms">
      ${awaiting.map((one) => recording(of, one))} ${running(of)} ${entering(of)} ${entries.length > 1 ? testing(of, entries) : nothing}
      <div><h3>${t("ladder.entries")}</h3><ul class="entries">${entries.map((one) => entryRow(of, one))}</ul></div>
    </div>
    ${dialog(of)}
  </details>`;
}
