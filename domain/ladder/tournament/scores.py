"""The scores and places of a round robin or a Swiss tournament: points, and what separates equal points.

All numbers are integers: points in halves, Sonneborn-Berger in quarters.
"""

from collections import Counter

from msgspec import Struct

from domain.ladder.events import FinalPlace
from domain.ladder.state import FINISHED, LadderState, Tournament
from domain.ladder.tournament.meetings import Meeting, meetings
from domain.ladder.tournament.swiss import Candidate, Pair


class Score(Struct, frozen=True):
    """What an entry has reached in meetings that are over."""

    entry: int
    place: int
    """From 1; entries that are equal in all that follows share a place."""
    points: int
    """In half points: for each opponent, 2 for more wins than it has in the meeting, 1 for as many."""
    buchholz: int
    """The points of all opponents together, in half points. A bye counts as opponents with its own points."""
    sonneborn_berger: int
    """For each opponent, its points times what was won against it, in quarter points."""
    wins: int
    """Matches won."""
    meetings: int
    byes: int


class _Tally:
    """What has happened to one entry."""

    def __init__(self) -> None:
        self.points = 0
        self.wins = 0
        self.meetings = 0
        self.byes = 0
        self.results: list[tuple[int, int]] = []
        """Opponents, each with the result against it in half points."""


def scores(state: LadderState, tournament: Tournament) -> list[Score]:
    """The scores of the whole field, the first place first; equal ones in the order of their seeds."""
    tallies = _tallies(state, tournament)
    points = {entry: tally.points for entry, tally in tallies.items()}
    seats = state.configs[tournament.season - 1].seats
    reached = {entry: _reached(tally, points, seats) for entry, tally in tallies.items()}
    best = sorted(reached.values(), reverse=True)
    return [
        Score(
            entry,
            best.index(reached[entry]) + 1,
            *reached[entry],
            tallies[entry].meetings,
            tallies[entry].byes,
        )
        for entry in sorted(reached, key=reached.__getitem__, reverse=True)
    ]


def _tallies(state: LadderState, tournament: Tournament) -> dict[int, _Tally]:
    found = {entry: _Tally() for entry in tournament.field}
    seats = state.configs[tournament.season - 1].seats
    for round in state.rated_rounds(tournament.season):
        for meeting in meetings(round):
            if meeting.is_over:
                _count(found, meeting)
        for entry in round.byes:
            found[entry].byes += 1
            found[entry].points += points_of_bye(seats)
    return found


def points_of_bye(seats: int) -> int:
    """The half points of a bye: a win with two seats; at larger tables, as if all were equal."""
    return 2 if seats == 2 else seats - 1


def _count(tallies: dict[int, _Tally], meeting: Meeting) -> None:
    for entry in meeting.members:
        tally = tallies[entry]
        results = [(other, meeting.result(entry, other)) for other in meeting.members if other != entry]
        tally.results += results
        tally.points += sum([result for _, result in results])
        tally.wins += meeting.won(entry)
        tally.meetings += 1


def _reached(tally: _Tally, points: dict[int, int], seats: int) -> tuple[int, int, int, int]:
    """What places are given by: points, Buchholz, Sonneborn-Berger and wins; the greatest comes first."""
    # A bye counts as a meeting with opponents that have as many points as the entry itself.
    dummies = tally.byes * (seats - 1) * tally.points
    against = tally.byes * points_of_bye(seats) * tally.points
    return (
        tally.points,
        sum([points[opponent] for opponent, _ in tally.results]) + dummies,
        sum([points[opponent] * result for opponent, result in tally.results]) + against,
        tally.wins,
    )


def places(state: LadderState, tournament: Tournament) -> tuple[FinalPlace, ...]:
    """The final places by these scores."""
    return tuple([FinalPlace(one.entry, one.place) for one in scores(state, tournament)])


def candidates(state: LadderState, tournament: Tournament, entries: list[int]) -> list[Candidate]:
    """The entries for the pairing of the next round, in order of their points and then of their seeds."""
    tallies = _tallies(state, tournament)
    order = sorted(entries, key=lambda entry: (-tallies[entry].points, tournament.field.index(entry)))
    return [Candidate(entry, tallies[entry].points, tallies[entry].byes) for entry in order]


def met(state: LadderState, tournament: Tournament) -> Counter[Pair]:
    """How often two entries have met in finished rounds, by their numbers in ascending order.

    A meeting without a finished block does not count.
    """
    found: Counter[Pair] = Counter()
    for round in state.rated_rounds(tournament.season):
        if round.status == FINISHED:
            for meeting in meetings(round):
                if meeting.finished:
                    low = sorted(meeting.members)
                    found.update([(a, b) for place, a in enumerate(low) for b in low[place + 1 :]])
    return found
