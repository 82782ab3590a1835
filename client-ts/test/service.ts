/** The service that the tests talk to, and what they need of it. */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { Client, unwrap } from "machi-koro-client";
import type { Choose, MatchEvent, Options, components } from "machi-koro-client";

export type Ruleset = components["schemas"]["RulesetId"];

/** The address in a variable of the environment, which the test that starts the service sets. */
export function addressIn(variable: string): string {
  const address = process.env[variable];
  if (!address) throw new Error(`${variable} is not set`);
  return address;
}

export interface Player {
  client: Client;
  handle: string;
  token: string;
}

export async function signedUp(address: string, options: Options = {}): Promise<Player> {
  const client = new Client(address, options);
  const { handle, token } = await client.signUp(`ts-${randomBytes(6).toString("hex")}`, "anybody");
  return { client, handle, token };
}

/** Builds the last thing that it can pay for, which ends a match soon. */
export const choose: Choose = ({ legal_commands: { commands } }) => {
  const found = commands.filter((one) => one.type === "build").at(-1) ?? commands[0];
  if (!found) throw new Error("a turn has at least one command");
  return found;
};

/** A match against `random`, just begun. */
export async function begun(client: Client, ruleset: Ruleset): Promise<string> {
  const seats = [{ kind: "me" as const }, { kind: "strategy" as const, strategy: "random" }];
  return (await client.createMatch({ ruleset, seats, first_seat: 0 })).match_id;
}

/** All events of a match, page by page. */
export async function recorded(client: Client, match_id: string): Promise<MatchEvent[]> {
  const found: MatchEvent[] = [];
  for (;;) {
    const query = { after: found.length, limit: 500 };
    const params = { path: { match_id }, query };
    const page = await unwrap(client.api.GET("/v1/matches/{match_id}/events", { params }));
    found.push(...page.items);
    if (page.next === null) return found;
  }
}

/** The items of an asynchronous iterable. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Wait until the service says so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}
