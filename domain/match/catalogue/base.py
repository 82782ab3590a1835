"""The cards of the first game's basic box (source: `cards.yaml`, `base`)."""

from typing import Final

from domain.match.cards import (
    Card,
    Effect,
    boost,
    establishment,
    from_bank,
    from_each,
    from_roller,
    landmark,
    per_symbol,
)

PURPLE_COPIES: Final[dict[str, int]] = {"four_player": 4, "five_player": 5}
"""Copies of each purple kind, by box."""

REGULAR: Final[tuple[Card, ...]] = (
    establishment("wheat_field", "Wheat Field", (1,), "blue", "wheat", 1, from_bank(1)),
    establishment("ranch", "Ranch", (2,), "blue", "cow", 1, from_bank(1)),
    establishment("bakery", "Bakery", (2, 3), "green", "bread", 1, from_bank(1)),
    establishment("cafe", "Café", (3,), "red", "cup", 2, from_roller(1)),
    establishment("convenience_store", "Convenience Store", (4,), "green", "bread", 2, from_bank(3)),
    establishment("forest", "Forest", (5,), "blue", "gear", 3, from_bank(1)),
    establishment("cheese_factory", "Cheese Factory", (7,), "green", "factory", 5, per_symbol(3, "cow")),
    establishment(
        "furniture_factory", "Furniture Factory", (8,), "green", "factory", 3, per_symbol(3, "gear")
    ),
    establishment("mine", "Mine", (9,), "blue", "gear", 6, from_bank(5)),
    establishment("family_restaurant", "Family Restaurant", (9, 10), "red", "cup", 3, from_roller(2)),
    establishment("apple_orchard", "Apple Orchard", (10,), "blue", "wheat", 3, from_bank(3)),
    establishment(
        "fruit_and_vegetable_market",
        "Fruit and Vegetable Market",
        (11, 12),
        "green",
        "fruit",
        2,
        per_symbol(2, "wheat"),
    ),
)

PURPLE: Final[tuple[Card, ...]] = (
    establishment("stadium", "Stadium", (6,), "purple", "tower", 6, from_each(2), 4, tower=True),
    establishment(
        "tv_station", "TV Station", (6,), "purple", "tower", 7, Effect("from_one", 5), 4, tower=True
    ),
    establishment(
        "business_center", "Business Center", (6,), "purple", "tower", 8, Effect("swap"), 4, tower=True
    ),
)

LANDMARKS: Final[tuple[Card, ...]] = (
    landmark("train_station", "Train Station", (4,), Effect("two_dice"), symbol="tower"),
    landmark("shopping_mall", "Shopping Mall", (10,), boost("cup", "bread"), symbol="tower"),
    landmark("amusement_park", "Amusement Park", (16,), Effect("extra_turn_on_double"), symbol="tower"),
    landmark("radio_tower", "Radio Tower", (22,), Effect("reroll"), symbol="tower"),
)
