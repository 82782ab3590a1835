"""The cards of the second game (source: `cards.yaml`, `mk2_establishments` and `mk2_landmarks`)."""

from typing import Final

from domain.match.cards import (
    Card,
    Effect,
    boost,
    establishment,
    from_bank,
    from_each,
    from_each_per_symbol,
    from_roller,
    half_from_each,
    landmark,
    per_symbol,
)

LOW: Final[tuple[Card, ...]] = (
    establishment("sushi_bar", "Sushi Bar", (1,), "red", "cup", 2, from_roller(3), 5),
    establishment("wheat_field", "Wheat Field", (1, 2), "blue", "wheat", 1, from_bank(1), 5),
    establishment("vineyard", "Vineyard", (2,), "blue", "fruit", 1, from_bank(2), 5),
    establishment("bakery", "Bakery", (2, 3), "green", "bread", 1, from_bank(2), 5),
    establishment("cafe", "Café", (3,), "red", "cup", 1, from_roller(2), 5),
    establishment("flower_garden", "Flower Garden", (4,), "blue", "flower", 2, from_bank(2), 5),
    establishment("convenience_store", "Convenience Store", (4,), "green", "bread", 1, from_bank(3), 5),
    establishment("forest", "Forest", (5,), "blue", "gear", 3, from_bank(2), 5),
    establishment("flower_shop", "Flower Shop", (6,), "green", "combo", 1, per_symbol(3, "flower"), 3),
    establishment("business_center", "Business Center", (6,), "purple", "major", 3, Effect("swap"), 3),
)

HIGH: Final[tuple[Card, ...]] = (
    establishment("corn_field", "Corn Field", (7,), "blue", "wheat", 2, from_bank(3), 5),
    establishment("stadium", "Stadium", (7,), "purple", "major", 3, from_each(3), 3),
    establishment("hamburger_stand", "Hamburger Stand", (8,), "red", "cup", 1, from_roller(2), 5),
    establishment(
        "furniture_factory", "Furniture Factory", (8,), "green", "combo", 4, per_symbol(4, "gear"), 3
    ),
    establishment(
        "shopping_district", "Shopping District", (8, 9), "purple", "major", 3, half_from_each(11), 3
    ),
    establishment("family_restaurant", "Family Restaurant", (9, 10), "red", "cup", 2, from_roller(2), 5),
    establishment("winery", "Winery", (9,), "green", "combo", 3, per_symbol(3, "fruit"), 3),
    establishment("apple_orchard", "Apple Orchard", (10,), "blue", "fruit", 1, from_bank(3), 5),
    establishment("food_warehouse", "Food Warehouse", (10, 11), "green", "combo", 2, per_symbol(2, "cup"), 3),
    establishment("mine", "Mine", (11, 12), "blue", "gear", 4, from_bank(6), 5),
)

_FIRST: Final = (10, 14, 22)
_SECOND: Final = (12, 16, 22)

LANDMARKS: Final[tuple[Card, ...]] = (
    landmark("loan_office", "Loan Office", (10, 10, 10), Effect("own_landmark_discount", 2)),
    landmark("farmers_market", "Farmers Market", _FIRST, boost("wheat"), orange=True),
    landmark("french_restaurant", "French Restaurant", _FIRST, from_each(2)),
    landmark("moving_company", "Moving Company", _FIRST, Effect("give_on_double"), orange=True),
    landmark("observatory", "Observatory", _FIRST, Effect("discount", 5, cards=("launch_pad",)), orange=True),
    landmark("publisher", "Publisher", _FIRST, from_each_per_symbol(1, "bread")),
    landmark("shopping_mall", "Shopping Mall", _FIRST, boost("bread"), orange=True),
    landmark("tech_startup", "Tech Startup", _FIRST, Effect("income_on_total", 8, threshold=12), orange=True),
    landmark("airport", "Airport", _SECOND, Effect("income_on_pass", 5), orange=True),
    landmark("amusement_park", "Amusement Park", _SECOND, Effect("extra_turn_on_double"), orange=True),
    landmark("charterhouse", "Charterhouse", _SECOND, Effect("income_if_nothing_received", 3), orange=True),
    landmark("exhibit_hall", "Exhibit Hall", _SECOND, half_from_each(11)),
    landmark("forge", "Forge", _SECOND, boost("gear"), orange=True),
    landmark("museum", "Museum", _SECOND, Effect("from_each_per_landmark", 3)),
    landmark("park", "Park", _SECOND, Effect("level_coins")),
    landmark("radio_tower", "Radio Tower", _SECOND, Effect("extra_turn")),
    landmark("soda_bottling_plant", "Soda Bottling Plant", _SECOND, boost("cup"), orange=True),
    landmark("temple", "Temple", _SECOND, Effect("from_each_on_double", 2), orange=True),
    landmark("tv_station", "TV Station", _SECOND, from_each_per_symbol(1, "cup")),
    landmark("launch_pad", "Launch Pad", (45, 38, 25), Effect("win")),
)
