"""On which totals, and at which throws, a copy of a card more or less can change what is paid."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from domain.rules import HIGHEST_TOTAL, Firing, Rules, Step

Totals = frozenset[int]

UNTOUCHED: Final[Totals] = frozenset()


def touched(rules: Rules, cards: Iterable[int]) -> tuple[Totals, Totals]:
    """The totals on which any of the cards may count: thrown by their owner, by others."""
    return _touched(rules, tuple(cards))


@lru_cache(maxsize=4096)
def _touched(rules: Rules, cards: tuple[int, ...]) -> tuple[Totals, Totals]:
    own = UNTOUCHED.union(*[totals_touched(rules, card)[0] for card in cards])
    others = UNTOUCHED.union(*[totals_touched(rules, card)[1] for card in cards])
    return own, others


@lru_cache(maxsize=256)
def totals_touched(rules: Rules, card: int) -> tuple[Totals, Totals]:
    """The totals on which a copy more or less may change what is paid: thrown by its owner, by others."""
    own, others = set(), set()
    for total in range(HIGHEST_TOTAL + 1):
        for step in rules.plans[total]:
            for firing in step.firings:
                if not _counts(firing, card):
                    continue
                if step.kind != "red" or rules.everybody[card]:
                    own.add(total)
                if (
                    step.kind in ("red", "boats", "from_each_per_symbol")
                    or rules.everybody[card]
                    or _is_of_any_turn(step, firing)
                ):
                    others.add(total)
    return frozenset(own), frozenset(others)


def _counts(firing: Firing, card: int) -> bool:
    return card in (firing.card, firing.needs) or card in firing.counted or card in firing.boosts


def _is_of_any_turn(step: Step, firing: Firing) -> bool:
    return step.kind == "income" and not firing.own_turn_only
