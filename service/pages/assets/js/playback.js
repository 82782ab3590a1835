// Which moment of a match is at the table: live at a human pace, replayed, or chosen by the reader.
import { select } from "./forms.js";
import { drawn } from "./log.js";
import { flights, fly, nextBeat } from "./motion.js";
import { html, svg } from "./page.js";
import { keep, kept } from "./session.js";
import { t } from "./words.js";

const SPEEDS = [0.5, 1, 2, 4];
const SPEED_KEY = "machi.speed";

/** The version that the address names, or 0. */
export const addressed = () => Number(/^#v=(\d+)$/.exec(location.hash)?.[1] ?? 0);

export class Playback {
  /** The version at the table, 0 before there is one; it follows the head unless the reader went elsewhere. */
  shown = 0;
  /** Cards that paid with the event that is shown, as `seat card`. @type {Set<string>} */
  pays = new Set();

  #isLive = true;
  #isPlaying = true;
  #speed = Number(kept(SPEED_KEY)) || 1;
  #timer = 0;
  /** The marks for the steps that there were when they were drawn. */
  #marked = { isWhole: false, head: 0, element: /** @type {HTMLElement | null} */ (null) };

  /** @param {import("./game.js").Game} game @param {() => void} update Draws the table anew. */
  constructor(game, update) {
    this.game = game;
    this.update = update;
    addEventListener("keydown", (event) => this.#press(event));
    addEventListener("hashchange", () => this.#fromAddress());
  }

  get isAtHead() {
    return this.shown === this.game.head;
  }

  /** Show the first events that came, or the moment that the address names. */
  start() {
    this.shown = this.game.head;
    this.#isLive = this.#isPlaying = !this.game.isOver;
    this.#fromAddress();
    this.update();
  }

  /** @param {number} version @param {boolean} [byReader] */
  show(version, byReader = true) {
    const { game } = this;
    const wished = Math.max(1, Math.min(version, game.head));
    if (!game.state(wished)) return void game.whole.then(() => this.show(wished, byReader));
    const before = this.shown;
    this.shown = wished;
    if (byReader) {
      this.#isLive = this.#isPlaying = this.isAtHead && !game.isOver;
      this.#stopTimer();
      this.#tellAddress();
    }
    const { event } = game.steps[wished - 1];
    this.pays = new Set(wished > before || byReader ? paying(event) : []);
    this.update();
  }

  /** Show the next event if its time has come. */
  goOn() {
    if (this.#isPlaying && !this.#timer && this.shown < this.game.head) this.#advance();
    else this.update();
  }

  async playOrPause() {
    const { game } = this;
    this.#isPlaying = !this.#isPlaying;
    this.#stopTimer();
    if (this.#isPlaying) {
      await game.whole;
      if (this.isAtHead && game.isOver) this.shown = 1;
    }
    this.#isLive = this.#isPlaying && !game.isOver;
    this.#tellAddress();
    this.goOn();
  }

  /** Let the address lead to the moment that is shown, unless that passes. */
  #tellAddress() {
    const hash = this.#isPlaying ? "" : `#v=${this.shown}`;
    history.replaceState(null, "", location.pathname + location.search + hash);
  }

  timeline() {
    const { game, shown } = this;
    const setSpeed = (/** @type {number} */ speed) => keep(SPEED_KEY, String((this.#speed = speed)));
    const toggle = () => this.playOrPause();
    const isFollowing = this.#isLive && this.isAtHead && !game.isOver;
    return html`<section class="time" aria-label=${t("table.timeline")}>
      <div class="keys">
        ${key("first", "M3 2h3v12H3zM14 2v12L6 8z", () => this.show(1))}
        ${key("back", "M12 2v12L4 8z", () => this.show(shown - 1))}
        ${this.#isPlaying ? key("pause", "M3 2h4v12H3zM9 2h4v12H9z", toggle) : key("play", "M3 2l11 6-11 6z", toggle)}
        ${key("forward", "M4 2v12l8-6z", () => this.show(shown + 1))}
        ${key("last", "M10 2h3v12h-3zM2 2v12l8-6z", () => this.show(game.head))}
      </div>
      <div class="track">
        ${this.#ticks()}
        <input type="range" min="1" max=${game.head} .value=${String(shown)} aria-label=${t("table.moment")}
          aria-valuetext=${game.sentences.get(shown) ?? String(shown)}
          @input=${(/** @type {any} */ event) => this.show(Number(event.target.value))} />
      </div>
      <span class="faint small">${isFollowing ? t(game.isConnected ? "table.live" : "table.offline") : `${shown}/${game.head}`}</span>
      <label class="small">${t("table.speed")}
        ${select(SPEEDS, (one) => `×${one}`, this.#speed, setSpeed)}</label>
    </section>`;
  }

  #advance() {
    const { game } = this;
    const { version, ms } = nextBeat(game.steps, this.shown, this.#speed, this.#isLive);
    fly(flights(game.steps[version - 1].event, game.state(version - 1)), game.cards, ms);
    this.show(version, false);
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      if (game.isOver && this.isAtHead) this.#isPlaying = false;
      this.goOn();
    }, ms);
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  /** To the beginning of this turn or another. @param {number} by */
  async #turn(by) {
    const { game, shown } = this;
    await game.whole;
    const starts = game.steps.flatMap(({ event }) => (event.type === "turn_started" ? [event.sequence] : []));
    const at = by < 0 ? starts.findLast((one) => one < shown) : starts.find((one) => one > shown);
    this.show(at ?? (by < 0 ? 1 : game.head));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")) return;
    const isOnButton = Boolean(target.closest("button, a, summary"));
    const { head } = this.game;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.show(this.shown - 1),
      ArrowRight: () => this.show(this.shown + 1),
      PageUp: () => this.#turn(-1),
      PageDown: () => this.#turn(1),
      Home: () => this.show(1),
      End: () => this.show(head),
      " ": () => (this.#isLive && !this.isAtHead ? this.show(head) : this.playOrPause()),
    };
    if (!keys[event.key] || !this.shown || (event.key === " " && isOnButton)) return;
    event.preventDefault();
    keys[event.key]();
  }

  #fromAddress() {
    const version = addressed();
    if (this.shown && version && version <= this.game.head) this.show(version);
  }

  /** A mark for each turn in the colour of its seat, and a taller one for each landmark. */
  #ticks() {
    const { isWhole, head, steps } = this.game;
    if (this.#marked.isWhole !== isWhole || this.#marked.head !== head)
      this.#marked = { isWhole, head, element: drawn(ticks(steps, head)) };
    return this.#marked.element;
  }
}

/** @param {any} event */
function paying({ type, data }) {
  if (type === "income_received") return [`${data.seat} ${data.card}`];
  if (type === "payment_made") return [`${data.to_seat} ${data.card}`];
  return [];
}

/** @param {import("./game.js").Game["steps"]} steps @param {number} head */
function ticks(steps, head) {
  const width = Math.max(1, head - 1);
  const marks = steps.flatMap(({ event }) => {
    const kind = { turn_started: "tick", landmark_built: "tick tall" }[/** @type {string} */ (event.type)];
    return kind ? [{ x: ((event.sequence - 1) / width) * 1000, kind, seat: event.data.seat }] : [];
  });
  return html`<svg class="ticks" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
    ${marks.map(({ x, kind, seat }) => svg`<line class="${kind} seat-${seat}" x1=${x} x2=${x} y1=${kind === "tick" ? 10 : 2} y2="20" />`)}
  </svg>`;
}

/** A key of the time line. @param {string} name @param {string} sign A path. @param {() => void} act */
const key = (name, sign, act) =>
  html`<button type="button" data-act=${name} aria-label=${t(`table.${name}`)} @click=${act}>
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${sign} fill="currentColor" /></svg></button>`;
