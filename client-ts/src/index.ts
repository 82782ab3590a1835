/** A typed client for a Machi Koro match service. */
export { Client } from "./client.js";
export type { Choose, Command, PlayOptions, Turn } from "./client.js";
export { ApiError, unwrap } from "./errors.js";
export type { Fault, Problem } from "./errors.js";
export { ConnectionFailed } from "./retries.js";
export type { Options } from "./retries.js";
export type { components, paths } from "./schema.js";
export type { MatchEvent, FollowOptions } from "./streams.js";
