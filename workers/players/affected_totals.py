"""The totals whose payments change with an additional or missing copy of a card."""

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from domain.match.rules import HIGHEST_TOTAL, Firing, PayoutStage, Rules
from domain.match.state import MatchState

Totals = frozenset[int]

AffectedTotals = tuple[Totals, Totals]
"""Affected totals rolled by the card's owner, and by others."""

UNAFFECTED: Final[Totals] = frozenset()


def affected_totals(table: MatchState, cards: Collection[int]) -> AffectedTotals:
    """The totals that any of the cards affects on a table that already includes the change.

    A card that only matters for another card affects nothing if nobody has that card and the landmark that it
    needs.
    """
    own = others = UNAFFECTED
    for card in cards:
        for firing, (by_owner, by_others) in _dependents(table.rules, card):
            if _may_pay(table, firing, firing.card in cards):
                own |= by_owner
                others |= by_others
    return own, others


def _may_pay(table: MatchState, firing: Firing, changes: bool) -> bool:
    """Whether anybody has the card, unless it changes itself, and the landmark that it needs."""
    needs = firing.needs
    able = table.cities if needs < 0 else [city for city in table.cities if city[needs]]
    return bool(able) if changes else any([city[firing.card] for city in able])


@lru_cache(maxsize=4096)
def _dependents(rules: Rules, card: int) -> tuple[tuple[Firing, AffectedTotals], ...]:
    """The cards whose payments depend on copies of the card, including itself, with the affected totals."""
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


def _is_of_own_turn(rules: Rules, step: PayoutStage, card: int) -> bool:
    return step.kind != "red" or rules.everybody[card]


def _is_of_others_turn(rules: Rules, step: PayoutStage, firing: Firing, card: int) -> bool:
    return (
        step.kind in ("red", "boats", "from_each_per_symbol")
        or rules.everybody[card]
        or (step.kind == "income" and not firing.own_turn_only)
    )
