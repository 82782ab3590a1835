"""The story behind the examples of the document, chapter by chapter.

Chance has no part in it: dice are scripted or never rolled, decks are laid out card by card, and the first
seat is given. So a chapter that is told again is the same but for its ids and times.
"""

from typing import Any, NamedTuple

import redis

from domain.match.chance import seat_commitment
from runtime.heartbeat import beat
from service.accounts.seating import MOST_LISTED
from service.context import EXTENSION
from service.matches import command_schemas as commands
from service.matches import new_branch_schemas as new_branch
from service.matches.invitations import MOST_INVITING
from service.matches.new_match_examples import EXAMPLES
from service.openapi.headers import PARAMETERS
from tests.golden.recorder import Person, Recorder, delete, get, patch, post, put

MATCHES = "/v1/matches"
COMMANDS: dict[str, Any] = {name: example["value"] for name, example in commands.EXAMPLES.items()}
WISHES: dict[str, Any] = {name: example["value"] for name, example in EXAMPLES.items()}
BRANCHES: dict[str, Any] = {name: example["value"] for name, example in new_branch.EXAMPLES.items()}

SEAT_SEEDS = ("0f1e2d3c4b5a69788796a5b4c3d2e1f0", "Q1yqGBvB0mUk0cIuLQv3hHkzN6uYp2cR")

KEY: str = PARAMETERS["Idempotency-Key"]["example"]


class People(NamedTuple):
    ada: Person
    bob: Person
    eve: Person


def tell_of_health(rec: Recorder, queue: redis.Redis) -> None:
    rec.begin_chapter()
    rec.answer("alive", "The process is alive", get("/healthz"))
    rec.problem("not_ready", get("/readyz"))
    beat(queue, "relay", 60)
    beat(queue, "worker", 60)
    rec.answer("ready", "A match can be played", get("/readyz"))
    rec.send(get("/docs/docs.js"))


def tell_of_accounts(rec: Recorder) -> People:
    rec.begin_chapter()
    created = rec.answer("ada", "A new account", post("/v1/accounts", {"handle": "ada"}))
    ada = Person("ada", created["token"])
    people = People(ada, rec.sign_up("bob"), rec.sign_up("eve"))
    rec.answer("ada", "The account of the token", get("/v1/me", ada))
    wish = {"name": "my bot", "scopes": ["play"], "expires_at": None}
    made = rec.answer("bot", "A token that can only play", post("/v1/me/tokens", wish, ada))
    rec.answer("two", "The first token and another", get("/v1/me/tokens", ada))
    rec.problem("scope_missing", post(MATCHES, {}, Person("ada's bot", made["token"])))
    token = f"/v1/me/tokens/{made['token_id']}"
    rec.send(delete(token, ada))
    rec.problem("token_not_found", delete(token, ada))
    rec.send(delete("/v1/me?handle=grace", rec.sign_up("grace")))
    return people


def tell_of_the_catalogue(rec: Recorder) -> None:
    rec.begin_chapter()
    rec.answer("base", "The first game", get("/v1/rulesets"), cut=("items", slice(1)))
    rec.answer("harbor", "The first game with its Harbor expansion", get("/v1/rulesets/harbor"))
    cards = "/v1/rulesets/harbor/cards"
    rec.answer("english", "Cards in English", get(cards), cut=("items", slice(2)))
    rec.answer("ukrainian", "Cards in Ukrainian", get(f"{cards}?lang=uk"), cut=("items", slice(1)))
    second = get("/v1/rulesets/machi_koro_2/cards")
    rec.answer("machi_koro_2", "Cards of the second game", second, cut=("items", slice(1)))
    rec.answer("random", "The weakest built-in player", get("/v1/strategies"), cut=("items", slice(1)))
    rec.answer("dice_rolled", "The type of rolls", get("/v1/event-types"), cut=("items", slice(11, 12)))


def tell_of_an_open_match(rec: Recorder, people: People) -> None:
    """A match that is made, joined, looked at, and called off before the first roll."""
    rec.begin_chapter()
    ada, bob, eve = people
    made = rec.answer("open_seat", "A match that waits for a player", post(MATCHES, WISHES["open_seat"], ada))
    path = f"{MATCHES}/{made['match_id']}"
    rec.problem("match_not_started", post(f"{path}/commands", COMMANDS["roll_dice"], ada))
    rec.problem("seat_taken", post(f"{path}/seats", {"seat": 0}, bob))
    rec.answer("second", "The last seat starts the match", post(f"{path}/seats", {"seat": 1}, bob))
    rec.problem("match_full", post(f"{path}/seats", {}, eve))
    rec.answer("running", "A running match with secret dice", get(path))
    rec.answer("open_market", "The table of a new match", get(f"{path}/state"))
    rec.answer("roll", "One die, without the Train Station", get(f"{path}/legal-commands"))
    rec.answer("running", "Before the first roll", get(f"{path}/fairness"))
    rec.problem("not_your_turn", post(f"{path}/commands", COMMANDS["roll_dice"], bob))
    rec.problem("not_your_seat", post(f"{path}/commands", COMMANDS["roll_dice"], eve))
    rec.problem("wrong_phase", post(f"{path}/commands", COMMANDS["pass"], ada))
    rec.problem("not_creator", post(f"{path}/abort", by=bob))
    rec.answer("by_its_creator", "A match aborted before its first roll", post(f"{path}/abort", by=ada))
    rec.problem("match_finished", post(f"{path}/commands", COMMANDS["roll_dice"], ada))
    revealed = get(f"{path}/events?types=match_aborted,dice_revealed", eve)
    rec.answer("revealed", "The last events, with the revealed seed", revealed)


def tell_of_seat_seeds(rec: Recorder, people: People) -> None:
    """A match whose two accounts commit to seeds, open them, and play one roll."""
    rec.begin_chapter()
    ada, bob, _ = people
    made = rec.answer(
        "seat_seeds", "A match whose seats commit to seeds", post(MATCHES, WISHES["seat_seeds"], ada)
    )
    path = f"{MATCHES}/{made['match_id']}"
    rec.send(post(f"{path}/seats", {}, bob))

    def committed(seat: int) -> dict[str, Any]:
        return {
            "seat": seat,
            "commitment": seat_commitment(made["dice"]["commitment"], seat, SEAT_SEEDS[seat]),
        }

    opened: list[dict[str, Any]] = [{"seat": seat, "seed": seed} for seat, seed in enumerate(SEAT_SEEDS)]
    rec.problem("seat_seed_not_due", post(f"{path}/seat-seeds", opened[0], ada))
    rec.send(post(f"{path}/seat-seed-commitments", committed(0), ada))
    last = post(f"{path}/seat-seed-commitments", committed(1), bob)
    rec.answer("last", "Every seat has committed: seeds are due", last)
    rec.problem("seat_seed_mismatch", post(f"{path}/seat-seeds", {"seat": 0, "seed": "f" * 32}, ada))
    rec.send(post(f"{path}/seat-seeds", opened[1], bob))
    rec.answer("last", "The match starts with its last seed", post(f"{path}/seat-seeds", opened[0], ada))
    rec.answer("seat_seeds", "Commitments and seeds of the seats", get(f"{path}/fairness"))


def tell_of_more_matches(rec: Recorder, people: People) -> None:
    rec.begin_chapter()
    ada = people.ada
    against = post(MATCHES, WISHES["against_strategies"], ada)
    rec.answer("against_strategies", "A match that has started", against)
    private = rec.send(post(MATCHES, WISHES["private"], ada)).json["match_id"]
    rec.problem("match_not_found", get(f"{MATCHES}/{private}"))
    board = rec.send(post(MATCHES, WISHES["analysis_board"], ada)).json["match_id"]
    rec.answer("analysis_board", "An analysis board", get(f"{MATCHES}/{board}"))
    limited = rec.send(post(MATCHES, WISHES["limited_market"], ada)).json["match_id"]
    rec.answer("limited_market", "A limited market", get(f"{MATCHES}/{limited}/state"))


def tell_of_a_table_of_two(rec: Recorder, people: People) -> None:
    """The first game with every choice that it asks for."""
    rec.begin_chapter()
    ada, bob, _ = people
    made = rec.send(post(MATCHES, WISHES["table_of_two"], ada)).json
    path = f"{MATCHES}/{made['match_id']}"
    _first_turn(rec, path, ada, made["version"])
    _looking_back(rec, path, ada, made["version"])
    _second_turn(rec, path, bob)
    _third_and_fifth_turn(rec, path, people)
    _last_turn(rec, path, people)
    _in_sentences(rec, path, made["version"])


def _act(rec: Recorder, path: str, by: Person, name: str, summary: str) -> Any:
    """A command that the document gives as an example, and its answer."""
    return rec.answer(name, summary, post(f"{path}/commands", COMMANDS[name], by))


def _play(rec: Recorder, path: str, by: Person, *bodies: dict[str, Any]) -> None:
    for body in bodies:
        rec.send(post(f"{path}/commands", body, by))


def _first_turn(rec: Recorder, path: str, ada: Person, version: int) -> None:
    target = f"{path}/commands"
    wish = COMMANDS["roll_dice"]
    checked = post(f"{path}/dry-runs", wish, ada)
    rec.answer("accepted", "One die can be rolled", checked)
    rolled = post(target, wish, ada, Idempotency_Key=KEY, If_Match=f'"{version}"')
    rec.answer("roll_dice", "A 6; the Radio Tower allows a reroll", rolled)
    _play(rec, path, ada, COMMANDS["keep_dice"])
    rec.problem("invalid_target", post(target, {"type": "take_coins", "from_seat": 0}, ada))
    _act(rec, path, ada, "take_coins", "Five coins; the Business Center asks")
    swap = COMMANDS["swap_establishments"]
    rec.problem("card_not_owned", post(target, {**swap, "give": "mine"}, ada))
    rec.problem("card_not_tradable", post(target, {**swap, "give": "tv_station"}, ada))
    _play(rec, path, ada, swap)
    legal = get(f"{path}/legal-commands?explain=true", ada)
    rec.answer(
        "build", "Cards that can be built, and the others with reasons", legal, cut=("unbuildable", slice(4))
    )
    embedded = post(f"{target}?embed=state,legal_commands", COMMANDS["build"], ada)
    rec.answer("build", "A café, with the table afterwards", embedded)


def _looking_back(rec: Recorder, path: str, ada: Person, version: int) -> None:
    rec.answer("roll_dice", "The executed command", get(f"{path}/commands/{KEY}", ada), ("events", slice(1)))
    rec.problem("command_not_found", get(f"{path}/commands/never-sent", ada))
    rec.problem(
        "idempotency_key_reused", post(f"{path}/commands", COMMANDS["pass"], ada, Idempotency_Key=KEY)
    )
    page = get(f"{path}/events?after={version}&limit=2&wait=25")
    rec.answer("page", "Two events of a longer list", page)
    rec.answer("dice_rolled", "A roll", get(f"{path}/events/{version + 1}"))
    rec.problem("event_not_found", get(f"{path}/events/1000"))
    past = get(f"{path}/states/{version + 1}?embed=legal_commands,event")
    rec.answer("within_a_command", "Between two events of a command", past)
    replay, two = f"{path}/replay?from={version + 1}&to=", version + 2
    rec.answer("full", "A roll and the state after it", get(f"{replay}{version + 1}"))
    rec.answer("patch", "A roll and a choice, as patches", get(f"{replay}{two}&states=patch"))
    rec.answer("one_command", "The difference made by a roll", get(f"{path}/diff?from={version}&to={two}"))
    rec.problem("cursor_ahead", get(f"{path}/events?after=1000"))


def _second_turn(rec: Recorder, path: str, bob: Person) -> None:
    turns = rec.answer("one", "One pending decision", get("/v1/me/turns?wait=25", bob))
    stale = f'"{turns["items"][0]["version"] - 2}"'
    rec.problem("stale_version", post(f"{path}/commands", COMMANDS["roll_dice"], bob, If_Match=stale))
    _play(rec, path, bob, COMMANDS["roll_dice"], COMMANDS["pass"])


def _third_and_fifth_turn(rec: Recorder, path: str, people: People) -> None:
    ada, bob, _ = people
    two_dice = {"type": "roll_dice", "dice": 2}
    reroll, keep, stay = COMMANDS["reroll_dice"], COMMANDS["keep_dice"], COMMANDS["keep_total"]
    _play(rec, path, ada, two_dice, reroll, COMMANDS["add_two"], COMMANDS["pass"])
    _play(rec, path, bob, COMMANDS["roll_dice"], COMMANDS["pass"])
    _play(rec, path, ada, two_dice, keep, stay, COMMANDS["pass"])
    _play(rec, path, bob, COMMANDS["roll_dice"], COMMANDS["pass"])


def _last_turn(rec: Recorder, path: str, people: People) -> None:
    ada, bob, _ = people
    keep, take, decline = COMMANDS["keep_dice"], COMMANDS["take_coins"], COMMANDS["decline_swap"]
    _play(rec, path, ada, COMMANDS["roll_dice"], keep, take, decline)
    resigned = _act(rec, path, bob, "resign", "Bob leaves, and Ada wins")
    rec.answer("finished", "A match that is over", get(path))
    thrice = get(f"{path}/luck?after=20&limit=3")
    rec.answer("three_throws", "A turn with a roll, a reroll and a roll for the boats", thrice)
    told = get(f"{path}/fairness")
    rec.answer("scripted", "Scripted rolls, and the seed", told, cut=("throws", slice(2)))
    after = resigned["version"] - 1
    events = f"{path}/events?after={after}"
    rec.answer("end_of_stream", "The last event and the end", get(events, Accept="text/event-stream"))
    lines = get(f"{events}&follow=true", Accept="application/x-ndjson")
    rec.answer("end_of_lines", "The last event and the end", lines)


def _in_sentences(rec: Recorder, path: str, begin: int) -> None:
    page = f"{path}/log?after={begin}&limit=6"
    rec.answer("english", "A roll and two choices", get(page))
    rec.answer("ukrainian", "The same in Ukrainian", get(page, Accept_Language="uk-UA, en;q=0.5"))
    end = rec.send(get(path)).json["version"]
    text = get(f"{path}/log?after={end - 4}&lang=it", Accept="text/plain")
    rec.answer("italian", "The end, as text in Italian", text)


def tell_of_three_rows(rec: Recorder, people: People) -> None:
    """The second game with its rows, and the choice that the first one does not have."""
    rec.begin_chapter()
    ada, bob, _ = people
    made = rec.send(post(MATCHES, WISHES["three_rows"], ada)).json
    path = f"{MATCHES}/{made['match_id']}"
    _play(rec, path, ada, {"type": "roll_dice", "dice": 2})
    rec.answer("rows", "Three rows, and an open choice", get(f"{path}/state"))
    _play(rec, path, ada, COMMANDS["give_establishment"], COMMANDS["pass"])
    _play(rec, path, bob, COMMANDS["roll_dice"])
    loan = {"type": "build", "card": "loan_office"}
    rec.problem("loan_office_condition", post(f"{path}/commands", loan, bob))


def tell_of_branches(rec: Recorder, people: People) -> None:
    """What might have been: three ways on from the first roll of a match that is over."""
    rec.begin_chapter()
    ada, bob, _ = people
    wish = {**WISHES["table_of_two"], "dice": {"mode": "scripted", "throws": [[6], [2], [3, 2], [4, 4]]}}
    made = rec.send(post(MATCHES, wish, ada)).json
    path = f"{MATCHES}/{made['match_id']}"
    branches, last = f"{path}/branches", made["version"]
    rec.problem("seed_unavailable", post(branches, {"from_version": last, "dice": "same"}, ada))
    rec.problem("version_not_found", post(branches, {"from_version": 1000, "dice": "fresh"}, ada))
    _play(rec, path, ada, COMMANDS["roll_dice"], COMMANDS["keep_dice"], COMMANDS["take_coins"])
    _play(rec, path, bob, COMMANDS["resign"])
    same, fresh, scripted = (
        post(branches, {**BRANCHES[name], "from_version": last + 2}, ada) for name in BRANCHES
    )
    rec.answer("same", "A branch with the same dice", same)
    rec.answer("fresh", "Other dice, and a built-in player", fresh)
    branch = f"{MATCHES}/{rec.send(scripted).json['match_id']}"
    begun = get(f"{branch}/events?types=branch_started", ada)
    rec.answer("branch", "The start of a branch, with an open choice", begun)


def tell_of_checkpoints(rec: Recorder) -> None:
    """How the matches ended that the story has told of so far."""
    rec.begin_chapter()
    rec.answer("one", "The current key", get("/v1/signing-keys"))
    page = rec.answer("first_page", "The first checkpoint of a longer list", get("/v1/checkpoints?limit=1"))
    behind = get(f"/v1/checkpoints?after={page['next']}", Accept="application/x-ndjson")
    rec.answer("rest", "All checkpoints after the first", behind)
    rec.answer("first", "The first line of the log", get("/v1/checkpoints/1"))
    rec.problem("checkpoint_not_found", get("/v1/checkpoints/1000"))
    match_id = page["items"][0]["match_id"]
    rec.answer("aborted", "An aborted match", get(f"{MATCHES}/{match_id}/checkpoint"))
    rec.answer("verified", "A verified match", get(f"{MATCHES}/{match_id}/verification"))
    rec.answer("whole", "An aborted match", get(f"{MATCHES}/{match_id}/export"))


def tell_of_lists(rec: Recorder) -> None:
    rec.begin_chapter()
    query = "status=running&ruleset=harbor&player=ada"
    of_a_player = get(f"{MATCHES}?{query}&limit=1")
    rec.answer("of_a_player", "The newest match of a player, of a longer list", of_a_player)


def tell_of_invitations(rec: Recorder, people: People) -> None:
    """Accounts that decide who may seat them: asked, allowed, blocked."""
    rec.begin_chapter()
    ada, bob, eve = people
    asked = {"seating": "allowed"}
    rec.answer("allowed", "Others must send invitations from now on", patch("/v1/me", asked, bob))
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    wish = {"ruleset": "base", "seats": seats, "first_seat": 0}
    made = rec.answer("invited", "A match with a pending invitation", post(MATCHES, wish, ada))
    rec.problem("seat_reserved", post(f"{MATCHES}/{made['match_id']}/seats", {}, eve))
    rec.answer("one", "One reserved seat", get("/v1/me/invitations?wait=25", bob))
    invitation = f"/v1/me/invitations/{made['match_id']}"
    rec.answer("accepted", "The last seat starts the match", post(f"{invitation}/accept", by=bob))
    rec.problem("invitation_not_found", post(f"{invitation}/decline", by=bob))
    _declined_and_withdrawn(rec, wish, ada, bob)
    rec.problem("account_not_found", put("/v1/me/allowed/nobody-there", bob))
    rec.send(put("/v1/me/allowed/eve", bob))
    rec.answer("one", "One account", get("/v1/me/allowed", bob))
    _invite_too_many(rec, wish, ada)
    rec.send(put("/v1/me/blocked/ada", bob))
    rec.answer("one", "One account", get("/v1/me/blocked", bob))
    rec.problem("seating_refused", post(MATCHES, wish, ada))
    for name in ("allowed/eve", "blocked/ada"):
        rec.send(delete(f"/v1/me/{name}", bob))
    _list_too_many(rec, bob)


def _declined_and_withdrawn(rec: Recorder, wish: dict[str, Any], ada: Person, bob: Person) -> None:
    first, second = [rec.send(post(MATCHES, wish, ada)).json["match_id"] for _ in range(2)]
    rec.send(post(f"/v1/me/invitations/{first}/decline", by=bob))
    rec.send(delete(f"{MATCHES}/{second}/seats/1/invitation", ada))


def _invite_too_many(rec: Recorder, wish: dict[str, Any], ada: Person) -> None:
    for _ in range(MOST_INVITING):
        rec.send(post(MATCHES, wish, ada))
    rec.problem("too_many_invitations", post(MATCHES, wish, ada))


def _list_too_many(rec: Recorder, bob: Person) -> None:
    """A list that is full, as no story could tell how it came about."""
    accounts = rec.app.extensions[EXTENSION].accounts
    account = accounts.by_handle(bob.name)
    for number in range(MOST_LISTED):
        accounts.guests.add(account.account_id, "allowed", f"acc_{number:026}")
    rec.problem("too_many_listed", put("/v1/me/allowed/eve", bob))
