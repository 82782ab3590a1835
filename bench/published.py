"""Published figures of the first game, from an independent simulator of the base box.

Two to four players, open market, six copies of every regular card; rotated seats, 20,000 matches each.
"""

from typing import Final

WINS_PERCENT: Final[dict[tuple[str, str], float]] = {
    ("expected_value", "convenience_rush"): 71.4,
    ("expected_value", "cheese"): 64.5,
    ("expected_value", "bakery"): 62.1,
    ("expected_value", "greedy"): 78.6,
    ("expected_value", "fruit_market"): 81.6,
    ("expected_value", "furniture"): 92.3,
    ("expected_value", "landmark_first"): 97.5,
    ("convenience_rush", "greedy"): 52.7,
    ("greedy", "landmark_first"): 90.6,
    ("greedy", "random"): 99.6,
    ("landmark_first", "random"): 94.9,
    ("learned", "expected_value"): 65.0,
    ("learned", "greedy"): 87.1,
    ("learned", "cheese"): 74.6,
    ("learned", "convenience_rush"): 74.6,
}
"""By pair of players: the percentage of two-seat matches that the first won."""

TURNS: Final[dict[tuple[str, int], float]] = {
    ("random", 2): 83.4,
    ("random", 4): 108.1,
    ("landmark_first", 2): 54.7,
    ("landmark_first", 4): 80.5,
    ("greedy", 2): 36.8,
    ("greedy", 4): 67.3,
    ("expected_value", 2): 28.5,
    ("expected_value", 4): 51.4,
    ("convenience_rush", 2): 32.9,
    ("convenience_rush", 4): 65.6,
    ("cheese", 2): 41.6,
    ("cheese", 4): 80.3,
}
"""By player and number of seats: the mean length of mirror matches in turns."""
