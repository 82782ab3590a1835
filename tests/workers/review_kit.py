"""What the tests of reviews share: finished matches, requests, and jobs that compute them here."""

from msgspec.structs import replace

from bench.matches import new_match
from domain.canonical import hash_text
from domain.match.events import Position, PositionPlayer
from events import Loaded, RedisStore
from events.ladders.ladders import Ladders
from events.matches.replay import recorded_events
from events.matches.reviews import Reviews, ReviewSubject
from events.store.keys import now_ms
from kernel.engine import engine
from players.weight_files import digest
from review import JUDGE_VERSION
from review.reviewer import Reviewer, encode
from tests.workers.kit import COMMITTED, DEADLINE_S, Place
from workers.ladders.context import Context
from workers.queue.client import connect
from workers.reviews.job import compute
from workers.turns.decisions import TurnLimits, nobody_waits, play

PLAYERS = ("greedy", "greedy")
ENDGAME = Position(
    0, "roll", (PositionPlayer(9, {"mine": 2, "forest": 2}, ("train_station", "shopping_mall")),) * 2
)
"""Two landmarks from the end, so that a match has few decisions to review."""


def finished_match(place: Place, visibility: str = "unlisted") -> str:
    """A short match of built-in players that is over, by default one without puzzles."""
    creation = replace(new_match("base", PLAYERS, COMMITTED), position=ENDGAME, visibility=visibility)
    match = place.matches.create(creation)
    play(place.matches, [(match.match_id, match.last)], TurnLimits(seconds=DEADLINE_S), must_end=nobody_waits)
    assert place.latest(match.match_id).state.status == "finished"
    return match.match_id


def subject_of(loaded: Loaded, judge_version: int = JUDGE_VERSION) -> ReviewSubject:
    """What the review of a match is computed from."""
    network = digest(loaded.state.rules.ruleset.id)
    return ReviewSubject(loaded.match_id, loaded.version, hash_text(loaded.head_hash), judge_version, network)


def requested(place: Place, match_id: str, account_id: str = "acc_ada") -> str:
    """The id of the review of a match, which is requested now."""
    subject = subject_of(place.latest(match_id))
    assert Reviews(place.client).request(subject, account_id, now_ms())
    return subject.review_id


def context(place: Place) -> Context:
    """What a job has in a process of its own: with empty caches."""
    queue = connect(place.settings.queue_redis_url)
    return Context(place.new_matches(), Ladders(RedisStore(place.client)), place.client, queue)


def compute_some(place: Place, review_id: str, seconds: float = DEADLINE_S) -> None:
    """One job, by default one that computes the whole review."""
    job = context(place)
    compute(job, review_id, seconds)
    job.queue.close()


def computed_here(place: Place, match_id: str) -> bytes:
    """The review of the match, without jobs."""
    loaded = place.latest(match_id)
    events = [*recorded_events(place.matches.store, loaded)]
    reviewer = Reviewer(match_id, events, hash_text(loaded.head_hash), engine())
    while reviewer.done < reviewer.total:
        reviewer.advance()
    return encode(reviewer.review())
