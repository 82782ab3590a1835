"""The player `strong`: it rolls out the commands that the network finds closest; small races are exact.

The network's one-ply values choose the candidates, as for `learned`. `players.rollouts` compares them. The
rollouts are seeded by the position, so the player uses no other random numbers: equal tables give equal
choices, whether the kernel is compiled or not, unless a decision takes longer than `LONGEST_S`. For a ruleset
without a network, it plays as `expected_value`.
"""

import random
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain.canonical import sha256
from domain.match.commands import PlayCommand
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel import layout as at
from kernel.convert import row_of
from kernel.engine import PLAIN, compiled, is_in_cache
from players import expected_value
from players.choices import landmarks, winning_next
from players.lookahead import SAME_TO, Lookahead, judged_builds, values_of_answers
from players.rollouts import Rollouts, closest
from players.rollouts.comparing import LOOKS
from players.value_function import chances_of
from players.weight_files import has_weights

NEGLIGIBLE: Final = 0.002
"""The loss below which a choice need not be improved: a match has dozens of them."""
LONGEST_S: Final = 20
"""After so many seconds, the rollouts so far decide. Compiled, a decision takes less than one; plain, on a
busy machine, it could take longer than a worker's job may, which would begin again without end."""
FEW_CARDS: Final = 20
FEW_SEATS: Final = 4
"""With more kinds of cards or seats, the last look is left out: a decision would take longer than 300 ms."""

SEEDED_CARDS: Final = 40
"""How many cards of a city or a stack the seed of a position depends on: all, in rulesets with a network."""


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    if len(legal) == 1:
        return legal[0]
    if not has_weights(view.rules.ruleset.id):
        return expected_value.choose(view, legal, rng)
    won = winning_next(view, landmarks(view, legal))
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
        return [round(value, SAME_TO) for value in judged_builds([view], [legal])[1].tolist()]
    return Lookahead(view).values(legal)


def seed_of(view: MatchState) -> int:
    """A number of the position; as long as the kernel's rows begin alike, their room for cards does not
    matter."""
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
