"""The cards that the Harbor expansion adds to the basic box (source: `cards.yaml`, `harbor`)."""

from typing import Final

from domain.match.cards import (
    Card,
    Effect,
    establishment,
    from_bank,
    from_each_per_symbol,
    from_roller,
    half_from_each,
    landmark,
    per_card,
    per_symbol,
)

REGULAR: Final[tuple[Card, ...]] = (
    establishment("sushi_bar", "Sushi Bar", (1,), "red", "cup", 2, from_roller(3, requires="harbor")),
    establishment("flower_garden", "Flower Garden", (4,), "blue", "wheat", 2, from_bank(1)),
    establishment(
        "flower_shop",
        "Flower Shop",
        (6,),
        "green",
        "bread",
        1,
        per_card(1, "flower_garden", boost_per_counted=True),
    ),
    establishment("pizza_joint", "Pizza Joint", (7,), "red", "cup", 1, from_roller(1)),
    establishment("hamburger_stand", "Hamburger Stand", (8,), "red", "cup", 1, from_roller(1)),
    establishment("mackerel_boat", "Mackerel Boat", (8,), "blue", "boat", 2, from_bank(3, requires="harbor")),
    establishment("food_warehouse", "Food Warehouse", (12, 13), "green", "factory", 2, per_symbol(2, "cup")),
    establishment(
        "tuna_boat", "Tuna Boat", (12, 13, 14), "blue", "boat", 5, Effect("boats", requires="harbor")
    ),
)

PURPLE: Final[tuple[Card, ...]] = (
    establishment(
        "publisher",
        "Publisher",
        (7,),
        "purple",
        "tower",
        5,
        from_each_per_symbol(1, "cup", "bread"),
        5,
        tower=True,
    ),
    establishment(
        "tax_office", "Tax Office", (8, 9), "purple", "tower", 4, half_from_each(10), 5, tower=True
    ),
)

TOWN_HALL: Final[Card] = establishment(
    "town_hall", "Town Hall", (), "", "tower", 0, Effect("help", 1), 0, tower=True
)
"""In print a landmark, but everybody starts with it and it never counts: kept with the establishments."""

LANDMARKS: Final[tuple[Card, ...]] = (
    landmark("harbor", "Harbor", (2,), Effect("add_two", 2, threshold=10), symbol="tower"),
    landmark("airport", "Airport", (30,), Effect("income_on_pass", 10), symbol="tower"),
)
