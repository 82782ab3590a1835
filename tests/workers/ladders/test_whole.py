"""Matches that are played whole in memory while somebody else stores them first: what is stored counts."""

from collections.abc import Callable, Sequence

import pytest
import redis
from msgspec.structs import replace

from domain.ladder.events import BlockFinished, BlockVoided
from domain.ladder.state import Round
from domain.match.commands import ExpireClock, SeatPlan
from domain.match.events import Clock, ClockExpired, Event
from domain.match.legal import legal_commands
from domain.match.state import RUNNING
from events import RedisStore
from events.matches.entries import checked
from events.store import keys
from events.store.records import Append, Reply
from ops.servers import Server
from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder, recorded
from workers.ladders import blocks
from workers.ladders.context import RoundLimits
from workers.ladders.luck import match_luck
from workers.turns.decisions import TurnLimits, is_for_a_strategy, play


@pytest.fixture
def ladder(place: Place) -> Ladder:
    found = Ladder(place, luck="coins")
    found.enter("landmark_first", "greedy")
    return found


class Slow(RedisStore):
    """Somebody else comes first, once."""

    def __init__(self, place: Place, faster: Callable[[], None]) -> None:
        super().__init__(place.client)
        self._faster = [faster]

    def packed(self, appends: Sequence[Append]) -> Callable[[], list[Reply]]:
        while self._faster:
            self._faster.pop()()
        return super().packed(appends)


def played_otherwise(ladder: Ladder, round: Round, rotation: int, decisions: int = 10_000) -> str:
    """The match of that rotation, with somebody in seat 0 who is late once and then builds nothing."""
    matches, match_id = ladder.place.new_matches(), ladder.match_ids(round.blocks[0])[rotation]
    command = blocks.creation(ladder.state, ladder.id, round, round.blocks[0], rotation)
    person, clock = SeatPlan("account", "acc_ada", "ada"), Clock(60_000, "default_command")
    command = replace(command, seats=(person, *command.seats[1:]), clock=clock)
    matches.append_many([matches.creation(command, match_id, "elsewhere")])
    matches.execute(match_id, ExpireClock(0), "service")
    while decisions and (loaded := matches.load(match_id)).state.status == RUNNING:
        decisions -= 1
        if is_for_a_strategy(loaded.state):
            play(matches, [(match_id, loaded.version)], TurnLimits(seconds=0.0, decisions=1))
        else:
            matches.execute(match_id, legal_commands(loaded.state)[0], "seat:0")
    return match_id


def stored(place: Place, match_id: str) -> list[Event]:
    told = checked(match_id, place.matches.store.read(match_id))
    return [event for _, events in told for event in events]


def assert_as_stored(ladder: Ladder) -> None:
    """The one finished block says of each match what its stored events say."""
    (finished,) = recorded(ladder, BlockFinished)
    for result in finished.results:
        events = stored(ladder.place, result.match_id)
        late = [event.seat for event in events if isinstance(event, ClockExpired)]
        loaded = ladder.place.latest(result.match_id)
        assert (result.version, result.winner) == (len(events), loaded.state.winner)
        assert result.head == f"sha-256:{loaded.head_hash.hex()}"
        assert result.luck_coins == match_luck(loaded.state, events).coins
        assert result.timeouts == (late.count(0), late.count(1))


@pytest.mark.parametrize("rotation", [0, 1])
def test_a_match_that_somebody_else_stored_first_counts_as_it_is_stored(
    ladder: Ladder, rotation: int
) -> None:
    round = ladder.open((0, 1))
    place = ladder.place
    found = []
    slow = Slow(place, lambda: found.append(played_otherwise(ladder, round, rotation)))
    assert ladder.play(matches=place.new_matches(store=slow)).blocks == 1
    (result,) = [one for one in recorded(ladder, BlockFinished)[0].results if one.match_id == found[0]]
    assert (result.winner, result.timeouts) == (1, (1, 0))
    assert_as_stored(ladder)


@pytest.mark.parametrize("decisions", [0, 7])
def test_a_match_that_somebody_else_has_begun_first_is_gone_on_with_as_it_is_stored(
    ladder: Ladder, decisions: int
) -> None:
    round = ladder.open((0, 1))
    place = ladder.place
    found = []
    slow = Slow(place, lambda: found.append(played_otherwise(ladder, round, 0, decisions)))
    ladder.play(matches=place.new_matches(store=slow))
    assert recorded(ladder, BlockFinished) == []
    (match_id,) = found
    matches = place.new_matches()
    while (loaded := matches.load(match_id)).state.status == RUNNING:
        if is_for_a_strategy(loaded.state):
            ladder.play()
        else:
            matches.execute(match_id, legal_commands(loaded.state)[0], "seat:0")
    ladder.play_to_the_end()
    assert_as_stored(ladder)


def test_a_match_that_two_have_played_alike_counts_once_as_it_is_stored(ladder: Ladder) -> None:
    """As when the answer to the first append got lost, or a claim."""
    ladder.open((0, 1))
    place = ladder.place

    def faster() -> None:
        place.queue_client.flushall()
        assert ladder.play().blocks == 1

    ladder.play(matches=place.new_matches(store=Slow(place, faster)))
    assert_as_stored(ladder)
    ladder.assert_whole()


def test_nothing_more_is_played_of_a_block_with_a_match_that_is_damaged(
    ladder: Ladder, events_server: Server
) -> None:
    round = ladder.open((0, 1))
    damaged, other = ladder.match_ids(round.blocks[0])
    ladder.play(limits=RoundLimits(decisions=5, live_s=0.0))
    with redis.Redis.from_url(events_server.admin_url) as admin:
        admin.delete(keys.match(damaged))
    ladder.play_to_the_end()
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.reason, voided.matches) == ("match_damaged", (damaged, other))
    assert other not in ladder.matches()
    assert_as_stored(ladder)
