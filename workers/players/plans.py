"""Fixed plans: what a player of each wants in its city, ruleset by ruleset, in the order of its wishes.

Data alone; `workers.players.fixed_plan` plays them. Where the cards of a plan are not in a ruleset, the
wishes are for those that carry the same idea there.
"""

from typing import Final

Wish = tuple[str, int]
"""A card and how many copies of it are wanted in all, the starter cards included."""

Plan = dict[str, tuple[Wish, ...]]
"""The wishes by ruleset, the first to be met first."""

_SHOPS: Final[tuple[Wish, ...]] = (("convenience_store", 6), ("bakery", 3))

_DAIRY: Final[tuple[Wish, ...]] = (("ranch", 3), ("train_station", 1), ("cheese_factory", 3), ("ranch", 6))

_WOODWORK: Final[tuple[Wish, ...]] = (
    ("forest", 2),
    ("train_station", 1),
    ("furniture_factory", 2),
    ("mine", 2),
    ("forest", 3),
)

_ORCHARDS: Final[tuple[Wish, ...]] = (
    ("wheat_field", 3),
    ("train_station", 1),
    ("fruit_and_vegetable_market", 3),
    ("apple_orchard", 2),
    ("wheat_field", 6),
)

_GARDENS: Final[tuple[Wish, ...]] = (
    ("flower_garden", 2),
    ("flower_shop", 2),
    ("flower_garden", 5),
    ("flower_shop", 3),
)

CONVENIENCE_RUSH: Final[Plan] = {
    "base": _SHOPS,
    "harbor": _SHOPS,
    "machi_koro_2": (("convenience_store", 4), ("bakery", 3)),
}
"""Shops that pay on one die, of the owner's own turns."""

CHEESE: Final[Plan] = {
    "base": _DAIRY,
    "harbor": _DAIRY,
    # There are no cows: flowers for a shop are the cheap cards that one dear card multiplies.
    "machi_koro_2": _GARDENS,
}
"""Cheap cards that pay in every turn, and a factory that multiplies them."""

BAKERY: Final[Plan] = {
    "base": (("bakery", 6),),
    "harbor": (("bakery", 6),),
    "machi_koro_2": (("bakery", 5),),
}
"""The cheapest card of all that pays on two numbers."""

FURNITURE: Final[Plan] = {
    "base": _WOODWORK,
    "harbor": _WOODWORK,
    "machi_koro_2": (("forest", 2), ("furniture_factory", 2), ("mine", 2), ("forest", 4)),
}
"""Forests and mines for a furniture factory, and two dice to reach it."""

FRUIT_MARKET: Final[Plan] = {
    "base": _ORCHARDS,
    "harbor": _ORCHARDS,
    "machi_koro_2": (("vineyard", 2), ("winery", 2), ("vineyard", 4), ("apple_orchard", 2)),
}
"""Fields and orchards for a market on the highest numbers."""
