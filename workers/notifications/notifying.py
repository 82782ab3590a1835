"""From the append log into the inboxes of accounts: whom each pointer concerns, and what they are told.

The notifier is a further reader of the log. It shares the pages that the relay reads, and reads itself only
if it is behind. Whatever is read twice is recorded once. For accounts that do not subscribe, nothing is
loaded or written.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import structlog

from contract.notifications import INVITED, LADDER_ROUND_FINISHED, MATCH_FINISHED, TURN, of_match, of_round
from domain.ladder.events import STAND_IN, RoundFinished
from domain.ladder.state import LadderState
from events import Matches, Outbox, StoreError, StoreUnavailable
from events.ladders.ladders import CODEC, Ladder, Ladders
from events.matches.lists import summaries_of
from events.notifications.inbox import Inbox, Notice
from events.store.keys import new_id
from events.store.outbox import LOG_START, NOTIFIER
from events.store.records import Pointer
from workers.operations import metrics

PAGE: Final = 500
SAVED_S: Final = 1.0
"""The interval at which the position is saved; what follows a saved position may be read twice."""
BEFORE_ALL: Final = "0-1"
"""A position before every pointer that counts as saved."""
_OVER: Final = "over"
_LADDER: Final = "ladder"
_OF_MATCHES: Final = frozenset({"human", "ai", "held", _OVER})

log = structlog.get_logger(__name__)


class Notifier:
    """Notifies the accounts that the pointers of one partition concern."""

    def __init__(self, inbox: Inbox, outbox: Outbox, matches: Matches, ladders: Ladders, tag: str) -> None:
        """`tag` is the partition of the outbox."""
        self._inbox = inbox
        self._outbox = outbox
        self._matches = matches
        self._ladders = ladders
        self._tag = tag
        self._seen = self._saved = LOG_START
        self._save_s = 0.0

    def begin(self) -> None:
        """Resume at the saved position of this reader. The first time, that is the end of the log.

        Raises:
            StoreUnavailable.
        """
        saved = self._outbox.checkpoint(NOTIFIER)
        if saved == LOG_START:
            end = self._outbox.end()
            saved = BEFORE_ALL if end == LOG_START else end
            self._outbox.save_checkpoint(NOTIFIER, saved)
        self._seen = self._saved = saved

    def share_page(self, after: str, pointers: Sequence[Pointer]) -> None:
        """Take a page that follows the pointer `after`, if that is where this reader is.

        Raises:
            StoreUnavailable.
        """
        if self._is_at(after):
            self._take(pointers)

    def run(self, position: str) -> bool:
        """Save the position, and read on if this reader is behind `position`, the relay's; whether there may
        be more at once.

        Raises:
            StoreUnavailable.
        """
        self._save()
        if self._is_at(position):
            return False
        pointers = self._outbox.read_log(self._seen, PAGE)
        self._take(pointers)
        return len(pointers) == PAGE

    def _is_at(self, position: str) -> bool:
        return self._seen == position or (self._seen == BEFORE_ALL and position == LOG_START)

    def _save(self) -> None:
        if self._seen != self._saved and time.monotonic() >= self._save_s:
            self._outbox.save_checkpoint(NOTIFIER, self._seen)
            self._saved, self._save_s = self._seen, time.monotonic() + SAVED_S

    def _take(self, pointers: Sequence[Pointer]) -> None:
        if not pointers:
            return
        if any(_may_concern(one) for one in pointers) and self._inbox.has_subscribers():
            found = [*self._notices(pointers)]
            subscribed = self._inbox.subscribed([one.account_id for one in found])
            wanted = [one for one in found if one.account_id in subscribed]
            self._inbox.notify(self._tag, wanted)
            for one in wanted:
                metrics.NOTIFIED.labels(one.type).inc()
        self._seen = pointers[-1].id

    def _notices(self, pointers: Sequence[Pointer]) -> Iterator[Notice]:
        """What these pointers tell, in their order, whether or not anybody subscribes."""
        players = self._players([one.match_id for one in pointers if one.next == _OVER])
        for pointer in pointers:
            if pointer.next == _LADDER:
                yield from self._of_ladder(pointer)
            elif pointer.next in _OF_MATCHES:
                turn = [pointer.account] if pointer.account else []
                yield from _of_match(pointer, TURN, turn)
                yield from _of_match(pointer, INVITED, pointer.invited)
                if pointer.next == _OVER:
                    yield from _of_match(pointer, MATCH_FINISHED, players.get(pointer.match_id, []))

    def _players(self, match_ids: Sequence[str]) -> dict[str, list[str]]:
        """The accounts with a seat in each match."""
        if not match_ids:
            return {}
        return {
            one.match_id: [*dict.fromkeys([player.id for player in one.players if player.kind == "account"])]
            for one in summaries_of(self._matches.store, match_ids)
        }

    def _of_ladder(self, pointer: Pointer) -> Iterator[Notice]:
        try:
            ladder = self._ladders.load(pointer.match_id)
            finished = _finished_rounds(ladder, pointer.version)
        except StoreUnavailable:
            raise
        except StoreError as error:  # one ladder must not block what others wait for
            metrics.NOT_NOTIFIED.inc()
            log.error("ladder_not_read", ladder_id=pointer.match_id, error=str(error))
            return
        for number in finished:
            for account_id in _accounts_in(ladder.state, number):
                id, time_ms = _new(pointer)
                job_id = ladder.state.rounds[number - 1].job
                document = of_round(id, time_ms, account_id, ladder.id, number, job_id)
                yield Notice(account_id, pointer.id, LADDER_ROUND_FINISHED, id, document)


def _may_concern(pointer: Pointer) -> bool:
    """Whether the pointer may be about an account, by itself."""
    return pointer.next in (_OVER, _LADDER) or (
        pointer.next in _OF_MATCHES and bool(pointer.account or pointer.invited)
    )


def _finished_rounds(ladder: Ladder, version: int) -> list[int]:
    """The rounds that the command that led to this version finished."""
    before = 0
    for entry in ladder.entries:
        if entry.last == version:
            events = CODEC.events_of(ladder.id, before, entry)
            return [event.round for event in events if isinstance(event, RoundFinished)]
        before = entry.last
    return []


def _accounts_in(state: LadderState, number: int) -> list[str]:
    """The owner of the ladder, and the owners of the bots in the round."""
    entries = {entry for block in state.rounds[number - 1].blocks for entry in block.table} - {STAND_IN}
    bots = [state.entries[entry].player.account for entry in sorted(entries)]
    return [*dict.fromkeys([state.owner, *filter(None, bots)])]


def _of_match(pointer: Pointer, type: str, account_ids: Iterable[str]) -> Iterator[Notice]:
    for account_id in account_ids:
        id, time_ms = _new(pointer)
        document = of_match(type, id, time_ms, account_id, pointer.match_id, pointer.version)
        yield Notice(account_id, pointer.id, type, id, document)


def _new(pointer: Pointer) -> tuple[str, int]:
    """A new id, and the time of the append, in ms since 1970."""
    return new_id("ntf"), int(pointer.id.partition("-")[0])
