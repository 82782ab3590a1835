"""The error of rollouts, the coverage of their intervals, and the variance that their design saves.

`python -m training.rollout_error` prints three Markdown tables; see `--help`. One is about races, whose
chances are exact: chances by rollouts and by the network, and losses of the worse number of dice. The others
are about builds. The second compares losses with those over thousands of rollouts of the same length with
other luck, and tells the variance of the mean difference of two builds, relative to independent rollouts.
The third is about choices of other players that the network does not find best. It compares the losses that
a review finds with those of matches that the same policy plays to the end: what the network gets wrong where
rollouts are left, after the turns of a comparison and after those of a check.
"""

import argparse
import random
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from domain import create, legal_commands
from domain.ladder.arithmetic import ROUNDED_Z
from domain.match.commands import PlayCommand
from domain.match.decide import advance_turn
from domain.match.state import RUNNING, MatchState
from kernel.compare import Case, creation_of
from kernel.convert import TwinChance
from kernel.engine import Engine, engine
from kernel.layout import PAIRS
from players import PLAYERS, Policy
from players.exact_race.cities import RaceRefused
from players.exact_race.deciding import RaceDecisions
from players.exact_race.races import Races
from players.rollouts import Rollouts
from players.rollouts.comparing import LOOKS, RISK, TURNS, Loss
from players.rollouts.intervals import ENOUGH, student
from players.rollouts.simulation import MOST_BATCHES, Simulation
from players.strong import candidates
from players.tables import Doubles
from players.value_function import values
from players.weight_files import calibrated_weights
from review.judging import CHECKING_LOOKS, CHECKING_TURNS, Judge, candidate_places, method_error
from review.network import chances_after
from training.network_error import positions

TO_THE_END: Final = 300
"""Turns in which every match ends; one that does not is valued by the network."""
END_BATCHES: Final = 12
"""Batches of rollouts to the end."""
COMPARISON_QUANTILE: Final = 2.5
"""About how many standard errors half the interval of a comparison has; it covers all looks and pairs."""
CHECK_QUANTILES: Final = {
    look * PAIRS: student(1 - RISK / len(CHECKING_LOOKS) / 2, (look if look >= ENOUGH else PAIRS) - 1)
    for look in CHECKING_LOOKS
}
"""The number of standard errors in half the interval of a check, by its rollouts of each command."""
assert not {*CHECKING_LOOKS} & {*LOOKS}, "the number of rollouts tells a check from a comparison"
OTHERS: Final = ("random", "greedy", "landmark_first", "expected_value", "learned")
REFERENCE_SEED: Final = 1 << 20
"""The seed of the first reference; the seeds of comparisons are below it."""
RACE_HEADINGS: Final = (
    "| landmarks left | positions | network, RMS | bias | rollouts, RMS | bias | intervals that hold |\n"
    "| --- | --- | --- | --- | --- | --- | --- |"
)
BUILD_HEADINGS: Final = (
    "| seats | decisions | rollouts | half interval | RMS error | intervals that hold "
    "| stratified | common luck | both | and later throws |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)
END_HEADINGS: Final = (
    "| seats | turns | mean loss | to the end | half interval | RMS error | of which by sampling "
    "| error of the method | intervals that hold |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


class Covered(NamedTuple):
    """How many intervals of losses contain the true loss."""

    intervals: int
    held: int
    """The number of intervals that contain it."""

    @classmethod
    def from_losses(cls, losses: Sequence[Loss], true: Sequence[float]) -> "Covered":
        """Of the losses of some commands, given their true chances; the best command has no interval."""
        best = [loss == (0, 0, 0) for loss in losses].index(True)
        pairs = [
            (low, true[best] - chance, high)
            for place, ((_, low, high), chance) in enumerate(zip(losses, true, strict=True))
            if place != best
        ]
        return cls(len(pairs), sum([low - 1e-9 <= loss <= high + 1e-9 for low, loss, high in pairs]))


def race_line(kernel: Engine, left: int, states: Sequence[MatchState]) -> str:
    """The line of races in which both seats lack so many landmarks; the mover chooses the number of dice."""
    rollouts = Rollouts(kernel, states[0].rules)
    by_rollouts, by_network, covered = [], [], []
    for number, state in enumerate(states):
        legal, seat = legal_commands(state), state.active
        try:
            exact = RaceDecisions(Races(kernel, state.rules), state).chances(legal)
        except RaceRefused:
            continue
        true = [float(chances[seat]) for chances in exact if chances is not None]
        found = rollouts.by_rollouts(state, legal, number)
        best = true.index(max(true))
        by_rollouts.append(100 * (found.estimates[best].chances[seat] - true[best]))
        by_network.append(100 * (float(values([state])[0, seat]) - true[best]))
        if len(legal) > 1:
            covered.append(Covered.from_losses(found.losses, true))
    cells = [str(left), str(len(by_rollouts)), _error(by_network), _error(by_rollouts), _share(covered)]
    return f"| {' | '.join(cells)} |"


def _error(errors: Sequence[float]) -> str:
    found = np.array(errors)
    half = ROUNDED_Z * found.std() / len(found) ** 0.5
    return f"{np.sqrt((found**2).mean()):.1f} | {found.mean():+.1f} ± {half:.1f}"


def _share(covered: Sequence[Covered]) -> str:
    return f"{sum([one.held for one in covered])} of {sum([one.intervals for one in covered])}"


def decisions(
    ruleset: str, number: int, rng: random.Random, players: Sequence[Policy]
) -> Iterator[tuple[MatchState, list[PlayCommand], PlayCommand]]:
    """The state, the legal commands and the chosen one of each decision of a match, from a random turn on."""
    chance, seats = TwinChance(number), len(players)
    state, _ = create(creation_of(Case(ruleset, seats, {})), chance)
    first = rng.randint(1, 12 * seats)
    while state.status == RUNNING:
        legal = legal_commands(state)
        command = players[state.active](state, legal, rng) if len(legal) > 1 else legal[0]
        if state.turn >= first and len(legal) > 1:
            yield state, legal, command
        advance_turn(state, command, chance)


def builds(ruleset: str, seats: int, matches: int) -> Iterator[tuple[MatchState, list[PlayCommand]]]:
    """One decision of each match of `learned`, at a random turn, with the commands that are closest."""
    for number in range(matches):
        players = [PLAYERS["learned"]] * seats
        for state, legal, _ in decisions(ruleset, number, random.Random(number), players):
            if state.phase == "build" and len(candidates(state, legal)) > 1:
                yield state, candidates(state, legal)
                break


def build_line(kernel: Engine, ruleset: str, seats: int, matches: int, references: int) -> str:
    """The line of builds with so many seats, against so many references of 1152 rollouts each."""
    covered, errors, ratios, widths = [], [], [], []
    rollouts: list[int] = []
    for number, (state, commands) in enumerate(builds(ruleset, seats, matches)):
        found = Rollouts(kernel, state.rules, weights=calibrated_weights).by_rollouts(state, commands, number)
        simulation = Simulation(kernel, state.rules, calibrated_weights)
        own = np.concatenate(
            [_own_values(simulation, state, commands, REFERENCE_SEED + one) for one in range(references)],
            axis=1,
        )
        true = own.mean(axis=(1, 2))
        covered.append(Covered.from_losses(found.losses, true.tolist()))
        errors += [
            100 * (loss - true[found.best] + chance)
            for (loss, *_), chance in zip(found.losses, true, strict=True)
            if loss
        ]
        widths += [100 * (high - loss) for loss, _, high in found.losses if loss]
        rollouts += [estimate.rollouts for estimate in found.estimates]
        if own[:2].var() > 0:  # else nobody's chance depends on the dice any more
            ratios.append(variance_shares(own))
    saved = [f"{share:.3f}" for share in np.mean(ratios, axis=0)]
    rms = np.sqrt(np.mean(np.square(errors)))
    cells = [
        str(seats),
        str(len(covered)),
        f"{np.mean(rollouts):.0f}",
        f"{np.mean(widths):.1f}",
        f"{rms:.2f}",
    ]
    return f"| {' | '.join([*cells, _share(covered), *saved])} |"


def choices(ruleset: str, seats: int, matches: int) -> Iterator[tuple[MatchState, list[PlayCommand], int]]:
    """One choice in each match of `OTHERS`, from a random turn on, that the network does not find best.

    The commands that a review compares, and the place of the chosen one.
    """
    for number in range(matches):
        rng = random.Random(number)
        players = [PLAYERS[rng.choice(OTHERS)] for _ in range(seats)]
        for state, legal, command in decisions(ruleset, number, rng, players):
            chosen = legal.index(command)
            places = candidate_places(chances_after(state, legal)[:, state.active].tolist(), chosen)
            if places[0] != chosen:
                yield state, [legal[place] for place in places], places.index(chosen)
                break


class LossComparison(NamedTuple):
    """The loss of a choice by the review, and in matches that are played to the end."""

    loss: float
    """The loss by the review."""
    half: float
    """Half the width of its interval."""
    by_sampling: float
    """Its standard error."""
    loss_to_end: float
    """The loss in matches that are played to the end."""
    by_sampling_to_end: float
    """Its standard error."""


def end_lines(kernel: Engine, ruleset: str, seats: int, matches: int) -> Iterator[str]:
    """The lines of choices with so many seats, without and with a check, against rollouts to the end."""
    found: dict[int, list[LossComparison]] = {TURNS: [], CHECKING_TURNS: []}
    for number, (state, commands, chosen) in enumerate(choices(ruleset, seats, matches)):
        compared = Judge(kernel, state.rules, "").compared(state, commands, number, chosen)
        checked = [place for place, one in enumerate(compared.estimates) if one.rollouts in CHECK_QUANTILES]
        is_checked = chosen in checked
        others = [place for place in checked or [compared.best] if place != chosen]
        if compared.estimates[chosen].is_exact or not others:
            continue  # it is exact, or the best
        (other,) = others
        simulation = Simulation(kernel, state.rules, calibrated_weights)
        pair = [commands[other], commands[chosen]]
        own = _own_values(simulation, state, pair, REFERENCE_SEED, END_BATCHES, TO_THE_END)
        gains = (own[0] - own[1]).mean(axis=1)
        sign = -1 if compared.best == chosen else 1
        loss, _, high = compared.losses[other if sign == -1 else chosen]
        half = high - loss
        error = method_error(state)
        by_method = error.checked if is_checked else error.found
        quantile = CHECK_QUANTILES.get(compared.estimates[chosen].rollouts, COMPARISON_QUANTILE)
        by_sampling = max(0.0, half**2 - (ROUNDED_Z * by_method) ** 2) ** 0.5 / quantile
        loss_to_end = float(gains.std(ddof=1)) / END_BATCHES**0.5
        turns = CHECKING_TURNS if is_checked else TURNS
        found[turns].append(LossComparison(sign * loss, half, by_sampling, float(gains.mean()), loss_to_end))
    for turns, all_of in found.items():
        if all_of:
            yield _end_line(seats, turns, np.array(all_of))


def _end_line(seats: int, turns: int, found: Doubles) -> str:
    loss, half, by_sampling, loss_to_end, by_sampling_to_end = found.T
    sampling = by_sampling**2 + by_sampling_to_end**2
    error = loss - loss_to_end
    held = np.abs(error) <= np.hypot(half, ROUNDED_Z * by_sampling_to_end)
    total, part = (error**2).mean(), sampling.mean()
    numbers = [
        loss.mean(),
        loss_to_end.mean(),
        half.mean(),
        total**0.5,
        part**0.5,
        max(0.0, total - part) ** 0.5,
    ]
    cells = [
        str(seats),
        str(turns),
        *[f"{100 * number:.1f}" for number in numbers],
        f"{held.sum()} of {len(held)}",
    ]
    return f"| {' | '.join(cells)} |"


def _own_values(
    simulation: Simulation,
    state: MatchState,
    commands: Sequence[PlayCommand],
    seed: int,
    batches: int = MOST_BATCHES,
    turns: int = TURNS,
) -> Doubles:
    """By command, batch and pair of dice: the value for the seat to act."""
    found = [
        [value[state.active] for value in simulation.values(state, command, seed, 0, batches, turns)]
        for command in commands
    ]
    return np.array(found).reshape(len(commands), batches, PAIRS)


def variance_shares(own: Doubles) -> list[float]:
    """The variances of the difference of the first two commands, relative to independent rollouts of both."""
    of_both = own[:2].var(axis=(1, 2)).sum()
    difference = own[0] - own[1]
    each_alone = sum([one.var(axis=0, ddof=1).mean() for one in own[:2]])
    parts = (each_alone, difference.var(), difference.var(axis=0, ddof=1).mean())
    return [float(part / of_both) for part in (*parts, PAIRS * difference.mean(axis=1).var(ddof=1))]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.rollout_error", description=__doc__)
    parser.add_argument("--ruleset", default="base", choices=["base", "harbor", "machi_koro_2"])
    parser.add_argument(
        "--seats",
        nargs="+",
        type=int,
        default=[2, 4],
        help="numbers of seats of the tables of builds and of choices",
    )
    parser.add_argument("--matches", type=int, default=100, help="matches for each line of a table")
    parser.add_argument(
        "--references",
        type=int,
        default=2,
        help="reference sets of 1152 rollouts for each command of the table of builds",
    )
    args = parser.parse_args(words)
    kernel = engine()
    print(f"`python -m training.rollout_error {shlex.join(sys.argv[1:] if words is None else words)}`\n")
    if args.ruleset != "machi_koro_2":
        print(RACE_HEADINGS, flush=True)
        for left, states in zip((1, 2), positions(args.ruleset, 2, (1, 2), args.matches, 1), strict=True):
            print(race_line(kernel, left, states), flush=True)
        print()
    print(BUILD_HEADINGS, flush=True)
    for seats in args.seats:
        line = build_line(kernel, args.ruleset, seats, args.matches, args.references)
        print(line, flush=True)
    print(f"\n{END_HEADINGS}", flush=True)
    for seats in args.seats:
        for line in end_lines(kernel, args.ruleset, seats, args.matches):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
