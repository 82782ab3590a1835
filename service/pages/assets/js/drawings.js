import { svg } from "./page.js";
/** @param {any} card */
export const drawing = (card) => svg`<svg viewBox="0 0 64 48" aria-hidden="true"><rect x="14" y="14" width="36" height="28" rx="3" fill="currentColor" opacity=".3"/><text x="32" y="34" text-anchor="middle" font-size="14">${card.id.slice(0, 2)}</text></svg>`;
/** @param {any} card @param {boolean} isBuilt */
export const skyline = (card, isBuilt) => svg`<svg viewBox="0 0 48 40" aria-hidden="true"><rect x="8" y="8" width="32" height="32" fill=${isBuilt ? "currentColor" : "none"} stroke="currentColor"/></svg>`;
/** @param {string} colour */
export const badge = (colour) => svg`<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7" fill="currentColor"/></svg>`;
/** @param {number} value @param {boolean} isGlowing */
export const die = (value, isGlowing) => svg`<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="1" y="1" width="30" height="30" rx="6" fill="none" stroke="currentColor"/><text x="16" y="22" text-anchor="middle">${value}</text></svg>`;
/** @param {number} amount */
export const coin = (amount) => svg`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11" fill="#d9a520"/><text x="12" y="16" text-anchor="middle" font-size="11">${amount}</text></svg>`;
