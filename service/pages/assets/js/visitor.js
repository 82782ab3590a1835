// An account for whoever begins to play: made quietly, named by chance, kept in this browser.
import { post, newKey } from "./api.js";
import { showFrame } from "./page.js";
import { account, signIn } from "./session.js";

/** The visitor's account; a guest's if there is none yet. */
export async function ensureAccount() {
  const found = account();
  if (found) return found;
  const made = await post("/v1/accounts", { handle: `guest-${newKey().slice(-10)}` }, { key: newKey() });
  signIn(made);
  showFrame();
  return made;
}

/** Whether the visitor could take a seat of a match. @param {any} seat */
export const canTake = ({ kind, invited }) => kind === "open" && (!invited || invited === account()?.handle);

/** Make a match and go there. @param {string} path @param {any} body */
export async function begin(path, body) {
  await ensureAccount();
  location.href = `/matches/${(await post(path, body)).match_id}`;
}
