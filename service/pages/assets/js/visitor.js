// An account for whoever begins to play: made quietly, named by chance, kept in this browser.
import { post, newKey } from "./api.js";
import { showFrame } from "./page.js";
import { account, signIn } from "./session.js";

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/** @param {number} size */
function letters(size) {
  return Array.from(
    crypto.getRandomValues(new Uint8Array(size)),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join("");
}

/** The visitor's account; a guest's if there is none yet. */
export async function ensureAccount() {
  const found = account();
  if (found) return found;
  const made = await post("/v1/accounts", { handle: `guest-${letters(8)}` }, { key: newKey() });
  signIn(made);
  showFrame();
  return made;
}

/** Make a match and go there. @param {string} path @param {any} body */
export async function begin(path, body) {
  await ensureAccount();
  location.href = `/matches/${(await post(path, body)).match_id}`;
}
