"""The cards that the box Millionaire's Row adds to the first game (sources: docs/rules.md, section 4)."""

from typing import Final

from domain.match.cards import Card, Effect, establishment, from_bank, from_roller, per_card

REGULAR: Final[tuple[Card, ...]] = (
    establishment(
        "general_store", "General Store", (2,), "green", "bread", 0, from_bank(2, below_landmarks=2)
    ),
    establishment("corn_field", "Corn Field", (3, 4), "blue", "wheat", 2, from_bank(1, below_landmarks=2)),
    establishment(
        "demolition_company", "Demolition Company", (4,), "green", "briefcase", 2, Effect("demolish", 8)
    ),
    establishment(
        "french_restaurant", "French Restaurant", (5,), "red", "cup", 3, from_roller(5, roller_landmarks=2)
    ),
    establishment(
        "loan_office", "Loan Office", (5, 6), "green", "briefcase", 0, Effect("to_bank", 2, bonus=5)
    ),
    establishment("vineyard", "Vineyard", (7,), "blue", "wheat", 3, from_bank(3)),
    establishment(
        "winery",
        "Winery",
        (9,),
        "green",
        "factory",
        3,
        per_card(6, "vineyard", boost_per_counted=False, closes=True),
    ),
    establishment("moving_company", "Moving Company", (9, 10), "green", "briefcase", 2, Effect("move", 4)),
    establishment(
        "soda_bottling_plant",
        "Soda Bottling Plant",
        (11,),
        "green",
        "factory",
        5,
        Effect("per_counted_of_all", 1, ("cup",)),
    ),
    establishment(
        "members_only_club",
        "Member's Only Club",
        (12, 13, 14),
        "red",
        "cup",
        4,
        Effect("all_from_roller", roller_landmarks=3),
    ),
)

PURPLE: Final[tuple[Card, ...]] = (
    establishment(
        "renovation_company",
        "Renovation Company",
        (8,),
        "purple",
        "tower",
        4,
        Effect("renovate", 1),
        5,
        tower=True,
    ),
    establishment(
        "tech_startup", "Tech Startup", (10,), "purple", "tower", 1, Effect("invest", 1), 5, tower=True
    ),
    establishment("park", "Park", (11, 12, 13), "purple", "tower", 3, Effect("level_coins"), 5, tower=True),
)
