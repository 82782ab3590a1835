// Drawings of cards, dice, coins and badges. Screen readers pass over them: names and numbers stand beside them.
import { html, svg } from "./page.js";
import { ESTABLISHMENTS, LANDMARKS } from "./pictures.js";

/** @typedef {{id: string, kind: string, symbol: string | null, colour: string | null}} Card As the API gives it. */

/** What stands for a card that nobody has drawn. @type {Record<string, string>} */
const RELATIVES = {
  wheat: "wheat_field",
  cow: "ranch",
  gear: "forest",
  bread: "bakery",
  factory: "furniture_factory",
  combo: "furniture_factory",
  fruit: "apple_orchard",
  flower: "flower_garden",
  cup: "cafe",
  boat: "mackerel_boat",
  briefcase: "demolition_company",
};

/** @type {Record<string, string>} */
const INKS = {
  a: "tone-1",
  b: "tone-2",
  p: "paper",
  A: "line-1",
  B: "line-2",
  P: "line-paper",
  c: "tone-1 rim",
  d: "tone-2 rim",
};

/** The class that sets the tones of a card: gold if it has no colour. @param {{colour: string | null}} card */
export const colourOf = (card) => card.colour ?? "gold";

const SHAPE = /([or])([\d. ]+)/g;

/** SVG path data of a path that may have circles and boxes. @param {string} path */
const data = (path) =>
  path.replace(SHAPE, (_, shape, numbers) => {
    const [x, y, w, h, r] = numbers.split(" ").map(Number);
    if (shape === "o") return `M${x - w} ${y}a${w} ${w} 0 1 0 ${2 * w} 0a${w} ${w} 0 1 0 ${-2 * w} 0z`;
    const corner = (/** @type {number} */ dx, /** @type {number} */ dy) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
    const [across, down] = [w - 2 * r, h - 2 * r];
    return (
      `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}` +
      `h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}z`
    );
  });

/** @param {string} layer */
const drawn = (layer) => svg`<path class=${INKS[layer[0]]} d=${data(layer.slice(2))} />`;

/** @param {string} id */
const landmark = (id) => svg`<g transform="translate(8 5)">${LANDMARKS[id].map(drawn)}</g>`;

/** The picture of a card. @param {Card} card */
export function drawing(card) {
  const relative = card.kind === "landmark" ? undefined : RELATIVES[card.symbol ?? ""];
  const id = card.id in ESTABLISHMENTS || card.id in LANDMARKS ? card.id : (relative ?? "town_hall");
  return html`<svg class="drawing ${colourOf(card)}" viewBox="0 0 64 48" aria-hidden="true" focusable="false">
    <path class="ground" d="M4 46h56" />
    ${id in LANDMARKS ? landmark(id) : ESTABLISHMENTS[id].map(drawn)}
  </svg>`;
}

/** A landmark above a city: its outline, or all of it once it is built. @param {Card} card @param {boolean} isBuilt */
export function skyline(card, isBuilt) {
  const layers = LANDMARKS[card.id] ?? LANDMARKS.town_hall;
  return html`<svg class="drawing ${colourOf(card)}" viewBox="0 0 48 40" aria-hidden="true" focusable="false">
    ${isBuilt ? layers.map(drawn) : svg`<path class="plan" d=${data(layers[0].slice(2))} />`}
  </svg>`;
}

/** @type {Record<string, string>} */
const BADGES = {
  blue: "o8 8 6.5",
  green: "r2 2 12 12 1.5",
  red: "M8 1.5l7 12.5h-14z",
  purple: "M8 .5l7.5 7.5-7.5 7.5-7.5-7.5z",
};
const STAR = "M8 .8l2.2 4.7 5.2.6-3.9 3.5 1.1 5.1-4.6-2.6-4.6 2.6 1.1-5.1-3.9-3.5 5.2-.6z";

/** The shape of a colour, so that colour never stands alone; landmarks have a star. @param {string} colour */
export const badge = (colour) =>
  html`<svg class="badge-shape ${colour}" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d=${data(BADGES[colour] ?? STAR)} />
  </svg>`;

const PIPS = ["", "o16 16 3", "o9 9 3o23 23 3", "o9 9 3o16 16 3o23 23 3", "o9 9 3o23 9 3o9 23 3o23 23 3"];
PIPS.push(PIPS[4] + PIPS[1], `${PIPS[4]}o9 16 3o23 16 3`);

/** A die. @param {number} value 1 to 6; 0 for a blank one. @param {boolean} isGlowing */
export const die = (value, isGlowing) =>
  html`<svg class="die-face ${isGlowing ? "glowing" : ""}" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect x="2" y="2" width="28" height="28" rx="7" />
    <path d=${data(PIPS[value])} />
  </svg>`;

/** The number of a seat, in its colour. @param {number} seat */
export const key = (seat) => html`<span class="key seat-${seat}" aria-hidden="true">${seat + 1}</span>`;

/** A coin with a number in it, of one to three digits. @param {number} amount */
export const coin = (amount) =>
  html`<svg class="coin-face" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <circle cx="12" cy="12" r="11" />
    <circle class="rim" cx="12" cy="12" r="8.8" />
    <text x="12" y="12.5" text-anchor="middle" dominant-baseline="central" font-size=${14.5 - 2 * `${amount}`.length}>
      ${amount}
    </text>
  </svg>`;
