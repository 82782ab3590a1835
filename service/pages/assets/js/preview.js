// A match in small: who plays, who is ahead, whose turn it is.
import { coin } from "./drawings.js";
import { html, nothing } from "./page.js";
import { gameName, namesOf, t } from "./words.js";

/** @param {any} match @param {any} state */
export function preview(match, state) {
  /** @type {any[]} */
  const players = state?.players ?? match.seats;
  const names = namesOf(players, t("home.open_seat"));
  return html`<a class="preview" href=${`/matches/${match.match_id}`}>
    <span class="small faint">${gameName(match.ruleset)}${state ? html` · ${t("home.turn", { n: state.turn })}` : nothing}</span>
    ${players.map(
      (one) => html`<span class="player seat-${one.seat} ${state?.active_seat === one.seat ? "active" : ""}">
        <span class="who">${names[one.seat]}</span>
        <span class="built" role="img" aria-label=${t("home.landmarks", { n: one.landmarks?.length ?? 0 })}
          >${(one.landmarks ?? []).map(() => html`<i></i>`)}</span>
        ${state ? html`<span class="purse" role="img" aria-label=${t("table.coins", { n: one.coins })}>${coin(one.coins)}</span>` : nothing}
      </span>`,
    )}
  </a>`;
}
