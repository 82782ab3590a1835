"""What it costs to divide an event store: appends, lists, turns, logs and due sets by partitions."""

from collections.abc import Iterator, Sequence
from typing import Final

import redis

from bench.figures import Figure, best_ms
from bench.matches import new_match
from bench.processes import MASTER_KEYS, servers
from domain.match.events import Dice
from events import Matches, Outbox, RedisStore, Seeds
from events.matches.lists import list_matches
from events.store import keys
from events.store.keys import Partitions, divided
from events.store.outbox import read_pointers

COUNTS: Final = (1, 16, 64)
MATCHES: Final = 2000
RUNS: Final = 200


def measure() -> Iterator[Figure]:
    """Each as a multiple of the same with one partition."""
    first: dict[str, float] = {}
    for count in COUNTS:
        with servers() as where:
            partitions = Partitions(count)
            client = divided(redis.Redis.from_url(where.events.url), partitions)
            for name, value_ms in _times(client, partitions.tags).items():
                base = first.setdefault(name, value_ms)
                yield Figure(f"{name}, {count} partitions", value_ms, "ms", "", base, "one partition, ms")
            client.close()


def _times(client: redis.Redis, tags: Sequence[str]) -> dict[str, float]:
    matches = Matches(RedisStore(client), Seeds(MASTER_KEYS))
    creation = new_match("base", ("random",) * 2, Dice("committed"))
    for _ in range(MATCHES):
        matches.create(creation)
    ends = {tag: Outbox(client, tag=tag).end() for tag in tags}

    def due() -> None:
        for tag in tags:
            Outbox(client, tag=tag).due_before(0)

    return {
        "create a match": best_ms(lambda: matches.create(creation), RUNS),
        "a page of 50 of the list of all matches": best_ms(lambda: list_matches(matches.store), RUNS),
        "the turns of an account": best_ms(
            lambda: matches.store.by_score(keys.turns("acc_1"), None, 50), RUNS
        ),
        "look for pointers on the logs": best_ms(lambda: read_pointers(client, ends, 500, None), RUNS),
        "look for what is due": best_ms(due, RUNS),
    }
