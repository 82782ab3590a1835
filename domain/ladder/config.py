"""What a ladder is: what is played, how tables are filled and how the results are rated.

A season is opened with one configuration, and its digest stands in the ladder's history. Whole numbers only.
"""

from typing import Final

from msgspec import Struct

from domain.canonical import canonical, sha256
from domain.match.events import Options

METHOD: Final = "winner_plackett_luce@1"
"""The one method of rating that there is, with its version."""


class RatingRules(Struct, frozen=True):
    """How the official ratings are computed from the results."""

    method: str = METHOD
    anchor: str = "expected_value"
    """The strategy whose entry has `anchor_rating`; without such an entry the mean has it."""
    anchor_rating: int = 1500
    prior_half_wins: int = 1
    """As many halves of a virtual win, and of a virtual loss, against the anchor has each entry."""
    replicates: int = 1000
    """How often the blocks are drawn anew for the intervals."""
    provisional_above: int = 75
    """A rating is provisional while either half of its 95 % interval is wider."""


class Suspension(Struct, frozen=True):
    """When a remote bot is no longer seated, and when it comes back."""

    window: int = 20
    """As many of its last matches are looked at."""
    most_faults: int = 3
    """With more matches of its faults among them it is suspended."""
    probes: int = 2
    """As many good probes in a row bring it back."""


class LadderConfig(Struct, frozen=True):
    """Everything that the matches, the tables and the ratings of a season depend on."""

    ruleset: str
    rules_version: str
    rules_digest: str
    """`sha-256:` and the digest of the ruleset's tables."""
    options: Options
    seats: int
    seed: str
    """64 hexadecimal digits: pairing and the bootstrap draw from it."""
    luck: str = "off"
    """What is measured in every match: `off`, `coins` or `wins`."""
    luck_version: str = ""
    """The digest of the value function of `wins`; empty without."""
    rating: RatingRules = RatingRules()
    meetings: int = 20
    """In as many blocks every pair meets before pairing refines."""
    random_percent: int = 15
    """Per cent of the tables that stay random once pairing refines."""
    clock_ms: int = 10_000
    """A remote bot's time for a decision."""
    suspension: Suspension = Suspension()


def digest(config: LadderConfig) -> str:
    """`sha-256:` and the SHA-256 of the configuration's canonical JSON."""
    return sha256(canonical(config))
