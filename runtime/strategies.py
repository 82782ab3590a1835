"""The catalogue of built-in players: name, version, description and ratings of each."""

from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct


class Strategy(Struct, frozen=True):
    """One built-in player."""

    name: str
    version: str
    """Incremented whenever a change may alter the player's choices."""
    description: str
    is_retired: bool = False
    """Whether it only plays on in matches and ladders that seated it before: new ones cannot choose it."""


def _by_name(*strategies: Strategy) -> dict[str, Strategy]:
    return {strategy.name: strategy for strategy in strategies}


STRATEGIES: Final[dict[str, Strategy]] = _by_name(
    Strategy(
        "random",
        "1",
        "Any legal command, each as likely as the next; in Machi Koro 2 it builds in the building rounds and "
        "takes a landmark that wins.",
    ),
    Strategy(
        "landmark_first",
        "1",
        "The dearest landmark that it can pay for, else any build or none; rolls as many dice as bring it "
        "more coins on average.",
    ),
    Strategy(
        "furniture",
        "2",
        "A fixed plan: forests, mines and furniture factories, with two dice; after that the cheapest "
        "landmark.",
    ),
    Strategy(
        "fruit_market",
        "2",
        "A fixed plan: fields and orchards for the fruit market (in Machi Koro 2 the winery), with two dice; "
        "after that the cheapest landmark.",
    ),
    Strategy(
        "bakery",
        "1",
        "A fixed plan: nothing but bakeries, then the cheapest landmark.",
    ),
    Strategy(
        "cheese",
        "2",
        "A fixed plan: ranches, then cheese factories with two dice (in Machi Koro 2 flower gardens and "
        "flower shops); after that the cheapest landmark.",
    ),
    Strategy(
        "convenience_rush",
        "1",
        "A fixed plan: convenience stores, then bakeries; after that the cheapest landmark.",
    ),
    Strategy(
        "uct_100ms",
        "1",
        "Searches as `uct`, for 100 milliseconds a decision; how far it comes depends on the machine, so its "
        "decisions cannot be repeated.",
        is_retired=True,
    ),
    Strategy(
        "greedy",
        "2",
        "The cheapest landmark that it can pay for, else the card that adds most to what it expects to "
        "receive in a round; any of those that add as much.",
    ),
    Strategy(
        "uct",
        "1",
        "Searches a tree of decisions and rolls by 400 simulated matches, which end by the habits of "
        "`landmark_first`, and takes what won most.",
        is_retired=True,
    ),
    Strategy("uct_1600", "1", "Searches as `uct`, by 1600 simulated matches a decision.", is_retired=True),
    Strategy(
        "expected_value",
        "1",
        "Weighs coins, landmarks and what every roll of a round would bring for as long as the match is "
        "likely to last, and takes the best; no luck of its own.",
    ),
    Strategy(
        "learned",
        "7",
        "Looks one ply ahead, with two seats in play at times two, with a value network that was trained by "
        "playing against itself and others; no luck of its own.",
    ),
    Strategy(
        "strong",
        "6",
        "Plays on from the commands that the network of `learned` finds closest, hundreds of times with "
        "common dice, and takes the best; exact where only the last landmarks are left; no luck of its own.",
    ),
)
"""By name, roughly from weakest to strongest: `ratings` tells how strong each is. `players` implements
exactly these."""


def versions() -> dict[str, str]:
    """By name: the versions that this process plays."""
    return {name: strategy.version for name, strategy in STRATEGIES.items()}


OFFERED: Final[dict[str, Strategy]] = {
    name: strategy for name, strategy in STRATEGIES.items() if not strategy.is_retired
}
"""Those that new matches and new entries of ladders may choose."""


class Rating(Struct, frozen=True):
    """The rating of a player in one ruleset with one number of seats."""

    ruleset: str
    seats: int
    rating: float
    rating_interval: tuple[float, float]
    matches: int


class PlayerRatings(Struct, frozen=True):
    """The ratings of one version of a player."""

    name: str
    version: str
    level: str
    ratings: tuple[Rating, ...]


RATINGS: Final = Path(__file__).with_name("ratings.json")
"""The ratings of all players, which `training.ratings` computes from the results of ladders."""


def ratings() -> dict[str, PlayerRatings]:
    """By name: the ratings of the players whose current version is rated."""
    found = msgspec.json.decode(RATINGS.read_bytes(), type=tuple[PlayerRatings, ...])
    return {one.name: one for one in found if one.version == STRATEGIES[one.name].version}


STAND_IN: Final = "landmark_first"
"""The strategy that takes over a seat after a time-out if the clock's policy is `strategy`."""

VALUE_FUNCTIONS: Final[dict[str, str]] = {
    "base": "sha-256:0cfae3f156402245ce8bf12b17fc251dadde541dcfbcea68ff64dd2b867945c8",
    "harbor": "sha-256:adff8dcdd44e29e38acd30926ef5c3fdca7361181bd851c9121451d9292e1ca1",
    "machi_koro_2": "sha-256:e37c7e30a1401514f8d16b8ae9234d7c2d0eb661e7061dc8c26aab55921448c1",
}
"""By ruleset: the digest of the value function that measures luck in wins, which is the file of weights of
`learned`. For a ruleset without one, luck is measured in coins."""
MEASURE: Final = 3
"""The version of how luck in wins is measured with a value function."""


def luck_version(digest: str) -> str:
    """The version of luck in wins by the value function with that digest."""
    return f"{digest}@{MEASURE}"


LUCK_VERSIONS: Final = {ruleset: luck_version(digest) for ruleset, digest in VALUE_FUNCTIONS.items()}
"""By ruleset: the version of luck in wins."""
