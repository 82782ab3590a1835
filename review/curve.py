"""The chances of winning from the result back to the first turn, so that luck and skill add up exactly.

After the last event the result is known. Going back, a decision changes the chances by what its command was
worth less than the best one. A roll changes them from the mean over all that could have fallen: of the roll
that fell, by the chances that the rest of the match has led back to; of all others, by the judge. So the mean
luck of a roll is zero whatever the judge gets wrong, and nothing is left over between two steps.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from review.judging import Judged, JudgedDecision, JudgedLuck, JudgedResignation
from review.network import in_millionths
from review.verdicts import counted_loss
from review.walk import Boats, Decision, Draw, Step

Vector = tuple[float, ...]


class Change(NamedTuple):
    """A step of the curve, in millionths."""

    version: int
    turn: int
    seat: int
    kind: str
    """One of `ReviewStepKind`."""
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def change(self) -> tuple[int, ...]:
        return tuple([after - before for before, after in zip(self.before, self.after, strict=True)])

    @property
    def is_luck(self) -> bool:
        return self.kind not in ("decision", "resignation")


def curve(steps: Sequence[Step], judged: Sequence[Judged], winner: int, seats: int) -> tuple[Change, ...]:
    """The changes of the chances, in the order of the match."""
    after: Vector = tuple([float(seat == winner) for seat in range(seats)])
    found: list[Change] = []
    for step, of_step in zip(reversed(steps), reversed(judged), strict=True):
        for kind, before in _back(step, of_step, after):
            turn, seat = _turn_and_seat(step)
            found.append(Change(step.version, turn, seat, kind, in_millionths(before), in_millionths(after)))
            after = before
    return tuple(reversed(found))


def _back(step: Step, judged: Judged, after: Vector) -> Iterator[tuple[str, Vector]]:
    """The changes of a step, the last one first: the kind of each, and the chances before it."""
    if isinstance(judged, JudgedLuck):
        yield "boats" if isinstance(step, Boats) else "card", _clamped(_difference(after, judged.luck))
    elif isinstance(judged, JudgedResignation):
        yield "resignation", judged.before
    else:
        yield from _back_from_decision(step, judged, after)


def _back_from_decision(step: Step, judged: JudgedDecision, after: Vector) -> Iterator[tuple[str, Vector]]:
    assert isinstance(step, Decision)
    roll = judged.roll
    if roll is not None:
        pairs = zip(roll.others, after, strict=True)
        after = _clamped(tuple([other + roll.share * chance for other, chance in pairs]))
        yield "reroll" if step.state.phase == "reroll" else "roll", after
    if counted_loss(judged):
        chosen, best = judged.candidates[judged.chosen], judged.candidates[0]
        yield "decision", _clamped(_difference(after, _difference(chosen.chances, best.chances)))


def _difference(one: Vector, other: Vector) -> Vector:
    return tuple([a - b for a, b in zip(one, other, strict=True)])


def _clamped(chances: Vector) -> Vector:
    """The chances limited to 0 to 1, and scaled to sum to 1; errors of the judge can lead beyond these
    limits."""
    inside = [min(max(chance, 0.0), 1.0) for chance in chances]
    total = sum(inside)
    return tuple([chance / total for chance in inside])


def _turn_and_seat(step: Step) -> tuple[int, int]:
    """The turn and the seat of a step."""
    if isinstance(step, Draw):
        # The table is that of the next turn.
        return step.turn, step.seat
    return step.state.turn, step.state.active if isinstance(step, Decision | Boats) else step.seat
