// The seeds that the visitor's seats add to the dice: committed to, then opened, and kept in this browser
// until then. Section "Seat seeds" of docs/fairness.md has the rules.
import { post } from "./api.js";
import { hexOf, sha256 } from "./verifier/hashes.js";

/** @param {string} matchId @param {number} seat */
const keyOf = (matchId, seat) => `machi.seed.${matchId}.${seat}`;

/** Do what the match waits for from these seats; whether there was anything. @param {any} match @param {number[]} seats */
export async function addSeeds(match, seats) {
  let hasDone = false;
  for (const { seat, status } of match.seat_seeds?.seats ?? []) {
    if (!seats.includes(seat)) continue;
    const path = `/v1/matches/${match.match_id}`;
    const key = keyOf(match.match_id, seat);
    if (status === "awaited") {
      const seed = localStorage.getItem(key) ?? hexOf(crypto.getRandomValues(new Uint8Array(24)));
      localStorage.setItem(key, seed);
      const commitment = await sha256(JSON.stringify([match.dice.commitment, seat, seed]));
      await post(`${path}/seat-seed-commitments`, { seat, commitment });
      hasDone = true;
    } else if (status === "committed" && match.seat_seeds.step === "open" && localStorage.getItem(key)) {
      await post(`${path}/seat-seeds`, { seat, seed: localStorage.getItem(key) });
      hasDone = true;
    } else if (status === "opened") localStorage.removeItem(key);
  }
  return hasDone;
}
