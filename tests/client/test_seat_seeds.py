"""Seeds for the dice, given by the client itself, against the real service."""

import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from machi import Client, Match, Resign, UnusableAnswer, me, open_seat
from machi.event_data import SeatSeedCommitted, SeatSeedOpened
from machi.seat_seeds import SeatSeeds, seat_commitment

ADA, BOB = SeatSeeds(b"the secret of ada"), SeatSeeds(b"the secret of bob")


def table(ada: Client, bob: Client) -> Match:
    match = ada.create_match("base", [me(), open_seat()], first_seat=0, seat_seeds=True)
    return bob.join(match.match_id).match


def give(seeds: SeatSeeds, client: Client, match: Match) -> Match:
    return seeds.give(client, client.match(match.match_id), client.me().account_id)


@pytest.mark.long
def test_two_bots_play_a_match_whose_seats_add_seeds(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    match = table(ada, bob)
    other = threading.Thread(
        target=lambda: bob.play(lambda turn: turn.commands[0], seat_seeds=BOB), daemon=True
    )
    other.start()
    assert ada.play(lambda turn: Resign(0), seat_seeds=ADA) == 1
    other.join(60)
    assert not other.is_alive()

    shown = ada.match(match.match_id)
    assert (shown.status, shown.winner) == ("finished", 1)
    assert shown.seat_seeds is not None
    assert [seat.seed for seat in shown.seat_seeds.seats] == [ADA.seed(shown, 0), BOB.seed(shown, 1)]


def test_who_comes_back_after_a_crash_opens_what_was_committed_to(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    match = table(ada, bob)
    give(ADA, ada, match)
    give(BOB, bob, match)

    again = SeatSeeds(b"the secret of ada")
    assert give(again, ada, match).status == "running"


def test_no_seed_is_opened_before_every_seat_has_committed(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    match = table(ada, bob)
    for _ in range(2):
        assert give(ADA, ada, match).status == "open"
    said = [event.data for event in ada.history(match.match_id)]
    assert [type(data) for data in said[3:]] == [SeatSeedCommitted]


def test_no_seed_is_opened_to_a_service_that_only_says_that_all_have_committed(
    sign_up: Callable[[], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = sign_up(), sign_up()
    match = table(ada, bob)
    give(ADA, ada, match)
    shown = ada.match(match.match_id)
    assert shown.seat_seeds is not None
    lie = structs.replace(shown, seat_seeds=structs.replace(shown.seat_seeds, step="open"))
    asked: list[str] = []
    monkeypatch.setattr(ada, "open_seat_seed", lambda match_id, seat, seed: asked.append(seed))
    ADA.give(ada, lie, ada.me().account_id)
    assert asked == []

    give(BOB, bob, match)
    give(ADA, ada, match)
    assert asked == [ADA.seed(shown, 0)]


def test_another_secret_opens_nothing(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    match = table(ada, bob)
    give(ADA, ada, match)
    give(BOB, bob, match)
    shown = give(SeatSeeds(b"a secret that was lost"), ada, match)
    assert shown.status == "open"
    assert [event.data.seat for event in ada.history(match.match_id) if _is_opened(event.data)] == [1]


def _is_opened(data: object) -> bool:
    return isinstance(data, SeatSeedOpened)


def test_each_match_and_seat_has_a_seed_of_its_own(machi: Client) -> None:
    one, two = (machi.create_match("base", [me(), me()], seat_seeds=True) for _ in range(2))
    seeds = [ADA.seed(match, seat) for match in (one, two) for seat in (0, 1)]
    assert len({*seeds}) == 4
    assert seat_commitment(one, 0, seeds[0]) != seat_commitment(two, 0, seeds[0])


def test_events_that_were_changed_after_a_seed_was_opened_are_noticed(
    sign_up: Callable[[], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that shows one player other commitments than it records afterwards is found out."""
    ada, bob = sign_up(), sign_up()
    match = table(ada, bob)
    seeds = SeatSeeds(b"the secret of ada")
    give(seeds, ada, match)
    give(BOB, bob, match)
    give(seeds, ada, match)
    first = ada.event(match.match_id, 1)
    with monkeypatch.context() as changed:
        changed.setattr(ada, "event", lambda match_id, sequence: first)
        with pytest.raises(UnusableAnswer):
            seeds.check(ada, match.match_id)
    seeds.check(ada, match.match_id)


def test_the_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path, machi: Client) -> None:
    path = tmp_path / "machi" / "secret"
    match = machi.create_match("base", [me(), me()], seat_seeds=True)
    assert SeatSeeds.of_file(path).seed(match, 0) == SeatSeeds.of_file(path).seed(match, 0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [*path.parent.iterdir()] == [path]


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        SeatSeeds(b"short")
