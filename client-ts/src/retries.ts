/** Requests that are sent again until they are answered, or the time is up. */

export interface Options {
  token?: string;
  /** For one try, in ms; a long poll adds its wait. 10,000 by default. */
  timeoutMs?: number;
  /** How long to go on trying after a failure, in ms. 60,000 by default. */
  retryForMs?: number;
  /** Called before each pause; `why` never contains a token. */
  onRetry?: (why: string, pauseMs: number) => void;
}

/** No complete answer came in time. The request may have been executed all the same. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";
}

/** Answers to requests of which an earlier try may have been executed. */
export const lateAnswers = new WeakSet<Response>();

/** Pauses double, with jitter. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const TRANSIENT = new Set([408, 429, 502, 503, 504]);

/** Whether another try may be answered otherwise. Not after 500: it would fail in the same way. */
export const isTransient = (status: number): boolean => TRANSIENT.has(status);

/** The ms in `Retry-After`, which may also be a date; 0 without it. */
export function askedPauseMs(response: Response): number {
  const header = response.headers.get("Retry-After") ?? "";
  const pauseMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Math.max(0, pauseMs || 0);
}

/** Browsers have `randomUUID` on secure pages only. */
export function newKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Wait for the work, but abort `controller` if that takes longer than `ms`. */
export async function within<T>(ms: number, controller: AbortController, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => controller.abort(new ConnectionFailed(`nothing came for ${ms} ms`)), ms);
  return work.finally(() => clearTimeout(timer));
}

/** The attempts at one request or stream. */
export class Attempts {
  #failed = 0;
  #endsAt = 0;

  constructor(private readonly options: Options) {}

  /** Begin anew, after a success. */
  begin(): void {
    this.#failed = 0;
  }

  /** Pause before the next attempt; false, at once, if there is no time for it. The signal ends it. */
  async pause(why: string, askedMs: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    if (this.#failed === 0) this.#endsAt = performance.now() + (this.options.retryForMs ?? 60_000);
    const doubledMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failed++, LONGEST_PAUSE_MS);
    const pauseMs = askedMs + doubledMs * (0.5 + Math.random() / 2);
    if (performance.now() + pauseMs >= this.#endsAt) return false;
    this.options.onRetry?.(why, pauseMs);
    await sleep(pauseMs, signal);
    signal?.throwIfAborted();
    return true;
  }
}

/** Until the time is over, or the signal comes. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/** Sends requests with the token of an account. */
export class Transport {
  token: string | undefined;

  constructor(readonly options: Options) {
    this.token = options.token;
  }

  /** Send it once. */
  readonly once = (request: Request): Promise<Response> => {
    if (this.token) request.headers.set("Authorization", `Bearer ${this.token}`);
    return fetch(request);
  };

  /**
   * Send it until it is answered. A POST has an `Idempotency-Key`, so that it is executed once; the other
   * methods may be repeated as they are. Throws ConnectionFailed.
   */
  readonly send = async (request: Request): Promise<Response> => {
    const isPost = request.method === "POST";
    if (isPost && !request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", newKey());
    const waitMs = 1000 * Number(new URL(request.url).searchParams.get("wait"));
    const timeoutMs = (this.options.timeoutMs ?? 10_000) + waitMs;
    const attempts = new Attempts(this.options);
    for (let mayBeDone = false; ;) {
      const answer = await this.#attempt(request, timeoutMs);
      if (answer instanceof Response) {
        if (mayBeDone) lateAnswers.add(answer);
        if (!isTransient(answer.status)) return answer;
        const why = `the service answered ${answer.status}`;
        if (!(await attempts.pause(why, askedPauseMs(answer), request.signal))) return answer;
      } else if (!(await attempts.pause(answer.message, 0, request.signal))) throw answer;
      mayBeDone ||= !(answer instanceof Response && answer.status === 429);
    }
  };

  /** A response whose body has arrived, too; or what went wrong on the way. */
  async #attempt(request: Request, timeoutMs: number): Promise<Response | ConnectionFailed> {
    const slow = new AbortController();
    const signal = AbortSignal.any([request.signal, slow.signal]);
    try {
      const response = this.once(new Request(request.clone(), { signal }));
      const body = response.then((begun) => begun.clone().arrayBuffer());
      await within(timeoutMs, slow, body);
      return await response;
    } catch (cause) {
      return new ConnectionFailed(`no complete answer to ${request.method} ${request.url}`, { cause });
    }
  }
}
