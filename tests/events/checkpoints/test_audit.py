"""The audit of stored matches says what is wrong with the record of another match, too."""

from random import Random

import pytest
from msgspec.structs import replace

from bench.matches import new_match
from domain.audit.report import Check
from domain.match.branches import branch_command
from domain.match.commands import SeatPlan
from domain.match.events import Dice, Origin
from events import Matches, Notary
from events.checkpoints.audit import Auditor
from events.checkpoints.signatures import SigningKeys
from events.store.memory import MemoryStore
from events.store.records import Entry
from tests.events.example_matches import SEEDS, play


class Tampered(MemoryStore):
    """A store of which one match has another first entry by now."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, Entry] = {}

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        found = super().read(match_id, after, count)
        return [self.first[match_id], *found[1:]] if match_id in self.first else found


@pytest.mark.parametrize(
    ("true", "forged"),
    [
        (b"", b"x"),
        (b'"wheat_field"', b'"no_card"'),
        (b'"base@1"', b'"base@9"'),
        (b'"sha-256:', b'"sha-256:0'),
        (b'"random"', b'"others"'),
    ],
)
def test_an_origin_that_does_not_hold_together_is_not_at_hand(true: bytes, forged: bytes) -> None:
    store = Tampered()
    notary = Notary(MemoryStore(), SigningKeys("s1:" + "07" * 32))
    matches = Matches(store, SEEDS, notary=notary)
    origin_id = matches.create(new_match("base", ["random"] * 2, Dice("committed"))).match_id
    play(matches, matches.load(origin_id), Random(1))
    begun = matches.history.command_at(origin_id, 30)
    origin = Origin(origin_id, begun.last, f"sha-256:{begun.head_hash.hex()}", "same")
    seats = [SeatPlan("strategy", "random", "random", "1")] * 2
    branch_id = matches.create(branch_command(begun.state, origin, seats, "acc_1")).match_id
    play(matches, matches.load(branch_id), Random(2))
    auditor = Auditor(store, notary)
    assert auditor.audit(branch_id).verdict == "verified"
    (first, *_) = store.read(origin_id)
    store.first[origin_id] = replace(first, events=first.events.replace(true, forged, 1))
    report = auditor.audit(branch_id)
    assert report.verdict == "incomplete"
    assert Check("origin", "pending", None, f"match {origin_id} is not at hand") in report.checks
