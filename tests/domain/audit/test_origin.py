"""What the check of a branch against its origin says of each way to forge its beginning."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.audit.envelopes import ReadEvent
from domain.audit.origin import check_origin
from domain.audit.report import Check
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.branches import branch_command
from domain.match.decide import decide
from domain.match.state import MatchState
from tests.domain.kit import A, B, ScriptedChance, city, given, new_match, row, seat_plan

HEAD = "sha-256:" + "1" * 64


def table() -> MatchState:
    """A table whose deck has a given order."""
    market = [row("market", ["mine", "ranch"], cafe=1, bakery=1)]
    return given("base", city(3), city(3), rows=market, market="limited", phase="build").state


def begun(state: MatchState, dice: Any) -> tuple[ev.MatchCreated, ev.BranchStarted]:
    """How a branch of this state begins."""
    origin = ev.Origin("mat_origin", state.version, HEAD, dice)
    command = branch_command(state, origin, [seat_plan(seat) for seat in (A, B)], "acc_9")
    created, *_, started = decide(None, command, ScriptedChance())
    assert isinstance(created, ev.MatchCreated)
    assert isinstance(started, ev.BranchStarted)
    return created, started


def check(*events: ev.Event, state: MatchState | None = None, head: str = HEAD) -> Check:
    """What is said of these events, if the origin stands like this."""
    found = (state or table(), head)
    envelope: Any = None
    read = [ReadEvent(place, envelope, event, "") for place, event in enumerate(events, 1)]
    (said,) = check_origin(read, lambda match_id, version: found if match_id == "mat_origin" else None)
    return said


@pytest.mark.parametrize("dice", ["same", "fresh"])
def test_a_branch_that_begins_as_its_origin_stood_passes(dice: str) -> None:
    assert check(*begun(table(), dice)) == Check("origin", "passed")


def test_a_branch_needs_a_beginning() -> None:
    created, _ = begun(table(), "same")

    assert check(created) == Check("origin", "failed", 1, "the branch has no beginning")


def test_what_is_not_at_hand_is_pending() -> None:
    created, started = begun(table(), "same")
    assert created.origin
    created = replace(created, origin=replace(created.origin, match_id="mat_other"))

    assert check(created, started) == Check("origin", "pending", None, "match mat_other is not at hand")


def test_the_origin_must_have_the_history_that_the_branch_names() -> None:
    detail = "the origin has another history: its hash differs"

    assert check(*begun(table(), "same"), head=HEAD[::-1]) == Check("origin", "failed", 1, detail)


def test_a_branch_begins_where_a_seat_was_to_act() -> None:
    over = new_match("base").when(cmd.Resign(A)).state
    detail = "nobody decides there in the origin: match_finished"

    assert check(*begun(table(), "same"), state=over) == Check("origin", "failed", 1, detail)


@pytest.mark.parametrize(
    "change", [{"rules_version": "base@9"}, {"options": ev.Options(market="limited", max_copies=2)}]
)
def test_a_branch_has_the_rules_of_its_origin(change: dict[str, Any]) -> None:
    created, started = begun(table(), "same")
    said = check(replace(created, **change), started)

    assert said == Check("origin", "failed", 1, "the origin is played by other rules")


def test_a_branch_that_says_so_has_the_dice_of_its_origin() -> None:
    created, started = begun(table(), "same")
    other = replace(created, dice=replace(created.dice, seed_of="mat_other"))
    assert check(other, started) == Check("origin", "failed", 1, "the dice are not those of the origin")

    fresh, started = begun(table(), "fresh")
    assert check(replace(fresh, dice=other.dice), started).status == "passed"


def test_a_branch_begins_with_the_table_of_its_origin() -> None:
    created, started = begun(table(), "same")
    richer = replace(started, coins=(4, 3))
    detail = "the branch does not begin as its origin stood"

    assert check(created, richer) == Check("origin", "failed", 2, detail)


def test_a_branch_has_the_tokens_of_its_origin() -> None:
    placed = ev.TokensPlaced(({"cafe": 1}, {}), (0, 0))
    detail = "other tokens lie on the cards than in the origin"

    assert check(*begun(table(), "same"), placed) == Check("origin", "failed", 2, detail)
