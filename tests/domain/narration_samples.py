"""What there is to tell: the recorded matches, and one event for each form of sentence.

In recorded matches players are called as on the seats of a kitchen table, not by their numbers.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from domain import MatchState, evolve, fold
from domain.languages.narrate import TELLERS, TELLINGS
from domain.languages.narrate.scene import Scene
from domain.languages.narrate.table import parts_of
from domain.match import events as ev
from domain.match.branches import branch_started
from domain.match.events import Event
from domain.match.evolve import begin
from domain.match.rulesets import CURRENT, digest, resolve_options
from tests.domain.golden_matches import FOLDER as MATCHES
from tests.domain.golden_matches import RECIPES, events_of

FOLDER = Path(__file__).parents[1] / "golden" / "narration"

HANDLES = ("ada", "bob-7", "Eve_", "dan", "fay")


class Moment(NamedTuple):
    """An event, and the state that those before it lead to; of the first one, the state after it."""

    before: MatchState
    event: Event


def renamed(event: Event) -> Event:
    return replace(event, name=HANDLES[event.seat]) if isinstance(event, ev.SeatTaken) else event


def moments(name: str) -> Iterator[Moment]:
    """All events of a recorded match. The state is one and the same: it moves on with the next."""
    first, *rest = map(renamed, events_of((MATCHES / f"{name}.jsonl").read_bytes()))
    state = begin(first)
    yield Moment(state, first)
    for event in rest:
        yield Moment(state, event)
        fold(state, (event,))


def form_of(moment: Moment) -> str:
    scene = Scene(moment.before, TELLINGS["en"], "en")
    return TELLERS[type(moment.event)](scene, moment.event)[0]


def parts_in(event: ev.MatchCreated) -> list[str]:
    return [form for form, _ in parts_of(Scene(begin(event), TELLINGS["en"], "en"), event)]


def creation(ruleset: str, seats: int, **members: object) -> ev.MatchCreated:
    """A new match; `options` are those that are not the default."""
    book = CURRENT[ruleset]
    options = resolve_options(book, seats, **members.pop("options", {}))  # type: ignore[arg-type]
    dice = members.pop("dice", ev.Dice("committed", "k1", "sha-256:" + "0" * 64))
    made = ev.MatchCreated(ruleset, book.version, digest(book), options, seats, None, dice, "acc_0")  # type: ignore[arg-type]
    return replace(made, **members)


CREATIONS = {
    "match_created, the plainest": creation("machi_koro_2", 2),
    "match_created, with a clock": creation("harbor", 5, clock=ev.Clock(90_000, "default_command")),
    "match_created, with banks of time": creation(
        "base", 2, clock=ev.Clock(30_000, "forfeit", bank_ms=300_000, increment_ms=5_000)
    ),
    "match_created, with all options": creation(
        "base",
        3,
        options={"market": "limited", "max_copies": 2, "card_costs": {"cafe": 1, "radio_tower": 25}},
        clock=ev.Clock(120_000, "strategy"),
    ),
    "match_created, with seeds of the seats": creation(
        "base",
        3,
        dice=ev.Dice("committed", "k1", "sha-256:" + "0" * 64, seat_seeds=ev.SeatSeeds(60_000)),
    ),
    "match_created, an analysis board": creation(
        "base",
        5,
        clock=ev.Clock(3_600_000, "forfeit"),
        dice=ev.Dice("scripted", throws=((6,),)),
        position=ev.Position(0, "roll", ()),
    ),
    "match_created, a branch": creation(
        "machi_koro_2",
        3,
        dice=ev.Dice("committed", "k1", "sha-256:" + "0" * 64, seed_of="mat_" + "0" * 26),
        origin=ev.Origin("mat_" + "0" * 26, 42, "sha-256:" + "0" * 64, "same"),
    ),
}


def _table(name: str, last: type[Event]) -> MatchState:
    """A recorded match just before its last event of a type."""
    *_, found = (moment.before.copy() for moment in moments(name) if isinstance(moment.event, last))
    return found


def _by_hand() -> Iterator[Moment]:
    """What no recorded match has."""
    base = _table("base_four_player", ev.MatchFinished)
    yield Moment(base, ev.SeatTaken(1, "strategy", "greedy", "greedy", "1"))
    yield Moment(base, ev.SeatReserved(1, "acc_9", HANDLES[1]))
    invited = evolve(base, ev.SeatReserved(1, "acc_9", HANDLES[1]))
    for reason in ("declined", "withdrawn"):
        yield Moment(invited, ev.ReservationEnded(1, reason))
    yield Moment(base, ev.SeatSeedCommitted(1, "sha-256:" + "0" * 64))
    yield Moment(base, ev.SeatSeedForgone(1))
    yield Moment(base, ev.SeatSeedOpened(1, "a-word-of-mine-with-32-characters"))
    yield Moment(base, ev.SeatSeedWithheld(1))
    yield Moment(base, ev.PaymentMade(1, 0, "cafe", 1, 1, 0))
    yield Moment(base, ev.LandmarkBuilt(2, "train_station", 0))
    for policy in ("default_command", "strategy", "forfeit"):
        yield Moment(base, ev.ClockExpired(1, policy))
    for spent_ms, added_ms in ((12_500, 0), (0, 10_000), (12_500, 10_000)):
        yield Moment(base, ev.BankChanged(1, spent_ms, added_ms, 57_500))
    yield Moment(base, ev.ControllerChanged(1, "account", "acc_9", "mia"))
    yield Moment(base, ev.ControllerChanged(1, "strategy", "greedy", "greedy", "1"))
    yield Moment(base, ev.SeatResigned(2, "command"))
    yield Moment(base, ev.SeatResigned(2, "clock"))
    yield Moment(base, ev.MatchFinished(3, "resignation"))
    tape = ("dice_tape_exhausted", "dice_tape_mismatch")
    for reason in ("creator", "turn_limit", *tape, "seat_seed_withheld"):
        yield Moment(base, ev.MatchAborted(reason))
    harbor = _table("harbor_open", ev.MatchFinished)
    begun = evolve(harbor, ev.TurnStarted(99, 2))
    added = evolve(evolve(begun, ev.DiceRolled("roll", (5, 6), 11)), ev.TwoAdded(2, 13))
    asked = evolve(added, ev.ChoiceRequested(2, "take_coins", "tv_station"))
    for state in (begun, added, asked):
        yield Moment(state, branch_started(state, keeps_orders=False))
    yield Moment(harbor, ev.DiceRolled("reroll", (3,), 3))
    yield Moment(harbor, ev.DiceRolled("reroll", (3, 4), 7))
    yield Moment(harbor, ev.DiceRolled("reroll", (2, 2), 4))
    second = _table("machi_koro_2", ev.MatchFinished)
    yield Moment(second, ev.ChoiceRequested(0, "swap", "business_center", 2))
    yield Moment(second, ev.HelpReceived(1, 1))
    yield Moment(second, ev.CoinsLevelled(0, "park", (5, 5, 5, 5), 0))
    yield Moment(second, ev.CoinsLevelled(0, "park", (1, 1, 1, 1), 2))
    row = _table("millionaires_row_scripted_dice", ev.MatchFinished)
    yield Moment(row, ev.ChoiceLapsed(0, "moving_company"))
    for paid in (2, 1, 0):
        yield Moment(row, ev.FeePaid(0, "loan_office", 1, 2, paid))
    yield Moment(row, ev.RenovationMoved(0, 1, "cafe"))
    rocket = evolve(second, ev.LandmarkBuilt(1, "launch_pad", 38))
    rocket.landmarks[1] = 1
    yield Moment(rocket, ev.MatchFinished(1, "landmarks"))


def samples() -> dict[str, Moment]:
    """One moment for each form of sentence, and one for each new match that is told in another way."""
    found: dict[str, Moment] = {name: Moment(begin(event), event) for name, event in CREATIONS.items()}
    for moment in chain(*map(moments, RECIPES), _by_hand()):
        form = form_of(moment)
        if form not in found and form != "match_created":
            found[form] = Moment(moment.before.copy(), moment.event)
    return found
