"""What holds for the luck of every match: sums that check to the last fraction, and nothing on average."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import sqrt
from random import Random

import msgspec
import pytest

from domain import MatchState, fold
from domain.luck import Luck, Throw, Tracker, Unexplained, luck_of
from domain.luck.records import relative
from domain.luck.tree import OUTCOMES, TurnTree
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.decide.effects import STAGES
from domain.match.decide.turns import may_roll_two
from domain.match.events import Event, Options
from domain.match.rules import rules_for
from domain.match.rulesets import VERSIONS
from tests.domain.golden_matches import FOLDER, RECIPES, events_of
from tests.domain.invariants import problems
from tests.domain.kit import MONEY, A, city
from tests.domain.luck_kit import Board, Brute, shown
from tests.domain.matches import CASES, Played, play

SEEDS = range(3)


@lru_cache(maxsize=1)
def histories() -> dict[str, list[Event]]:
    """Recorded and random matches of every ruleset, option and number of seats, by name."""
    found = {name: events_of((FOLDER / f"{name}.jsonl").read_bytes()) for name in RECIPES}
    return found | {str(played): played.events for played in random_matches()}


@lru_cache(maxsize=1)
def random_matches() -> tuple[Played, ...]:
    return tuple(play(case, seed) for case in CASES for seed in SEEDS)


@lru_cache(maxsize=1)
def lucks() -> dict[str, Luck]:
    return {name: luck_of(events) for name, events in histories().items()}


def settled() -> Iterator[tuple[str, Throw]]:
    for name, luck in lucks().items():
        for throw in luck.throws:
            if throw.realised is not None:
                yield name, throw


def sums(throws: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*throws, strict=True)))


@pytest.mark.long
def test_what_a_throw_realised_is_what_was_expected_with_its_luck_less_the_error() -> None:
    for name, throw in settled():
        assert throw.error is not None
        assert throw.realised is not None
        parts = zip(throw.expected, throw.luck, throw.error, strict=True)
        assert throw.realised == tuple([e + luck - error for e, luck, error in parts]), name


def test_every_number_of_a_throw_sums_to_zero_over_the_seats() -> None:
    for name, luck in lucks().items():
        for throw in luck.throws:
            parts = (throw.expected, throw.luck, throw.error, throw.realised)
            assert [sum(part) for part in parts if part is not None] == [0] * (
                2 if throw.error is None else 4
            )
        totals = luck.totals
        assert [*map(sum, (totals.expected, totals.luck, totals.error, totals.realised))] == [0] * 4, name


def test_the_totals_of_a_match_are_the_sums_of_its_settled_turns_and_check_too() -> None:
    for name, luck in lucks().items():
        turns: dict[int, list[Throw]] = {}
        for throw in luck.throws:
            turns.setdefault(throw.turn, []).append(throw)
        done = [throws for throws in turns.values() if throws[-1].coins is not None]
        totals = luck.totals
        assert totals.turns == len(done), name
        if done:
            assert totals.expected == sums([throws[0].expected for throws in done])
            assert totals.luck == sums([throw.luck for throws in done for throw in throws])
            assert totals.realised == sums([throws[-1].realised or () for throws in done])
        parts = zip(totals.expected, totals.luck, totals.error, strict=True)
        assert totals.realised == tuple([e + luck - error for e, luck, error in parts]), name


def test_a_throw_hands_on_what_the_next_one_of_its_turn_expects() -> None:
    handed_on = 0
    for name, luck in lucks().items():
        for before, after in zip(luck.throws, luck.throws[1:], strict=False):
            if before.turn == after.turn:
                assert (before.realised, before.coins) == (after.expected, None), name
                handed_on += 1
            else:
                assert before.coins is not None, name
    assert handed_on > 100


def test_every_throw_of_a_match_is_told_once_in_order() -> None:
    for name, events in histories().items():
        rolled = [
            (i, event.purpose, event.values)
            for i, event in enumerate(events, 1)
            if isinstance(event, ev.DiceRolled)
        ]
        throws = lucks()[name].throws
        assert [(throw.sequence, throw.purpose, throw.values) for throw in throws] == rolled


def test_the_coins_of_a_throw_are_what_was_paid_from_its_turns_first_throw_to_building() -> None:
    for name, events in histories().items():
        seats = len(lucks()[name].totals.luck)
        told = [throw.coins for throw in lucks()[name].throws if throw.coins is not None]
        paid = [coins for coins in paid_by_turn(events, seats) if coins is not None]
        assert told == paid[: len(told)], name
        assert len(paid) - len(told) <= 1, name


BUILT = (ev.TurnStarted, ev.EstablishmentBuilt, ev.LandmarkBuilt, ev.BuildPassed)


def paid_by_turn(events: list[Event], seats: int) -> Iterator[tuple[int, ...] | None]:
    """The coins by seat that moved between the first throw of a turn and its building."""
    coins: list[int] | None = None
    state: MatchState | None = None
    for event in events:
        before = state.coins.copy() if state else []
        state = fold(state, [event])
        if isinstance(event, BUILT):
            yield None if coins is None else tuple(coins)
            coins = None
        elif isinstance(event, ev.DiceRolled) and coins is None:
            coins = [0] * seats
        elif coins is not None and isinstance(event, (*MONEY, ev.FeePaid)):
            _count(event, coins, before)
    yield None if coins is None else tuple(coins)


def _count(event: Event, coins: list[int], before: list[int]) -> None:
    if isinstance(event, ev.PaymentMade):
        coins[event.from_seat] -= event.paid
        coins[event.to_seat] += event.paid
    elif isinstance(event, ev.IncomeReceived | ev.HelpReceived):
        coins[event.seat] += event.coins
    elif isinstance(event, ev.CoinsLevelled):
        coins[:] = [sum(seat) for seat in zip(coins, event.coins, [-one for one in before], strict=True)]
    elif isinstance(event, ev.FeePaid):
        coins[event.seat] -= event.paid


def test_luck_is_the_same_whether_it_is_followed_command_by_command_or_told_at_once() -> None:
    for played in random_matches()[::5]:
        tracker = Tracker()
        for step in played.steps:
            tracker.follow(step.events)
            told = tracker.luck()
            assert (told.throws[-1:] or [None])[0] is None or len(
                told.throws[-1].expected
            ) == played.case.seats
        assert tracker.luck() == lucks()[str(played)], played
        assert tracker.state == played.steps[-1].after


def tables(number: int) -> Iterator[tuple[Played, MatchState]]:
    """Random tables before a throw, most of them with many cards, and some where a double gives one away."""
    found = [
        (played, step.before)
        for played in random_matches()
        for step in played.steps
        if isinstance(step.command, cmd.RollDice | cmd.RerollDice)
    ]
    gives = [(played, state) for played, state in found if "moving_company" in built(state)]
    yield from [*Random(7).sample(found, number), *gives[:5]]


def built(state: MatchState) -> set[str]:
    """The cards that anybody has."""
    return {state.rules.ids[card] for city in state.cities for card, count in enumerate(city) if count}


def throwing(state: MatchState) -> tuple[cmd.PlayCommand, int]:
    """A command that throws as many dice as may be thrown, and how many that is."""
    if state.phase == "roll":
        dice = 1 + may_roll_two(state, state.rules)
        return cmd.RollDice(state.active, dice), dice
    return cmd.RerollDice(state.active), len(state.dice)


def test_values_are_those_of_all_ordered_throws_played_through_the_rules_one_by_one() -> None:
    """The other way to work it out is slow and knows nothing of the first: see `luck_kit`."""
    met: set[str] = set()
    for played, state in tables(70):
        command, _ = throwing(state)
        brute = Brute(state)
        units = relative(TurnTree(state).mean(state, command), [not gone for gone in state.resigned])
        assert shown(units) == tuple(brute.worth(state, command)), f"{played}, version {state.version}"
        met |= brute.met
    choices = {"reroll", "add_two", "take_coins", "swap", "give", "demolish", "move", "renovate"}
    assert met == {*choices, "boats", "build"}


def test_the_luck_of_a_throw_is_zero_on_average_over_its_36_cases() -> None:
    for played, state in tables(200):
        command, dice = throwing(state)
        turn = TurnTree(state)
        before = turn.mean(state, command)
        after = [turn.worth(state, command, values) for values in product(range(1, 7), repeat=dice)]
        assert [sum(seat) for seat in zip(*after, strict=True)] == [6**dice * one for one in before], played


def test_the_merged_throws_are_all_36_cases() -> None:
    for dice, throws in OUTCOMES.items():
        faces: dict[tuple[int, bool], int] = {}
        for values in product(range(1, 7), repeat=dice):
            face = (sum(values), dice == 2 and values[0] == values[1])
            faces[face] = faces.get(face, 0) + 36 // 6**dice
        merged = {(sum(values), len(values) == 2 and values[0] == values[1]): w for w, values in throws}
        assert (merged, len(throws)) == (faces, len(faces))


def test_no_stage_behind_a_trade_or_a_gift_looks_at_establishments() -> None:
    """So any answer to them is worth the same, and one is enough to know the value."""
    blind = {
        "give_on_double",
        "help",
        "income_on_total",
        "from_each_on_double",
        "income_if_nothing_received",
        "extra_turn_on_double",
    }
    # What opponents pay of their coins, and what a seat has invested.
    blind |= {"half_from_each", "invest"}
    asking = ("swap", "give_on_double", "demolish", "move")
    assert blind < STAGES.keys()
    for version in VERSIONS.values():
        rules = rules_for(version.version, Options(market=next(iter(version.markets))), 4)
        for plan in rules.plans:
            kinds = [step.kind for step in plan]
            asked = [i for i, kind in enumerate(kinds) if kind in asking]
            assert {*kinds[min(asked, default=len(kinds)) + 1 :]} <= blind | {"swap", "move"}
        helps = {step.firings[0].needs for plan in rules.plans for step in plan if step.kind == "help"}
        assert not any(rules.tradable[card] for card in helps if card >= 0)


def test_no_game_with_rerolls_pays_for_doubles() -> None:
    for ruleset in VERSIONS.values():
        kinds = {card.effect.kind for card in (*ruleset.establishments, *ruleset.landmarks)}
        if "reroll" in kinds:
            assert {kind for kind in kinds if "double" in kind} <= {"extra_turn_on_double"}


def test_working_luck_out_leaves_the_table_as_it_was() -> None:
    for _, state in tables(20):
        before = state.copy()
        turn = TurnTree(state)
        turn.mean(state, throwing(state)[0])
        assert state == before
        assert problems(state) == []


def test_a_payment_that_the_rules_do_not_make_is_found() -> None:
    events = histories()["base_four_player"]
    place = next(i for i, event in enumerate(events) if isinstance(event, ev.IncomeReceived))
    paid = events[place]
    assert isinstance(paid, ev.IncomeReceived)
    changed = [*events]
    changed[place] = msgspec.structs.replace(paid, coins=paid.coins + 1)
    with pytest.raises(Unexplained) as found:
        luck_of(changed)
    # The build that follows the income ends what the dice bring.
    assert found.value.args == (place + 2, found.value.detail)
    assert found.value.sequence == place + 2
    assert found.value.detail == "the purses have gained (2, 0, 0, 0), not (1, 0, 0, 0)"


@pytest.mark.parametrize("missing", [ev.DiceRolled, ev.IncomeReceived, ev.ChoiceRequested])
def test_an_event_that_is_left_out_is_found_or_moves_no_coins(missing: type) -> None:
    events = histories()["harbor_scripted_dice"]
    place = next(i for i, event in enumerate(events) if isinstance(event, missing))
    rest = [*events[:place], *events[place + 1 :]]
    if missing is ev.ChoiceRequested:
        assert luck_of(rest).totals == lucks()["harbor_scripted_dice"].totals
        return
    with pytest.raises(Unexplained):
        luck_of(rest)


FORGED: list[tuple[str, ev.PositionPlayer, list[Event], str]] = [
    (
        "base",
        city(5),
        [ev.DiceRolled("roll", (3,), 3), ev.DiceRolled("roll", (3,), 3)],
        "a second roll of the same turn",
    ),
    ("base", city(5), [ev.DiceRolled("boats", (3, 4), 7)], "a boats' roll of 7"),
    ("base", city(5, "radio_tower"), [ev.DiceKept(A, "reroll", 3)], "nothing was rolled"),
    (
        "base",
        city(5),
        [ev.DiceRolled("roll", (3,), 3), ev.DiceRolled("boats", (3, 4), 7)],
        "a boats' roll of 7",
    ),
    (
        "harbor",
        city(5, "train_station", "harbor", town_hall=1, tuna_boat=1),
        [ev.DiceRolled("roll", (6, 6), 12), ev.DiceKept(A, "add_two", 12), ev.BuildPassed(A)],
        "no roll for the boats",
    ),
    (
        "base",
        city(5, tv_station=1),
        [ev.DiceRolled("roll", (6,), 6), ev.TargetChosen(A, "tv_station", A)],
        "invalid_target: seat 0 is not an opponent in play",
    ),
]


@pytest.mark.parametrize(("ruleset", "player", "forged", "detail"), FORGED)
def test_what_the_rules_do_not_make_of_a_throw_is_named(
    ruleset: str, player: ev.PositionPlayer, forged: list[Event], detail: str
) -> None:
    board = Board(ruleset, player, city(5))
    with pytest.raises(Unexplained) as found:
        luck_of([*board.events, *forged])
    assert (found.value.sequence, found.value.detail) == (len(board.events) + len(forged), detail)


def test_luck_is_nothing_on_average_within_two_and_a_half_standard_errors() -> None:
    """Few matches here, 10,000 in `make bench ARGS=luck`. The seeds are fixed."""
    for ruleset in ("base", "harbor", "machi_koro_2"):
        plain = [played for played in random_matches() if played.case.ruleset == ruleset]
        found = [float(sum(shown(lucks()[str(played)].totals.luck[:1]) or ())) for played in plain]
        mean = sum(found) / len(found)
        error = sqrt(sum([(one - mean) ** 2 for one in found]) / (len(found) - 1) / len(found))
        assert abs(mean) <= 2.5 * error, f"{ruleset}: {mean:.3f} with a standard error of {error:.3f}"
