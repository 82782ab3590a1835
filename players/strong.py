"""The player `strong`: it compares the most promising commands by rollouts; small races are solved exactly.

The network's one-ply values choose the candidates, as for `learned`. `players.rollouts` compares them. The
rollouts are seeded by the position, so the player uses no other random numbers: equal tables give equal
choices, whether the kernel is compiled or not, unless a decision takes longer than `LONGEST_S`. For a ruleset
without a network, it plays as `expected_value`.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain.canonical import sha256
from domain.match.chance import RandomNumbers
from domain.match.commands import PlayCommand
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel import layout as at
from kernel.convert import row_of
from kernel.engine import PLAIN, compiled, is_in_cache
from players import expected_value
from players.choices import landmarks, winning_landmark
from players.lookahead import COMPARED_DECIMALS, Lookahead, judged_builds, values_of_answers
from players.rollouts import Rollouts, closest
from players.rollouts.comparing import LOOKS
from players.value_function import chances_of
from players.weight_files import has_weights

NEGLIGIBLE: Final = 0.002
"""The loss below which a choice need not be improved: a match has dozens of them."""
LONGEST_S: Final = 20
"""After so many seconds, the rollouts so far decide. With the compiled kernel, a decision takes less than one
second. With the plain one, on a busy machine, it could exceed the time limit of a worker's job, which would
then be repeated forever."""
FEW_CARDS: Final = 20
FEW_SEATS: Final = 4
"""With more kinds of cards or more seats, the last look of a comparison is omitted, because a decision would
take longer than 300 ms."""

SEEDED_CARDS: Final = 40
"""The number of cards of each city and of the market that enter the seed: all cards of the rulesets with a
network."""


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    if len(legal) == 1:
        return legal[0]
    if not has_weights(view.rules.ruleset.id):
        return expected_value.choose(view, legal, rng)
    won = winning_landmark(view, landmarks(view, legal))
    if won:
        return won
    found = candidates(view, legal)
    if len(found) == 1:
        return found[0]
    rollouts, ends_s = _rollouts(view.rules, is_in_cache()), time.monotonic() + LONGEST_S
    compared = rollouts.compare(view, found, seed_of(view), is_late=lambda: time.monotonic() >= ends_s)
    return found[compared.best]


def candidates(view: MatchState, legal: Sequence[PlayCommand]) -> list[PlayCommand]:
    """The commands whose one-ply values are closest to the best, the best first."""
    return [legal[place] for place in closest(_values(view, legal))]


def _values(view: MatchState, legal: Sequence[PlayCommand]) -> Sequence[float]:
    if view.phase in ("swap", "give"):
        return values_of_answers(view, legal, chances_of)
    if view.phase in ("build", "setup"):
        return [round(value, COMPARED_DECIMALS) for value in judged_builds([view], [legal])[1].tolist()]
    return Lookahead(view).values(legal)


def seed_of(view: MatchState) -> int:
    """The seed of the rollouts: a number from 0 to 2^44 - 1 that depends on the position alone.

    It does not change if `kernel.layout.MOST_CARDS` grows.
    """
    row = row_of(view)
    numbers = row[: at.SUPPLY]
    for place in range(at.SUPPLY, at.UNPAID, at.MOST_CARDS):
        cards = row[place : place + at.MOST_CARDS][:SEEDED_CARDS]
        numbers += cards + [0] * (SEEDED_CARDS - len(cards))
    return int(sha256(repr(numbers).encode())[-11:], 16)


@lru_cache(maxsize=16)
def _rollouts(rules: Rules, is_compiled: bool) -> Rollouts:
    is_quick = rules.size <= FEW_CARDS and rules.seats <= FEW_SEATS
    looks = LOOKS if is_quick else LOOKS[:-1]
    return Rollouts(compiled() if is_compiled else PLAIN, rules, looks, negligible=NEGLIGIBLE)
