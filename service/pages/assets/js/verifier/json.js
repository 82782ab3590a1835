// JSON that no two readers could take for different things (RFC 7493), and its canonical form (RFC 8785).

/** @typedef {Record<string, any>} Members An object without a prototype: no member is inherited. */

/** What is read is no export. `why` names the text that says so. */
export class Unreadable extends Error {
  /** @param {string} why @param {number} [line] From 1. */
  constructor(why, line) {
    super(why);
    this.why = why;
    this.line = line;
  }
}

const DEEPEST = 100;
const SPACE = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex -- these must be escaped in texts
const TEXT = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]{0,15})(?![0-9.eE])/y;
const WORD = /true|false|null/y;

/**
 * The value of a text. Throws Unreadable for what has a member twice, a fraction, an exponent, -0, a number
 * of 2^53 or more, or half a surrogate pair, besides what is no JSON.
 * @param {string} text @returns {any}
 */
export function parse(text) {
  let at = 0;

  /** @param {RegExp} pattern */
  function take(pattern) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) throw new Unreadable("json");
    at += found.length;
    return found;
  }

  function string() {
    const found = JSON.parse(take(TEXT));
    if (/\p{Surrogate}/u.test(found)) throw new Unreadable("json");
    return found;
  }

  function integer() {
    const found = Number(take(NUMBER));
    if (Object.is(found, -0) || !Number.isSafeInteger(found)) throw new Unreadable("json");
    return found;
  }

  /** What is between brackets, one by one. @param {string} end @param {() => void} item */
  function items(end, item) {
    at++;
    take(SPACE);
    for (let isFirst = true; text[at] !== end; isFirst = false) {
      if (!isFirst && text[at++] !== ",") throw new Unreadable("json");
      take(SPACE);
      item();
      take(SPACE);
    }
    at++;
  }

  /** @param {number} depth @returns {any} */
  function value(depth) {
    if (depth > DEEPEST) throw new Unreadable("json");
    if (text[at] === '"') return string();
    if (text[at] === "[") {
      /** @type {any[]} */
      const list = [];
      items("]", () => list.push(value(depth + 1)));
      return list;
    }
    if (text[at] === "{") {
      /** @type {Members} */
      const members = Object.create(null);
      items("}", () => {
        const name = string();
        take(SPACE);
        if (name in members || text[at++] !== ":") throw new Unreadable("json");
        take(SPACE);
        members[name] = value(depth + 1);
      });
      return members;
    }
    return /[-0-9]/.test(text[at] ?? "") ? integer() : JSON.parse(take(WORD));
  }

  take(SPACE);
  const found = value(0);
  take(SPACE);
  if (at < text.length) throw new Unreadable("json");
  return found;
}

/** @param {any} value @returns {string} */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort(); // by UTF-16 units, as RFC 8785 says
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** @param {any} value */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {any} one @param {any} other */
export const isSame = (one, other) => canonical(one) === canonical(other);
