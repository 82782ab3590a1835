/** Requests that are sent again, and those that are not; problems. */
import assert from "node:assert/strict";
import test from "node:test";
import { ApiError, Client, ConnectionFailed, unwrap } from "machi-koro-client";
import { CuttingProxy } from "./cutting_proxy.js";
import { breaking, saying, scripted } from "./scripted.js";
import { addressIn, begun, recorded, signedUp } from "./service.js";

const address = addressIn("MACHI_URL");
const limited = addressIn("MACHI_LIMITED_URL");
const ROLL = { type: "roll_dice", dice: 1 } as const;
const TWO = [{ kind: "me" as const }, { kind: "me" as const }];

const refusal = async (refused: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await refused.then(
    () => assert.fail("it was not refused"),
    (reason: unknown) => reason,
  );
  assert(error instanceof ApiError);
  return error;
};

test("a command whose answer is lost is sent again and executed once", async (context) => {
  const { client, token } = await signedUp(address);
  const match_id = await begun(client, "base");
  const proxy = await CuttingProxy.before(address);
  context.after(() => proxy.close());
  proxy.lost = { beginning: "POST", left: 3 };
  const tries: string[] = [];
  const lossy = new Client(proxy.address, { token, onRetry: (why) => tries.push(why) });
  const params = { path: { match_id } };
  const { data, response } = await lossy.api.POST("/v1/matches/{match_id}/commands", { params, body: ROLL });
  assert.equal(response.headers.get("Idempotency-Replayed"), "true");
  assert.equal(tries.length, 3);
  assert.equal(proxy.cuts, 3);
  const own = (await recorded(client, match_id)).filter((one) => one.actor === "seat:0");
  assert.deepEqual(own, data?.events);
});

test("a command that never arrived is sent again and executed once", async (context) => {
  const { client, token } = await signedUp(address);
  const match_id = await begun(client, "base");
  const proxy = await CuttingProxy.before(address);
  context.after(() => proxy.close());
  proxy.budgets.push(1, 1);
  const answer = await new Client(proxy.address, { token }).command(match_id, ROLL);
  assert.equal(proxy.cuts, 2);
  const rolled = (await recorded(client, match_id)).filter((one) => one.command_id === answer.command_id);
  assert.deepEqual(rolled, answer.events);
});

test("an account and a match whose answers are lost are created once", async (context) => {
  const proxy = await CuttingProxy.before(address);
  context.after(() => proxy.close());
  proxy.lost = { beginning: "POST /v1/accounts", left: 2 };
  const { client, handle } = await signedUp(proxy.address);
  proxy.lost = { beginning: "POST /v1/matches", left: 2 };
  const { match_id } = await client.createMatch({ ruleset: "base", seats: TWO });
  assert.equal(proxy.cuts, 4);
  const query = { params: { query: { player: handle } } };
  const { items } = await unwrap(client.api.GET("/v1/matches", query));
  assert.deepEqual(
    items.map((one) => one.match_id),
    [match_id],
  );
});

test("after a lost answer a refusal says that the request may be done", async (context) => {
  const { client, token } = await signedUp(address);
  const body = { name: "for once", scopes: ["play" as const] };
  const { token_id } = await unwrap(client.api.POST("/v1/me/tokens", { body }));
  const proxy = await CuttingProxy.before(address);
  context.after(() => proxy.close());
  proxy.lost = { beginning: "DELETE", left: 1 };
  const params = { path: { token_id } };
  const lossy = new Client(proxy.address, { token });
  const late = await refusal(unwrap(lossy.api.DELETE("/v1/me/tokens/{token_id}", { params })));
  assert.deepEqual([late.code, late.mayBeDone], ["token_not_found", true]);
  const again = await refusal(unwrap(client.api.DELETE("/v1/me/tokens/{token_id}", { params })));
  assert.deepEqual([again.code, again.mayBeDone], ["token_not_found", false]);
});

test("a client above its quota waits as long as it is told to, and nothing is lost or doubled", async () => {
  const pauses: [string, number][] = [];
  const { client } = await signedUp(limited, { onRetry: (...pause) => pauses.push(pause) });
  const { match_id } = await client.createMatch({ ruleset: "base", seats: TWO, first_seat: 0 });
  for (let turn = 0; turn < 3; turn++) {
    await client.command(match_id, ROLL);
    await client.command(match_id, { type: "pass" });
  }
  assert(pauses.length > 0);
  for (const [why, pauseMs] of pauses) {
    assert.equal(why, "the service answered 429");
    assert(pauseMs >= 1000);
  }
  const rolls = (await recorded(client, match_id)).filter((one) => one.type === "dice_rolled");
  assert.equal(rolls.length, 3);
});

test("problems have their code, and faults their pointer", async () => {
  const { client } = await signedUp(address);
  const seats = [{ kind: "me" as const }];
  const invalid = await refusal(client.createMatch({ ruleset: "base", seats }));
  assert.deepEqual([invalid.status, invalid.code], [422, "validation_failed"]);
  assert.deepEqual(
    invalid.errors.map((one) => one.pointer),
    ["/seats"],
  );
  assert.equal(invalid.problem?.status, 422);
  const match_id = await begun(client, "base");
  const wrong = await refusal(client.command(match_id, { type: "build", card: "mine" }));
  assert.deepEqual([wrong.status, wrong.code], [409, "wrong_phase"]);
  const stale = await refusal(client.command(match_id, ROLL, 1));
  assert.equal(stale.code, "stale_version");
  assert.equal(stale.problem?.expected, 1);
  assert.deepEqual(stale.problem.events, (await recorded(client, match_id)).slice(1));
  // @ts-expect-error There is no such code.
  const misspelt: typeof stale.code = "stale_versoin";
  assert.notEqual(stale.code, misspelt);
});

test("a token is checked when it is used to log in, and no error shows it", async () => {
  const { handle, token } = await signedUp(address);
  const client = new Client(address);
  assert.equal((await client.logIn(token)).handle, handle);
  const error = await refusal(client.logIn("mk_wrong"));
  assert.equal(error.code, "token_invalid");
  assert(!JSON.stringify([error, error.stack, client]).includes("mk_wrong"));
});

for (const status of [408, 429, 502, 503, 504])
  test(`after ${status} a request is sent again with the same key and body`, async (context) => {
    const { asked, address: server } = await scripted(context, saying(status), saying(200));
    await new Client(server).createMatch({ ruleset: "base", seats: TWO });
    const keys = asked.map((one) => one.headers["idempotency-key"]);
    assert.equal(keys.length, 2);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
    assert.equal(keys[0], keys[1]);
  });

for (const status of [400, 403, 404, 409, 422, 500])
  test(`after ${status} a request is not sent again`, async (context) => {
    const body = "<h1>something else</h1>";
    const { asked, address: server } = await scripted(context, saying(status, {}, body));
    const error = await refusal(new Client(server).match("mat_1"));
    assert.deepEqual([error.code, error.problem], [`http_${status}`, undefined]);
    assert.equal(asked.length, 1);
  });

test("an answer that breaks off is asked for again", async (context) => {
  const half = saying(200, { "Content-Length": "100" }, `{"match_id": "mat`);
  const { asked, address: server } = await scripted(
    context,
    (request, response) => {
      half(request, response);
      setImmediate(() => request.socket.destroy());
    },
    saying(200, {}, `{"match_id": "mat_1"}`),
  );
  assert.equal((await new Client(server).match("mat_1")).match_id, "mat_1");
  assert.equal(asked.length, 2);
});

test("an answer that does not come in time is asked for again", async (context) => {
  const { asked, address: server } = await scripted(context, () => undefined, saying(200));
  await new Client(server, { timeoutMs: 1000 }).match("mat_1");
  assert.equal(asked.length, 2);
});

test("a pause that is longer than the time that is left is not waited for", async (context) => {
  const { address: server } = await scripted(context, saying(429, { "Retry-After": "7200" }));
  const client = new Client(server, { onRetry: () => assert.fail("not again") });
  const error = await refusal(client.match("mat_1"));
  assert.deepEqual([error.status, error.retryAfterMs], [429, 7_200_000]);
});

test("Retry-After may be a date", async (context) => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const { address: server } = await scripted(context, saying(503, { "Retry-After": date }));
  const { retryAfterMs } = await refusal(new Client(server).match("mat_1"));
  assert(retryAfterMs > 3_000_000 && retryAfterMs <= 3_600_000);
});

test("pauses double, with jitter, and the time for them ends", async (context) => {
  const { address: server } = await scripted(context, ...Array<typeof breaking>(20).fill(breaking));
  const pauses: number[] = [];
  const client = new Client(server, { retryForMs: 1000, onRetry: (_, ms) => pauses.push(ms) });
  await assert.rejects(client.match("mat_1"), ConnectionFailed);
  for (const [failed, ms] of pauses.entries()) {
    const most = 200 * 2 ** failed;
    assert(ms >= most / 2 && ms < most);
  }
  assert(pauses.length >= 2);
});

test("a signal ends a request, a pause and a loop", async (context) => {
  const { address: server } = await scripted(context, () => undefined, saying(503, { "Retry-After": "30" }));
  for (const client of [new Client(server), new Client(server)]) {
    const stop = new AbortController();
    const next = client.turns({ signal: stop.signal }).next();
    setImmediate(() => stop.abort(new Error("enough")));
    await assert.rejects(next, { message: "enough" });
  }
});
