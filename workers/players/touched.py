"""On which totals a copy of a card more or less can change what is paid."""

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from domain.match.rules import HIGHEST_TOTAL, Firing, Rules, Step
from domain.match.state import MatchState

Totals = frozenset[int]

Touched = tuple[Totals, Totals]
"""Totals thrown by the card's owner, and by others."""

UNTOUCHED: Final[Totals] = frozenset()


def touched(table: MatchState, cards: Collection[int]) -> Touched:
    """The totals on which any of the cards may count, on the table as it is with them.

    A card that counts for another only does nothing where nobody has that other, or nobody who has what it
    needs.
    """
    own = others = UNTOUCHED
    for card in cards:
        for firing, (by_owner, by_others) in _ways(table.rules, card):
            if _may_pay(table, firing, firing.card in cards):
                own |= by_owner
                others |= by_others
    return own, others


def _may_pay(table: MatchState, firing: Firing, changes: bool) -> bool:
    """Whether anybody has the card, or it is one of those that change, and what it needs."""
    needs = firing.needs
    able = table.cities if needs < 0 else [city for city in table.cities if city[needs]]
    return bool(able) if changes else any([city[firing.card] for city in able])


def totals_touched(rules: Rules, card: int) -> Touched:
    """The totals on which a copy more or less may change what is paid, whatever lies on the table."""
    own = [by_owner for _, (by_owner, _) in _ways(rules, card)]
    others = [by_others for _, (_, by_others) in _ways(rules, card)]
    return UNTOUCHED.union(*own), UNTOUCHED.union(*others)


@lru_cache(maxsize=4096)
def _ways(rules: Rules, card: int) -> tuple[tuple[Firing, Touched], ...]:
    """The cards that may pay otherwise for a copy of the card more or less, itself among them, and when."""
    found: dict[tuple[int, int], tuple[Firing, set[int], set[int]]] = {}
    if card == rules.add_two:
        adder = rules.firings[card]
        raised = set(range(adder.threshold, HIGHEST_TOTAL + 1))
        found[card, adder.needs] = adder, raised, set()
    for total, plan in enumerate(rules.plans):
        for step in plan:
            for firing in step.firings:
                if _counts(firing, card):
                    _, own, others = found.setdefault((firing.card, firing.needs), (firing, set(), set()))
                    own.update([total] if _is_of_own_turn(rules, step, card) else [])
                    others.update([total] if _is_of_others_turn(rules, step, firing, card) else [])
    return tuple([(firing, (frozenset(own), frozenset(others))) for firing, own, others in found.values()])


def _counts(firing: Firing, card: int) -> bool:
    return card in (firing.card, firing.needs) or card in firing.counted or card in firing.boosts


def _is_of_own_turn(rules: Rules, step: Step, card: int) -> bool:
    return step.kind != "red" or rules.everybody[card]


def _is_of_others_turn(rules: Rules, step: Step, firing: Firing, card: int) -> bool:
    return (
        step.kind in ("red", "boats", "from_each_per_symbol")
        or rules.everybody[card]
        or (step.kind == "income" and not firing.own_turn_only)
    )
