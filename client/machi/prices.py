"""What a card costs, from the catalogue and the table."""

from collections.abc import Mapping

from contract.catalogue import Card
from machi.table import State


def price(card: Card, seat: int, state: State, cards: Mapping[str, Card]) -> int:
    """The price of the card for the seat now, in coins; `cards` are all of the ruleset, by id."""
    named = state.options.card_costs.get(card.id)
    if not card.costs:
        return (card.cost or 0) if named is None else named
    built = len(state.players[seat].landmarks)
    full = card.costs[min(built, len(card.costs) - 1)] if named is None else named
    return max(full - _discount(card, seat, state, cards), 0)


def _discount(card: Card, seat: int, state: State, cards: Mapping[str, Card]) -> int:
    """What landmarks take off the price; orange ones work for everybody."""
    discount = 0
    for player in state.players:
        for landmark in [cards[id] for id in player.landmarks if id in cards]:
            effect = landmark.effect
            is_in_force = player.seat == seat or landmark.colour == "orange"
            is_meant = (effect.kind == "discount" and card.id in (effect.cards or ())) or (
                effect.kind == "own_landmark_discount" and card.kind == "landmark"
            )
            discount += (effect.amount or 0) if is_in_force and is_meant else 0
    return discount
