/** Plays a match with a client from @hey-api/openapi-ts: `node hey_api.js URL HANDLE`. */
import { client } from "./heyapi/client.gen.js";
import {
  createAccount,
  createMatch,
  deleteMe,
  dryRunCommand,
  listMyTurns,
  postCommand,
  showMatch,
  showMe,
} from "./heyapi/sdk.gen.js";
import type { Command, CommandAnswer, Match } from "./heyapi/types.gen.js";

const [baseUrl = "", handle = ""] = process.argv.slice(2);
client.setConfig({ baseUrl, throwOnError: true });

const { data: account } = await createAccount({
  body: { handle },
  headers: { "Idempotency-Key": crypto.randomUUID() },
  throwOnError: true,
});
client.setConfig({ baseUrl, throwOnError: true, auth: account.token });

const made = await createMatch({
  body: { ruleset: "machi_koro_2", seats: [{ kind: "me" }, { kind: "strategy", strategy: "random" }] },
  throwOnError: true,
});
const path = { match_id: made.data.match_id };

async function act(command: Command, version: number): Promise<CommandAnswer> {
  const checked = await dryRunCommand({ path, body: command, throwOnError: true });
  const done = await postCommand({
    path,
    body: command,
    headers: { "Idempotency-Key": `decision-${version}`, "If-Match": `"${checked.data.version}"` },
    throwOnError: true,
  });
  return done.data;
}

let events = 0;
let match: Match = made.data;
while (match.status === "running") {
  const turns = await listMyTurns({ query: { wait: 2 }, throwOnError: true });
  for (const turn of turns.data.items) {
    const builds = turn.legal_commands.commands.filter((one) => one.type === "build");
    const chosen = builds.at(-1) ?? turn.legal_commands.commands[0];
    if (chosen !== undefined) events += (await act(chosen, turn.version)).events.length;
  }
  match = (await showMatch({ path, throwOnError: true })).data;
}
await deleteMe({ query: { handle }, throwOnError: true });
const afterwards = await showMe({ throwOnError: false });
console.log(
  JSON.stringify({
    match_id: match.match_id,
    status: match.status,
    winner: match.winner,
    events,
    afterwards: afterwards.error?.code,
  }),
);
