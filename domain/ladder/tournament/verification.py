"""The verification of a tournament: its field, its pairing, its results and its places, recomputed from the
exported history of the ladder.

Who entered and who left is taken from the history; docs/tournaments.md says what that leaves to trust.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.audit.evidence import Members
from domain.audit.report import Check, Findings, Verdict, verdict_of
from domain.errors import RuleViolation
from domain.ladder import events as ev
from domain.ladder.derivation import match_id
from domain.ladder.events import Event, FinalPlace
from domain.ladder.history import Matches, NothingToVerify, checked_events, result_faults
from domain.ladder.ratings import Fits, made, rated, sampled
from domain.ladder.results import results_of
from domain.ladder.state import FINISHED, fold, initial_state
from domain.ladder.tournament.schedule import BY_RATINGS, follow, schedule_of, start

NAMES: Final = ("chain", "field", "pairing", "results", "places")
"""All checks of a tournament, in the order of reports."""


class TournamentReport(Struct, frozen=True):
    """The report on a tournament. The matches themselves are audited separately."""

    verdict: Verdict
    checks: tuple[Check, ...]
    season: int
    places: tuple[FinalPlace, ...] = ()
    """As recorded; empty before the end."""
    names: tuple[str, ...] = ()
    """The names of the entries, by number."""
    matches: tuple[str, ...] = ()
    """The ids of all counted matches."""
    head: str = ""
    """The hash of the last event; a copy kept from elsewhere proves that the service shows all the same."""


def tournament_to_verify(history: Sequence[Members], season: int | None) -> int:
    """The season of a tournament that has started, by default of the last one.

    Where events cannot be read, the tournament may be behind them. Then this is the given season, or 0.

    Raises:
        NothingToVerify: no such tournament has started.
    """
    findings = Findings()
    started = _Replay(history, 0, {}, findings).state.tournaments
    chosen = max(started, default=0) if season is None else season
    if chosen in started or findings.has_failed("chain"):
        return chosen
    of_season = "" if season is None else f" of season {season}"
    raise NothingToVerify(f"no tournament{of_season} has started")


def matches_of_tournament(history: Sequence[Members], season: int) -> tuple[str, ...]:
    """The ids of the counted matches of a tournament; unreadable events are skipped."""
    return _Replay(history, season, {}, Findings()).match_ids


def verify_tournament(history: Sequence[Members], season: int, matches: Matches) -> TournamentReport:
    """Check that a tournament went by its rules.

    `history` has all events of the ladder in the form of the API. If `matches` lacks a match that counts, the
    report is incomplete.
    """
    findings = Findings()
    replay = _Replay(history, season, matches, findings)
    tournament = replay.state.tournaments.get(season)
    if tournament is None:
        findings.fail("field", None, f"season {season} has no tournament")
        checks = [findings.check(name, "skipped") for name in NAMES]
        return TournamentReport(verdict_of(checks), tuple(checks), season)
    lacking = f"{replay.lacking} matches are not at hand" if replay.lacking else ""
    checks = [
        findings.check("chain"),
        findings.check("field"),
        findings.check("pairing"),
        findings.check("results", "pending", lacking) if lacking else findings.check("results"),
        _places(findings, is_over=bool(tournament.places)),
    ]
    return TournamentReport(
        verdict_of(checks),
        tuple(checks),
        season,
        tournament.places,
        tuple([entry.name for entry in replay.state.entries]),
        replay.match_ids,
        str(history[-1].get("hash")),
    )


def _places(findings: Findings, *, is_over: bool) -> Check:
    if findings.has_failed("chain", "field", "pairing"):
        return findings.check("places", "skipped")
    return (
        findings.check("places")
        if is_over
        else findings.check("places", "pending", "the tournament is not over")
    )


class _Replay:
    """The history, folded event by event; those of the tournament are compared with what should follow."""

    def __init__(self, history: Sequence[Members], season: int, matches: Matches, findings: Findings) -> None:
        self._history = history
        self._season = season
        self._matches = matches
        self._findings = findings
        self._expected: Sequence[Event] = ()
        """What has to come next of the tournament's own events."""
        self._events: list[Event] = []
        """Those that were applied."""
        self.state = initial_state()
        self.match_ids: tuple[str, ...] = ()
        self.lacking = 0
        """The number of matches that are not at hand."""
        for sequence, event in checked_events(history, findings):
            if not self._take(sequence, event):
                return

    @property
    def _ladder_id(self) -> str:
        return str(self._history[0].get("ladder_id"))

    def _take(self, sequence: int, event: Event) -> bool:
        """Check an event and apply it; false if the history cannot be followed further."""
        try:
            self._check(sequence, event)
            fold(self.state, [event])
            self._events.append(event)
            if self._findings.has_failed("field", "pairing"):
                # Later pairings follow from this one, so that nothing more can be said of them.
                return False
            if isinstance(event, ev.RoundFinished) and self._is_of_tournament(event.round):
                self._expected = follow(self.state, 0, "")
        except (AssertionError, AttributeError, IndexError, KeyError, ValueError, RuleViolation) as error:
            self._findings.fail("chain", sequence, f"it cannot follow on the events before: {error!r}")
            return False
        return True

    def _is_of_tournament(self, round: int) -> bool:
        found = self.state.rounds[round - 1]
        # The next season ends stopped rounds; then nothing follows, and there is a later season.
        return (found.season, found.purpose) == (self._season, "rated")

    def _check(self, sequence: int, event: Event) -> None:
        match event:
            case ev.TournamentStarted(season=self._season):
                self._check_field(sequence, event)
            case ev.RoundOpened(season=self._season, purpose="rated"):
                self._check_round(sequence, event)
            case ev.TournamentFinished(season=self._season):
                self._check_end(sequence, event)
            case ev.BlockFinished():
                self._check_block(sequence, event)

    def _check_field(self, sequence: int, event: ev.TournamentStarted) -> None:
        version = event.seeded_by or 0
        schedule = schedule_of(self.state.config)
        if schedule is None:
            self._findings.fail("field", sequence, "the configuration of the season has no schedule")
            return
        ratings = self._ratings(version) if schedule.seeding == BY_RATINGS and version else None
        try:
            started, *self._expected = [
                one
                for one in start(self.state, 0, "", ratings, version)
                if not isinstance(one, ev.SeasonOpened)
            ]
        except RuleViolation as refusal:
            self._findings.fail("field", sequence, f"it could not start: {refusal}")
            return
        if started != event:
            self._findings.fail("field", sequence, f"the field, its seeds or its rounds should be {started}")

    def _ratings(self, version: int) -> Mapping[str, float]:
        """The ratings of the season before, from the results up to that event."""
        then = fold(initial_state(), self._events[:version])
        sample = sampled(results_of(self._ladder_id, then, self._season - 1))
        sample, fits = replace(sample, rules=replace(sample.rules, replicates=1)), Fits()
        for _ in made(sample, fits):
            pass
        return {one.entry: one.rating for one in rated(sample, fits).entries}

    def _check_round(self, sequence: int, event: ev.RoundOpened) -> None:
        match self._expected:
            case [ev.RoundOpened() as wanted]:
                if (event.tables, event.byes, event.first_block) != (
                    wanted.tables,
                    wanted.byes,
                    wanted.first_block,
                ):
                    detail = f"the tables should be {wanted.tables} and the byes {wanted.byes}"
                    self._findings.fail("pairing", sequence, detail)
            case _:
                self._findings.fail("pairing", sequence, "no round of the tournament is due")
        self._expected = ()

    def _check_end(self, sequence: int, event: ev.TournamentFinished) -> None:
        match self._expected:
            case [ev.TournamentFinished() as wanted]:
                if event != wanted:
                    self._findings.fail("places", sequence, f"the places should be {_told(wanted.places)}")
            case _:
                self._findings.fail("places", sequence, "the tournament was not over")
        self._expected = ()

    def _check_block(self, sequence: int, event: ev.BlockFinished) -> None:
        round, block = self.state.round_of(event.block), self.state.block(event.block)
        assert round is not None, "every block belongs to a round"
        assert block is not None, "every block belongs to a round"
        if not self._is_of_tournament(round.number):
            return
        fail = partial(self._findings.fail, "results", sequence)
        if round.status == FINISHED or not block.is_open or event.attempt != block.attempt:
            fail(f"block {block.number} was not being played, or in another attempt")
        if len(event.results) != len(block.table):
            fail(f"block {block.number} has {len(event.results)} results")
        for rotation, result in enumerate(event.results):
            wanted = match_id(self._ladder_id, round.opened_at_ms, block.number, event.attempt, rotation)
            if result.match_id != wanted:
                fail(f"{result.match_id} is not the match of its block, {wanted}")
            self.match_ids += (result.match_id,)
            events = self._matches.get(result.match_id)
            if events is None:
                self.lacking += 1
            elif fault := self._fault(events, result, block.seats(rotation)):
                fail(f"{result.match_id}: {fault}")

    def _fault(self, events: Sequence[Members], result: ev.MatchResult, seats: ev.Table) -> str:
        players = [self.state.entries[number].player for number in seats]
        try:
            return next(result_faults(events, result, players), "")
        except (IndexError, KeyError, TypeError) as error:
            return f"its events cannot be read: {error!r}"


def _told(places: Sequence[FinalPlace]) -> str:
    return ", ".join([f"{one.place}: entry {one.entry}" for one in places])
