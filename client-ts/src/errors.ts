/** What the service answers when it refuses. No error contains a token. */
import { askedPauseMs, lateAnswers } from "./retries.js";
import type { components } from "./schema.js";

export type Problem = components["schemas"]["Problem"];
/** A fault in one member of a request: its JSON pointer, a code and a text. */
export type Fault = components["schemas"]["Fault"];

/** The service refused a request. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Stable; a newer service may have others. `http_502` and the like if a proxy answered instead. */
  readonly code: components["schemas"]["ProblemCode"] | `http_${number}`;
  readonly errors: readonly Fault[];
  /** The whole answer, if the service itself gave it. */
  readonly problem: Problem | undefined;
  /** The pause that the service asked for; 0 if none. */
  readonly retryAfterMs: number;
  /** An earlier try may have been executed: a 404 can then mean that a thing is deleted as asked. */
  readonly mayBeDone: boolean;

  /** @param body That of the response: parsed JSON, or text. */
  constructor(response: Response, body: unknown) {
    const isProblem = typeof body === "object" && body !== null && "errors" in body;
    const problem = isProblem ? (body as Problem) : undefined;
    super(problem?.detail ?? `the service answered ${response.status}`);
    this.status = response.status;
    this.code = problem?.code ?? `http_${response.status}`;
    this.errors = problem?.errors ?? [];
    this.problem = problem;
    this.retryAfterMs = askedPauseMs(response);
    this.mayBeDone = lateAnswers.has(response);
  }
}

/** The data of an answer of `client.api`. Throws ApiError if the service refused. */
export async function unwrap<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiError(response, error);
  return data as T;
}
