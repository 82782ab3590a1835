"""Actions stand for commands one to one, and observations stay within their bounds."""

import subprocess
import sys

import numpy as np
import pytest

from domain.match.commands import Build, MoveEstablishment, Pass, Resign, SwapEstablishments, TakeCoins
from kernel.compare import Case
from kernel.convert import code_of
from machi_koro_rules.environments.encoding import Encoding, encoding_of
from machi_koro_rules.environments.games import Setup
from ops.run import ROOT
from tests.machi_koro_rules.environments.played import CASES, RULESETS, decisions, named

SOME = [CASES[number] for number in (0, 9, 23, 35, 44, 119, 126, len(CASES) - 1)]


def check(case: Case, number: int) -> None:
    """Play a match and compare every decision with its actions, masks and observations."""
    encoding = None
    for state, legal in decisions(case, number):
        encoding = encoding or encoding_of(state.rules)
        actions = [encoding.action(command) for command in legal]
        assert [encoding.command(state.active, action) for action in actions] == legal
        for seat in range(case.seats):
            mask, seen = encoding.mask(state, seat), encoding.observe(state, seat)
            assert np.flatnonzero(mask).tolist() == (sorted(actions) if seat == state.active else [])
            assert seen.dtype == encoding.low.dtype
            assert ((encoding.low <= seen) & (seen <= encoding.high)).all()


@pytest.mark.parametrize("case", SOME, ids=named)
def test_every_legal_command_has_one_action_and_every_number_its_bounds(case: Case) -> None:
    check(case, 1)


@pytest.mark.long
@pytest.mark.parametrize("case", dict(zip(map(named, CASES), CASES, strict=True)).values(), ids=named)
def test_every_legal_command_has_one_action_with_any_options(case: Case) -> None:
    for number in range(10):
        check(case, number)


@pytest.mark.parametrize("seats", [2, 5])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_two_actions_stand_for_one_command(ruleset: str, seats: int) -> None:
    encoding = encoding_of(Setup(ruleset, seats).rules)
    for seat in range(seats):
        commands = [encoding.command(seat, action) for action in range(encoding.actions)]
        assert [encoding.action(command) for command in commands] == [*range(encoding.actions)]


@pytest.fixture
def three() -> Encoding:
    return encoding_of(Setup("base", 3).rules)


def test_an_opponent_has_the_same_action_from_every_seat(three: Encoding) -> None:
    assert three.action(TakeCoins(0, 1)) == three.action(TakeCoins(2, 0))
    trades = SwapEstablishments(1, "cafe", 2, "mine"), SwapEstablishments(2, "cafe", 0, "mine")
    assert three.action(trades[0]) == three.action(trades[1])


@pytest.mark.parametrize("command", [Resign(0), TakeCoins(1, 1)])
def test_some_commands_have_no_action(three: Encoding, command: Resign | TakeCoins) -> None:
    with pytest.raises(ValueError, match="no action stands for"):
        three.action(command)


@pytest.mark.parametrize("action", [-1, 315])
def test_other_numbers_are_no_actions(three: Encoding, action: int) -> None:
    assert three.actions == 315
    with pytest.raises(ValueError, match=f"the action must be 0 to 314, not {action}"):
        three.command(0, action)


def test_a_seat_sees_itself_first_and_the_others_clockwise() -> None:
    case = CASES[0]._replace(seats=4)
    *_, (state, _) = decisions(case, 5)
    encoding = encoding_of(state.rules)
    size = state.rules.size
    for seat in range(4):
        seen = {name: encoding.observe(state, seat)[place] for name, place in encoding.fields.items()}
        order = [(seat + i) % 4 for i in range(4)]
        assert seen["coins"].tolist() == [state.coins[one] for one in order]
        assert seen["landmarks"].tolist() == [state.landmarks[one] for one in order]
        assert seen["cities"].reshape(4, size).tolist() == [state.cities[one] for one in order]
        assert seen["active_seat"] == order.index(state.active)
        assert seen["first_seat"] == order.index(state.first_seat)
        assert seen["supply"].tolist() == state.supply


def test_what_lies_on_cards_is_seen_where_cards_close() -> None:
    state, _ = next(decisions(Case("millionaires_row", 3, {}), 1))
    rules, encoding = state.rules, encoding_of(state.rules)
    state.closed[2][rules.index["bakery"]] = 1
    state.invested[1] = 4
    seen = {name: encoding.observe(state, 1)[place] for name, place in encoding.fields.items()}
    assert seen["invested"].tolist() == [4, 0, 0]
    assert seen["closed"].reshape(3, rules.size).tolist() == [state.closed[seat] for seat in (1, 2, 0)]
    assert not {"invested", "closed"} & encoding_of(Setup("harbor", 3).rules).fields.keys()


def test_a_gift_has_the_same_action_from_every_seat() -> None:
    encoding = encoding_of(Setup("millionaires_row", 3).rules)
    gifts = [MoveEstablishment(seat, "mine", (seat + 2) % 3) for seat in range(3)]
    assert len({encoding.action(gift) for gift in gifts}) == 1


def test_what_is_left_in_the_decks_is_seen_by_card() -> None:
    state, _ = next(decisions(Case("machi_koro_2", 2, {}), 1))
    encoding = encoding_of(state.rules)
    seen = encoding.observe(state, 0)
    assert seen[encoding.fields["decks"]].tolist() == state.decks
    assert sum(state.decks) > 80


def test_actions_and_their_names_are_stable() -> None:
    """Trained agents depend on the numbers."""
    encoding = encoding_of(Setup("base", 2).rules)
    assert encoding.action(Pass(0)) == 5
    assert encoding.action(Build(1, "wheat_field")) == 7
    assert encoding.action(Build(0, "radio_tower")) == 25
    assert encoding.action(SwapEstablishments(0, "wheat_field", 1, "wheat_field")) == 26


def test_the_codes_of_actions_ascend() -> None:
    for ruleset in RULESETS:
        rules = Setup(ruleset, 3).rules
        encoding = encoding_of(rules)
        codes = [code_of(rules, encoding.command(0, action)) for action in range(encoding.actions)]
        assert codes == sorted(set(codes))


def test_importing_the_package_imports_no_framework() -> None:
    code = "import sys, machi_koro_rules.environments; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"gymnasium", "numpy", "pettingzoo", "pyspiel"} & {*done.stdout.split()} == set()
    assert "machi_koro_rules.environments" in done.stdout.split()
