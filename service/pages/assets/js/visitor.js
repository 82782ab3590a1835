// An account for whoever begins to play: made quietly, named by chance, kept in this browser.
import { post } from "./api.js";
import { showFrame } from "./page.js";
import { account, signIn } from "./session.js";

/** The visitor's account; a guest's if there is none yet. */
export async function ensureAccount() {
  const found = account();
  if (found) return found;
  const made = await post("/v1/accounts", { handle: `guest-${crypto.randomUUID().slice(-10)}` });
  signIn(made);
  showFrame();
  return made;
}

/** Whether the visitor could take a seat of a match. @param {any} seat */
export const canTake = ({ kind, invited }) => kind === "open" && (!invited || invited === account()?.handle);

/** An act that does not begin again while it goes on, as by a double click. @param {(...given: any[]) => Promise<any>} act */
export function once(act) {
  let going = /** @type {Promise<any> | null} */ (null);
  return (/** @type {any[]} */ ...given) => (going ??= act(...given).finally(() => (going = null)));
}

/** Make a match and go there, after a first command if there is one. */
export const begin = once(async (path, body, command) => {
  await ensureAccount();
  const { match_id: id } = await post(path, body);
  if (command) await post(`/v1/matches/${id}/commands`, command);
  location.href = `/matches/${id}`;
  await new Promise((left) => addEventListener("pagehide", left));
});

/**
 * Play on from a moment of a match, on the seats of all people and on that of the first command.
 * @param {any} match @param {number} version @param {any} [command]
 */
export function branch(match, version, command) {
  const seats = match.seats.map((/** @type {any} */ one) =>
    one.kind === "strategy" && one.seat !== command?.seat
      ? { kind: "strategy", strategy: one.strategy }
      : { kind: "me" },
  );
  const visibility = match.visibility === "private" ? "private" : "unlisted";
  const body = { dice: "fresh", from_version: version, seats, visibility };
  return begin(`/v1/matches/${match.match_id}/branches`, body, command);
}
