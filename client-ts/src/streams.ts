/** Event streams that resume: every event once and in order, over any number of connections. */
import { ApiError } from "./errors.js";
import { Attempts, ConnectionFailed, type Options, isTransient, within } from "./retries.js";
import type { components } from "./schema.js";

export type MatchEvent = components["schemas"]["Event"];

export interface FollowOptions {
  /** The last sequence that you have; 0 by default. */
  after?: number;
  /** Only events of these types. */
  types?: readonly MatchEvent["type"][];
  /** Ends the stream: it throws the reason of the signal. */
  signal?: AbortSignal;
}

/** Opens a stream of lines of JSON, with the events after a sequence. */
type Open = (after: number, signal: AbortSignal) => Promise<unknown>;

/** A live stream sends at least an empty line every 10 s; after this long without one it counts as dead. */
const SILENCE_MS = 25_000;

/** The events of a stream until its end, over as many connections as necessary. Throws ApiError, ConnectionFailed. */
export async function* resuming(
  open: Open,
  options: Options,
  { after = 0, types, signal }: FollowOptions,
): AsyncGenerator<MatchEvent, void> {
  const attempts = new Attempts(options);
  for (;;) {
    let failure: Error = new ConnectionFailed("the event stream was cut");
    try {
      for await (const line of linesOf(open, after, signal)) {
        attempts.begin();
        if (line === "") continue;
        const event = JSON.parse(line) as MatchEvent | { type: "stream_end" };
        if (event.type === "stream_end") return;
        if (event.sequence <= after) continue;
        if (!types && event.sequence !== after + 1) throw new Error(`event ${after + 1} is missing`);
        after = event.sequence;
        yield event;
      }
    } catch (error) {
      const isPassing = error instanceof ApiError && isTransient(error.status);
      if (!isPassing && !(error instanceof ConnectionFailed)) throw error;
      failure = error;
    }
    const askedMs = failure instanceof ApiError ? failure.retryAfterMs : 0;
    if (!(await attempts.pause(failure.message, askedMs, signal))) throw failure;
  }
}

/** The complete lines of one connection; a last line without its end is left out. */
async function* linesOf(open: Open, after: number, signal?: AbortSignal): AsyncGenerator<string, void> {
  const connection = new AbortController();
  const ending = AbortSignal.any(signal ? [signal, connection.signal] : [connection.signal]);
  try {
    const body = await timely(open(after, ending), connection);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    for (let rest = ""; ;) {
      const { value, done } = await timely(reader.read(), connection);
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    connection.abort();
  }
}

/** What the connection brings next. Throws ConnectionFailed if it breaks or stays silent. */
function timely<T>(work: Promise<T>, connection: AbortController): Promise<T> {
  return within(SILENCE_MS, connection, work).catch((cause: unknown) => {
    throw cause instanceof ApiError ? cause : new ConnectionFailed("the event stream was cut", { cause });
  });
}
