// What an invitation shows of a private match: who plays by which rules. The table is for its players.
import { html } from "./page.js";
import { duration, gameName, namesOf, t } from "./words.js";

/** What the match is played with, as pairs of what and which. @param {import("./game.js").Game} game */
function rules({ cards, match: { options, clock, seat_seeds: seeds }, ruleset }) {
  const chosen = Object.entries(ruleset.options)
    .filter(([name, { values = [] }]) => values.length > 1 && name in options)
    .map(([name]) => [t(`new.${name}`), t(`new.${name}_${options[name]}`)]);
  const prices = Object.entries(options.card_costs).map(([id, cost]) => `${cards.get(id).name}: ${cost}`);
  const limit = clock && `${duration(clock.decision_ms / 1000)} (${t(`new.policy_${clock.on_timeout}`)})`;
  return [
    ...chosen,
    ...(prices.length ? [[t("new.prices"), prices.join(", ")]] : []),
    [t("new.clock"), limit ?? t("new.clock_0")],
    ...["bank", "increment"]
      .filter((name) => clock?.[`${name}_ms`])
      .map((name) => [t(`new.${name}`), duration(clock[`${name}_ms`] / 1000)]),
    ...(seeds ? [[t("new.dice"), t("new.seeds")]] : []),
  ];
}

/** @param {import("./game.js").Game} game @param {unknown} seatsToTake */
export const invitation = (game, seatsToTake) => html`<div class="invitation">
  <h1>${t("table.heading", { names: namesOf(game.match.seats, t("home.open_seat")).join(", ") })}</h1>
  <p class="task" role="status">${t(game.match.status === "open" ? "table.waiting" : "table.too_late")}</p>
  ${seatsToTake}
  <dl class="panel"><dt>${t("new.game")}</dt><dd>${gameName(game.match.ruleset)}</dd>
    ${rules(game).map(([what, which]) => html`<dt>${what}</dt><dd>${which}</dd>`)}
  </dl>
</div>`;
