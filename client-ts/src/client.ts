/** The client of one service. */
import createClient, { type Client as OpenapiFetch } from "openapi-fetch";
import { ApiError, unwrap } from "./errors.js";
import { type Options, Transport, newKey } from "./retries.js";
import type { components, paths } from "./schema.js";
import { type MatchEvent, type FollowOptions, resuming } from "./streams.js";

type Schemas = components["schemas"];
type Json = "application/json" | "application/problem+json";
type Answer<Name extends keyof Schemas> = Promise<Schemas[Name]>;
export type Command = Schemas["Command"];
/** A decision to make: the state of the table and the legal commands. */
export type Turn = Schemas["MyTurn"];
/** A bot: it returns one of `turn.legal_commands.commands`. */
export type Choose = (turn: Turn) => Command | Promise<Command>;

export interface PlayOptions {
  /** Only the turns of this match, until it is over; without it, those of all matches, forever. */
  match?: string;
  /** Ends the loop: it throws the reason of the signal. */
  signal?: AbortSignal;
}

const LONGEST_WAIT_S = 25;

export class Client {
  /** Every operation of the service, with the types of its OpenAPI document; see `unwrap`. */
  readonly api: OpenapiFetch<paths, Json>;
  readonly #transport: Transport;

  /** @param baseUrl The address of the service, such as `https://machi.example.org`. */
  constructor(baseUrl: string, options: Options = {}) {
    this.#transport = new Transport(options);
    this.api = createClient<paths, Json>({ baseUrl, fetch: this.#transport.send });
  }

  /** Use the token of an account from now on. Throws ApiError if it is not valid. */
  logIn(token: string): Answer<"Me"> {
    this.#transport.token = token;
    return unwrap(this.api.GET("/v1/me"));
  }

  /** Create an account and use its token, which is shown only now. A bot has the seating `anybody`. */
  async signUp(handle: string, seating: Schemas["SeatingPolicy"] = "allowed"): Answer<"AccountWithToken"> {
    const account = await unwrap(this.api.POST("/v1/accounts", { body: { handle, seating } }));
    this.#transport.token = account.token;
    return account;
  }

  /** Create a match. It starts when all seats are taken. */
  createMatch(match: Schemas["NewMatch"]): Answer<"Match"> {
    return unwrap(this.api.POST("/v1/matches", { body: match }));
  }

  match(match_id: string): Answer<"Match"> {
    return unwrap(this.api.GET("/v1/matches/{match_id}", { params: { path: { match_id } } }));
  }

  /** Take a seat, by default the first free one. A private match wants the `code` that its creator has. */
  join(match_id: string, body: Schemas["Join"] = {}): Answer<"Joined"> {
    return unwrap(this.api.POST("/v1/matches/{match_id}/seats", { params: { path: { match_id } }, body }));
  }

  /**
   * Execute a command, once for each key, however often it is sent. `version` is the one that it was chosen for:
   * if the match has moved on, ApiError has the code `stale_version`.
   */
  command(match_id: string, body: Command, version?: number, key = newKey()): Answer<"CommandAnswer"> {
    const header = { "Idempotency-Key": key, "If-Match": version === undefined ? "*" : `"${version}"` };
    const params = { path: { match_id }, header };
    return unwrap(this.api.POST("/v1/matches/{match_id}/commands", { params, body }));
  }

  /** The events of a match, each once and in order, and each new one until the match is over. */
  follow(match_id: string, options: FollowOptions = {}): AsyncGenerator<MatchEvent, void> {
    const { types } = options;
    const headers = { Accept: "application/x-ndjson" };
    const open = (after: number, signal: AbortSignal): Promise<unknown> => {
      const query = { after, follow: true, ...(types && { types: types.join(",") }) };
      const params = { path: { match_id }, query };
      const init = { params, headers, parseAs: "stream", fetch: this.#transport.once, signal } as const;
      return unwrap(this.api.GET("/v1/matches/{match_id}/events", init));
    };
    return resuming(open, this.#transport.options, options);
  }

  /** The decisions of the account as they come; one that is not answered comes again. */
  async *turns(options: PlayOptions = {}): AsyncGenerator<Turn, void> {
    const { match, signal = null } = options;
    const wait = match === undefined ? LONGEST_WAIT_S : 0;
    for (let seen = 0; ;) {
      const { items } = await unwrap(this.api.GET("/v1/me/turns", { params: { query: { wait } }, signal }));
      const due = items.filter((turn) => match === undefined || turn.match_id === match);
      yield* due;
      if (match === undefined || due.length > 0) continue;
      const { status, version } = await this.match(match);
      if (status === "finished" || status === "aborted") return;
      // Only if nothing was due at this version may it wait for the next one.
      const params = { path: { match_id: match }, query: { after: seen, limit: 1, wait: LONGEST_WAIT_S } };
      if (version === seen) await unwrap(this.api.GET("/v1/matches/{match_id}/events", { params, signal }));
      seen = version;
    }
  }

  /** Answer each turn with the command that `choose` returns. Returns the number of decisions made. */
  async play(choose: Choose, options: PlayOptions = {}): Promise<number> {
    const refusedAt = new Map<string, number>();
    let decisions = 0;
    for await (const turn of this.turns(options)) {
      const command = await choose(turn);
      try {
        await this.command(turn.match_id, command, turn.version);
        decisions++;
      } catch (error) {
        // The match has moved on, perhaps between two checks of the service, but not twice at one version.
        const status = error instanceof ApiError ? error.status : 0;
        const isNew = refusedAt.get(turn.match_id) !== turn.version;
        if (status !== 412 && !(status === 409 && isNew)) throw error;
        refusedAt.set(turn.match_id, turn.version);
      }
    }
    return decisions;
  }

  /** Enter a ladder as a version of a bot, or go on after a restart, and play forever; ends as `play` does. */
  async playLadder(ladder: string, version: string, choose: Choose, signal?: AbortSignal): Promise<number> {
    const path = { ladder_id: ladder };
    const params = { path, header: { "Idempotency-Key": `enter-${version}` } };
    const body = { kind: "bot", version } as const;
    const { entry_id } = await unwrap(this.api.POST("/v1/ladders/{ladder_id}/entries", { params, body }));
    const { entries } = await unwrap(this.api.GET("/v1/ladders/{ladder_id}", { params: { path } }));
    const entry = entries.find((one) => one.entry_id === entry_id);
    if (entry?.status === "removed") throw new Error(`version ${version} was removed: ${entry.removed_for}`);
    return this.play(choose, signal && { signal });
  }
}
