"""Exact chances in races, held against hand-made ones, the rules played one by one, laws, and simulations."""

from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest

from domain import legal_commands
from domain.match.commands import Build, Pass, RollDice
from domain.match.decide import advance_turn
from domain.match.events import PositionPlayer
from domain.match.state import RUNNING, MatchState
from kernel import layout as at
from kernel.convert import TwinChance
from kernel.engine import PLAIN, Engine, compiled
from players.exact_race.cities import Purchases, RaceRefused, cities_of
from players.exact_race.deciding import RaceDecisions
from players.exact_race.payouts import Payouts, Throw, rolls_of
from players.exact_race.races import Races
from tests.domain.kit import city, row
from tests.marks import long_unless
from tests.players.exact_race.boards import NO_AIRPORT, NO_STATION, NO_TOWER, SMALL, board, chances
from tests.players.exact_race.slow_race import SlowRace
from tests.workers.learning_kit import tables_on_the_way

POINTERS: Engine = PLAIN._replace(kept=("its functions are plain, and work on arrays as compiled ones do",))
"""Sweeps by the functions of the kernel in place of numpy, as when it is compiled."""

CLOSE = 1e-9

BOATS, THREE_SEATS = (
    "boats, a tax office, and pay for building nothing",
    "three seats, of which one chooses who pays",
)
"""The two races that take the longest."""


def _small(*long: str) -> list[Any]:
    """The names of the small races, of which these are left to the long tests."""
    assert SMALL.keys() > {*long}
    return long_unless(SMALL.keys() - {*long}, SMALL)


def test_two_seats_that_need_a_one_each() -> None:
    """Who throws a 1 has the last coin and wins. So the mover has 1/6 + (5/6)² · its own chance: 6/11."""
    seat = city(21, *NO_TOWER, wheat_field=1)

    assert chances(board("base", seat, seat)) == pytest.approx((6 / 11, 5 / 11), abs=CLOSE)


def test_two_dice_are_thrown_where_one_die_may_cost_the_last_coin() -> None:
    """A 3 costs the mover a coin: 1/6 with one die, 1/18 with two. Then the other wins."""
    poor, rich = city(22, *NO_TOWER), city(22, *NO_TOWER, cafe=1)

    assert chances(board("base", poor, rich)) == pytest.approx((17 / 18, 1 / 18), abs=CLOSE)


def test_a_landmark_that_is_short_of_coins_waits_for_the_turn_that_a_double_brings() -> None:
    """With two dice the mover buys one landmark, and the last only if a double lets it go on at once."""
    mover = city(32, "train_station", "amusement_park")
    other = city(22, *NO_TOWER)

    assert chances(board("base", mover, other)) == pytest.approx((1 / 6, 5 / 6), abs=CLOSE)


def test_nobody_wins_where_no_card_pays() -> None:
    seat = city(3, *NO_TOWER)

    assert chances(board("base", seat, seat)) == (0, 0)


@pytest.mark.parametrize("name", _small(BOATS, THREE_SEATS))
def test_chances_are_those_of_the_rules_played_one_by_one(name: str) -> None:
    state, top = SMALL[name]
    found = chances(state)

    assert found == pytest.approx(SlowRace(state, top=top).solve(), abs=CLOSE)
    assert sum(found) == pytest.approx(1, abs=CLOSE)
    assert max(found) < 0.96


@pytest.mark.long
def test_purchases_are_those_of_the_rules_played_one_by_one() -> None:
    """The cheaper of both cards is worth buying, and changes the chances."""
    seats = city(1, *NO_STATION, wheat_field=1), city(0, *NO_STATION, bakery=1)
    state = board("base", *seats, card_costs={"train_station": 4, "stadium": 2})
    cards = ("ranch", "stadium")
    found = chances(state, cards, 1)

    assert found == pytest.approx(SlowRace(state, cards, 1, top=7).solve(), abs=CLOSE)
    assert abs(found[0] - chances(state)[0]) > 0.01


@pytest.mark.parametrize("name", SMALL)
def test_the_rest_of_a_turn_played_by_the_kernel_gives_the_same_chances(name: str) -> None:
    """The best command before a throw has the chances of the table."""
    state = SMALL[name].state
    races = Races(PLAIN, state.rules)
    legal = legal_commands(state)
    deciding = RaceDecisions(races, state)
    own = state.active
    known = [found[own] for found in deciding.chances(legal) if found is not None]

    assert max(known) == pytest.approx(races.before_turn(state)[own], abs=CLOSE)
    assert known[legal.index(deciding.best(legal))] == max(known)


def _turns(count: int) -> list[MatchState]:
    """Tables at the beginning of turns late in random matches, all landmarks but one or two built."""
    found = []
    rng = Random(7)
    for ruleset, seats in (("base", 2), ("harbor", 2), ("base", 3)):
        for state in tables_on_the_way(ruleset, seats, count):
            size = state.rules.establishments
            for seat in range(seats):
                cards = range(size, state.rules.size)
                built = [int(rng.random() < 0.9 or card > size + 2) for card in cards]
                built[rng.randrange(len(built))] = 0
                state.cities[seat][size:] = built
                state.landmarks[seat] = sum(built)
            found.append(state)
    return found


def test_chances_are_from_zero_to_one_and_sum_to_one() -> None:
    solved = 0
    for state in _turns(6):
        try:
            found = Races(PLAIN, state.rules, most=20_000).before_turn(state)
        except RaceRefused:
            continue
        solved += 1
        assert sum(found) == pytest.approx(1, abs=CLOSE)
        assert min(found) >= 0
    assert solved > 3


def test_seats_have_no_preference_for_their_number() -> None:
    """With two seats also by ties, which are worth the same."""
    for state in [SMALL[name].state for name in SMALL]:
        if len(state.coins) == 2:
            turned = state.copy()
            by_seats: tuple[list[Any], ...] = (turned.coins, turned.cities, turned.landmarks)
            for by_seat in by_seats:
                by_seat.reverse()
            turned.active = 1 - state.active
            assert chances(turned) == pytest.approx(chances(state)[::-1], abs=CLOSE)


def test_three_seats_turned_round_have_the_chances_turned_round() -> None:
    state = SMALL[THREE_SEATS].state
    turned = state.copy()
    by_seats: tuple[list[Any], ...] = (turned.coins, turned.cities, turned.landmarks)
    for by_seat in by_seats:
        by_seat.append(by_seat.pop(0))
    turned.active = 2
    one, two, three = chances(state)

    assert chances(turned) == pytest.approx((two, three, one), abs=CLOSE)


def test_where_nobody_pays_another_seat_more_coins_are_never_worse() -> None:
    state = board(
        "base",
        city(0, "train_station", "shopping_mall", wheat_field=2, bakery=1, forest=2),
        city(0, *NO_TOWER, ranch=1, mine=1, apple_orchard=1),
    )
    race = Races(PLAIN, state.rules).race_of(state)
    by_coins = race.chances.reshape(2, *[top + 1 for top in race.tops], 2)

    assert race.is_proved
    assert race.tops == (38, 22)
    assert (np.diff(by_coins[..., 0], axis=1) >= -CLOSE).all()
    assert (np.diff(by_coins[..., 0], axis=2) <= CLOSE).all()


def test_a_coin_more_may_be_worse_where_it_is_paid_to_another_seat() -> None:
    """The other needs one coin, and gets it from whoever has one."""
    seats = city(21, *NO_TOWER, cafe=1)
    poor, rich = (board("base", city(coins, *NO_STATION), seats) for coins in (0, 1))

    assert chances(rich)[0] <= chances(poor)[0]


def test_throws_pay_what_the_kernel_pays_from_any_purses() -> None:
    """Few cells are paid out, and stand for all others."""
    rng = Random(3)
    compared = 0
    for state in _turns(6):
        seats, limit = len(state.coins), 60
        tables, luck = PLAIN.tables(state.rules), PLAIN.luck(0)
        cities = cities_of(state, Purchases())
        turn = Payouts(PLAIN, tables, (limit,) * seats).turn(cities, state.active)
        table = list(cities.row)
        table[at.ACTIVE] = state.active
        for (first, second), totals in zip(rolls_of(len(turn.rolls) > 6), turn.rolls, strict=True):
            for one in totals:
                purses = [rng.choice((0, 1, 2, 5, 9, 10, 11, 12, 13, 40)) for _ in range(seats)]
                total = first + second + 2 * (one is not totals[0])
                throw = Throw(first, second, total, 2 if one.boats > 1 else 7, (state.active + 1) % seats)
                gains = [0] * seats
                PLAIN.pay_cells(tables, table[:], luck, purses, purses, list(throw), gains)
                branch, cell = one.branches[0], 0
                for purse, top in zip(purses, branch.tops, strict=True):
                    cell = cell * (top + 1) + min(purse, top)
                assert branch.gains[cell].tolist() == gains
                compared += 1
    assert compared > 200


@pytest.mark.parametrize("name", _small(THREE_SEATS))
def test_sweeps_of_the_kernel_give_the_chances_of_those_by_numpy(name: str) -> None:
    state = SMALL[name].state
    by_numpy = Races(PLAIN, state.rules).race_of(state)
    by_kernel = Races(POINTERS, state.rules).race_of(state)

    assert by_kernel.tops == by_numpy.tops
    assert np.abs(by_kernel.chances - by_numpy.chances).max() < CLOSE


@pytest.mark.long
def test_compiled_and_plain_kernels_give_the_same_chances() -> None:
    for state in [*_turns(6), *[small.state for small in SMALL.values()]]:
        try:
            plain = Races(PLAIN, state.rules).race_of(state)
        except RaceRefused:
            continue
        assert np.abs(Races(compiled(), state.rules).race_of(state).chances - plain.chances).max() < CLOSE


def test_matches_played_by_the_best_commands_are_won_as_often_as_the_chances_say() -> None:
    """Within four standard deviations; the dice are those of a fixed seed."""
    start = SMALL["the stadium, and two landmarks left"].state
    races, chance = Races(PLAIN, start.rules), TwinChance(11)
    known: dict[object, object] = {}
    matches, won = 600, 0
    for _ in range(matches):
        state = start.copy()
        while state.status == RUNNING:
            legal = legal_commands(state)
            key = (state.phase, state.active, state.dice, str(state.cities), *state.coins)
            if key not in known:
                known[key] = RaceDecisions(races, state).best(legal)
            advance_turn(state, known[key], chance)  # type: ignore[arg-type]
        won += state.winner == 0
    expected = races.before_turn(start)[0]

    assert abs(won / matches - expected) < 4 * (expected * (1 - expected) / matches) ** 0.5


def test_what_a_race_has_not_has_no_chances() -> None:
    state = board("base", city(30, *NO_TOWER, bakery=1), city(0, *NO_TOWER, bakery=1), phase="build")
    legal = legal_commands(state)
    deciding = RaceDecisions(Races(PLAIN, state.rules), state)
    found = dict(zip(map(repr, legal), deciding.chances(legal), strict=True))

    assert found[repr(Build(0, "radio_tower"))] == pytest.approx((1, 0))
    assert found[repr(Build(0, "bakery"))] is None
    assert found[repr(Pass(0))] is not None
    assert deciding.best(legal) == Build(0, "radio_tower")


def test_equal_commands_are_chosen_in_a_fixed_order() -> None:
    """Nothing pays: one die and two are the same."""
    state = board("base", city(3, *NO_TOWER), city(3, *NO_TOWER))

    assert RaceDecisions(Races(PLAIN, state.rules), state).best(legal_commands(state)) == RollDice(0, 1)


def _second(landmarks: tuple[str, ...], **offered: int) -> MatchState:
    seats: tuple[PositionPlayer, ...] = (city(3, *landmarks, bakery=1), city(3, bakery=1))
    rows = [row("low"), row("high"), row("landmarks", deck=("forge", "temple"), **offered)]
    return board("machi_koro_2", *seats, rows=rows)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (board("machi_koro_2", city(3), city(3), phase="setup"), "not played by throws"),
        (
            _second((), charterhouse=1, farmers_market=1, museum=1, shopping_mall=1, airport=1),
            "draws a card|at once",
        ),
        (_second(("moving_company",), launch_pad=1), "gives?|give a card"),
        (board("base", city(0), city(0), city(0), city(0)), "combinations of cities"),
        (board("base", *[city(0, "train_station")] * 3), "chances or more"),
        (board("millionaires_row", city(0), city(0)), "throws change the cities"),
    ],
)
def test_what_is_no_race_or_too_large_is_refused(state: MatchState, words: str) -> None:
    with pytest.raises(RaceRefused, match=words):
        chances(state)


@pytest.mark.long
def test_seats_that_have_resigned_have_no_chance_and_change_nothing() -> None:
    two = city(5, *NO_TOWER, wheat_field=1, cafe=1), city(8, *NO_TOWER, ranch=2, cafe=1)
    state = board("base", two[0], city(9, wheat_field=2, cafe=2), two[1])
    state.resigned[1] = True
    without = chances(board("base", *two))

    assert chances(state) == pytest.approx((without[0], 0, without[1]), abs=CLOSE)


def test_races_that_follow_a_solved_one_are_known() -> None:
    """A new race would pay throws out."""
    seats = [city(4, *NO_AIRPORT[:2], wheat_field=1), city(4, *NO_AIRPORT[1:3], ranch=1)]
    first = board("base", *seats, card_costs={"amusement_park": 3, "radio_tower": 3, "train_station": 2})
    calls = []

    def pay_cells(*arguments: object) -> int:
        calls.append(1)
        return PLAIN.pay_cells(*arguments)  # type: ignore[arg-type]

    races = Races(PLAIN._replace(pay_cells=pay_cells), first.rules)
    races.race_of(first)
    before = len(calls)
    for built in permutations(range(first.rules.establishments, first.rules.size), 1):
        later = first.copy()
        if not later.cities[0][built[0]]:
            later.cities[0][built[0]] = 1
            later.landmarks[0] += 1
            races.race_of(later)

    assert before > 0
    assert len(calls) == before


@pytest.mark.long
def test_the_cache_keeps_what_was_used_last_and_no_more_than_its_size() -> None:
    states = [board("base", city(1, *NO_TOWER, wheat_field=n), city(1, *NO_TOWER)) for n in (1, 2, 3)]
    size = Races(PLAIN, states[0].rules).race_of(states[0]).chances.size
    races = Races(PLAIN, states[0].rules, kept=2 * size)
    one, _, three = (races.race_of(state) for state in states)

    assert races.race_of(states[2]) is three
    assert races.race_of(states[0]) is not one
    assert races.size <= 2 * size


def test_races_of_other_rules_are_an_error() -> None:
    one, other = (board("base", *[city(0)] * seats) for seats in (2, 3))

    with pytest.raises(ValueError, match="other rules"):
        Races(PLAIN, one.rules).race_of(other)


def test_all_dice_of_a_turn_are_there() -> None:
    """Six of one die, six doubles, and one for each total of two different dice."""
    dice = list(rolls_of(two=True))

    assert dice[:12] == [*[(n, 0) for n in range(1, 7)], *[(n, n) for n in range(1, 7)]]
    assert [sum(pair) for pair in dice[12:]] == list(range(3, 12))
    assert all(a != b and {a, b} <= set(range(1, 7)) for a, b in dice[12:])
    assert {sum(pair) for pair in product(range(1, 7), repeat=2)} == {sum(pair) for pair in dice[6:]}
