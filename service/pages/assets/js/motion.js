// The pace at which events are shown, and coins on their way.
import { coin } from "./drawings.js";
import { html, isCalm, render } from "./page.js";

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

/** From whom to whom coins go with an event; null is the bank. @param {any} event */
export function flight({ type, data }) {
  if (type === "income_received" || type === "help_received")
    return { from: null, to: data.seat, coins: data.coins };
  if (type === "payment_made" && data.paid)
    return { from: data.from_seat, to: data.to_seat, coins: data.paid };
  if (type.endsWith("_built") && data.price) return { from: data.seat, to: null, coins: data.price };
  return null;
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

/** Let coins fly from purse to purse. @param {any} event @param {number} ms */
export function fly(event, ms) {
  const found = flight(event);
  const from = found && placeOf(found.from);
  const to = found && placeOf(found.to);
  if (!found || !from || !to || isCalm() || ms < 80) return;
  const flying = document.body.appendChild(document.createElement("div"));
  flying.className = "flying";
  render(html`${coin(found.coins)}`, flying);
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
