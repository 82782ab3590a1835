"""The part of the story about reviews, of a match of one decision, so that nothing is simulated, and puzzles.

The rolls of simulations follow from the hash of the last event, which is another one in each recording.
"""

from typing import Any

from events.matches.puzzles import Puzzles
from events.matches.reviews import MOST_PENDING
from events.store import keys
from service.context import EXTENSION
from tests.golden.recorder import Person, Recorder, get, post
from tests.golden.story import MATCHES, People
from tests.service.reviewed import compute_reviews

_CITY = {
    "coins": 22,
    "establishments": {"forest": 2, "convenience_store": 2},
    "landmarks": ["train_station", "shopping_mall", "amusement_park"],
}
_WISH: dict[str, Any] = {
    "ruleset": "base",
    "seats": [{"kind": "me"}, {"kind": "me"}],
    "dice": {"mode": "scripted", "throws": []},
    "position": {
        "active_seat": 0,
        "phase": "build",
        "players": [_CITY, _CITY],
    },
}


def tell_of_reviews(rec: Recorder, people: People) -> None:
    """A match is won by its first command, and somebody asks how good that was."""
    rec.begin_chapter()
    ada = people.ada
    path = f"{MATCHES}/{rec.send(post(MATCHES, _WISH, ada)).json['match_id']}"
    review = post(f"{path}/reviews", {}, ada)
    rec.problem("match_running", review)
    rec.problem("commentary_off", get(f"{path}/chances"))
    rec.send(post(f"{path}/commands", {"type": "build", "card": "radio_tower"}, ada))
    job = rec.answer("requested", "A new review", review)
    shown = get(f"{path}/reviews/{job['review_id']}")
    rec.answer("queued", "The review is not finished", shown)
    compute_reviews(rec.app)
    rec.answer("finished", "The review is finished", review)
    rec.answer("one_decision", "A match that was won by its only command", shown)
    rec.answer("one", "The review", get(f"{path}/reviews"))
    rec.answer("one_decision", "A match that was won by its only command", get(f"{path}/chances"))
    rec.problem("review_not_found", get(f"{path}/reviews/rev_{'0' * 32}"))
    _review_too_many(rec, people.eve)
    called_off = f"{MATCHES}/{rec.send(post(MATCHES, _WISH, ada)).json['match_id']}"
    rec.send(post(f"{called_off}/abort", by=ada))
    rec.problem("match_aborted", post(f"{called_off}/reviews", {}, ada))


def tell_of_puzzles(rec: Recorder) -> None:
    """Somebody looks for a puzzle, and then for its solution."""
    rec.begin_chapter()
    puzzles = Puzzles(rec.app.extensions[EXTENSION].events_redis)
    puzzles.add_shipped()
    (first, *_) = rec.answer("two", "The first two puzzles", get("/v1/puzzles?ruleset=base&limit=2"))["items"]
    path = f"/v1/puzzles/{first['puzzle_id']}"
    rec.answer("puzzle", "A puzzle", get(path))
    rec.answer("solution", "Its solution", get(f"{path}/solution"))
    rec.problem("puzzle_not_found", get(f"/v1/puzzles/pzl_{'0' * 32}"))


def _review_too_many(rec: Recorder, eve: Person) -> None:
    """Reviews that were requested before, as no story could tell how it came about."""
    services = rec.app.extensions[EXTENSION]
    account_id = services.accounts.by_handle(eve.name).account_id
    pending = [f"rev_{number:032x}" for number in range(MOST_PENDING)]
    services.events_redis.sadd(keys.pending_reviews(account_id), *pending)
    path = f"{MATCHES}/{rec.send(post(MATCHES, _WISH, eve)).json['match_id']}"
    rec.send(post(f"{path}/commands", {"type": "build", "card": "radio_tower"}, eve))
    rec.problem("too_many_reviews", post(f"{path}/reviews", {}, eve))
