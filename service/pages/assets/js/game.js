// A match as a list of steps: each event with the state after it, as the service's replay gives them.
import { follow, get, lines, pause, post } from "./api.js";
import { addSeeds } from "./seeds.js";
import { account } from "./session.js";
import { cardsOf, language, told } from "./words.js";

/** @typedef {{event: any, state: any}} Step */
/** @typedef {{op: string, path: string, value?: any}} Operation One of RFC 6902: add, remove or replace. */

/** The state after a JSON Patch; what does not change is shared. @param {any} state @param {Operation[]} patch */
function patched(state, patch) {
  return patch.reduce((found, { op, path, value }) => {
    const members = path.split("/").slice(1);
    return changed(
      found,
      members.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")),
      op,
      value,
    );
  }, state);
}

/** @param {any} node @param {string[]} path @param {string} op @param {any} value @returns {any} */
function changed(node, [name, ...rest], op, value) {
  if (name === undefined) return value;
  if (Array.isArray(node)) {
    const at = name === "-" ? node.length : Number(name);
    if (rest.length) return node.with(at, changed(node[at], rest, op, value));
    if (op === "replace") return node.with(at, value);
    return op === "remove" ? node.toSpliced(at, 1) : node.toSpliced(at, 0, value);
  }
  const copy = { ...node };
  if (!rest.length && op === "remove") delete copy[name];
  else copy[name] = changed(node?.[name], rest, op, value);
  return copy;
}

/** So many events up to the first moment that is shown are read and told first; the others follow. */
const NEWEST = 60;

/** Events that come within this time are read together. */
const TOGETHER_MS = 120;

export class Game {
  /** @param {string} matchId @param {() => void} onChange Called when there are more steps, or other news. */
  constructor(matchId, onChange) {
    this.id = matchId;
    this.path = `/v1/matches/${matchId}`;
    this.onChange = onChange;
    /** @type {Step[]} By sequence; the newest is there, others may be missing until `isWhole`. */
    this.steps = [];
    this.isWhole = false;
    /** @type {Promise<void>} Until all steps are there. */
    this.whole = Promise.resolve();
    /** @type {import("./api.js").Answer} */
    this.match = /** @type {any} */ (null);
    /** @type {Map<number, string>} The sentences of the log by sequence. */
    this.sentences = new Map();
    /** The last event that was told. */
    this.toldTo = 0;
    /** @type {any} The cards by id, a map, as soon as they came. */
    this.cards = null;
    /** @type {any} */
    this.ruleset = null;
    /** @type {any} The luck so far, once somebody wants to see it. */
    this.luck = null;
    this.wantsLuck = false;
    /** @type {any} The legal commands of the head, if a seat of the visitor is to act. */
    this.legal = null;
    this.isConnected = false;
    /** @type {{command: any, key: string, version: number} | null} What was sent and not yet answered. */
    this.sent = null;
    /** @type {Promise<void>} One reads at a time. */
    this.reading = Promise.resolve();
    this.ending = new AbortController();
    this.code = new URLSearchParams(location.search).get("code") ?? "";
  }

  get head() {
    return this.steps.length;
  }

  /** The state after the event `version`. @param {number} version @returns {{players: any[]} & Record<string, any>} */
  state(version) {
    return this.steps[version - 1]?.state;
  }

  get latest() {
    return this.state(this.head);
  }

  /** The visitor's seats. @returns {number[]} */
  get seats() {
    const own = account()?.account_id;
    return this.match.seats
      .filter((one) => own && one.account_id === own && !one.resigned)
      .map((one) => one.seat);
  }

  get isOver() {
    return ["finished", "aborted"].includes(this.latest.status);
  }

  /** Whether the invitation code shows the visitor the match, but not its table. */
  get isInvitation() {
    const own = account();
    const { visibility, creator, seats } = this.match;
    if (visibility !== "private") return false;
    if (!own) return true;
    const isHere = seats.some((one) => one.account_id === own.account_id || one.invited === own.handle);
    return creator !== own.account_id && !isHere;
  }

  /** Read what an invitation shows, too; what came in the meantime may be newer. */
  async look() {
    const match = await get(this.path, { headers: this.code ? { "Invitation-Code": this.code } : {} });
    if (!(this.match?.version >= match.version)) this.match = match;
  }

  /** Keep an invitation up to date: its code opens the match until that begins or ends. */
  async lookAgain() {
    if (!this.isInvitation || this.match.status !== "open") return;
    await this.look().catch((error) => {
      if (error.status !== 404) throw error;
      this.match.status = "closed";
    });
    this.onChange();
  }

  async readCards() {
    const { ruleset } = this.match;
    [this.cards, this.ruleset] = await Promise.all([cardsOf(ruleset), get(`/v1/rulesets/${ruleset}`)]);
  }

  /**
   * Read the match up to now, and go on reading; or only what an invitation shows.
   * @param {number} moment The version to begin with, 0 for the newest.
   */
  async open(moment) {
    await this.look();
    if (this.isInvitation) return this.readCards().then(this.onChange);
    const newest = this.match.version;
    const last = Math.min(moment || newest, newest);
    const first = Math.max(1, last - NEWEST);
    await Promise.all([
      this.readCards(),
      this.readSteps(first, last),
      last < newest && this.readSteps(newest, newest),
    ]);
    this.toldTo = first - 1;
    this.reading = this.tellNews(last).then(() => this.readNewer(last));
    this.whole = this.reading.then(() => this.readOlder(first - 1));
    await this.reading;
    await this.addSeeds();
    if (!this.isOver) this.following = this.watch();
  }

  async watch() {
    let wanted = this.head;
    await follow(
      this.id,
      this.head,
      (event) => {
        wanted = event.sequence;
        const isLast = event.type === "dice_revealed";
        pause(isLast ? 0 : TOGETHER_MS)
          .then(() => this.read(wanted))
          .then(() => isLast && this.ending.abort())
          .catch(() => {});
      },
      {
        signal: this.ending.signal,
        onOpen: (isOpen) => {
          this.isConnected = isOpen;
          this.onChange();
        },
      },
    ).catch(() => {});
  }

  /** Read something after all that is being read. @param {() => Promise<void> | undefined} read */
  queue(read) {
    this.reading = this.reading.then(read, read);
    return this.reading;
  }

  /** Read the steps up to a version, and what is said about them. @param {number} version */
  read(version) {
    return this.queue(() => (this.head < version ? this.readOn(version) : undefined));
  }

  /** @param {number} version */
  async readOn(version) {
    const before = this.head;
    await this.readSteps(before + 1, version);
    if (this.steps.slice(before).some(({ event }) => SEATING.has(event.type))) {
      this.match = await get(this.path);
      await this.addSeeds();
    }
    await this.tellNews();
  }

  /** @param {number} from The first to read. @param {number} to The last to read. */
  async readSteps(from, to) {
    for (const { event, patch } of await lines(`${this.path}/replay?from=${from}&to=${to}&states=patch`))
      this.steps[event.sequence - 1] = { event, state: patched(this.state(event.sequence - 1), patch) };
  }

  /** Read what was after an event. @param {number} last */
  async readNewer(last) {
    if (last === this.head) return;
    await this.readSteps(last + 1, this.head);
    await this.tellNews();
  }

  /** Read what was before, up to an event. @param {number} last */
  async readOlder(last) {
    if (last) await this.readSteps(1, last);
    await this.readLog(0, last);
    this.isWhole = true;
    this.onChange();
  }

  /**
   * Show the steps together with what the visitor can do, and what is said about them as soon as it is there.
   * @param {number} [last] The last to tell.
   */
  async tellNews(last = this.head) {
    const telling = this.readLog(this.toldTo, last).then(() => (this.toldTo = last));
    await Promise.all([this.readLegal().then(() => this.onChange()), telling, this.readLuck()]);
    this.onChange();
  }

  /** @param {number} after @param {number} last */
  async readLog(after, last) {
    while (after < last) {
      const address = `${this.path}/log?lang=${language}&limit=${Math.min(500, last - after)}&after=${after}`;
      const { items } = await get(address);
      for (const line of items) {
        const { players } = this.state(line.sequence - 1) ?? this.state(line.sequence);
        this.sentences.set(line.sequence, told(line, players));
      }
      if (!items.length) return;
      after = items.at(-1).sequence;
    }
  }

  async readLegal() {
    const { status, active_seat: active, version } = this.latest;
    this.legal = null;
    if (status !== "running" || !this.seats.includes(active)) return;
    const found = await get(`${this.path}/legal-commands?explain=true`);
    if (found.version === this.latest.version && version === found.version) this.legal = found;
  }

  /** From now on, luck is read, too. */
  wantLuck() {
    if (this.wantsLuck) return this.reading;
    this.wantsLuck = true;
    return this.queue(() => this.readLuck().then(this.onChange));
  }

  async readLuck() {
    const last = this.luck?.throws.at(-1)?.sequence ?? 0;
    if (!this.wantsLuck) return;
    if (this.luck && !this.steps.slice(last).some(({ event }) => event.type === "dice_rolled")) return;
    for (let after = last; ;) {
      const page = await get(`${this.path}/luck?limit=500&after=${after}`);
      this.luck = { ...page, throws: [...(this.luck?.throws ?? []), ...page.throws] };
      if (!page.next) return;
      after = page.next;
    }
  }

  /**
   * Send a command until it is answered: the key makes it count once, `If-Match` only for what was seen.
   * @param {any} command
   */
  async send(command) {
    if (this.sent) return;
    this.sent = { command, key: crypto.randomUUID(), version: this.head };
    this.legal = command.type === "resign" ? this.legal : null;
    this.onChange();
    try {
      /** @type {Record<string, string>} */
      const headers = command.type === "resign" ? {} : { "If-Match": `"${this.sent.version}"` };
      const options = { key: this.sent.key, headers, tries: Infinity };
      const { version } = await post(`${this.path}/commands`, command, options);
      if (this.head < version) await this.read(version);
    } catch (error) {
      await this.readLegal();
      throw error;
    } finally {
      this.sent = null;
      this.onChange();
    }
  }

  /** Commit to seeds for the visitor's seats and open them, whenever the match waits for that. */
  async addSeeds() {
    if (this.match.seat_seeds && (await addSeeds(this.match, this.seats))) this.match = await get(this.path);
  }

  /** Take an open seat. */
  async join() {
    this.match = await post(`${this.path}/seats`, this.code ? { code: this.code } : {});
    await this.read(this.match.version);
    await this.addSeeds();
  }
}

const SEATING = new Set([
  "seat_taken",
  "seat_reserved",
  "reservation_ended",
  "seat_seed_committed",
  "seat_seed_forgone",
  "seat_seed_opened",
  "match_started",
  "controller_changed",
  "seat_resigned",
]);
