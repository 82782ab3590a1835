// The pace at which events are shown, and coins on their way.
import { coin, colourOf, drawing } from "./drawings.js";
import { isCalm, render } from "./page.js";

/** How long an event is looked at, in milliseconds; those that are not here are shown with the next one. */
const BEATS = /** @type {Record<string, number>} */ ({
  dice_rolled: 900,
  two_added: 500,
  income_received: 450,
  payment_made: 550,
  coins_levelled: 700,
  help_received: 400,
  establishments_swapped: 900,
  establishment_given: 700,
  fee_paid: 450,
  landmark_demolished: 900,
  establishments_closed: 800,
  establishments_reopened: 500,
  coin_invested: 450,
  establishment_built: 800,
  landmark_built: 900,
  seat_resigned: 800,
  match_finished: 600,
});

/** The pace never falls behind a live match by more than this. */
const LONGEST_DELAY_MS = 5000;
const FLIGHT_MS = 450;

/** @param {any} event */
const beat = (event) => BEATS[event.type] ?? 0;

/**
 * The next version to show, and for how long.
 * @param {import("./game.js").Step[]} steps @param {number} shown @param {number} speed
 * @param {boolean} isLive Whether to catch up with the last step.
 */
export function nextBeat(steps, shown, speed, isLive) {
  let version = shown;
  do version++;
  while (version < steps.length && !beat(steps[version - 1].event));
  const left = steps.slice(version - 1).reduce((total, { event }) => total + beat(event), 0) / speed;
  const hurry = isLive ? Math.max(1, left / LONGEST_DELAY_MS) : 1;
  return { version, ms: beat(steps[version - 1].event) / speed / hurry };
}

/**
 * What goes from whom to whom with an event: coins, or a card. No seat is the bank.
 * @typedef {{from: number | null, to: number | null, coins?: number, card?: string}} Flight
 */

/** @param {any} event @param {any} before The state before it. @returns {Flight[]} */
export function flights({ type, data }, before) {
  if (type === "income_received" || type === "help_received")
    return [{ from: null, to: data.seat, coins: data.coins }];
  if (type === "payment_made" && data.paid)
    return [{ from: data.from_seat, to: data.to_seat, coins: data.paid }];
  if (type === "fee_paid" && data.paid) return [{ from: data.seat, to: null, coins: data.paid }];
  if (type.endsWith("_built") && data.price) return [{ from: data.seat, to: null, coins: data.price }];
  if (type === "establishment_given") return [{ from: data.seat, to: data.to_seat, card: data.card }];
  if (type === "establishments_swapped")
    return [
      { from: data.seat, to: data.with_seat, card: data.give },
      { from: data.with_seat, to: data.seat, card: data.take },
    ];
  if (type === "coins_levelled")
    return data.coins.flatMap((/** @type {number} */ coins, /** @type {number} */ seat) => {
      const gained = coins - before.players[seat].coins;
      if (gained > 0) return [{ from: null, to: seat, coins: gained }];
      return gained ? [{ from: seat, to: null, coins: -gained }] : [];
    });
  return [];
}

/** The purse in the city of a seat; while that is out of sight, the one among all seats in short. @param {number | null} seat */
function placeOf(seat) {
  const places = document.querySelectorAll(seat === null ? ".bank" : `[data-seat="${seat}"] .purse`);
  const boxes = [...places].map((one) => ({ one, box: one.getBoundingClientRect() }));
  const seen = boxes.findLast(({ one, box: { x, y, width, height } }) =>
    one.contains(document.elementFromPoint(x + width / 2, y + height / 2)),
  );
  return (seen ?? boxes[0])?.box;
}

/**
 * Let coins and cards fly from purse to purse.
 * @param {Flight[]} found @param {Map<string, any>} cards @param {number} ms
 */
export function fly(found, cards, ms) {
  if (isCalm() || ms < 80) return;
  for (const { from, to, coins, card } of found) {
    const places = [placeOf(from), placeOf(to)];
    if (places[0] && places[1]) flyOne(places[0], places[1], coins ?? cards.get(card ?? ""), ms);
  }
}

/** @param {DOMRect} from @param {DOMRect} to @param {any} what A number of coins, or a card. @param {number} ms */
function flyOne(from, to, what, ms) {
  const isCard = typeof what === "object";
  const flying = document.body.appendChild(document.createElement("div"));
  flying.className = `flying ${isCard ? `piece ${colourOf(what)}` : ""}`;
  render(isCard ? drawing(what) : coin(what), flying);
  const at = (/** @type {DOMRect} */ place) =>
    `translate(${place.x + place.width / 2 - 18}px, ${place.y + place.height / 2 - 18}px)`;
  const frames = [
    { transform: `${at(from)} scale(0.6)`, opacity: 0.4 },
    { transform: `${at(from)} scale(1.1)`, opacity: 1, offset: 0.2 },
    { transform: `${at(to)} scale(1)`, opacity: 1 },
  ];
  flying
    .animate(frames, { duration: Math.min(FLIGHT_MS, ms), easing: "ease-in-out" })
    .finished.finally(() => flying.remove());
}
