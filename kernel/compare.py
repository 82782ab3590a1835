"""Play the same random matches by `domain` and by the kernel, and compare the states after every step.

`python -m kernel.compare --matches 1000000 --seed 0` plays matches 0 to 999,999. It can be stopped at any
time, and goes on with `--seed N`, where N is the number that it printed last. `--plain` compares what
runs without numba, `--ruleset` only matches of some rulesets.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from domain import create, legal_commands
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.decide import advance_turn
from domain.match.events import Dice
from domain.match.rules import rules_for
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.state import RUNNING, MatchState
from kernel import layout as at
from kernel import luck
from kernel.convert import TwinChance, code_of, command_of, row_of, state_of
from kernel.engine import PLAIN, Engine, engine
from kernel.tables import width_of

RESIGN_ONCE_IN: Final = 600
"""In every second match, a random seat resigns instead of, on average, one command in this many."""

LONGEST: Final = 3000
"""The number of steps after which a match is not played on; few are longer."""


class Case(NamedTuple):
    """A way to set up a match."""

    ruleset: str
    seats: int
    options: dict[str, Any]


_COSTS_OF_ROW: Final = {"demolition_company": 0, "loan_office": 6, "radio_tower": 5}


def _cases() -> Iterator[Case]:
    for market, max_copies, costs in product(("open", "limited"), (None, 2), ({}, {"cafe": 0, "stadium": 9})):
        options = {"market": market, "max_copies": max_copies, "card_costs": costs}
        for seats in range(2, 6):
            for box in ("four_player", "five_player")[seats == 5 :]:
                yield Case("base", seats, {**options, "box": box})
            yield Case("harbor", seats, options)
    for seats, costs in product(range(2, 6), ({}, {"launch_pad": 9, "cafe": 3, "business_center": 0})):
        for _ in range(4):  # as often as the others
            yield Case("machi_koro_2", seats, {"card_costs": costs})
    for market, max_copies, costs in product(("open", "limited"), (None, 2), ({}, _COSTS_OF_ROW)):
        for seats, ruleset in product(range(2, 6), ("millionaires_row", "harbor_millionaires_row")):
            options = {"market": market, "max_copies": max_copies, "card_costs": costs}
            yield Case(ruleset, seats, options)


CASES: Final = tuple(_cases())
"""Every ruleset with all combinations of its options and 2 to 5 seats."""


class Difference(AssertionError):
    """The kernel and `domain` do not agree."""


def creation_of(case: Case) -> CreateMatch:
    """The command that creates a match of the case."""
    ruleset = CURRENT[case.ruleset]
    seats = (SeatPlan("strategy", "random", "random", "1"),) * case.seats
    options = resolve_options(ruleset, case.seats, **case.options)
    return CreateMatch(ruleset.version, options, seats, Dice("committed"), "acc_kernel")


def compare_match(kernel: Engine, number: int, cases: Sequence[Case] = CASES) -> int:
    """Play the match of that number, of one of the cases in turn, twice; the number of steps.

    Half of the matches are played uniformly, half seldom pass, so that they see more cards. Before each step
    the legal commands are compared, after it the states, as rows; each 64th row is also turned into a state.

    Raises:
        Difference: the two are not equal after every step.
    """
    case = cases[number % len(cases)]
    creation = creation_of(case)
    chance, choices = TwinChance(number), PLAIN.luck(number + (1 << 40))
    state, _ = create(creation, chance)
    rules = rules_for(creation.rules_version, creation.options, case.seats)
    tables, row, codes = kernel.tables(rules), kernel.row((0,) * width_of(rules)), kernel.codes()
    lucky = kernel.luck(number)
    kernel.start_match(tables, row, lucky, -1)
    of_match = number // len(cases)
    resigns, builds = bool(of_match % 2), bool(of_match % 4 < 2)
    steps = 0
    while True:
        _require_equal(state, row, steps, number)
        if state.status != RUNNING or steps >= LONGEST:
            return steps
        code = _choose(kernel, state, tables, row, codes, choices, builds, number)
        if resigns and luck.below(choices, RESIGN_ONCE_IN) == 0:
            code = at.RESIGN + _in_play(state)[luck.below(choices, len(_in_play(state)))]
        advance_turn(state, command_of(rules, state.active, code), chance)
        kernel.step(tables, row, lucky, code)
        steps += 1


def _in_play(state: MatchState) -> list[int]:
    return [seat for seat, gone in enumerate(state.resigned) if not gone]


def _choose(
    kernel: Engine,
    state: MatchState,
    tables: at.Tables,
    row: at.Row,
    codes: at.Codes,
    choices: at.Luck,
    builds: bool,
    number: int,
) -> int:
    commands = legal_commands(state)
    listed = codes[: kernel.legal(tables, row, codes)]
    rules = state.rules
    if listed != [code_of(rules, command) for command in commands]:
        raise Difference(f"match {number}, turn {state.turn}: {state.phase} is legal otherwise")
    first = int(builds and listed[0] == at.PASS and len(listed) > 1)
    place = first + luck.below(choices, len(listed) - first)
    chosen: int = listed[place]
    if command_of(rules, state.active, chosen) != commands[place]:
        raise Difference(f"match {number}, turn {state.turn}: {chosen} is not {commands[place]}")
    return chosen


def _require_equal(state: MatchState, row: at.Row, steps: int, number: int) -> None:
    found, wanted = row[:], row_of(state)
    if found != wanted:
        places = [
            f"{place}: {ours}, not {theirs}"
            for place, (ours, theirs) in enumerate(zip(found, wanted, strict=True))
            if ours != theirs
        ]
        raise Difference(f"match {number}, step {steps}, turn {state.turn}: {'; '.join(places)}")
    if steps % 64 == 0 and state_of(row, state) != state:
        raise Difference(f"match {number}, step {steps}: the row does not give the state back")


def compare(
    kernel: Engine,
    first: int,
    matches: int,
    seconds_between: float = 10.0,
    cases: Sequence[Case] = CASES,
) -> tuple[int, int]:
    """Compare the matches from `first` on, and print the progress; the numbers of matches and steps."""
    steps, start, told = 0, time.perf_counter(), 0.0
    done = 0
    try:
        for done in range(matches):
            steps += compare_match(kernel, first + done, cases)
            took = time.perf_counter() - start
            if took - told >= seconds_between:
                told = took
                left = (matches - done - 1) * took / (done + 1)
                after = f"{left:,.0f} s left; next --seed {first + done + 1}"
                print(f"equal: {done + 1:,} matches, {steps:,} steps, {after}", flush=True)
        done = matches
    except KeyboardInterrupt:
        print(f"stopped; go on with --seed {first + done}")
    return done, steps


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kernel.compare", description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first match")
    parser.add_argument("--plain", action="store_true", help="compare the functions without numba")
    parser.add_argument(
        "--ruleset", nargs="+", choices=list(CURRENT), default=list(CURRENT), help="all of them by default"
    )
    args = parser.parse_args(words)
    kernel = PLAIN if args.plain else engine()
    cases = [case for case in CASES if case.ruleset in args.ruleset]
    matches, steps = compare(kernel, args.seed, args.matches, cases=cases)
    by = "compiled" if kernel.is_compiled else "plain"
    print(f"{matches:,} matches with {steps:,} steps are equal, {by} kernel, {len(cases)} kinds of matches")
    return 0 if matches == args.matches else 1


if __name__ == "__main__":
    sys.exit(main())
