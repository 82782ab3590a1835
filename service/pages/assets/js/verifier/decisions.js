// Who may have done what, as far as it shows without the rules: actors, turns, setup, refills, and the end.
import { isSame } from "./json.js";

/**
 * @typedef {import("./json.js").Members} Members
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./report.js").Report} Report
 */

const words = (/** @type {string} */ text) => new Set(text.split(" "));

/** What a seat decides in its own turn, each in a command of its own. */
const MOVES = words(
  "dice_kept two_added target_chosen establishments_swapped swap_declined establishment_given " +
    "landmark_demolished establishments_closed establishment_built landmark_built build_passed " +
    "coin_invested investment_declined",
);
/** What a seat does outside its turn, and what accounts and the service do. */
const OTHERS = words(
  "match_created seat_taken reservation_ended seat_seed_committed seat_seed_opened seat_seed_forgone " +
    "seat_seed_withheld clock_expired controller_changed seat_resigned match_aborted",
);
const BY_SERVICE = words("clock_expired seat_seed_forgone seat_seed_withheld");
const BY_SEAT = words("seat_seed_committed seat_seed_opened seat_resigned");
/** The members that name cards which must be tradable. @type {Record<string, string[]>} */
const TRADED = { establishments_swapped: ["give", "take"], establishments_closed: ["establishment"] };
const ENDS = words("match_finished match_aborted");
const HOLDERS = words("account strategy");
const VISIBILITIES = words("public unlisted private");
const ABORTS = words("creator dice_tape_exhausted dice_tape_mismatch");

export class Decisions {
  /** @param {Table} table @param {Report} report */
  constructor(table, report) {
    this.table = table;
    this.report = report;
    /** The first event of the command that is being read. @type {Members} */
    this.first = { type: "", command_id: "" };
    /** The event before. @type {Members} */
    this.before = { type: "", data: {} };
    /** @type {Set<number>} */
    this.taken = new Set();
    /** @type {Map<number, string>} */
    this.reserved = new Map();
    /** Milliseconds in the banks of time that have changed, by seat. @type {Map<number, number>} */
    this.banks = new Map();
  }

  /** Look at an event before it is applied. @param {Members} event */
  see(event) {
    const { sequence, type, data } = event;
    const isFirst = event.command_id !== this.first.command_id;
    if (isFirst) this.first = event;
    this.#seeCommand(event, isFirst);
    this.#seeSeats(event);
    if (type === "bank_changed") this.#seeBank(event);
    if (type === "match_started" && !this.#isSetUp(data)) this.#fail(sequence, "setup");
    if (type === "tokens_placed" && !this.#isPlaced(data)) this.#fail(sequence, "setup");
    if (this.table.isStarted) this.#seePlay(event);
    this.#seeEnd(event);
    this.before = event;
  }

  /** @param {number} at @param {string} why @param {any[]} values */
  #fail(at, why, ...values) {
    this.report.fail("decisions", at, why, ...values);
  }

  /** What begins a command, and who gave it. @param {Members} event @param {boolean} isFirst */
  #seeCommand({ sequence, type, actor, data }, isFirst) {
    // A card that closes by itself is part of a roll.
    const isChosen = type !== "establishments_closed" || data.card !== data.establishment;
    const isMove = (MOVES.has(type) && isChosen) || (type === "dice_rolled" && data.purpose !== "boats");
    const isByClock = this.first.type === "clock_expired" && this.before === this.first;
    if (isFirst ? !isMove && !OTHERS.has(type) : isMove && !isByClock) this.#fail(sequence, "command");
    if ((type === "match_created") !== (sequence === 1)) this.#fail(sequence, "command");
    const due = isFirst ? this.#actorOf(type, data, isMove) : null;
    if (due && due !== actor) this.#fail(sequence, "actor", due, actor);
  }

  /** Who must have given a command; null where several may. @param {string} type @param {Members} data @param {boolean} isMove */
  #actorOf(type, data, isMove) {
    if (isMove) return `seat:${data.seat ?? this.table.seat}`;
    if (BY_SEAT.has(type)) return `seat:${data.seat}`;
    if (BY_SERVICE.has(type)) return "service";
    if (type === "match_created") return `account:${data.creator}`;
    if (type === "seat_taken" && data.kind === "account") return `account:${data.id}`;
    if (type !== "reservation_ended") return null;
    return `account:${data.reason === "declined" ? this.reserved.get(data.seat) : this.table.made.creator}`;
  }

  /** A bank of time has what it had, less what was spent, and no more than one increment. @param {Members} event */
  #seeBank({ sequence, data }) {
    const { bank_ms: given = 0, increment_ms: most = 0 } = this.table.made.clock ?? {};
    const left = (this.banks.get(data.seat) ?? given) - data.spent_ms;
    if (left < 0 || data.added_ms > most || left + data.added_ms !== data.left_ms)
      this.#fail(sequence, "total", left + data.added_ms, data.left_ms);
    this.banks.set(data.seat, data.left_ms);
  }

  /** Who sits where. @param {Members} event */
  #seeSeats({ sequence, type, data }) {
    const at = this.first.sequence;
    if (type === "match_created" && !VISIBILITIES.has(data.visibility))
      this.#fail(at, "value", "", data.visibility);
    if (type === "match_aborted" && this.first.type === type && !ABORTS.has(data.reason))
      this.#fail(at, "value", "", data.reason);
    if ((type === "seat_taken" || type === "controller_changed") && !HOLDERS.has(data.kind))
      this.#fail(at, "value", "", data.kind);
    if (type === "seat_reserved") this.reserved.set(data.seat, data.id);
    if (type === "reservation_ended" && !this.reserved.delete(data.seat)) this.#fail(sequence, "seat");
    if (type === "seat_taken") {
      const guest = this.reserved.get(data.seat);
      if (this.taken.has(data.seat) || (guest !== undefined && guest !== data.id))
        this.#fail(sequence, "seat");
      this.taken.add(data.seat);
      this.reserved.delete(data.seat);
    }
    const { made, isStarted } = this.table;
    if (type === "match_started" || type === "branch_started") {
      const isFitting = (type === "branch_started") === Boolean(made.origin);
      if (isStarted || this.taken.size < made.seats || !isFitting) this.#fail(sequence, "setup");
    }
  }

  /** @param {Members} data `match_started` */
  #isSetUp({ coins, cities, supply, decks }) {
    const { tables, made, rows } = this.table;
    const ones = (/** @type {string[]} */ cards) => Object.fromEntries(cards.map((card) => [card, 1]));
    if (made.position)
      return made.position.players.every(
        (/** @type {Members} */ player, /** @type {number} */ seat) =>
          player.coins === coins[seat] &&
          isSame({ ...player.establishments, ...ones(player.landmarks) }, cities[seat]),
      );
    const box = tables.boxes.find((/** @type {Members} */ one) => one.id === made.options.box);
    const copiesOf = (/** @type {string} */ id) => {
      const card = /** @type {Members} */ (this.table.cards.get(id));
      return box && card.colour === "purple" ? box.purple_copies : card.copies;
    };
    const stock = (/** @type {boolean} */ isDeck) =>
      Object.fromEntries(
        rows
          .filter((row) => row.kinds > 0 === isDeck)
          .flatMap((row) => row.cards.map((/** @type {string} */ card) => [card, copiesOf(card)])),
      );
    const isFair = coins.every((/** @type {number} */ had) => had === tables.start_coins);
    const areSame = cities.every((/** @type {Members} */ city) => isSame(city, ones(tables.starters)));
    return isFair && areSame && isSame(supply, stock(false)) && isSame(decks, stock(true));
  }

  /** What lies on cards from the start is what the position says, or what lay there in the origin. @param {Members} data */
  #isPlaced({ closed, invested }) {
    const { position, origin } = this.table.made;
    if (!this.before.type.endsWith("_started") || this.before.type === "turn_started") return false;
    if (!position) return Boolean(origin);
    return position.players.every(
      (/** @type {Members} */ player, /** @type {number} */ seat) =>
        isSame(player.closed ?? {}, closed[seat]) && (player.invested ?? 0) === invested[seat],
    );
  }

  /** @param {Members} event */
  #seePlay({ sequence, type, data }) {
    const { table } = this;
    const { seat, turn, total, cards } = table;
    const isOfTurn =
      MOVES.has(type) || type === "choice_requested" || type === "turn_ended" || type === "fee_paid";
    if (isOfTurn && data.seat !== seat) this.#fail(sequence, "turn", seat, data.seat);
    if (type === "turn_ended" && data.turn !== turn) this.#fail(sequence, "turn");
    if (type === "turn_started") {
      const due = turn === 0 || data.extra ? seat : table.next(seat);
      const isDue = data.seat === due && data.turn === turn + 1 && data.extra === table.isExtraDue;
      if (!isDue) this.#fail(sequence, "turn", due, data.seat);
    }
    if (type === "dice_rolled") {
      const hasTwo = data.purpose === "roll" && data.values.length === 2;
      const needed = hasTwo && table.tables.two_dice;
      const isWithout = data.purpose === "reroll" && !this.#works("reroll");
      if (isWithout || (needed && !table.has(seat, needed))) this.#fail(sequence, "card");
    }
    if (type === "dice_kept" && data.total !== total) this.#fail(sequence, "total", total, data.total);
    if (type === "two_added") {
      const card = this.#works("add_two");
      const due = card && total >= card.effect.threshold ? total + card.effect.amount : total;
      if (due !== data.total || due === total) this.#fail(sequence, "total", due, data.total);
    }
    if (type === "establishment_built" || type === "landmark_built") {
      const card = /** @type {Members} */ (cards.get(data.card));
      const isKind = type === `${card.kind}_built`;
      const most =
        card.unique && table.tables.own_landmarks ? 1 : (table.made.options.max_copies ?? Infinity);
      const isTooMany = (table.cities[seat]?.get(card.id) ?? 0) >= most;
      const isOwn = card.kind === "landmark" && table.tables.own_landmarks;
      if (!isKind || isTooMany || !(isOwn || table.supply.get(card.id))) this.#fail(sequence, "card");
    }
    if (type === "landmark_demolished" && cards.get(data.landmark)?.kind !== "landmark")
      this.#fail(sequence, "card");
    const traded = TRADED[type] ?? [];
    if (!traded.every((member) => cards.get(data[member])?.tradable)) this.#fail(sequence, "card");
  }

  /** A landmark of the active seat with that effect. @param {string} kind */
  #works(kind) {
    return this.table.landmarksFor(this.table.seat).find((one) => one.effect.kind === kind);
  }

  /** Look at a card before it is drawn to a row. @param {number} at @param {Members} row */
  seeDraw(at, row) {
    if (this.table.shown(row).length >= row.kinds) this.#fail(at, "refill");
  }

  /** Rows are full after they were refilled, and when a turn ends. @param {number} at @param {Members} row */
  seeFull(at, row) {
    const isFull = this.table.shown(row).length >= row.kinds || !this.table.left(row).length;
    if (row.kinds > 0 && !isFull) this.#fail(at, "refill");
  }

  /** @param {Members} event */
  #seeEnd({ sequence, type, data }) {
    const { before } = this;
    const fail = (/** @type {any[]} */ ...values) =>
      this.report.fail("result", sequence, "winner", ...values);
    if (before.type === "dice_revealed") this.#fail(sequence, "after_end");
    else if (ENDS.has(before.type) !== (type === "dice_revealed"))
      this.report.fail("result", sequence, "not_revealed");
    const winner = this.#winner();
    if (type === "match_finished") {
      const why = before.type === "landmark_built" ? "landmarks" : "resignation";
      if (winner !== data.winner || why !== data.reason) fail(winner ?? "", data.winner);
    } else if (winner !== null && before.type === "landmark_built") fail(winner, "");
  }

  /** Who has won after the event before. */
  #winner() {
    const { table, before } = this;
    if (before.type === "landmark_built") {
      const seat = before.data.seat;
      const isGoal = table.landmarksOf(seat).length >= table.tables.goal;
      return isGoal || table.cards.get(before.data.card)?.effect.kind === "win" ? seat : null;
    }
    const { seats } = table;
    return table.isStarted && seats.length === 1 ? seats[0] : null;
  }
}
