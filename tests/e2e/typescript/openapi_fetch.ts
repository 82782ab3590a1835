/** Plays a match with types from openapi-typescript and requests by openapi-fetch: `node openapi_fetch.js URL HANDLE`. */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Command = components["schemas"]["Command"];

const [baseUrl = "", handle = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

function must<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const account = must(
  await client.POST("/v1/accounts", {
    body: { handle },
    params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  }),
);
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${account.token}`);
    return request;
  },
});

const match = must(
  await client.POST("/v1/matches", {
    body: { ruleset: "harbor", seats: [{ kind: "me" }, { kind: "strategy", strategy: "random" }] },
  }),
);
const path = { match_id: match.match_id };

async function act(command: Command, version: number): Promise<number> {
  const checked = must(await client.POST("/v1/matches/{match_id}/dry-runs", { params: { path }, body: command }));
  const done = must(
    await client.POST("/v1/matches/{match_id}/commands", {
      params: { path, header: { "Idempotency-Key": `decision-${version}`, "If-Match": `"${checked.version}"` } },
      body: command,
    }),
  );
  return done.events.length;
}

let events = 0;
let status = match.status;
while (status === "running") {
  const turns = must(await client.GET("/v1/me/turns", { params: { query: { wait: 2 } } }));
  for (const turn of turns.items) {
    const builds = turn.legal_commands.commands.filter((one) => one.type === "build");
    const chosen = builds.at(-1) ?? turn.legal_commands.commands[0];
    if (chosen !== undefined) events += await act(chosen, turn.version);
  }
  status = must(await client.GET("/v1/matches/{match_id}", { params: { path } })).status;
}
const over = must(await client.GET("/v1/matches/{match_id}", { params: { path } }));
must({ data: (await client.DELETE("/v1/me", { params: { query: { handle } } })).response.ok || undefined });
const { error: afterwards } = await client.GET("/v1/me");
console.log(
  JSON.stringify({
    match_id: over.match_id,
    status: over.status,
    winner: over.winner,
    events,
    afterwards: afterwards?.code,
  }),
);
