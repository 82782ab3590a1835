/** Whole matches, and a ladder. */
import assert from "node:assert/strict";
import test from "node:test";
import { ApiError, type Choose, Client, type Command, unwrap } from "machi-koro-client";
import { CuttingProxy } from "./cutting_proxy.js";
import { type Ruleset, addressIn, all, begun, choose, recorded, signedUp, until } from "./service.js";

const address = addressIn("MACHI_URL");
const RULESETS = [
  "base",
  "harbor",
  "machi_koro_2",
  "millionaires_row",
  "harbor_millionaires_row",
] as const satisfies readonly Ruleset[];
const LOST = 10;

test("these are all rulesets", async () => {
  const { items } = await unwrap(new Client(address).api.GET("/v1/rulesets"));
  assert.deepEqual(items.map((one) => one.id).sort(), [...RULESETS].sort());
});

for (const ruleset of RULESETS)
  test(`a match of ${ruleset} is played to its end and followed meanwhile`, async () => {
    const { client } = await signedUp(address);
    const match_id = await begun(client, ruleset);
    const followed = all(client.follow(match_id));
    const decisions = await client.play(choose, { match: match_id });
    const match = await client.match(match_id);
    assert.equal(match.status, "finished");
    const events = await followed;
    assert.deepEqual(events, await recorded(client, match_id));
    const own = events.filter((one) => one.actor === "seat:0");
    assert.equal(new Set(own.map((one) => one.command_id)).size, decisions);
    const last = events.find((one) => one.type === "match_finished");
    assert.equal(last?.data.winner, match.winner);
  });

test("two accounts play a private match, one of them by its turns, until it resigns", async () => {
  const [{ client: ada }, { client: bob }] = [await signedUp(address), await signedUp(address)];
  const { match_id, invitation_code } = await ada.createMatch({
    ruleset: "base",
    visibility: "private",
    seats: [{ kind: "me" }, { kind: "open" }],
  });
  assert(invitation_code);
  const playing = ada.play(choose, { match: match_id });
  assert.equal((await bob.join(match_id, { code: invitation_code })).seat, 1);
  let decisions = 0;
  for await (const turn of bob.turns({ match: match_id })) {
    const command: Command = decisions++ < 5 ? await choose(turn) : { type: "resign" };
    await bob.command(match_id, command, turn.version);
  }
  assert.equal(decisions, 6);
  assert((await playing) > 1);
  assert.equal((await bob.match(match_id)).winner, 0);
});

test("a bot that loses the answers to its commands makes each decision once", async (context) => {
  const { token } = await signedUp(address);
  const proxy = await CuttingProxy.before(address);
  context.after(() => proxy.close());
  const client = new Client(proxy.address, { token });
  const match_id = await begun(client, "base");
  let chosen = 0;
  const decisions = await client.play(
    (turn) => {
      if (chosen++ === LOST) return { type: "resign" };
      proxy.lost = { beginning: `POST /v1/matches/${match_id}/commands`, left: 1 };
      return choose(turn);
    },
    { match: match_id },
  );
  assert.equal(proxy.cuts, LOST);
  assert.equal(decisions, LOST + 1);
  const own = (await recorded(client, match_id)).filter((one) => one.actor === "seat:0");
  assert.equal(new Set(own.map((one) => one.command_id)).size, decisions);
});

test("a bot enters a ladder, plays its matches, and goes on after a restart", async () => {
  const { client: owner } = await signedUp(address);
  const { client: bot, handle } = await signedUp(address);
  const config = { name: `Ladder of ${handle}`, ruleset: "base", seats: 2 } as const;
  const { ladder_id } = await unwrap(owner.api.POST("/v1/ladders", { body: config }));
  const params = { path: { ladder_id } };
  const entries = "/v1/ladders/{ladder_id}/entries";
  await unwrap(owner.api.POST(entries, { params, body: { kind: "strategy", strategy: "random" } }));
  const end = new AbortController();
  const resigning: Choose = (turn) => (turn.state.turn > 6 ? { type: "resign" } : choose(turn));
  const started = [0, 1].map(() => bot.playLadder(ladder_id, "1", resigning, end.signal));
  // Both began with the same entry: the second one is as a bot that was started again.
  await until(async () => {
    const { entries: entered } = await unwrap(owner.api.GET("/v1/ladders/{ladder_id}", { params }));
    return entered.length === 2;
  });
  const round = await unwrap(
    owner.api.POST("/v1/ladders/{ladder_id}/rounds", { params, body: { blocks: 1 } }),
  );
  await until(async () => {
    const job = { params: { path: { job_id: round.job_id } } };
    return (await unwrap(owner.api.GET("/v1/jobs/{job_id}", job))).status === "finished";
  });
  end.abort(new Error("enough"));
  // Both at once: Node ends a test whose second promise is rejected while it waits for the first.
  await Promise.all(started.map((one) => assert.rejects(one, { message: "enough" })));
  const played = await unwrap(owner.api.GET("/v1/ladders/{ladder_id}/matches", { params, parseAs: "text" }));
  assert.equal(played.match(/"mat_/g)?.length, 2);
  const left = await unwrap(owner.api.GET("/v1/ladders/{ladder_id}", { params }));
  const entry = left.entries.find((one) => one.player.kind === "bot");
  assert(entry);
  const path = { ladder_id, entry_id: entry.entry_id };
  await bot.api.DELETE("/v1/ladders/{ladder_id}/entries/{entry_id}", { params: { path } });
  await assert.rejects(bot.playLadder(ladder_id, "1", choose), {
    message: "version 1 was removed: withdrawn",
  });
});

test("a refused command ends the loop with its problem", async () => {
  const { client } = await signedUp(address);
  const match_id = await begun(client, "base");
  const playing = client.play(() => ({ type: "roll_dice", dice: 2 }), { match: match_id });
  await assert.rejects(playing, (error) => {
    return error instanceof ApiError && error.code === "two_dice_need_station";
  });
});
