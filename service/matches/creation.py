"""Creation of matches, once per Idempotency-Key.

The ids of the match are recorded under the key before the match is created. If the process dies in between, a
retry creates the match under the same ids. Its first state can always be restored from its events.
"""

from collections.abc import Callable

from domain.match.commands import CreateMatch
from events.matches.history import CommandResult
from events.store.errors import MatchNotFound
from events.store.keys import new_id
from runtime.metrics import REPLAYED
from service.context import services
from service.edge.admission import permits_for, require_room
from service.edge.idempotency import Keyed, Record


class _Record(Record, frozen=True):
    """The ids of a match that is created under an Idempotency-Key."""

    match_id: str
    command_id: str


Resolve = Callable[[], CreateMatch]
"""Returns the command of a validated body. May raise any error to refuse the request."""


def create_once(resolve: Resolve, keyed: Keyed | None) -> CommandResult:
    """Create the match of the command, or return the one that was created under the same key.

    Raises:
        Problem, RuleViolation: the request is refused, and no match is created.
        StreamCorrupt: the match was created before and can no longer be read.
        StoreUnavailable.
    """
    known = keyed.recorded(services().events_redis, _Record) if keyed else None
    # Before the body is resolved: the accounts and strategies that it names may have changed since.
    return (_created(known) if known else None) or _create(resolve, keyed)


def _created(record: _Record) -> CommandResult | None:
    try:
        outcome = services().matches.history.find_command(record.match_id, record.command_id)
    except MatchNotFound:
        return None  # another request has recorded the ids, but not created the match yet, or died
    REPLAYED.inc()
    return outcome


def _create(resolve: Resolve, keyed: Keyed | None) -> CommandResult:
    matches = services().matches
    require_room()
    command = resolve()
    if keyed is None:
        match_id = new_id("mat")
        with permits_for(command, match_id):
            return matches.create(command, match_id=match_id)
    matches.check_creation(command)
    record = keyed.record_once(
        services().events_redis, _Record(keyed.fingerprint, new_id("mat"), new_id("cmd"))
    )
    with permits_for(command, record.match_id):
        return matches.create(command, record.command_id, record.match_id, keyed.fingerprint.encode())
