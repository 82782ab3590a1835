"""Rated matches: what they require, and whether the result of one counts for the ratings of its players.

Every seat of a rated match has an account of its own that has agreed by taking it, and nobody can know the
dice. How results become ratings is in `domain.ladder.rated_matches`. See docs/ratings.md.
"""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.match.commands import CreateMatch, SeatPlan, TakeSeat
from domain.match.events import Options
from domain.match.rulesets import VERSIONS, resolve_options
from domain.match.state import FINISHED, MatchState

NOT_RATABLE: Final = "not_ratable"
"""The code with which a rated match refuses what it does not allow."""


def counts_for_ratings(state: MatchState) -> bool:
    """Whether the result of the match counts, or will count once somebody has won it.

    A rated match in which a built-in player took over the seat of a deleted account does not.
    """
    kinds = [taken.kind for taken in state.controllers if taken is not None]
    return bool(state.created.options.rated) and all([kind == "account" for kind in kinds])


def has_rated_result(state: MatchState) -> bool:
    """Whether the match is finished and counts."""
    return state.status == FINISHED and counts_for_ratings(state)


def without_rating(options: Options) -> Options:
    """The options for a branch of a match with these, which is never rated."""
    return replace(options, rated=UNSET)


def check_rated(command: CreateMatch) -> None:
    """Refuse a rated match with what would make its result unfair, or nobody's.

    Raises:
        RuleViolation: `not_ratable`, with a pointer to the member of the request.
    """
    if not command.options.rated:
        return
    if command.dice.mode != "committed":
        raise _refusal("its dice must be secret until they are rolled", "/dice/mode")
    if command.position is not None:
        raise _refusal("it starts as in the rule book", "/position")
    if command.branch is not None:
        raise _refusal("a branch is not rated", "/options/rated")
    if command.visibility != "public":
        raise _refusal("it must be public, so that everybody can check its result", "/visibility")
    if command.clock is None:
        raise _refusal(
            "it must have a clock, or a player who is losing could stop playing for good",
            "/clock",
        )
    if command.clock.on_timeout == "strategy":
        raise _refusal("no built-in player can take over a seat", "/clock/on_timeout")
    _check_options(command)
    for seat, plan in enumerate(command.seats):
        _check_seat(seat, plan, command)


def _check_options(command: CreateMatch) -> None:
    """All matches of one board are played by the same rules, and nobody is told the chances meanwhile."""
    options = command.options
    if options.commentary:
        raise _refusal("nobody may be told the chances of winning", "/options/commentary")
    usual = resolve_options(VERSIONS[command.rules_version], len(command.seats))
    for name in ("box", "market", "max_copies", "card_costs"):
        if getattr(options, name) != getattr(usual, name):
            raise _refusal(f"it has the {name} of the ruleset", f"/options/{name}")


def _check_seat(seat: int, plan: SeatPlan, command: CreateMatch) -> None:
    pointer = f"/seats/{seat}"
    if plan.kind == "strategy":
        raise _refusal("a built-in player has no rating among people", pointer)
    if plan.seed:
        raise _refusal("a seed that a player chooses alone is refused", f"{pointer}/seed")
    if plan.kind == "account" and plan.id != command.creator:
        raise _refusal("other accounts must be invited: each agrees by taking its seat", pointer)
    if plan.id and plan.id in [other.id for other in command.seats[:seat]]:
        raise _refusal("every seat must have a different account", pointer)


def check_seat_of_rated(state: MatchState, command: TakeSeat) -> None:
    """Refuse a seat of a rated match to whoever may not take it.

    Raises:
        RuleViolation: `already_seated`: the account has a seat; `not_ratable`: a built-in player, or a seed.
    """
    if not state.created.options.rated:
        return
    if command.kind != "account":
        raise _refusal("a built-in player has no rating among people", "/seat")
    if command.seed:
        raise _refusal("a seed that a player chooses alone is refused", "/seed")
    if command.id in [taken.id for taken in state.controllers if taken is not None]:
        raise RuleViolation(
            "already_seated", "every seat of a rated match must have a different account", "/seat"
        )


def _refusal(detail: str, pointer: str) -> RuleViolation:
    return RuleViolation(NOT_RATABLE, f"a rated match: {detail}", pointer)
