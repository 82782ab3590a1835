"""The chances of winning throughout a match, by the value network alone.

The network is imported when it is first needed: numpy and the players take 14 MB of a process.
"""

import threading
from functools import lru_cache
from typing import Final

from cachetools import LRUCache

from contract.values import encode
from domain.match.events import Event
from domain.match.state import MatchState
from events.matches.entries import Loaded
from events.matches.replay import recorded_events
from events.store.errors import StreamCorrupt
from events.store.records import Store
from runtime.strategies import VALUE_FUNCTIONS
from service.edge.native_threads import in_native_thread
from service.edge.problems import Problem

_ROOM_BYTES: Final = 8 << 20
"""The size of the cache in bytes; the chances of a typical match take 10 kB."""

JudgeKey = tuple[int, str]
"""The version of the method of reviews, and the digest of the network."""


def judge_of(state: MatchState) -> JudgeKey:
    """The judge of a review that is requested now.

    Raises:
        Problem: `review_not_found`, there is no network for the ruleset.
    """
    ruleset = state.rules.ruleset.id
    if not has_judge(state):
        detail = (
            f"matches of {ruleset!r} have no reviews and no chances: no value function was trained for it"
        )
        raise Problem("review_not_found", detail)
    return _judge_of(ruleset)


def has_judge(state: MatchState) -> bool:
    """Whether there is a network that judges matches of the ruleset."""
    return state.rules.ruleset.id in VALUE_FUNCTIONS


@lru_cache(maxsize=64)
def _judge_of(ruleset: str) -> JudgeKey:
    from players.weight_files import digest
    from review import JUDGE_VERSION

    return JUDGE_VERSION, digest(ruleset)


def allows_commentary(state: MatchState) -> bool:
    """Whether everybody may see the chances while the match is running."""
    created = state.created
    return bool(created.options.commentary) and created.visibility == "public"


class ChanceCache:
    """A cache of the chances in the most recently requested matches; thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: LRUCache[str, bytes] = LRUCache(_ROOM_BYTES, getsizeof=len)
        self._lock = threading.Lock()
        """One match at a time: chances of long matches take a second."""

    def chances_of(self, loaded: Loaded) -> bytes:
        """The chances up to the loaded version, as JSON.

        Raises:
            Problem: `match_not_started`, nobody has had a turn.
            StreamCorrupt: the recorded events do not follow from the rules.
            StoreUnavailable.
        """
        head = loaded.head_hash.hex()
        with self._lock:
            known = self._known.get(head)
            if known is None:
                events = [*recorded_events(self._store, loaded)]
                known = in_native_thread(_computed, loaded.match_id, events)
                if len(known) < _ROOM_BYTES:
                    self._known[head] = known
        return known


def _computed(match_id: str, events: list[Event]) -> bytes:
    from review import NotReviewable
    from review.network import chance_curve

    try:
        return encode(chance_curve(match_id, events))
    except NotReviewable as error:
        raise Problem("match_not_started", str(error)) from None
    except Exception as error:
        raise StreamCorrupt(match_id, 0, f"it does not follow from the rules: {error!r}") from error
