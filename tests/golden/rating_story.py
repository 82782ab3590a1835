"""The part of the story about rated matches and what they make of their players."""

from msgspec.structs import replace

from events.ladders import tables
from events.matches.rated_results import ONLY_SEASON, table_name
from service.context import EXTENSION
from tests.golden.recorder import Recorder, get, post
from tests.golden.story import MATCHES, WISHES, People
from tests.service.rated import BASE_2, compute_ratings

_BOARD = "ruleset=base&seats=2"


def tell_of_ratings(rec: Recorder, people: People) -> None:
    """Two people play one rated match, and look at their ratings."""
    rec.begin_chapter()
    ada, bob, _ = people
    wish = WISHES["rated"]
    against = [{"kind": "me"}, {"kind": "strategy", "strategy": "greedy"}]
    rec.problem("not_ratable", post(MATCHES, {**wish, "seats": against}, ada))
    path = f"{MATCHES}/{rec.send(post(MATCHES, wish, ada)).json['match_id']}"
    rec.problem("already_seated", post(f"{path}/seats", {}, ada))
    rec.send(post(f"{path}/seats", {}, bob))
    rec.send(post(f"{path}/commands", {"type": "resign", "seat": 0}, ada))
    rec.answer("none", "Nothing is computed yet", get(f"/v1/ratings?{_BOARD}"))
    _compute(rec)
    rec.answer("one", "The only result", get(f"/v1/ratings/results?{_BOARD}"))
    rec.answer("two", "Two ratings that rest on one match", get(f"/v1/ratings?{_BOARD}"))
    rec.answer("one", "One rating", get("/v1/me/ratings", ada))


def _compute(rec: Recorder) -> None:
    """As a worker would, but at a time of the story."""
    compute_ratings(rec.app)
    client = rec.app.extensions[EXTENSION].events_redis
    published = tables.load(client, table_name(BASE_2), ONLY_SEASON)
    assert published is not None
    tables.save(client, table_name(BASE_2), replace(published, computed_at_ms=published.version))
