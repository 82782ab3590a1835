"""Examples of requests for new matches, which the document shows and tests send."""

from typing import Final

EXAMPLES: Final = {
    "against_strategies": {
        "summary": "One account against two built-in players",
        "value": {
            "ruleset": "harbor",
            "seats": [
                {"kind": "me"},
                {"kind": "strategy", "strategy": "greedy"},
                {"kind": "strategy", "strategy": "random"},
            ],
            "first_seat": 0,
        },
    },
    "open_seat": {
        "summary": "An open seat and a clock",
        "value": {
            "ruleset": "harbor",
            "seats": [{"kind": "me"}, {"kind": "open"}],
            "first_seat": 0,
            "clock": {"decision_ms": 300_000, "on_timeout": "strategy"},
            "dice": {"mode": "committed"},
            "tags": ["friendly"],
        },
    },
    "millionaires_row": {
        "summary": "The third box with the first, and one built-in player",
        "value": {
            "ruleset": "millionaires_row",
            "options": {"market": "limited"},
            "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "expected_value"}],
            "first_seat": 0,
        },
    },
    "tokens": {
        "summary": "A position with a café that is closed for renovation and an investment",
        "value": {
            "ruleset": "harbor_millionaires_row",
            "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "random"}],
            "position": {
                "active_seat": 0,
                "phase": "build",
                "players": [
                    {
                        "coins": 4,
                        "establishments": {"town_hall": 1, "tech_startup": 1, "bakery": 1},
                        "invested": 2,
                    },
                    {
                        "coins": 3,
                        "establishments": {"town_hall": 1, "cafe": 2},
                        "closed": {"cafe": 1},
                    },
                ],
            },
        },
    },
    "bank": {
        "summary": "A clock with a bank and an increment",
        "value": {
            "ruleset": "base",
            "seats": [{"kind": "me"}, {"kind": "open"}],
            "first_seat": 0,
            "clock": {
                "decision_ms": 20_000,
                "on_timeout": "default_command",
                "bank_ms": 300_000,
                "increment_ms": 5_000,
            },
        },
    },
    "rated": {
        "summary": "A rated match",
        "value": {
            "ruleset": "base",
            "options": {"rated": True},
            "seats": [{"kind": "me"}, {"kind": "open"}],
            "first_seat": 0,
            "clock": {"decision_ms": 300_000, "on_timeout": "forfeit"},
        },
    },
    "seat_seeds": {
        "summary": "Two accounts that add seeds to the dice",
        "value": {
            "ruleset": "base",
            "seats": [{"kind": "me"}, {"kind": "open"}],
            "first_seat": 0,
            "dice": {"mode": "committed", "seat_seeds": {"within_ms": 300_000}},
        },
    },
    "private": {
        "summary": "A private match with an account and a remote bot, and with options",
        "value": {
            "ruleset": "base",
            "options": {"box": "five_player", "max_copies": 2, "card_costs": {"stadium": 4}},
            "seats": [
                {"kind": "me"},
                {"kind": "account", "handle": "bob"},
                {"kind": "bot", "bot": "eve"},
            ],
            "first_seat": 0,
            "visibility": "private",
        },
    },
    "analysis_board": {
        "summary": "A given position with scripted dice",
        "value": {
            "ruleset": "base",
            "seats": [{"kind": "me"}, {"kind": "me"}],
            "dice": {"mode": "scripted", "throws": [[3], [4]]},
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [
                    {"coins": 3, "establishments": {"wheat_field": 1, "cafe": 1}, "landmarks": []},
                    {"coins": 0, "establishments": {"bakery": 2}, "landmarks": []},
                ],
            },
        },
    },
    "table_of_two": {
        "summary": "A given position of two accounts in the middle of a match",
        "value": {
            "ruleset": "harbor",
            "seats": [{"kind": "me"}, {"kind": "account", "handle": "bob"}],
            "clock": {"decision_ms": 300_000, "on_timeout": "strategy"},
            "dice": {
                "mode": "scripted",
                "throws": [[6], [2], [3, 2], [4, 6], [2, 3], [3], [5, 5], [1], [6]],
            },
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [
                    {
                        "coins": 8,
                        "establishments": {
                            "wheat_field": 1,
                            "bakery": 2,
                            "tuna_boat": 1,
                            "tv_station": 1,
                            "business_center": 1,
                            "town_hall": 1,
                        },
                        "landmarks": ["train_station", "radio_tower", "harbor"],
                    },
                    {
                        "coins": 9,
                        "establishments": {"wheat_field": 1, "ranch": 1, "cafe": 1, "town_hall": 1},
                        "landmarks": [],
                    },
                ],
            },
        },
    },
    "limited_market": {
        "summary": "A given position with a limited market and its deck",
        "value": {
            "ruleset": "base",
            "options": {"market": "limited"},
            "seats": [{"kind": "me"}, {"kind": "me"}],
            "dice": {"mode": "scripted", "throws": [[3], [4, 4]]},
            "position": {
                "active_seat": 0,
                "phase": "build",
                "players": [
                    {"coins": 7, "establishments": {"wheat_field": 1, "cafe": 1}},
                    {"coins": 2, "establishments": {"bakery": 2}},
                ],
                "market": {
                    "face_up": {
                        "wheat_field": 2,
                        "ranch": 1,
                        "bakery": 1,
                        "convenience_store": 1,
                        "forest": 3,
                        "stadium": 1,
                        "cheese_factory": 1,
                        "mine": 1,
                        "family_restaurant": 2,
                        "apple_orchard": 1,
                    },
                    "deck": ["ranch", "cafe", "mine", "tv_station"],
                },
            },
        },
    },
    "three_rows": {
        "summary": "A given position of Machi Koro 2 with its rows and decks",
        "value": {
            "ruleset": "machi_koro_2",
            "seats": [{"kind": "me"}, {"kind": "account", "handle": "bob"}],
            "dice": {"mode": "scripted", "throws": [[4, 4], [1]]},
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [
                    {"coins": 11, "establishments": {"mine": 2, "stadium": 1}},
                    {"coins": 3, "establishments": {"cafe": 1}, "landmarks": ["moving_company"]},
                ],
                "market": {
                    "rows": {
                        "low": {"bakery": 2, "cafe": 1, "forest": 1, "sushi_bar": 1, "vineyard": 1},
                        "high": {
                            "corn_field": 1,
                            "family_restaurant": 1,
                            "mine": 1,
                            "stadium": 1,
                            "winery": 2,
                        },
                        "landmarks": {
                            "airport": 1,
                            "launch_pad": 1,
                            "loan_office": 1,
                            "museum": 1,
                            "park": 1,
                        },
                    },
                    "decks": {
                        "low": ["cafe", "flower_shop", "wheat_field"],
                        "high": ["apple_orchard", "winery"],
                        "landmarks": ["forge", "temple"],
                    },
                },
            },
        },
    },
}
