"""Fixed plans as data: for each ruleset, the goals of a player in order; `fixed_plan` plays them.

If a ruleset lacks the cards of a plan, its goals are cards that implement the same idea.
"""

from typing import Final

Goal = tuple[str, int]
"""A card and the wanted number of copies, including starter cards."""

Plan = dict[str, tuple[Goal, ...]]
"""By ruleset: the goals in order of priority."""

_SHOPS: Final[tuple[Goal, ...]] = (("convenience_store", 6), ("bakery", 3))

_DAIRY: Final[tuple[Goal, ...]] = (("ranch", 3), ("train_station", 1), ("cheese_factory", 3), ("ranch", 6))

_WOODWORK: Final[tuple[Goal, ...]] = (
    ("forest", 2),
    ("train_station", 1),
    ("furniture_factory", 2),
    ("mine", 2),
    ("forest", 3),
)

_ORCHARDS: Final[tuple[Goal, ...]] = (
    ("wheat_field", 3),
    ("train_station", 1),
    ("fruit_and_vegetable_market", 3),
    ("apple_orchard", 2),
    ("wheat_field", 6),
)

_GARDENS: Final[tuple[Goal, ...]] = (
    ("flower_garden", 2),
    ("flower_shop", 2),
    ("flower_garden", 5),
    ("flower_shop", 3),
)

CONVENIENCE_RUSH: Final[Plan] = {
    "base": _SHOPS,
    "harbor": _SHOPS,
    "machi_koro_2": (("convenience_store", 4), ("bakery", 3)),
    "millionaires_row": _SHOPS,
    "harbor_millionaires_row": _SHOPS,
}
"""Green cards that pay on one die."""

CHEESE: Final[Plan] = {
    "base": _DAIRY,
    "harbor": _DAIRY,
    # There are no ranches: flower gardens are the cheap cards that an expensive card multiplies.
    "machi_koro_2": _GARDENS,
    "millionaires_row": _DAIRY,
    "harbor_millionaires_row": _DAIRY,
}
"""Cheap cards that pay in every turn, and a factory that multiplies them."""

BAKERY: Final[Plan] = {
    "base": (("bakery", 6),),
    "harbor": (("bakery", 6),),
    "machi_koro_2": (("bakery", 5),),
    "millionaires_row": (("bakery", 6),),
    "harbor_millionaires_row": (("bakery", 6),),
}
"""The cheapest of the cards that pay on two totals."""

FURNITURE: Final[Plan] = {
    "base": _WOODWORK,
    "harbor": _WOODWORK,
    "machi_koro_2": (("forest", 2), ("furniture_factory", 2), ("mine", 2), ("forest", 4)),
    "millionaires_row": _WOODWORK,
    "harbor_millionaires_row": _WOODWORK,
}
"""Forests and mines for a furniture factory, and two dice to reach it."""

FRUIT_MARKET: Final[Plan] = {
    "base": _ORCHARDS,
    "harbor": _ORCHARDS,
    "machi_koro_2": (("vineyard", 2), ("winery", 2), ("vineyard", 4), ("apple_orchard", 2)),
    "millionaires_row": _ORCHARDS,
    "harbor_millionaires_row": _ORCHARDS,
}
"""Fields and orchards for a market on the highest numbers."""
