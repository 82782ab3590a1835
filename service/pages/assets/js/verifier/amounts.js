// What the tables say about each price, income and payment. Whether it was due at all only the rules know.
import { sum } from "./table.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./report.js").Report} Report
 */

/** The effects of cards that are paid whatever was rolled, or whose event does not depend on the roll. */
const BY_COPY = new Set(["half_from_each", "swap", "renovate", "invest"]);
/** What a card must have done just before it pays, by its effect. @type {Record<string, string[]>} */
const PAYS_FOR = {
  demolish: ["landmark_demolished"],
  move: ["establishment_given", "renovation_moved"],
};

/** Look at an event before it is applied. @param {Table} table @param {Report} report @param {Members} event */
export function seeAmount(table, report, { sequence, type, data }) {
  const due = dueOf(table, type, data);
  if (due === undefined) return;
  const told = data.price ?? data.owed ?? data.from_bank ?? data.coins;
  const { card = "", seat = data.from_seat } = data;
  report.evidence.amounts.push({ at: sequence, type, card, seat, due, told });
  if (due !== told) report.fail("payments", sequence, "amount", due, told);
  if (type === "payment_made" || type === "fee_paid") {
    const paid = Math.min(data.owed, table.coins[data.from_seat ?? seat]);
    if (paid !== data.paid) report.fail("payments", sequence, "paid", paid, data.paid);
  }
}

/** How many coins an event is about by the tables; nothing where it is about none. @param {Table} table @param {string} type @param {Members} data */
function dueOf(table, type, data) {
  const card = table.cards.get(data.card);
  if (type === "help_received") return help(table, data.seat);
  if (type === "coins_levelled") return levelled(table, data);
  if (!card) return undefined;
  if (type === "establishment_built" || type === "landmark_built") return price(table, card, data.seat);
  if (type === "coin_invested")
    return card.effect.kind === "invest" && table.has(data.seat, card.id) ? card.effect.amount : 0;
  if (type === "fee_paid")
    return card.effect.kind === "to_bank" && isAtWork(table, card, data)
      ? data.copies * card.effect.amount
      : 0;
  if (type === "income_received" && isBonus(table, card, data)) return card.effect.bonus;
  if (type === "income_received") return isAtWork(table, card, data) ? income(table, card, data) : 0;
  if (type === "payment_made") return isAtWork(table, card, data) ? owed(table, card, data) : 0;
}

/** Whether the bank pays for building the card. @param {Table} table @param {Members} card @param {Members} data */
const isBonus = ({ last }, { id, effect }, { seat, copies }) =>
  effect.bonus &&
  last.type === "establishment_built" &&
  last.data.card === id &&
  last.data.seat === seat &&
  copies === 1;

/** @param {Table} table @param {Members} card @param {number} seat */
export function price(table, card, seat) {
  const landmarks = table.landmarksOf(seat);
  const own =
    table.made.options.card_costs[card.id] ?? card.cost[Math.min(landmarks.length, card.cost.length - 1)];
  let off = 0;
  for (const { id, effect } of table.landmarksFor(seat)) {
    const isOwn = effect.kind === "own_landmark_discount" && table.has(seat, id) && card.kind === "landmark";
    if (isOwn || (effect.kind === "discount" && effect.cards.includes(card.id))) off += effect.amount;
  }
  return Math.max(own - off, 0);
}

/** The first game needs a card for it, the second none. @param {Table} table @param {number} seat */
function help({ tables, cards, coins }, seat) {
  if (tables.help_needs === null || coins[seat] !== 0) return 0;
  return cards.get(tables.help_needs)?.effect.amount ?? 1;
}

/** Coins from the bank where the seats in play share theirs equally, rounded up. @param {Table} table @param {Members} data */
function levelled({ seats, coins }, data) {
  const all = sum(seats.map((seat) => coins[seat]));
  const share = Math.ceil(all / seats.length);
  const isEqual = coins.every((had, seat) => data.coins[seat] === (seats.includes(seat) ? share : had));
  return isEqual ? share * seats.length - all : -1;
}

/**
 * Whether a card works at this roll for the seats of the event, in as many copies.
 * @param {Table} table @param {Members} card @param {Members} data
 */
function isAtWork(table, { id, kind, colour, activation, effect }, data) {
  const owner = data.seat ?? data.to_seat;
  if (table.resigned.has(owner) || table.resigned.has(data.from_seat) || data.from_seat === owner)
    return false;
  if (effect.requires && !table.has(owner, effect.requires)) return false;
  if (table.landmarksOf(owner).length >= (effect.below_landmarks ?? Infinity)) return false;
  if (table.landmarksOf(table.seat).length < (effect.roller_landmarks ?? 0)) return false;
  if (kind === "landmark")
    return (
      owner === table.seat && data.copies === 1 && table.landmarksFor(owner).some((one) => one.id === id)
    );
  if (!activation.includes(table.total) || table.throws.size === 0) return false;
  if (colour === "red" ? data.from_seat !== table.seat : colour !== "blue" && owner !== table.seat)
    return false;
  // The card may be what was given away.
  if (effect.kind in PAYS_FOR) return data.copies === 1 && PAYS_FOR[effect.kind].includes(table.last.type);
  const copies = table.open(owner, id);
  return BY_COPY.has(effect.kind) ? data.copies === 1 && copies > 0 : data.copies === copies;
}

/** @param {Table} table @param {Members} card @param {Members} data */
function income(table, card, { seat, copies }) {
  const { kind, amount, boost_per_counted } = card.effect;
  const more = boost(table, card, seat);
  const counted = count(table, card.effect, seat);
  if (kind === "from_bank") return copies * (amount + more);
  if (kind === "per_counted")
    return copies * (counted * amount + (boost_per_counted ? counted * more : more));
  if (kind === "per_counted_of_all")
    return copies * amount * sum(table.seats.map((one) => count(table, card.effect, one)));
  if (kind === "boats") return copies * sum(table.throws.get("boats") ?? []);
  return amount;
}

/** @param {Table} table @param {Members} card @param {Members} data */
function owed(table, card, { from_seat, to_seat, copies }) {
  const { kind, amount, threshold } = card.effect;
  const coins = table.coins[from_seat];
  if (kind === "all_from_roller") return coins;
  if (kind === "renovate") return amount * (table.renovated[from_seat] ?? 0);
  if (kind === "invest") return amount * table.invested[to_seat];
  if (kind === "half_from_each") return coins >= threshold ? Math.floor(coins / 2) : 0;
  if (kind === "from_each_per_symbol") return copies * amount * count(table, card.effect, from_seat);
  if (kind === "from_each_per_landmark") return amount * table.landmarksOf(from_seat).length;
  return copies * (amount + (kind === "from_roller" ? boost(table, card, to_seat) : 0));
}

/** What landmarks add to each activated copy. @param {Table} table @param {Members} card @param {number} seat */
function boost(table, card, seat) {
  let more = 0;
  for (const { effect } of table.landmarksFor(seat))
    if (effect.kind === "boost" && effect.symbols.includes(card.symbol)) more += effect.amount;
  return more;
}

/** The cards of a city that an effect counts. @param {Table} table @param {Members} effect @param {number} seat */
function count(table, { symbols, cards }, seat) {
  let found = 0;
  for (const [id, copies] of table.cities[seat] ?? [])
    if (cards.includes(id) || symbols.includes(table.cards.get(id)?.symbol)) found += copies;
  return found;
}
