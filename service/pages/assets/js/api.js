// The public REST API: one function for every request, and the event stream.
import { account, forget, signOut } from "./session.js";

/** @typedef {{items: any[], seats: any[]} & Record<string, any>} Answer With those members that it has. */

/** What the service answered instead of doing as asked: a problem of RFC 9457. */
export class Refusal extends Error {
  /** @param {number} status @param {Record<string, any>} problem */
  constructor(status, problem) {
    super(problem.detail || problem.title || `HTTP ${status}`);
    this.status = status;
    /** @type {string} */
    this.code = problem.code ?? "unknown";
    this.problem = problem;
    /** @type {string} */
    this.requestId = problem.request_id ?? "";
  }
}

const PASSING = new Set([408, 429, 502, 503, 504]);
const DEAD = new Set(["token_invalid", "token_expired"]);
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8000;
const SILENCE_MS = 45_000;

/** @param {number} ms @param {AbortSignal} [signal] */
export function pause(ms, signal) {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      fail(signal.reason);
    });
  });
}

/** @param {number} tries */
const pauseOf = (tries) => Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);

/**
 * Send a request until it is answered, and return the response. A write needs a `key`, so that the service
 * carries it out once however often it is sent. A token that was deleted or is too old is forgotten; a
 * read then begins the page anew.
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, key?: string, headers?: Record<string, string>, signal?: AbortSignal,
 *   tries?: number}} [options]
 * @returns {Promise<Response>}
 */
export async function send(method, path, { body, key, headers = {}, signal, tries = 8 } = {}) {
  const token = account()?.token;
  const sent = {
    Accept: "application/json",
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(key && { "Idempotency-Key": key }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
  const repeats = method === "GET" || key ? tries : 1;
  for (let tried = 1; ; tried++) {
    try {
      const answer = await fetch(path, {
        method,
        headers: sent,
        body: JSON.stringify(body),
        signal,
        credentials: "omit",
      });
      if (answer.ok) return answer;
      if (!PASSING.has(answer.status) || tried >= repeats) throw await refusal(answer);
      const after = Number(answer.headers.get("Retry-After"));
      await pause(after ? Math.min(after * 1000, LONGEST_PAUSE_MS) : pauseOf(tried), signal);
    } catch (error) {
      const isOwn = sent.Authorization === `Bearer ${account()?.token}`;
      const isDead = isOwn && error instanceof Refusal && DEAD.has(error.code);
      if (isDead && method === "GET") return forget();
      if (isDead) signOut();
      if (error instanceof Refusal || signal?.aborted || tried >= repeats) throw error;
      await pause(pauseOf(tried), signal);
    }
  }
}

/** @param {Response} answer */
async function refusal(answer) {
  const problem = await answer.json().catch(() => ({}));
  return new Refusal(answer.status, {
    ...problem,
    request_id: problem.request_id ?? answer.headers.get("X-Request-Id") ?? "",
  });
}

/**
 * @param {string} path
 * @param {{headers?: Record<string, string>, tries?: number}} [options]
 * @returns {Promise<Answer>}
 */
export async function get(path, options) {
  return (await send("GET", path, options)).json();
}

/**
 * @param {string} path @param {unknown} body
 * @param {{key?: string, headers?: Record<string, string>, tries?: number}} [options]
 * @returns {Promise<any>}
 */
export async function post(path, body, options = {}) {
  const answer = await send("POST", path, { key: crypto.randomUUID(), ...options, body });
  return answer.status === 204 ? null : answer.json();
}

/**
 * Every item of a list, page by page.
 * @param {string} path
 * @param {{most?: number, continued?: string}} [options] `continued`: the parameter that takes a page's `next`.
 * @returns {Promise<any[]>}
 */
export async function all(path, { most = 1000, continued = "cursor" } = {}) {
  const found = [];
  const address = new URL(path, location.href);
  for (;;) {
    const page = await get(address.pathname + address.search);
    found.push(...page.items);
    if (!page.next || found.length >= most) return found;
    address.searchParams.set(continued, page.next);
  }
}

/** @type {Promise<Map<string, any>> | undefined} */
let rulesets;

/** What can be played, by id. Each page asks once, and again if that failed. */
export function rulesetsById() {
  rulesets ??= get("/v1/rulesets").then(({ items }) => new Map(items.map((one) => [one.id, one])));
  rulesets.catch(() => (rulesets = undefined));
  return rulesets;
}

/**
 * Lines of JSON.
 * @param {string} path
 * @returns {Promise<any[]>}
 */
export async function lines(path) {
  const answer = await send("GET", path, { headers: { Accept: "application/x-ndjson" } });
  return (await answer.text())
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/**
 * Follow the events of a match from the one after `after`, each once and in order, over any number of
 * connections, until the signal. `onOpen` is told whether the stream is open.
 * @param {string} matchId
 * @param {number} after
 * @param {(event: any) => void} onEvent
 * @param {{signal: AbortSignal, onOpen?: (isOpen: boolean) => void}} options
 */
export async function follow(matchId, after, onEvent, { signal, onOpen = () => {} }) {
  let last = after;
  for (let tried = 0; !signal.aborted; tried++) {
    const silence = new AbortController();
    const end = () => silence.abort();
    let timer = setTimeout(end, SILENCE_MS);
    try {
      const answer = await send("GET", `/v1/matches/${matchId}/events?after=${last}`, {
        headers: { Accept: "text/event-stream" },
        signal: AbortSignal.any([signal, silence.signal]),
        tries: 1,
      });
      onOpen(true);
      for await (const data of eventData(/** @type {ReadableStream} */ (answer.body))) {
        clearTimeout(timer);
        timer = setTimeout(end, SILENCE_MS);
        if (data === null) continue;
        const event = JSON.parse(data);
        if (event.sequence !== last + 1) continue;
        last = event.sequence;
        tried = 0;
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && !PASSING.has(error.status)) throw error;
    } finally {
      clearTimeout(timer);
      onOpen(false);
    }
    await pause(pauseOf(tried), signal).catch(() => {});
  }
}

/**
 * The `data` of each event of a text/event-stream, and null for anything else that arrived.
 * @param {ReadableStream<Uint8Array>} body
 */
async function* eventData(body) {
  const reader = body
    .pipeThrough(/** @type {ReadableWritablePair<string, Uint8Array>} */ (new TextDecoderStream()))
    .getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = /** @type {string} */ (blocks.pop());
    yield null;
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data:"));
      if (data.length) yield data.map((line) => line.slice(5).trimStart()).join("\n");
    }
  }
}
