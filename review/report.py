"""The review as the API answers it, from the judged steps of a match."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from contract import reviews as contract
from contract.reviews import MILLIONTHS
from domain.match.commands import PlayCommand
from domain.match.decide.turns import may_roll_two
from domain.match.legal import legal_commands
from domain.match.state import MatchState
from review import JUDGE_VERSION
from review.curve import Change, curve
from review.judging import Judged, JudgedCommand, JudgedDecision
from review.network import in_millionths
from review.verdicts import FAULTS, counted_loss, verdict_of
from review.walk import Decision, Walk

STAGES: Final = ("one_die", "two_dice", "race")
DEAREST: Final = 3
"""The most mistakes that are listed for each seat."""

Judgement = tuple[Decision, JudgedDecision]


def report(
    match_id: str, head_hash: str, value_function: str, walk: Walk, judged: Sequence[Judged]
) -> contract.Review:
    """The review of a match whose steps are all judged."""
    end = walk.end
    changes = curve(walk.steps, judged, end.winner, end.rules.seats)
    result = tuple([MILLIONTHS * (seat == end.winner) for seat in range(end.rules.seats)])
    start = changes[0].before if changes else result
    judgements = [
        (step, one)
        for step, one in zip(walk.steps, judged, strict=True)
        if isinstance(step, Decision) and isinstance(one, JudgedDecision)
    ]
    decisions = tuple([_decision(step, one) for step, one in judgements if one.candidates])
    return contract.Review(
        match_id=match_id,
        version=end.version,
        head_hash=head_hash,
        ruleset=end.rules.ruleset.id,
        rules_version=end.created.rules_version,
        judge=contract.Judge(JUDGE_VERSION, value_function, head_hash),
        first=walk.first,
        start=start,
        steps=tuple([_step(change) for change in changes if change.is_luck or any(change.change)]),
        result=result,
        seats=tuple([_seat(seat, end, start, changes, judgements) for seat in range(end.rules.seats)]),
        decisions=decisions,
        turning_point=_turning_point(changes, end.winner),
        mistakes=_mistakes(decisions, end.rules.seats),
        rollouts=sum([one.rollouts for _, one in judgements]),
    )


def _step(change: Change) -> contract.ReviewStep:
    return contract.ReviewStep(
        version=change.version,
        turn=change.turn,
        seat=change.seat,
        kind=change.kind,
        change=change.change,
        chances=change.after,
    )


def _decision(step: Decision, judged: JudgedDecision) -> contract.ReviewedDecision:
    legal = legal_commands(step.state)
    candidates = tuple([presented(legal, one) for one in judged.candidates])
    chosen = candidates[judged.chosen]
    return contract.ReviewedDecision(
        version=step.version,
        turn=step.state.turn,
        seat=step.state.active,
        phase=step.state.phase,
        stage=_stage(step.state, judged),
        command=step.command,
        best=candidates[0].command,
        loss=chosen.loss,
        low=chosen.low,
        high=chosen.high,
        verdict=verdict_of(judged),
        candidates=candidates,
    )


def presented(legal: Sequence[PlayCommand], judged: JudgedCommand) -> contract.Candidate:
    """A candidate among the legal commands as the API answers it."""
    loss, low, high = [round(max(0.0, part) * MILLIONTHS) for part in (judged.loss, judged.low, judged.high)]
    return contract.Candidate(
        command=legal[judged.place],
        chances=in_millionths(judged.chances),
        loss=loss,
        low=low,
        high=high,
        rollouts=judged.rollouts,
        is_exact=judged.is_exact,
    )


def _stage(state: MatchState, judged: JudgedDecision) -> str:
    if judged.is_exact:
        return "race"
    return "two_dice" if may_roll_two(state, state.rules) else "one_die"


def _seat(
    seat: int,
    end: MatchState,
    start: Sequence[int],
    changes: Sequence[Change],
    judgements: Sequence[Judgement],
) -> contract.SeatReview:
    luck = sum([change.change[seat] for change in changes if change.is_luck])
    skill = sum([change.change[seat] for change in changes if not change.is_luck and change.seat == seat])
    others = sum([change.change[seat] for change in changes if not change.is_luck and change.seat != seat])
    result = MILLIONTHS * (seat == end.winner)
    own = [(step, one) for step, one in judgements if step.state.active == seat]
    decided = [one for _, one in own if one.candidates]
    sound = sum([not counted_loss(one) for one in decided])
    taken = end.controllers[seat]
    return contract.SeatReview(
        seat=seat,
        name=taken.name if taken else "",
        start=start[seat],
        luck=luck,
        skill=skill,
        others=others,
        result=result,
        adjusted=result - luck,
        accuracy=100 * sound // len(decided) if decided else None,
        stages=_stages(seat, changes, own),
    )


def _stages(
    seat: int, changes: Sequence[Change], own: Sequence[Judgement]
) -> tuple[contract.StageReview, ...]:
    """The stages of the match for a seat that it has been in."""
    of_rolls = {
        change.version: change.change[seat] for change in changes if change.kind in ("roll", "reroll")
    }
    decisions: dict[str, int] = defaultdict(int)
    lost: dict[str, int] = defaultdict(int)
    rolls: dict[str, int] = defaultdict(int)
    luck: dict[str, int] = defaultdict(int)
    for step, judged in own:
        stage = _stage(step.state, judged)
        if judged.candidates:
            decisions[stage] += 1
            lost[stage] += round(counted_loss(judged) * MILLIONTHS)
        if step.roll is not None:
            rolls[stage] += 1
            luck[stage] += of_rolls[step.version]
    return tuple(
        [
            contract.StageReview(stage, decisions[stage], lost[stage], rolls[stage], luck[stage])
            for stage in STAGES
            if decisions[stage] or rolls[stage]
        ]
    )


def _turning_point(changes: Sequence[Change], winner: int) -> int | None:
    """The step after which the winner was always ahead of each other seat."""
    found = None
    for change in changes:
        if _leads(change.after, winner):
            if not _leads(change.before, winner):
                found = change.version
        else:
            found = None
    return found


def _leads(chances: Sequence[int], seat: int) -> bool:
    return all(chance < chances[seat] for other, chance in enumerate(chances) if other != seat)


def _mistakes(decisions: Sequence[contract.ReviewedDecision], seats: int) -> tuple[int, ...]:
    found: list[contract.ReviewedDecision] = []
    for seat in range(seats):
        own = [one for one in decisions if one.seat == seat and one.verdict in FAULTS]
        found += sorted(own, key=lambda one: (-one.loss, one.version))[:DEAREST]
    return tuple([one.version for one in sorted(found, key=lambda one: (-one.loss, one.version))])
