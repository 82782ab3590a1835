// The table after each event: who has which coins and cards, what lies where, and whose turn it is.

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {Map<string, number>} Cards How many there are of each card.
 */

/** @param {Members} counts @returns {Cards} */
const cardsOf = (counts) => new Map(Object.entries(counts).filter(([, count]) => count > 0));

/** @param {number[]} values */
export const sum = (values) => values.reduce((found, value) => found + value, 0);

/** @param {Cards} cards @param {string} card @param {number} change */
const move = (cards, card, change) => cards.set(card, (cards.get(card) ?? 0) + change);

export class Table {
  isStarted = false;
  /** @type {number[]} */
  coins = [];
  /** @type {Cards[]} */
  cities = [];
  /** @type {Cards} */
  supply = new Map();
  /** @type {Cards} */
  decks = new Map();
  /** The orders of decks that have one, by row. @type {Map<string, string[]>} */
  orders = new Map();
  /** How many cards were drawn, by row. @type {Cards} */
  drawn = new Map();
  /** How many turns each seat has had. @type {number[]} */
  turns = [];
  /** @type {Set<number>} */
  resigned = new Set();
  /** The copies that are closed for renovation, by seat. @type {Cards[]} */
  closed = [];
  /** The copies that the last roll has opened again, by seat. @type {Cards[]} */
  reopened = [];
  /** The coins that each seat has invested. @type {number[]} */
  invested = [];
  /** The copies that the last renovation has closed, by seat. @type {number[]} */
  renovated = [];
  /** The event before, which some amounts depend on. */
  last = { type: "", data: /** @type {Members} */ ({}) };
  seat = 0;
  turn = 0;
  total = 0;
  isExtraDue = false;
  /** The last throw of each purpose in this turn. @type {Map<string, number[]>} */
  throws = new Map();

  /** @param {Members} tables Those of the ruleset. @param {Members} made The data of `match_created`. */
  constructor(tables, made) {
    this.tables = tables;
    this.made = made;
    /** @type {Map<string, Members>} */
    this.cards = new Map([...tables.establishments, ...tables.landmarks].map((card) => [card.id, card]));
    /** @type {Members[]} */
    this.rows = tables.markets[made.options.market];
  }

  /** The seats in play. */
  get seats() {
    return [...this.coins.keys()].filter((seat) => !this.resigned.has(seat));
  }

  /** The seat whose turn comes after that of a seat. @param {number} seat */
  next(seat) {
    return this.seats.find((one) => one > seat) ?? this.seats[0];
  }

  /** @param {number} seat @param {string} card */
  has(seat, card) {
    return (this.cities[seat]?.get(card) ?? 0) > 0;
  }

  /** @param {number} seat @returns {Members[]} */
  landmarksOf(seat) {
    return this.tables.landmarks.filter((/** @type {Members} */ card) => this.has(seat, card.id));
  }

  /** The landmarks that work for a seat: its own, and the orange ones of everybody. @param {number} seat */
  landmarksFor(seat) {
    const others = this.cities.flatMap((_, one) => (one === seat ? [] : this.landmarksOf(one)));
    return [...this.landmarksOf(seat), ...others.filter((card) => card.colour === "orange")];
  }

  /** The cards that lie face up in a row. @param {Members} row @returns {string[]} */
  shown(row) {
    return row.cards.filter((/** @type {string} */ card) => (this.supply.get(card) ?? 0) > 0);
  }

  /** What is left of a row's deck: each card with its count, in the order of the row. @param {Members} row */
  left(row) {
    /** @type {[string, number][]} */
    const deck = row.cards.map((/** @type {string} */ card) => [card, this.decks.get(card) ?? 0]);
    return deck.filter(([, count]) => count > 0);
  }

  /** The copies of a card that the last roll could activate. @param {number} seat @param {string} card */
  open(seat, card) {
    const [there, closed, reopened] = [this.cities, this.closed, this.reopened].map(
      (some) => some[seat]?.get(card) ?? 0,
    );
    return there - closed - reopened;
  }

  /** Whether a count of coins or cards fell below 0. */
  get isShort() {
    const piles = [...this.cities, ...this.closed, this.supply, this.decks];
    return Math.min(...this.coins, ...piles.flatMap((some) => [...some.values()])) < 0;
  }

  /** Whether more copies are closed than there are: not between a gift and the event that moves its token. */
  get isClosedTooOften() {
    return this.closed.some((some, seat) =>
      [...some].some(([card, count]) => count > (this.cities[seat].get(card) ?? 0)),
    );
  }

  /** All events but `market_refilled`, whose cards are drawn one by one. @param {string} type @param {Members} data */
  apply(type, data) {
    const { seat, card } = data;
    this.last = { type, data };
    if (type.endsWith("_started") && type !== "turn_started") this.#start(data);
    else if (type === "turn_started") {
      this.turns[seat]++;
      [this.seat, this.turn, this.isExtraDue, this.throws] = [seat, data.turn, false, new Map()];
    } else if (type === "dice_rolled") {
      this.throws.set(data.purpose, data.values);
      if (data.purpose !== "boats") {
        this.total = data.total;
        this.reopened = this.coins.map(() => new Map());
      }
    } else if (type === "two_added") this.total = data.total;
    else if (type === "income_received" || type === "help_received") this.coins[seat] += data.coins;
    else if (type === "payment_made") {
      this.coins[data.from_seat] -= data.paid;
      this.coins[data.to_seat] += data.paid;
    } else if (type === "fee_paid") this.coins[seat] -= data.paid;
    else if (type === "coins_levelled") this.coins = [...data.coins];
    else if (type === "establishment_built" || type === "landmark_built") {
      this.coins[seat] -= data.price;
      move(this.cities[seat], card, 1);
      if (type === "establishment_built" || this.supply.get(card)) move(this.supply, card, -1);
    } else if (type === "establishments_swapped") {
      this.#give(seat, data.with_seat, data.give);
      this.#give(data.with_seat, seat, data.take);
    } else if (type === "establishment_given") this.#give(seat, data.to_seat, card);
    else if (this.#lie(type, data)) return;
    else if (type === "extra_turn_granted") this.isExtraDue = true;
    else if (type === "seat_resigned") this.resigned.add(seat);
  }

  /** Events of landmarks that go, and of what lies on cards. @param {string} type @param {Members} data */
  #lie(type, data) {
    const { seat, card } = data;
    if (type === "landmark_demolished") move(this.cities[seat], data.landmark, -1);
    else if (type === "establishments_closed") {
      this.renovated = data.copies;
      data.copies.forEach((/** @type {number} */ count, /** @type {number} */ one) =>
        move(this.closed[one], data.establishment, count),
      );
    } else if (type === "establishments_reopened") {
      move(this.closed[seat], card, -data.copies);
      move(this.reopened[seat], card, data.copies);
    } else if (type === "renovation_moved") {
      move(this.closed[data.from_seat], card, -1);
      move(this.closed[data.to_seat], card, 1);
    } else if (type === "coin_invested") {
      this.coins[seat] -= data.coins;
      this.invested[seat] += data.coins;
    } else if (type === "tokens_placed") {
      this.closed = data.closed.map(cardsOf);
      this.invested = [...data.invested];
    } else return false;
    return true;
  }

  /** A card comes from the deck to the row. @param {string} row @param {string} card */
  draw(row, card) {
    move(this.decks, card, -1);
    move(this.supply, card, 1);
    move(this.drawn, row, 1);
    this.orders.get(row)?.shift();
  }

  /** @param {Members} data Of `match_started`, or of `branch_started`, which has more. */
  #start(data) {
    this.isStarted = true;
    this.coins = [...data.coins];
    this.cities = data.cities.map(cardsOf);
    [this.supply, this.decks, this.drawn] = [data.supply, data.decks, data.draws ?? {}].map(cardsOf);
    this.orders = new Map(Object.entries(data.deck_orders).map(([row, cards]) => [row, [...cards]]));
    this.turns = [...(data.seat_turns ?? data.coins.map(() => 0))];
    this.resigned = new Set(data.resigned);
    [this.closed, this.reopened] = [data.coins.map(() => new Map()), data.coins.map(() => new Map())];
    this.invested = data.coins.map(() => 0);
    [this.seat, this.turn, this.total] = [data.seat ?? data.first_seat, data.turn ?? 0, data.total ?? 0];
    this.isExtraDue = data.extra_turn_due ?? false;
    if (data.values?.length) this.throws.set("roll", data.values);
    if (data.rerolled) this.throws.set("reroll", data.values);
  }

  /** @param {number} from @param {number} to @param {string} card */
  #give(from, to, card) {
    move(this.cities[from], card, -1);
    move(this.cities[to], card, 1);
  }
}
