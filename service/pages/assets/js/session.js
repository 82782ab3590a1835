// What this browser keeps: choices, and the visitor's account. docs/adr/0032 says why the token lies in
// localStorage.

/** @typedef {{account_id: string, handle: string, token: string}} Account */

const KEY = "machi.account";

/** Embedded tables act for nobody: what another site frames must not be worth a click. */
export const isEmbedded = location.pathname.startsWith("/embed/");

/** What was kept under a key, if this page may look: in frames of other sites it may not. @param {string} key */
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** What was kept under a key as JSON; null if there is nothing that can be read. @param {string} key */
export function keptJson(key) {
  try {
    return JSON.parse(kept(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It holds until the page is left.
  }
}

/** @returns {Account | null} */
export function account() {
  return isEmbedded ? null : keptJson(KEY);
}

/** @param {Account} found */
export function signIn(found) {
  localStorage.setItem(KEY, JSON.stringify(found));
}

/** Forget the token; the account and its matches stay. */
export function signOut() {
  localStorage.removeItem(KEY);
}

/** Forget the token, and begin anew as a visitor. @param {() => void} [go] @returns {Promise<never>} */
export function forget(go = () => location.reload()) {
  signOut();
  go();
  return new Promise(() => {});
}
