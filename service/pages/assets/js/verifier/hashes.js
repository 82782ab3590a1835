// SHA-256, HMAC and Ed25519 of the browser (WebCrypto).

/** What stands before the first event, and before the first line of the log. */
export const NO_HASH = `sha-256:${"0".repeat(64)}`;

const ENCODER = new TextEncoder();

/** @param {string} text */
export const bytesOf = (text) => ENCODER.encode(text);

/** @param {Uint8Array} bytes */
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} hex The bytes, or null where it is no hex. */
export const bytesOfHex = (hex) =>
  /^(?:[0-9a-f]{2})*$/.test(hex)
    ? Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16))
    : null;

/** @param {any} text The bytes, or null where it is no base64 with its padding. */
export const bytesOfBase64 = (text) =>
  typeof text === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
    : null;

/** @param {string | Uint8Array<ArrayBuffer>} data A text stands for its UTF-8. */
export async function sha256(data) {
  const bytes = typeof data === "string" ? bytesOf(data) : data;
  return `sha-256:${hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))}`;
}

/**
 * What makes the HMAC-SHA256 of texts under a key.
 * @param {Uint8Array<ArrayBuffer>} key
 */
export async function hmacOf(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return async (/** @type {string} */ text) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytesOf(text)));
}

/**
 * Whether the key signed the text; null where this browser has no Ed25519.
 * @param {Uint8Array<ArrayBuffer>} key @param {Uint8Array<ArrayBuffer>} signature @param {string} text
 */
export async function isSigned(key, signature, text) {
  try {
    const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, imported, signature, bytesOf(text));
  } catch (error) {
    return error instanceof DOMException && error.name === "NotSupportedError" ? null : false;
  }
}

const TOGETHER = 256;

/**
 * What becomes of each item, in order. The browser gets its turn between groups of them.
 * @template Item, Result
 * @param {Item[]} items @param {(item: Item, index: number) => Promise<Result>} work
 * @param {(done: number) => void} onDone
 */
export async function inGroups(items, work, onDone) {
  /** @type {Result[]} */
  const found = [];
  for (let from = 0; from < items.length; from += TOGETHER) {
    const group = items.slice(from, from + TOGETHER);
    found.push(...(await Promise.all(group.map((item, index) => work(item, from + index)))));
    onDone(group.length);
    await breath();
  }
  return found;
}

/** Let the browser draw and take input. Timers wait for a second in pages that are not looked at. */
export const breath = () =>
  /** @type {any} */ (globalThis).scheduler?.postTask?.(() => {}) ?? new Promise((done) => setTimeout(done));
