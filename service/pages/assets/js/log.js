// The log beside the table: of the newest lines up to the shown moment, a step adds or removes those that it must.
import { html, render } from "./page.js";

/** How many lines are shown. */
const MOST = 200;

/** An element of its own, drawn once: nobody else changes it. @param {any} template @returns {HTMLElement} */
export function drawn(template) {
  const place = document.createElement("div");
  render(template, place);
  return /** @type {HTMLElement} */ (place.firstElementChild);
}

export class Log {
  /** @param {import("./game.js").Game} game @param {(version: number) => void} go Show another moment. */
  constructor(game, go) {
    this.game = game;
    this.go = go;
    /** @type {Map<number, HTMLElement>} By sequence. */
    this.lines = new Map();
    this.element = drawn(html`<ol class="log" reversed></ol>`);
  }

  /** The log at a moment. @param {number} version */
  at(version) {
    const first = Math.max(1, version - MOST + 1);
    const wanted = [];
    for (let sequence = version; sequence >= first; sequence--)
      if (this.game.sentences.has(sequence)) wanted.push(this.line(sequence));
    const kept = new Set(wanted);
    for (const line of [...this.element.children])
      if (!kept.has(/** @type {HTMLElement} */ (line))) line.remove();
    let next = this.element.firstElementChild;
    for (const line of wanted) {
      if (line === next) next = next.nextElementSibling;
      else this.element.insertBefore(line, next);
    }
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.lines.get(version)?.setAttribute("aria-current", "step");
    return this.element;
  }

  /** @param {number} sequence */
  line(sequence) {
    const made = this.lines.get(sequence) ?? this.drawn(sequence);
    this.lines.set(sequence, made);
    return made;
  }

  /** @param {number} sequence */
  drawn(sequence) {
    const { actor, data } = this.game.steps[sequence - 1].event;
    const seat = data.seat ?? /^seat:(\d)$/.exec(actor)?.[1];
    return drawn(html`<li class=${seat === undefined ? "" : `seat-${seat}`}>
      <a href=${`#v=${sequence}`} @click=${() => this.go(sequence)}>${this.game.sentences.get(sequence)}</a></li>`);
  }
}
