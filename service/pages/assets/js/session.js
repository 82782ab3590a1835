// The visitor's account in this browser. docs/adr/0032 says why the token lies in localStorage.

/** @typedef {{account_id: string, handle: string, token: string}} Account */

const KEY = "machi.account";

/** Embedded tables act for nobody: what another site frames must not be worth a click. */
const isEmbedded = location.pathname.startsWith("/embed/");

/** @returns {Account | null} */
export function account() {
  if (isEmbedded) return null;
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Account} found */
export function signIn(found) {
  localStorage.setItem(KEY, JSON.stringify(found));
}

/** Forget the token; the account and its matches stay. */
export function signOut() {
  localStorage.removeItem(KEY);
}
