"""What must be true after a storm: nothing is lost or doubled, no match stands still, and all verify."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from tests.e2e.audit import assert_chained
from tests.simulation.model import Entry, Log, Reply, append
from tests.storms.journal import Acknowledged, Journal, Json, digest_of
from tests.storms.people import Actor, Operator
from tests.storms.wire import Over, Wire

SETTLED_S: Final = 120.0
"""So long may pass until the next one of the matches in which built-in players are to act is over."""

DEADLINE_S: Final = 1800.0
PAUSE_S: Final = 0.2
SIGNED_S: Final = 60.0


def differences(events: Sequence[Json], told: Sequence[Acknowledged]) -> Iterator[str]:
    """Which answers to commands are not those that the model of the append protocol gives.

    A command is appended to the stream as it was at the version that it was sent for, and known afterwards.
    """
    logs: dict[int, Log] = {0: ()}
    log: Log = ()
    for command_id, caused in groupby(events, lambda event: event["command_id"]):
        log = (*log, Entry(command_id, log))
        logs[[*caused][-1]["sequence"]] = log
    first = {said.key: (said.version, said.events, said.digest) for said in told if said.kind == "command"}
    for said in [said for said in told if said.kind != "stream"]:
        if (said.version, said.events, said.digest) != first.get(said.key):
            yield f"{said.key}: answered in another way when it was sent again"
            continue
        decided_on, after = logs.get(said.expected), logs.get(said.version)
        if decided_on is None or not after:
            yield f"{said.key}: sent for {said.expected}, told {said.version}, which no command led to"
            continue
        command_id = after[-1].command
        if said.kind == "command":
            expected = (after, Reply("appended", len(after)))
            found = append(decided_on, command_id, decided_on)
        else:
            expected = (log, Reply("duplicate", len(after)))
            found = append(log, command_id, decided_on)
        if found != expected:
            yield f"{said.key}: sent for {said.expected} and {said.kind}: {found[1]}, and not {expected[1]}"


class Checks:
    """The checks of one storm; what they find goes to its journal."""

    def __init__(self, ports: Sequence[int], journal: Journal, actors: Mapping[str, Actor]) -> None:
        """`actors` by the names of their seats."""
        self._journal = journal
        self._actors = actors
        self._over = threading.Event()
        self._wire = Wire(ports, journal, self._over)
        for actor in actors.values():
            actor.reconnect(self._over)

    def run(self) -> None:
        timer = threading.Timer(DEADLINE_S, self._over.set)
        timer.start()
        try:
            self._wait_until_people_are_to_act()
            self._resume()
            self._wait_until_people_are_to_act()
            self._check_ladders()
            self._check_logs()
            self._verify()
        except Over:
            self._journal.fault("checks", f"they are not done after {DEADLINE_S:.0f} s")
        finally:
            timer.cancel()
            for wire in (self._wire, *[actor.wire for actor in self._actors.values()]):
                wire.close()

    def _matches(self, query: str = "") -> Iterator[Json]:
        return self._items(f"/v1/matches?limit=500{query}", "list")

    def _items(self, first: str, kind: str) -> Iterator[Json]:
        """Those of all pages."""
        path: str | None = first
        while path:
            answer = self._wire.ask("GET", path, kind=kind)
            yield from answer.json["items"]
            link = answer.headers.get("Link")
            path = link.split(">")[0].removeprefix("<") if link else None

    def _wait_until_people_are_to_act(self) -> None:
        """Until every match that runs waits for a person. Matches that make no progress are stuck."""
        before: set[str] = set()
        moved_s = time.monotonic()
        while left := {one["match_id"] for one in self._running() if not self._legal_for_people(one)}:
            if left != before:
                before, moved_s = left, time.monotonic()
            if time.monotonic() > moved_s + SETTLED_S:
                for match_id in left:
                    self._journal.fault("stuck", f"{match_id} waits for a built-in player")
                return
            self._pause()

    def _legal_for_people(self, match: Json) -> Json | None:
        """What is legal, if a person is to act."""
        people = [seat["seat"] for seat in match["seats"] if seat["kind"] == "account"]
        if not people:
            return None
        legal = self._wire.ask("GET", f"/v1/matches/{match['match_id']}/legal-commands").json
        return legal if legal.get("seat") in people else None

    def _running(self) -> list[Json]:
        return [*self._matches("&status=running")]

    def _pause(self) -> None:
        if self._over.wait(PAUSE_S):
            raise Over

    def _resume(self) -> None:
        """In every match that waits for a person, that person acts, and the match goes on."""
        for match in self._running():
            legal = self._legal_for_people(match)
            if legal is None:
                continue  # a round of a ladder has just begun it; whether it goes on is checked later
            actor = self._actors.get(match["seats"][legal["seat"]]["name"])
            if actor is None:
                self._journal.fault("stuck", f"{match['match_id']} waits for somebody unknown")
                continue
            after = actor.decide(match["match_id"], legal)
            if after["version"] <= legal["version"]:
                self._journal.fault("stuck", f"{match['match_id']} does not go on")
            self._journal.count("matches resumed")

    def _check_ladders(self) -> None:
        """Every round comes to its end, and each of its matches counts once."""
        for actor in self._actors.values():
            if isinstance(actor, Operator) and actor.job_id:
                self._check_ladder(actor)

    def _check_ladder(self, operator: Operator) -> None:
        deadline_s = time.monotonic() + SETTLED_S
        while not operator.is_round_over():
            if time.monotonic() > deadline_s:
                self._journal.fault("stuck", f"the round of {operator.job_id}")
                return
            self._pause()
        path = f"/v1/ladders/{operator.ladder_id}/results"
        lines = [json.loads(line) for line in self._wire.ask("GET", path).body.splitlines()]
        results = [line for line in lines if line["kind"] == "result"]
        played = {(line["block"], line["rotation"]) for line in results}
        if not len(results) == len(played) == 2 * operator.blocks:
            found = f"{len(results)} results of {len(played)} matches"
            self._journal.fault("ladder", f"{found}, and {operator.blocks} blocks were played")
        self._journal.count("matches of ladders", len(played))

    def _check_logs(self) -> None:
        for match_id in self._journal.order:
            match = self._wire.ask("GET", f"/v1/matches/{match_id}").json
            if "seats" in match:
                self._check_log(match_id, match)

    def _check_log(self, match_id: str, match: Json) -> None:
        """What was acknowledged stands in the log, once, at its place; and nothing else that people did."""
        events = [*self._items(f"/v1/matches/{match_id}/events?limit=500", "log")]
        acknowledged = [*self._journal.acknowledged(match_id)]
        try:
            assert_chained(events)
        except AssertionError as error:
            self._journal.fault("chain", f"{match_id}: {error}")
        commands = 0
        taken: set[int] = set()
        for said in acknowledged:
            if said.kind == "command":
                commands += 1
                taken.add(said.version)
            told = events[said.version - said.events : said.version]
            if len(told) != said.events or digest_of(told) != said.digest:
                self._journal.fault("lost", f"{match_id}: {said.kind} {said.key} at version {said.version}")
        self._journal.count("acknowledged commands in their places", commands)
        if len(taken) != commands:
            self._journal.fault("doubled", f"{match_id}: two commands at one version")
        for fault in differences(events, acknowledged):
            self._journal.fault("model", f"{match_id}: {fault}")
        people = {f"seat:{one['seat']}" for one in match["seats"] if one["kind"] == "account"}
        done = len({event["command_id"] for event in events if event["actor"] in people})
        if not commands <= done <= commands + self._journal.pending[match_id]:
            self._journal.fault("doubled", f"{match_id}: {commands} were acknowledged, and {done} done")

    def _verify(self) -> None:
        """Every match: those that are over are verified, and no other is at fault."""
        for match in self._matches():
            deadline_s = time.monotonic() + SIGNED_S
            wanted = ("verified",) if match["status"] == "finished" else ("verified", "incomplete")
            while (verdict := self._verdict(match["match_id"])) not in wanted:
                # It is signed a moment after its end.
                if verdict == "failed" or time.monotonic() > deadline_s:
                    self._journal.fault("verification", f"{match['match_id']} is {verdict}")
                    break
                self._pause()
            self._journal.count("matches verified")

    def _verdict(self, match_id: str) -> str:
        report = self._wire.ask("GET", f"/v1/matches/{match_id}/verification", kind="verification").json
        return str(report.get("verdict"))
