"""The configuration of a ladder: what is played, how tables are paired and how results are rated.

A season has one configuration, whose digest is part of the ladder's history. All numbers are integers.
"""

from typing import Final

from msgspec import UNSET, Struct, UnsetType

from domain.canonical import canonical, sha256
from domain.match.events import Options

METHOD: Final = "winner_plackett_luce@1"
"""The only rating method, with its version."""


class RatingRules(Struct, frozen=True):
    """The parameters of the official ratings."""

    method: str = METHOD
    anchor: str = "expected_value"
    """The strategy whose entry has `anchor_rating`; without such an entry, the mean of all entries has it."""
    anchor_rating: int = 1500
    prior_half_wins: int = 1
    """Virtual wins, and as many virtual losses, of each entry against the anchor, in halves."""
    replicates: int = 1000
    """The number of bootstrap replicates for the intervals."""
    provisional_above: int = 75
    """A rating is provisional while either half of its 95 % interval is wider, in points."""


class Suspension(Struct, frozen=True):
    """When a remote bot is suspended, and when it is reinstated."""

    window: int = 20
    """The number of its last matches that count."""
    most_faults: int = 3
    """It is suspended if more of these matches have faults."""
    probes: int = 2
    """The number of consecutive probes without a fault that reinstate it."""


class Schedule(Struct, frozen=True):
    """The schedule of a tournament: a season with a fixed number of rounds and an end."""

    kind: str
    """`round_robin`, `swiss` or `knock_out`."""
    rounds: int = 0
    """The number of rounds; 0 for as many as the kind needs with the entries there are at the start."""
    blocks: int = 1
    """The number of blocks that the entries of a table play against each other in a round."""
    seeding: str = "entry"
    """The order of the field: `entry`, the order of entering; or `ratings`, those of the season before."""


class LadderConfig(Struct, frozen=True):
    """Everything that the matches, the tables and the ratings of a season depend on."""

    ruleset: str
    rules_version: str
    rules_digest: str
    """`sha-256:` and the digest of the ruleset's tables."""
    options: Options
    seats: int
    seed: str
    """64 hexadecimal digits, from which pairing and the bootstrap derive their random numbers."""
    luck: str = "off"
    """What is measured in every match: `off`, `coins` or `wins`."""
    luck_version: str = ""
    """For `wins`, the digest of the value function, an `@`, and the version of the measure; else empty."""
    rating: RatingRules = RatingRules()
    meetings: int = 20
    """The number of blocks in which every pair meets before pairing uses ratings."""
    random_percent: int = 15
    """The percentage of tables that are random once pairing uses ratings."""
    clock_ms: int = 10_000
    """A remote bot's time for a decision, in ms."""
    suspension: Suspension = Suspension()
    schedule: Schedule | UnsetType = UNSET
    """Makes the season a tournament. Not recorded without one, so that older digests stay."""


def digest(config: LadderConfig) -> str:
    """`sha-256:` and the SHA-256 of the configuration's canonical JSON."""
    return sha256(canonical(config))
