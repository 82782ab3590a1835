"""Lists of matches, from the indexes that each append keeps."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.match.commands import AbortMatch, ChangeController, EndReservation, SeatPlan, TakeSeat
from events import Matches
from events.matches.lists import SummaryPage, list_matches
from events.matches.projections import player_id
from events.store import keys
from tests.events.example_matches import Kit, creation, finished_match, play


@pytest.fixture
def listed(kit: Kit) -> Any:
    """Ids of the matches that fit."""
    return lambda **wanted: [one.match_id for one in list_matches(kit.store, **wanted).items]


def test_a_summary_tells_what_a_list_shows(kit: Kit, matches: Matches) -> None:
    created = matches.create(creation("aso", tags=("friday",)))
    (summary,) = list_matches(kit.store).items
    assert (summary.match_id, summary.ruleset, summary.rules_version) == (created.match_id, "base", "base@1")
    assert (summary.status, summary.visibility, summary.creator) == ("open", "public", "acc_0")
    assert (summary.created_at, summary.winner, summary.tags) == (created.events[0].time, None, ("friday",))
    assert summary.seats == 3
    assert [(player.seat, player.kind, player.id, player.name) for player in summary.players] == [
        (0, "account", "acc_0", "handle0"),
        (1, "strategy", "random", "random"),
    ]


def test_a_match_moves_through_the_lists_of_its_status(kit: Kit, matches: Matches, listed: Any) -> None:
    match_id = matches.create(creation("so")).match_id
    assert listed(status="open") == [match_id]
    matches.execute(match_id, TakeSeat(1, "strategy", "random", "random"), "account:acc_0")
    assert (listed(status="open"), listed(status="running")) == ([], [match_id])
    loaded = play(matches, matches.load(match_id), Random(1))
    assert (listed(status="running"), listed(status="finished")) == ([], [match_id])
    assert list_matches(kit.store).items[0].winner == loaded.state.winner
    aborted = matches.create(creation()).match_id
    matches.execute(aborted, AbortMatch(), "account:acc_0")
    assert (listed(status="running"), listed(status="aborted")) == ([], [aborted])


def test_matches_are_found_by_who_plays_in_them(matches: Matches, listed: Any) -> None:
    persons = matches.create(creation("aa")).match_id
    mixed = matches.create(creation("as")).match_id
    assert listed(player="acc_1") == [persons]
    assert listed(player="acc_0") == [mixed, persons]
    assert listed(player=player_id("strategy", "random")) == [mixed]
    assert listed(player="acc_9") == []


def test_nobody_is_found_by_a_name_of_their_own_choice(matches: Matches, listed: Any) -> None:
    for name in ("acc_1", "random", "strategy:random"):
        seats = (SeatPlan("account", "acc_7", name), SeatPlan("account", "acc_8", "b"))
        matches.create(replace(creation(), seats=seats))
    assert len(listed(player="acc_7")) == 3
    for player in ("acc_1", "random", player_id("strategy", "random"), "b"):
        assert listed(player=player) == []


def test_who_once_sat_in_a_match_finds_it_for_ever(matches: Matches, listed: Any) -> None:
    match_id = matches.create(creation("aa")).match_id
    matches.execute(match_id, ChangeController(1, "strategy", "random", "random"), "service")
    assert listed(player="acc_1") == listed(player=player_id("strategy", "random")) == [match_id]


def test_all_that_is_asked_for_must_fit(matches: Matches, listed: Any) -> None:
    finished = finished_match(matches).match_id
    tagged = matches.create(creation("as", tags=("friday", "club"))).match_id
    random = player_id("strategy", "random")
    assert listed(ruleset="base", player=random) == [tagged, finished]
    assert listed(ruleset="base", player=random, status="finished") == [finished]
    assert listed(ruleset="harbor", player=random) == []
    assert listed(tag="club") == [tagged]
    assert listed(ruleset="base") == [tagged, finished]


def test_unlisted_and_private_matches_are_shown_to_those_in_them(matches: Matches, listed: Any) -> None:
    private = matches.create(creation("aa", visibility="private", creator="acc_5")).match_id
    unlisted = matches.create(creation("aa", visibility="unlisted")).match_id
    assert listed() == []
    assert listed(viewer="acc_9") == []
    assert listed(viewer="acc_1") == [unlisted, private]
    assert listed(viewer="acc_5") == [private]
    assert listed(player="acc_1") == []


def test_who_lost_a_seat_to_a_strategy_still_sees_the_private_match(matches: Matches, listed: Any) -> None:
    match_id = matches.create(creation("aa", visibility="private")).match_id
    matches.execute(match_id, ChangeController(1, "strategy", "random", "random"), "service")
    assert listed(viewer="acc_1") == listed(player="acc_1", viewer="acc_1") == [match_id]
    assert listed(viewer="random") == listed(viewer="acc_2") == []


def test_pages_come_newest_first_and_without_seams(kit: Kit, matches: Matches) -> None:
    ids = sorted((matches.create(creation()).match_id for _ in range(7)), reverse=True)
    pages = [list_matches(kit.store, limit=3)]
    while pages[-1].next:
        pages.append(list_matches(kit.store, limit=3, cursor=pages[-1].next))
    assert [len(page.items) for page in pages] == [3, 3, 1]
    assert [one.match_id for page in pages for one in page.items] == ids
    assert list_matches(kit.store, limit=7).next is None


def test_what_does_not_fit_is_passed_over_to_the_next_page(kit: Kit, matches: Matches) -> None:
    wanted = matches.create(creation(tags=("rare",))).match_id
    for _ in range(120):
        matches.create(creation())
    page = list_matches(kit.store, tag="rare", limit=1)
    assert ([one.match_id for one in page.items], page.next) == ([wanted], None)


def test_an_empty_store_has_an_empty_list(kit: Kit) -> None:
    assert list_matches(kit.store) == SummaryPage((), None)


def invitations(kit: Kit, *accounts: str) -> list[int]:
    """How many matches each of the accounts is invited to, and how many wait for guests of `acc_0`."""
    names = [*[f"invited:{account_id}" for account_id in accounts], "inviting:acc_0"]
    return kit.store.count_members([keys.index(name) for name in names])


def test_an_invitation_is_listed_until_the_seat_is_taken_or_declined(kit: Kit, matches: Matches) -> None:
    match_id = matches.create(creation("arr")).match_id
    assert invitations(kit, "acc_1", "acc_2") == [1, 1, 1]
    (summary,) = list_matches(kit.store).items
    assert [(one.seat, one.name) for one in summary.invited] == [(1, "handle1"), (2, "handle2")]
    matches.execute(match_id, EndReservation(1, "acc_1"), "account:acc_1")
    assert invitations(kit, "acc_1", "acc_2") == [0, 1, 1]
    matches.execute(match_id, TakeSeat(2, "account", "acc_2", "handle2"), "account:acc_2")
    assert invitations(kit, "acc_1", "acc_2") == [0, 0, 0]
    assert list_matches(kit.store).items[0].invited == ()


def test_the_invitations_to_a_match_end_when_it_is_called_off(kit: Kit, matches: Matches) -> None:
    match_id = matches.create(creation("ar")).match_id
    matches.execute(match_id, AbortMatch(), "account:acc_0")
    assert invitations(kit, "acc_1") == [0, 0]
    assert list_matches(kit.store).items[0].invited == ()


def test_who_is_invited_finds_a_private_match(matches: Matches, listed: Any) -> None:
    match_id = matches.create(creation("ar", visibility="private")).match_id
    assert listed(viewer="acc_1") == [match_id]
    assert listed(viewer="acc_2") == []
    matches.execute(match_id, EndReservation(1, "acc_1"), "account:acc_1")
    assert listed(viewer="acc_1") == []
