"""A storm: many clients use the whole service while one fault after the other befalls it."""

import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from tests.e2e.stack import Stack
from tests.storms.checks import Checks
from tests.storms.cluster import ClusterFaults, Nodes
from tests.storms.faults import Done, Faults, Scale
from tests.storms.journal import Journal, Reply
from tests.storms.neighbours import Neighbours
from tests.storms.people import BUILT_IN, Actor, Auditor, Bot, Follower, Operator, Person
from tests.storms.probe import ApiProbe, PlayProbe, Probe

LIMITS: Final = {"ACCOUNT_MATCHES": "200", "ADDRESS_MATCHES": "500", "AI_GRACE_S": "10"}
"""Those of any service: a flood meets them, and those who play stay below."""

LONGEST_CALM_S: Final = 4.0
GIVEN_UP_S: Final = 180.0
"""A service that is not back after as long, and when it must be, is not waited for."""

BY_PLAY: Final = "built-in players"


class Wishes(NamedTuple):
    """What storm there is to be."""

    seed: int = 1
    minutes: float = 10.0
    on_cluster: bool = False
    beside: str = ""
    """The revision of another version, a node of which shares the work; not on a cluster."""
    faults: Sequence[str] | None = None
    """All that there are, if it is not said."""
    matches: int = 0
    """So many matches of built-in players begin with the storm, all at once."""
    scale: Scale = Scale()
    late_s: float = 1.0
    """So much later than the end of an outage may a reply come."""
    back_s: float = 30.0
    """So long after a fault the service must be back, by itself."""
    people: int = 4
    pairs_of_bots: int = 2
    followers: int = 4
    auditors: int = 2
    operators: int = 1

    @property
    def kind(self) -> type[Faults]:
        return ClusterFaults if self.on_cluster else Faults

    @property
    def chosen(self) -> Sequence[str]:
        return [*self.kind.kinds()] if self.faults is None else self.faults


class Outage(NamedTuple):
    """When the service was away: from a fault until a probe was served again."""

    done: Done
    api_back_s: float
    play_back_s: float


class Storm:
    """One storm over a service that is up."""

    def __init__(
        self, stack: Stack, journal: Journal, wishes: Wishes, faults: Faults, left_out: Mapping[str, str]
    ) -> None:
        """`left_out` are faults that cannot be brought about here, with the reason."""
        self.stack = stack
        self.journal = journal
        self.wishes = wishes
        self.outages: list[Outage] = []
        self._dice = random.Random(wishes.seed)
        self._faults = faults
        self.left_out = left_out
        self._api = ApiProbe(*self._given("probe-of-the-api"))
        self._play = PlayProbe(*self._given("probe-of-play"))
        self._actors = self._clients()

    def _given(self, name: str) -> tuple[str, Sequence[int], Journal, random.Random]:
        return name, self.stack.ports, self.journal, random.Random(f"{self.wishes.seed} {name}")

    def _clients(self) -> list[Actor]:
        wishes = self.wishes
        bots = [Bot(*self._given(f"bot-{number}")) for number in range(2 * wishes.pairs_of_bots)]
        for bot, partner in zip(bots[::2], bots[1::2], strict=True):
            bot.partner, partner.partner = partner, bot
        return [
            self._api,
            self._play,
            *[Person(*self._given(f"person-{number}")) for number in range(wishes.people)],
            *bots,
            *[Follower(*self._given(f"follower-{number}")) for number in range(wishes.followers)],
            *[Auditor(*self._given(f"auditor-{number}")) for number in range(wishes.auditors)],
            *[Operator(*self._given(f"operator-{number}")) for number in range(wishes.operators)],
        ]

    def run(self) -> None:
        """Have the storm, and check afterwards what is left."""
        for actor in self._actors:
            actor.sign_up()
            self.stack.tokens.append(actor.wire.token)
            actor.start()
        try:
            self._begin_matches()
            self._rage()
        finally:
            for actor in self._actors:
                actor.over.set()
            for actor in self._actors:
                actor.join()
        self._check()

    def _begin_matches(self) -> None:
        maker = Actor(*self._given("maker-of-matches"))
        if self.wishes.matches:
            maker.sign_up()
        for number in range(self.wishes.matches):
            seats = [{"kind": "strategy", "strategy": name} for name in BUILT_IN]
            body = {"ruleset": "base", "seats": seats}
            maker.wire.ask("POST", "/v1/matches", body, key=f"match-of-built-in-players-{number}")
        maker.wire.close()

    def _rage(self) -> None:
        end_s = time.monotonic() + 60 * self.wishes.minutes
        kinds = self._faults.kinds()
        chosen = [name for name in self.wishes.chosen if name not in self.left_out]
        # After one of each, there are as many of each in every part of a storm, in an order by chance.
        deck = self._shuffled(chosen)
        while self._is_back() and (len(self.outages) < len(chosen) or time.monotonic() < end_s):
            time.sleep(self._dice.uniform(0.5, LONGEST_CALM_S))
            if chosen:
                deck = deck or self._shuffled([name for name in chosen for _ in range(kinds[name].weight)])
                self._befall(deck.pop())

    def _shuffled(self, names: Sequence[str]) -> list[str]:
        return self._dice.sample(names, len(names))

    def _is_back(self) -> bool:
        return self.stack.is_running and not any(one.api_back_s == float("inf") for one in self.outages)

    def _befall(self, name: str) -> None:
        self.stack.wait_until_whole()
        done = self._faults.bring_about(name)
        api_s, play_s = [self._back_s(probe, done.ended_s) for probe in (self._api, self._play)]
        outage = Outage(done, api_s, play_s)
        self.outages.append(outage)
        print(f"  {datetime.now(UTC):%H:%M:%S} {told(outage)}", flush=True)
        if max(api_s, play_s) - done.ended_s > self.wishes.back_s:
            self.journal.fault("not back", told(outage))
        if not self.stack.is_running:
            self.journal.fault("ended", f"the service has ended for good: {told(outage)}")

    def _back_s(self, probe: Probe, since_s: float) -> float:
        """When the probe was served again; infinite where that did not come about."""
        given_up_s = since_s + max(GIVEN_UP_S, self.wishes.back_s)
        while self.stack.is_running and time.monotonic() < given_up_s:
            if (moment := probe.back_s(since_s, 1.0)) is not None:
                return moment
        return float("inf")

    def _check(self) -> None:
        self._check_replies()
        if not self._is_back():
            return
        actors = {actor.name: actor for actor in self._actors}
        Checks(self.stack.ports, self.journal, actors).run()
        try:
            self.stack.stop()
        except AssertionError as error:
            self.journal.fault("stop", str(error)[:2000])

    def _check_replies(self) -> None:
        """None came later than the outages that it met, and a little."""
        for reply in self.journal.slow:
            late_s = reply.took_s - self._excused_s(reply)
            if late_s > self.wishes.late_s:
                self.journal.fault(
                    "late",
                    f"{reply.kind} took {reply.took_s:.1f} s, {late_s:.1f} s of it for nothing"
                    + self._since_what(reply.began_s),
                )

    def _since_what(self, began_s: float) -> str:
        """What had begun last by then."""
        before = [one.done for one in self.outages if one.done.began_s <= began_s]
        return (
            f", {began_s - before[-1].began_s:.1f} s after {before[-1].name} began ({before[-1].what})"
            if before
            else ""
        )

    def _excused_s(self, reply: Reply) -> float:
        """How long there was an outage between the request and the reply."""
        found, until_s = 0.0, reply.began_s
        for done, api_back_s, play_back_s in self.outages:
            if done.is_outage:
                back_s = max(api_back_s, play_back_s) if reply.kind == BY_PLAY else api_back_s
                back_s = max(back_s, done.ended_s + done.echo_s)
                begin_s, end_s = max(done.began_s, until_s), min(back_s, reply.ended_s)
                if end_s > begin_s:
                    found += end_s - begin_s
                    until_s = end_s
        return found


def told(outage: Outage) -> str:
    """An outage in a line."""
    done = outage.done
    lasted_s = done.ended_s - done.began_s
    back = f"API back after {outage.api_back_s - done.ended_s:.2f} s"
    back += f", built-in players after {outage.play_back_s - done.ended_s:.2f} s"
    return f"{done.name}: {done.what} ({lasted_s:.1f} s); {back}"


def report(storm: Storm) -> list[str]:
    """The lines of the report; what should not have happened comes last."""
    journal = storm.journal
    lines = ["load of the machine: " + " ".join(f"{load:.1f}" for load in os.getloadavg())]
    lines += [f"left out: {name} ({reason})" for name, reason in storm.left_out.items()]
    lines += [f"{what}: {count}" for what, count in sorted(journal.counts.items())]
    for kind, worst in sorted(journal.worst.items()):
        p50_s, p99_s = journal.quantile_s(kind, 0.5), journal.quantile_s(kind, 0.99)
        lines.append(
            f"{kind}: half within {p50_s:g} s, 99 % within {p99_s:g} s, the last after {worst.took_s:.2f} s"
        )
    return [*lines, *(journal.faults or ["all is well"])]


def _stack(wishes: Wishes, var_dir: Path) -> Stack:
    if wishes.on_cluster:
        return Nodes(var_dir, **LIMITS)
    return Neighbours(var_dir, wishes.beside, **LIMITS) if wishes.beside else Stack(var_dir, **LIMITS)


def have(wishes: Wishes, directory: Path | None = None, log: Path | None = None) -> Journal:
    """Have a storm over a service of its own, and print what came of it; its journal.

    `log` takes all that the service has said but its lines for requests.
    """
    with ExitStack() as opened:
        place = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="storm-", dir=directory)))
        acknowledged = place / "acknowledged"
        acknowledged.mkdir()
        journal = Journal(acknowledged)
        stack = _stack(wishes, place / "var")
        faults = wishes.kind(stack, wishes.scale, random.Random(wishes.seed), place)
        opened.callback(faults.close)
        left_out = faults.prepare(wishes.chosen)
        try:
            stack.start()
            storm = Storm(stack, journal, wishes, faults, left_out)
            storm.run()
            print("\n".join(report(storm)), flush=True)
        finally:
            stack.kill_all()
            said = [line for line in stack.output if '"event":"request"' not in line]
            if log:
                log.write_text("\n".join(said))
        if journal.faults:
            print("\n".join(["The service has said:", *said[-40:]]), flush=True)
    return journal
