"""Chances of winning by the value network alone: quick, and without simulations.

All values are in double precision and rounded later, so that machines agree on their digits.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from contract.reviews import MILLIONTHS, ChanceCurve, ChancesAt
from domain.match.commands import PlayCommand
from domain.match.events import Event
from domain.match.legal import legal_commands
from domain.match.state import FINISHED, RUNNING, MatchState
from players.afterstates import GivenChance, after, answers
from players.forecast import TWO_DICE_TOTALS
from players.lookahead import EQUAL_DECIMALS, Lookahead, best_builds, chances_of_builds
from players.tables import in_play
from players.value_function import fine_chances_of, values
from players.weight_files import digest, has_weights
from review.walk import Boats, Decision, Draw, NotReviewable, walk

Chances = NDArray[np.float64]


def require_network(ruleset: str) -> None:
    """Require that a network was trained for the ruleset.

    Raises:
        NotReviewable: none was.
    """
    if not has_weights(ruleset):
        raise NotReviewable(f"there is no value function for {ruleset!r}")


def chances_after(state: MatchState, legal: Sequence[PlayCommand]) -> Chances:
    """By command and seat: the chances of winning after it, with the best choices in the rest of the turn."""
    playing = in_play(state)
    found: Chances
    if state.phase in ("build", "setup"):
        found = chances_of_builds(state, legal, fine_chances_of)
    elif state.phase in ("swap", "give"):
        found = fine_chances_of(state.rules, answers(state, legal, GivenChance()))
    else:
        tree = Lookahead(state, fine_chances_of)
        nodes = [tree.follow(command) for command in legal]
        leaves = best_builds([tree], fine_chances_of)[0]
        seat = playing.index(state.active)
        found = np.array([node.chances(leaves, seat) for node in nodes])
    every = np.zeros((len(legal), state.rules.seats))
    every[:, list(playing)] = found
    return every


def chances_of_state(state: MatchState) -> Chances:
    """By seat: the chances of winning, with the best choices in the rest of the turn."""
    if state.status != RUNNING or state.phase in ("roll", "setup"):
        return np.asarray(values([state], fine_chances_of)[0])
    found = chances_after(state, legal_commands(state))
    return np.asarray(found[best_of(found[:, state.active])])


def best_of(values: Sequence[float] | Chances) -> int:
    """The first of the highest values."""
    return int(np.round(values, EQUAL_DECIMALS).argmax())


def luck_of_boats(step: Boats) -> Chances:
    """By seat: the chances after the roll for the boats, less the mean over all such rolls."""
    found = np.zeros(step.state.rules.seats)
    for total, share in TWO_DICE_TOTALS:
        dice = GivenChance(step.values, (total // 2, total - total // 2))
        of_total = chances_of_state(after(step.state, step.command, dice))
        found += ((total == step.total) - share) * of_total
    return found


def luck_of_draw(step: Draw) -> Chances:
    """By seat: the chances with the card that was turned over, less the mean over all cards of the deck."""
    cards = [card for card, copies in enumerate(step.deck) if copies]
    tables = []
    for card in cards:
        table = step.table.copy()
        table.supply = list(step.before)
        table.supply[card] += 1
        tables.append(table)
    by_card = values(tables, fine_chances_of)
    shares = np.array([step.deck[card] for card in cards]) / sum(step.deck)
    return np.asarray(by_card[cards.index(step.card)] - shares @ by_card)


def in_millionths(chances: Sequence[float] | Chances) -> tuple[int, ...]:
    """The chances as whole numbers that are not negative and sum to a million, by the largest remainders."""
    clean = [max(0.0, float(chance)) for chance in chances]
    total = sum(clean)
    exact = [chance * MILLIONTHS / total for chance in clean]
    whole = [int(chance) for chance in exact]
    by_remainder = sorted(range(len(exact)), key=lambda seat: (whole[seat] - exact[seat], seat))
    for seat in by_remainder[: MILLIONTHS - sum(whole)]:
        whole[seat] += 1
    return tuple(whole)


def chance_curve(match_id: str, events: Sequence[Event]) -> ChanceCurve:
    """The chances of winning at every decision of the match, and at its end.

    Raises:
        NotReviewable: nobody has had a turn, or there is no network for the ruleset.
    """
    walked = walk(events)
    require_network(walked.end.rules.ruleset.id)
    found: dict[int, Chances] = {walked.first: chances_of_state(walked.start)}
    for step in walked.steps:
        if isinstance(step, Decision):
            found[step.state.version] = chances_of_state(step.state)
    if walked.end.status in (RUNNING, FINISHED):
        found[walked.end.version] = chances_of_state(walked.end)
    items: list[ChancesAt] = []
    for version in sorted(found):
        chances = in_millionths(found[version])
        if not items or items[-1].chances != chances:
            items.append(ChancesAt(version, chances))
    return ChanceCurve(
        match_id=match_id,
        version=walked.end.version,
        value_function=digest(walked.end.rules.ruleset.id),
        items=tuple(items),
    )
