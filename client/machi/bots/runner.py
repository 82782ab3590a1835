"""Plays the seats of an account by a function until it is stopped.

The service keeps everything that a restart needs. A command is posted with the version that it was chosen
for, so that two tries, or two processes, never move twice; a decision whose command never arrived is listed
among the turns again.
"""

import math
import random
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec

from domain.match.commands import Resign
from machi.bots.statistics import Statistics
from machi.client import Client
from machi.commands import Command, command_of, encode_command
from machi.errors import ApiError, MachiError, Refused
from machi.matches import Match
from machi.play_loop import Choose
from machi.table import Turn
from machi.turn_taking import TurnTaker

LOOK_EVERY_S: Final = 5
"""Seconds between two looks at the matches and invitations of the account; also the longest poll."""

OnError = Literal["stop", "resign", "random"]
"""What follows if the function fails: the bot stops, gives up the seat, or plays any legal command."""

Log = Callable[[str, Mapping[str, Any]], None]
"""Takes the name of what has happened, and its members."""


class BotFailed(Exception):
    """The function failed, and the bot was to stop then. The cause is the error of the function."""


class IllegalCommand(Exception):
    """The function returned something that is not a legal command of its turn."""


class _Interrupted(BaseException):
    """The bot is to stop, and nothing is lost by leaving a request; like KeyboardInterrupt, no error."""


class BotRunner:
    """Plays the seats of an account by a function."""

    def __init__(
        self,
        client: Client,
        choose: Choose,
        log: Log,
        *,
        on_error: OnError = "stop",
        accepts: bool = True,
        most_matches: int = 10,
        new_match: Callable[[], Match] | None = None,
        last_match: int | None = None,
        report_every_s: float = 60.0,
    ) -> None:
        """`accepts`: take seats by invitation, while fewer than `most_matches` are unfinished. `new_match`
        makes a match, and is called under the same condition. `run` ends after `last_match` matches.
        """
        self.statistics = Statistics()
        self._client = client
        self._choose = choose
        self._log = log
        self._on_error = on_error
        self._accepts = accepts
        self._most_matches = most_matches
        self._new_match = new_match
        self._last_match = math.inf if last_match is None else last_match
        self._taker = TurnTaker(client)
        self._is_stopping = False
        self._may_be_left = False
        """A request waits that changes nothing."""
        self._look_at = -math.inf
        self._report_at = time.monotonic() + report_every_s
        self._report_every_s = report_every_s
        self._unfinished: dict[str, None] = {}
        """Matches that are open or running, in the order in which they were seen first."""
        self._over: set[str] = set()

    def stop(self) -> None:
        """Stop after the decision that is being made; meant to be called by a handler of signals."""
        self._is_stopping = True
        if self._may_be_left:
            raise _Interrupted

    def on_retry(self, failure: MachiError, pause_s: float) -> None:
        """Log and count a retry of the client; after `stop`, give up instead."""
        self.statistics.retries += 1
        self._log("retry", {"error": str(failure), "pause_s": round(pause_s, 1)})
        if self._is_stopping:
            raise _Interrupted

    def run(self, prepare: Callable[[], None] = lambda: None) -> Statistics:
        """Call `prepare`, and play until `stop` is called, or after the last match.

        Raises:
            BotFailed: the function failed and `on_error` is `stop`.
            MachiError: the service refused a request, or was away for longer than the client retries.
        """
        try:
            prepare()
            while not self._is_stopping and self.statistics.matches < self._last_match:
                self._taker.give_seeds()
                self._look_around()
                for turn in self._turns():
                    if self._is_stopping:
                        break
                    self._take(turn)
        except _Interrupted:
            pass
        finally:
            self._is_stopping = True
            with suppress(_Interrupted, MachiError):
                self._look_at_matches("match_joined")
            self._log("stopped", {**self.statistics.members(), "unfinished": list(self._unfinished)})
        return self.statistics

    def _turns(self) -> tuple[Turn, ...]:
        # Between the two lines, a signal either finds the flag set and leaves, or is seen by the check.
        self._may_be_left = True
        try:
            return () if self._is_stopping else self._taker.wait_for_turns(LOOK_EVERY_S)
        finally:
            self._may_be_left = False

    # Matches

    def _look_around(self) -> None:
        """Look which matches have begun and ended, and take further ones if there is room."""
        now = time.monotonic()
        if now >= self._report_at:
            self._report_at = now + self._report_every_s
            self._log("statistics", {**self.statistics.members(), "unfinished": len(self._unfinished)})
        if now < self._look_at:
            return
        what = "match_resumed" if self._look_at == -math.inf else "match_joined"
        self._look_at = now + LOOK_EVERY_S
        self._look_at_matches(what)
        self._take_seats()

    def _look_at_matches(self, what: str) -> None:
        # In this order: a match that begins between the two requests is in the second list.
        listed = [
            one.match_id
            for status in ("open", "running")
            for one in self._client.matches(status=status, player=self._taker.account_id)
        ]
        for match_id in [one for one in self._unfinished if one not in listed]:
            self._note_end(self._client.match(match_id))
        for match_id in listed:
            self._note(match_id, what)

    def _take_seats(self) -> None:
        for one in self._client.invitations() if self._accepts else ():
            if self._has_room():
                try:
                    self._client.accept(one.match_id, one.seat)
                except ApiError as error:  # somebody has withdrawn it, or the match is over
                    self._log("invitation_lost", {"match_id": one.match_id, "error": str(error)})
                else:
                    self._note(one.match_id, "invitation_accepted")
        while self._new_match is not None and self._has_room() and self._may_make_one():
            self._note(self._new_match().match_id, "match_created")

    def _has_room(self) -> bool:
        return len(self._unfinished) < self._most_matches

    def _may_make_one(self) -> bool:
        return self.statistics.matches + len(self._unfinished) < self._last_match

    def _note(self, match_id: str, what: str) -> None:
        """Log a match that is seen for the first time. A list may still show one that is over."""
        if match_id not in self._unfinished and match_id not in self._over:
            self._unfinished[match_id] = None
            self._log(what, {"match_id": match_id})

    def _note_end(self, match: Match) -> None:
        """Count the match if it is over."""
        if not match.is_over:
            return
        del self._unfinished[match.match_id]
        self._over.add(match.match_id)
        result = self._result(match)
        self.statistics.results[result] += 1
        self._look_at = min(self._look_at, time.monotonic())  # there is room for another one
        reason = match.result.reason if match.result else None
        self._log(
            "match_ended",
            {"match_id": match.match_id, "result": result, "reason": reason, "turns": match.turn},
        )

    def _result(self, match: Match) -> str:
        if match.status == "aborted":
            return "aborted"
        if match.winner is None:
            return "undecided"
        return "won" if match.seats[match.winner].account_id == self._taker.account_id else "lost"

    # Decisions

    def _take(self, turn: Turn) -> None:
        self._note(turn.match_id, "match_joined")
        self._taker.check(turn.match_id)
        began = time.perf_counter()
        try:
            command = _checked(self._choose(turn), turn)
        except Exception as error:  # whatever somebody's function raises
            command = self._instead(turn, error)
        finally:
            self.statistics.called(time.perf_counter() - began)
        try:
            answer = self._taker.post(turn, command)
        except Refused as error:
            answer = self._taker.post(turn, self._instead(turn, error))
        said = {**_where(turn), "command": msgspec.json.decode(encode_command(command))}
        if answer is None:
            self.statistics.late += 1
            self._log("decision_late", said)
            return
        self.statistics.decisions += 1
        self._log("decision", {**said, "ms": round(1000 * (time.perf_counter() - began), 1)})
        if answer.next.seat is None and turn.match_id in self._unfinished:
            self._note_end(self._client.match(turn.match_id))

    def _instead(self, turn: Turn, error: Exception) -> Command:
        """Report the failure, and return the command to play all the same. Raises: BotFailed."""
        self.statistics.errors += 1
        lines = "".join(traceback.format_exception(error))
        text = f"{type(error).__name__}: {error}"
        self._log("error", {**_where(turn), "error": text, "then": self._on_error, "traceback": lines})
        if self._on_error == "stop":
            raise BotFailed(f"{turn.match_id}, seat {turn.seat}, version {turn.version}: {text}") from error
        return Resign(turn.seat) if self._on_error == "resign" else random.choice(turn.commands)


def _checked(chosen: Command | Mapping[str, Any], turn: Turn) -> Command:
    """The command, which may be given by its members. Raises: IllegalCommand, ValidationError."""
    command = command_of(dict(chosen)) if isinstance(chosen, Mapping) else chosen
    if command not in turn.commands and command != Resign(turn.seat):
        raise IllegalCommand(f"{command!r} is none of the {len(turn.commands)} legal commands")
    return command


def _where(turn: Turn) -> dict[str, Any]:
    return {"match_id": turn.match_id, "seat": turn.seat, "version": turn.version}
