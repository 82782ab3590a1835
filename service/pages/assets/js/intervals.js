// Intervals drawn on an axis that all rows share: the point is the value, the line its interval.
import { html, nothing, svg } from "./page.js";

/** @typedef {{low: number, high: number, ticks: number[], x: (value: number) => string}} Axis */

/** An axis with a tick at every multiple of the step. @param {number} low @param {number} high @param {number} step @returns {Axis} */
export function axisFrom(low, high, step) {
  const first = Math.ceil(low / step) * step;
  const ticks = Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, at) => first + at * step);
  return { low, high, ticks, x: (value) => `${(4 + (92 * (value - low)) / (high - low)).toFixed(2)}%` };
}

/** @param {Axis} axis @param {number} value @param {number[]} interval */
export function interval(axis, value, [low, high]) {
  const [from, to] = [Math.max(low, axis.low), Math.min(high, axis.high)];
  return html`<svg class="forest" aria-hidden="true" focusable="false">
    ${axis.ticks.map((tick) => svg`<line class="grid" x1=${axis.x(tick)} x2=${axis.x(tick)} y1="0" y2="100%" />`)}
    <line class="range" x1=${axis.x(from)} x2=${axis.x(to)} y1="50%" y2="50%" />
    ${low < from ? svg`<text class="arrow" x="0" y="50%">◂</text>` : nothing}
    ${high > to ? svg`<text class="arrow" x="100%" y="50%" text-anchor="end">▸</text>` : nothing}
    <circle cx=${axis.x(value)} cy="50%" r="5" />
  </svg>`;
}

/**
 * A bar beside a number, and a mark to compare it with; all in percent.
 * @param {number} from @param {number} length @param {number} mark @param {string} [kind]
 */
export const bar = (from, length, mark, kind = "") =>
  html`<svg class="bar ${kind}" aria-hidden="true" focusable="false">
    <rect height="100%" x="${from}%" width="${length}%" /><line x1="${mark}%" x2="${mark}%" y1="0" y2="100%" />
  </svg>`;

/** The numbers of the ticks. @param {Axis} axis @param {(value: number) => string} text */
export const scale = (axis, text) => html`<svg class="forest scale" aria-hidden="true" focusable="false">
  ${axis.ticks.map((tick) => svg`<text x=${axis.x(tick)} y="75%" text-anchor="middle">${text(tick)}</text>`)}
</svg>`;

/** A value, and its interval in small if it has one. @param {number} value @param {number[] | null} interval @param {(value: number) => string} text */
export const ranged = (value, interval, text) =>
  html`${text(value)} ${interval ? html`<small>${span(interval, text)}</small>` : nothing}`;

/** An interval in numbers. @param {number[]} interval @param {(value: number) => string} text */
export const span = ([low, high], text) => (low === high ? text(low) : `${text(low)} – ${text(high)}`);
