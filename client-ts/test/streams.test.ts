/** Streams: every event once and in order, whatever happens to the connection. */
import assert from "node:assert/strict";
import { once } from "node:events";
import test, { type TestContext, before } from "node:test";
import { setImmediate } from "node:timers/promises";
import { ApiError, Client, ConnectionFailed, type MatchEvent } from "machi-koro-client";
import { CuttingProxy } from "./cutting_proxy.js";
import { beginning, breaking, saying, scripted } from "./scripted.js";
import { addressIn, all, begun, choose, recorded, signedUp } from "./service.js";

const address = addressIn("MACHI_URL");
const CUTS = 20;

/** Numbers from 0 up to 1, the same for the same seed. */
function chance(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return seed / 0x8000_0000;
  };
}

/** A match that was played to its end. */
let played: { match_id: string; events: MatchEvent[] };

before(async () => {
  const { client } = await signedUp(address);
  const match_id = await begun(client, "harbor");
  await client.play(choose, { match: match_id });
  played = { match_id, events: await recorded(client, match_id) };
});

/** A client whose connections are cut after so many bytes, one after the other. */
async function cutAfter(context: TestContext, budgets: readonly number[]) {
  const proxy = await CuttingProxy.before(address);
  context.after(() => proxy.close());
  proxy.budgets.push(...budgets);
  const pauses: string[] = [];
  return { proxy, pauses, client: new Client(proxy.address, { onRetry: (why) => pauses.push(why) }) };
}

for (const seed of [1, 2])
  test(`a stream that is cut at random twenty times gives every event once, seed ${seed}`, async (context) => {
    const random = chance(seed);
    const most = Math.floor(JSON.stringify(played.events).length / (CUTS + 1));
    const budgets = Array.from({ length: CUTS }, () => 1 + Math.floor(random() * most));
    const { proxy, pauses, client } = await cutAfter(context, budgets);
    assert.deepEqual(await all(client.follow(played.match_id)), played.events);
    assert.equal(proxy.cuts, CUTS);
    assert.equal(pauses.length, CUTS);
  });

test("a stream is cut while the match is played", async (context) => {
  const { client } = await signedUp(address);
  const match_id = await begun(client, "machi_koro_2");
  const random = chance(3);
  const budgets = Array.from({ length: CUTS }, () => 1000 + Math.floor(random() * 3000));
  const { proxy, client: follower } = await cutAfter(context, budgets);
  const followed = all(follower.follow(match_id));
  await client.play(choose, { match: match_id });
  assert.deepEqual(await followed, await recorded(client, match_id));
  assert(proxy.cuts > 0);
});

test("a stream begins after the event asked for, and has only the types asked for", async (context) => {
  const { match_id, events } = played;
  assert.deepEqual(await all(new Client(address).follow(match_id, { after: 9 })), events.slice(9));
  const types = ["dice_rolled", "turn_ended"] as const;
  const { proxy, client } = await cutAfter(context, [3000, 3000, 3000]);
  assert.deepEqual(
    await all(client.follow(match_id, { types })),
    events.filter((one) => one.type === "dice_rolled" || one.type === "turn_ended"),
  );
  assert.equal(proxy.cuts, 3);
});

test("an event beyond the end is refused at once", async () => {
  const client = new Client(address, { onRetry: () => assert.fail("not again") });
  await assert.rejects(all(client.follow(played.match_id, { after: 10_000 })), (error) => {
    return error instanceof ApiError && error.code === "cursor_ahead";
  });
});

const event = (sequence: number): string => JSON.stringify({ sequence, type: "turn_ended" });
const END = JSON.stringify({ type: "stream_end" });

/** The sequences of a stream of that server. */
async function sequences(server: string, signal?: AbortSignal): Promise<number[]> {
  const followed = new Client(server).follow("mat_1", signal && { signal });
  return (await all(followed)).map((one) => one.sequence);
}

test("a stream that falls silent is opened again", async (context) => {
  const rest = beginning(event(2), END);
  const { asked, address: server } = await scripted(context, beginning(event(1), ""), rest);
  const paused = new EventTarget();
  const options = { onRetry: () => paused.dispatchEvent(new Event("pause")) };
  const followed = new Client(server, options).follow("mat_1");
  assert.equal((await followed.next()).value?.sequence, 1);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const pause = once(paused, "pause");
  const next = followed.next();
  await setImmediate();
  context.mock.timers.tick(24_999);
  await setImmediate();
  assert.equal(asked.length, 1);
  context.mock.timers.tick(1);
  await pause;
  await setImmediate();
  context.mock.timers.tick(200);
  assert.equal((await next).value?.sequence, 2);
  assert.deepEqual(
    asked.map((one) => one.url?.match(/after=\d/)?.[0]),
    ["after=0", "after=1"],
  );
});

test("an event that comes twice is given once, and an empty line is none", async (context) => {
  const stream = beginning(event(1), "", event(2), event(2), event(1), "", event(3), END);
  assert.deepEqual(await sequences((await scripted(context, stream)).address), [1, 2, 3]);
});

test("an event that is left out is an error", async (context) => {
  const { asked, address: server } = await scripted(context, beginning(event(1), event(3), END));
  await assert.rejects(sequences(server), { message: "event 2 is missing" });
  assert.equal(asked.length, 1);
});

test("a line that is no JSON is an error", async (context) => {
  const { asked, address: server } = await scripted(context, beginning("<html>"));
  await assert.rejects(sequences(server), SyntaxError);
  assert.equal(asked.length, 1);
});

test("a stream that cannot be had is asked for again", async (context) => {
  const troubles = [breaking, saying(503), saying(429, { "Retry-After": "0" })];
  const { asked, address: server } = await scripted(context, ...troubles, beginning(event(1), END));
  assert.deepEqual(await sequences(server), [1]);
  assert.equal(asked.length, 4);
});

test("a stream that stays away is given up", async (context) => {
  const { asked, address: server } = await scripted(context, (request, response) => {
    beginning(event(1))(request, response);
    globalThis.setImmediate(() => response.destroy());
  });
  const followed = all(new Client(server, { retryForMs: 500 }).follow("mat_1"));
  await assert.rejects(followed, ConnectionFailed);
  assert(asked.length >= 2);
});

test("a signal ends a stream, and so does leaving the loop", async (context) => {
  const { asked, address: server } = await scripted(context, beginning(event(1)), beginning(event(1)));
  const stop = new AbortController();
  const followed = new Client(server).follow("mat_1", { signal: stop.signal });
  await followed.next();
  const next = followed.next();
  stop.abort(new Error("enough"));
  await assert.rejects(next, { message: "enough" });
  for await (const { sequence } of new Client(server).follow("mat_1")) {
    assert.equal(sequence, 1);
    break;
  }
  for (const { socket } of asked) if (!socket.destroyed) await once(socket, "close");
});
