// The texts of the pages in the reader's language. Cards and the match log come from the API in the same one.

import { all } from "./api.js";
import { keep, kept } from "./session.js";

export const LANGUAGES = { en: "English", uk: "Українська", ru: "Русский", cs: "Čeština", it: "Italiano" };

const KEY = "machi.language";

/** @typedef {string | Record<string, string>} Text A sentence, or its forms by `Intl.PluralRules` of `n`. */

/** @returns {keyof typeof LANGUAGES} */
function chosen() {
  const wished = [new URLSearchParams(location.search).get("lang"), kept(KEY), ...navigator.languages];
  for (const one of wished) {
    const name = one?.toLowerCase().split("-")[0];
    if (name && name in LANGUAGES) return /** @type {keyof typeof LANGUAGES} */ (name);
  }
  return "en";
}

export const language = chosen();
document.documentElement.lang = language;

/** @param {string} name */
export function choose(name) {
  keep(KEY, name);
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  history.replaceState(null, "", address);
  location.reload();
}

// The page preloads the texts that it needs, though perhaps in another language.
const links = [...document.querySelectorAll("link")].filter(({ as }) => as === "fetch");
const read = links.map(async ({ href }) => (await fetch(href.replace(/\w+(?=\.json$)/, language))).json());
/** @type {Record<string, Record<string, Text>>} */
const texts = Object.assign({}, ...(await Promise.all(read)));
const plural = new Intl.PluralRules(language);

/**
 * The text `section.name` with its `{members}` filled in, or what is said if there is none.
 * @param {string} address @param {Record<string, string | number>} [members] @param {string} [otherwise]
 */
export function t(address, members = {}, otherwise = address) {
  const [section, name] = address.split(".");
  const found = texts[section]?.[name] ?? otherwise;
  const form = typeof found === "string" ? found : (found[plural.select(Number(members.n))] ?? found.other);
  return form.replace(/\{(\w+)\}/g, (_, member) => String(members[member] ?? `{${member}}`));
}

/** What a ruleset is called. @param {string} id */
export const gameName = (id) => t(`game.${id}`);

/** How many play, in words. @param {number} n */
export const seatsName = (n) => t("ladders.seats", { n });

/** How many can play by a ruleset. @param {{players: {min: number, max: number}}} ruleset */
export const seatCounts = ({ players: { min, max } }) =>
  Array.from({ length: max - min + 1 }, (_, at) => min + at);

/** @param {number} value @param {Intl.NumberFormatOptions} [options] */
export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);

/** A number with its sign. @param {number} value @param {number} [digits] The most after the point. */
export const signed = (value, digits = 0) =>
  number(value, { signDisplay: "exceptZero", maximumFractionDigits: digits });

/** A share in percent. @param {number} share @param {number} [digits] The most after the point. */
export const percent = (share, digits = 0) =>
  number(share, { style: "percent", signDisplay: "negative", maximumFractionDigits: digits });

const TENTHS = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

/** A chance of winning. @param {number} millionths */
export const chance = (millionths) => number(millionths / 1e6, { style: "percent", ...TENTHS });

/** A change of a chance, in percentage points. @param {number} millionths @param {"never" | "exceptZero"} [signDisplay] */
export const points = (millionths, signDisplay = "exceptZero") =>
  number(millionths / 1e4, { signDisplay, ...TENTHS });

/** @param {string} time RFC 3339. */
export const moment = (time) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));

/**
 * The names of players, with a number where several have the same, and of whoever is invited to a seat.
 * @param {{name: string | null, invited?: string | null}[]} players @param {string} [open] What open seats are called.
 */
export const namesOf = (players, open = "") =>
  players.map((player) => {
    const namesakes = players.filter(({ name }) => name === player.name);
    const number = player.name && namesakes.length > 1 ? ` ${namesakes.indexOf(player) + 1}` : "";
    const nobody = player.invited ? t("table.invited", { name: player.invited }) : open;
    return `${player.name ?? nobody}${number}`;
  });

/** How long something takes: in hours and minutes, or as on a clock. @param {number} seconds */
export function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const unit = (/** @type {number} */ value, /** @type {string} */ name) =>
    number(value, { style: "unit", unit: name, unitDisplay: "short" });
  if (hours) return `${unit(hours, "hour")} ${unit(minutes % 60, "minute")}`;
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}

const AGO = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]);

/** How long ago a time was, in words. @param {string} time RFC 3339. */
export function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  const [unit, size] = AGO.find(([, least]) => seconds >= least) ?? ["minute", 60];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.floor(seconds / size), unit);
}

/** The catalogue of cards in the reader's language, by id. @param {string} ruleset */
export async function cardsOf(ruleset) {
  const found = await all(`/v1/rulesets/${ruleset}/cards?lang=${language}`);
  return new Map(found.map((card) => [card.id, card]));
}

/** The types of events whose sentences name a seat, that seat, and a name with its seat, in any language. */
const ABOUT_SEAT = /^(seat_taken|seat_reserved|reservation_ended|controller_changed)$/;
const SEAT = /(?<=\s)\d(?=[\s.:])/;
const NAMESAKE = /(\S+) \(\D+(\d)\)( (?=\d))?/g;

/**
 * A line of the log as the pages speak: they count seats from 1 and players of the same name, while the API counts
 * seats from 0 and adds them to such names in brackets. A colon parts such a name from an amount.
 * @param {{type: string, text: string}} line @param {{name: string | null}[]} players
 */
export function told({ type, text }, players) {
  const counted = ABOUT_SEAT.test(type) ? text.replace(SEAT, (seat) => String(Number(seat) + 1)) : text;
  return counted.replace(NAMESAKE, (found, name, seat, gap) =>
    players[seat]?.name === name ? namesOf(players)[seat] + (gap ? ": " : "") : found,
  );
}
