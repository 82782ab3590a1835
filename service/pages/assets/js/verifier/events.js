// The form of events: all members of their type and no others, each of its kind.
import { isObject } from "./json.js";

/** @typedef {(value: any) => boolean} Test */

/** @type {Test} */
const whole = (value) => Number.isInteger(value) && value >= 0;
/** @type {Test} */
const text = (value) => typeof value === "string";
/** @type {Test} */
const flag = (value) => typeof value === "boolean";
/** @param {Test} test @returns {Test} */
const list = (test) => (value) => Array.isArray(value) && value.every(test);
/** @param {Test} test @returns {Test} */
const each = (test) => (value) => isObject(value) && Object.values(value).every(test);
/** @param {Test} test @returns {Test} */
const maybe = (test) => (value) => value === null || test(value);

/**
 * Objects with these members.
 * @param {string} members A name with a question mark is that of a member that may be absent.
 * @param {Record<string, Test>} [own] Tests in place of those of TESTS. @returns {Test}
 */
function form(members, own = {}) {
  const names = members.split(" ");
  const due = names.filter((name) => !name.endsWith("?"));
  const tests = new Map(
    names.map((one) => {
      const name = one.replace("?", "");
      return [name, own[name] ?? TESTS.get(name) ?? text];
    }),
  );
  return (value) =>
    isObject(value) &&
    due.every((name) => name in value) &&
    Object.entries(value).every(([name, one]) => tests.get(name)?.(one));
}

const counts = each(whole);
/** The tests of members that are no texts. @type {Map<string, Test>} */
const TESTS = new Map();
const WHOLE =
  "seat turn round total copies coins owed paid price from_bank winner from_seat to_seat with_seat target " +
  "first_seat active_seat seats added received spent_ms added_ms left_ms within_ms decision_ms bank_ms increment_ms";
for (const name of WHOLE.split(" ")) TESTS.set(name, whole);
for (const name of ["extra", "rerolled", "extra_turn_due", "commentary", "rated"]) TESTS.set(name, flag);
for (const name of ["values", "seat_turns", "resigned", "invested"]) TESTS.set(name, list(whole));
for (const name of ["supply", "decks", "draws", "card_costs", "establishments", "closed"])
  TESTS.set(name, counts);
for (const name of ["cards", "tags", "landmarks"]) TESTS.set(name, list(text));
TESTS.set("cities", list(counts)).set("deck_orders", each(list(text)));

const STARTED = { coins: list(whole) };
const START = "first_seat coins cities supply decks deck_orders";
const BRANCH =
  `${START} draws resigned turn seat phase extra round seat_turns values total added rerolled received ` +
  "extra_turn_due card copies";

const DATA = /** @type {Record<string, Test>} */ ({
  match_created: form(
    "ruleset rules_version digest options seats first_seat dice creator clock position visibility tags origin?",
    {
      options: form("box market max_copies card_costs commentary? rated?", { max_copies: maybe(whole) }),
      first_seat: maybe(whole),
      dice: form("mode key_id commitment throws seed_of? round_of? seat_seeds?", {
        throws: list(list(whole)),
        seat_seeds: form("within_ms"),
      }),
      clock: maybe(form("decision_ms on_timeout bank_ms? increment_ms?")),
      position: maybe(
        form("active_seat phase players rows", {
          players: list(form("coins establishments landmarks closed? invested?", { invested: whole })),
          rows: maybe(list(isObject)),
        }),
      ),
      origin: maybe(form("match_id version head_hash dice", { version: whole })),
    },
  ),
  seat_taken: form("seat kind id name version seed"),
  seat_reserved: form("seat id name"),
  reservation_ended: form("seat reason"),
  seat_seed_committed: form("seat commitment"),
  seat_seed_forgone: form("seat"),
  seat_seed_opened: form("seat seed"),
  seat_seed_withheld: form("seat"),
  match_started: form(START, STARTED),
  branch_started: form(BRANCH, STARTED),
  tokens_placed: form("closed invested", { closed: list(counts) }),
  turn_started: form("turn seat phase extra round"),
  dice_rolled: form("purpose values total"),
  choice_requested: form("seat phase card copies"),
  choice_lapsed: form("seat card"),
  dice_kept: form("seat declined total"),
  two_added: form("seat total"),
  establishments_reopened: form("seat card copies"),
  income_received: form("seat card copies coins"),
  fee_paid: form("seat card copies owed paid"),
  payment_made: form("from_seat to_seat card copies owed paid"),
  target_chosen: form("seat card target"),
  establishments_swapped: form("seat give with_seat take"),
  swap_declined: form("seat"),
  establishment_given: form("seat card to_seat"),
  renovation_moved: form("from_seat to_seat card"),
  landmark_demolished: form("seat card landmark"),
  establishments_closed: form("seat card establishment copies", { copies: list(whole) }),
  coins_levelled: form("seat card coins from_bank", STARTED),
  help_received: form("seat coins"),
  establishment_built: form("seat card price"),
  landmark_built: form("seat card price"),
  build_passed: form("seat"),
  coin_invested: form("seat card coins"),
  investment_declined: form("seat"),
  market_refilled: form("row cards"),
  extra_turn_granted: form("seat card"),
  turn_ended: form("turn seat"),
  clock_expired: form("seat policy"),
  bank_changed: form("seat spent_ms added_ms left_ms"),
  controller_changed: form("seat kind id name version"),
  seat_resigned: form("seat reason"),
  match_finished: form("winner reason"),
  match_aborted: form("reason"),
  dice_revealed: form("key_id seed"),
});

const TIME = /^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;

/** @type {Test} */
const hash = (value) => text(value) && /^sha-256:[0-9a-f]{64}$/.test(value);

const envelope = form(
  "match_id sequence type schema time actor command_id rules_version data previous_hash hash",
  {
    sequence: (value) => whole(value) && value > 0,
    schema: (value) => value === 1,
    // On a day that there was.
    time: (one) => TIME.test(one) && !isNaN(Date.parse(one)) && new Date(one).toISOString() === one,
    actor: (value) => text(value) && /^(?:seat:[0-9]|account:\S+|service)$/.test(value),
    data: isObject,
    previous_hash: hash,
    hash,
  },
);

/** Whether an event has the form of its type. @param {any} event */
export const isEvent = (event) =>
  envelope(event) && Object.hasOwn(DATA, event.type) && DATA[event.type](event.data);
