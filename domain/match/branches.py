"""Branches: matches that continue from a state of another match, with its dice or with others."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.match import events as ev
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.rated import without_rating
from domain.match.state import RUNNING, MatchState, is_over, seat_seeds


def branch_command(
    state: MatchState,
    origin: ev.Origin,
    seats: Sequence[SeatPlan],
    creator: str,
    throws: tuple[tuple[int, ...], ...] = (),
    clock: ev.Clock | None = None,
    visibility: str = "public",
    tags: tuple[str, ...] = (),
) -> CreateMatch:
    """The command that creates a branch from `state`, the origin's at `origin.version`, with scripted
    `throws`.

    With the same dice, each seat keeps its seed of the origin, because the dice depend on it.

    Raises:
        RuleViolation: `match_not_started` or `match_finished`, no seat is to act; `validation_failed`, the
            origin has another number of seats.
    """
    require_decision(state)
    created = state.created
    assert state.version == origin.version
    _require_as_many(seats, len(state.coins))
    is_same = origin.dice == "same"
    return CreateMatch(
        created.rules_version,
        without_rating(created.options),
        _with_seeds(seats, state) if is_same else tuple(seats),
        branch_dice(state, origin, throws),
        creator,
        clock=clock,
        visibility=visibility,
        tags=tags,
        origin=origin,
        branch=branch_started(state, keeps_orders=is_same),
        tokens=branch_tokens(state) or UNSET,
    )


def require_decision(state: MatchState) -> None:
    """Raise unless a seat is to act: `match_not_started` or `match_finished`."""
    if not state.coins:
        raise RuleViolation("match_not_started", f"the match has not started at version {state.version}")
    if is_over(state):
        raise RuleViolation("match_finished", f"the match is over at version {state.version}")


def check_branch(command: CreateMatch) -> None:
    """Refuse a branch that is incomplete, has members of a new match, or cannot start at once.

    Raises:
        RuleViolation: `validation_failed`.
    """
    branch = command.branch
    if (branch is None) != (command.origin is None):
        raise RuleViolation("validation_failed", "a branch must have both an origin and a first event")
    if branch is None:
        if command.tokens is not UNSET:
            raise RuleViolation("validation_failed", "only a branch begins with tokens")
        return
    if command.position is not None or command.first_seat is not None:
        raise RuleViolation("validation_failed", "a branch cannot have a position or a first seat")
    _require_as_many(command.seats, len(branch.coins))
    if any([plan.kind in ("open", "reserved") for plan in command.seats]):
        raise RuleViolation(
            "validation_failed", "a branch begins at once and cannot have open seats", "/seats"
        )


def _require_as_many(seats: Sequence[SeatPlan], there: int) -> None:
    if len(seats) != there:
        raise RuleViolation(
            "validation_failed", f"must be {there} seats, as in the origin, not {len(seats)}", "/seats"
        )


def _with_seeds(seats: Sequence[SeatPlan], state: MatchState) -> tuple[SeatPlan, ...]:
    return tuple([replace(plan, seed=seed) for plan, seed in zip(seats, seat_seeds(state), strict=True)])


def branch_dice(state: MatchState, origin: ev.Origin, throws: tuple[tuple[int, ...], ...] = ()) -> ev.Dice:
    """The dice of a branch. Fresh and scripted dice get their key and commitment when it is created.

    The same dice as the origin's come from its seed, or from the rest of its tape. `seed_of` names the first
    match in a chain of such branches.
    """
    if origin.dice == "scripted":
        return ev.Dice("scripted", throws=throws)
    if origin.dice == "fresh":
        return ev.Dice("committed")
    dice = state.created.dice
    left = dice.throws[state.throws :]
    # The seats inherit the opened seeds of the origin, so there are no new commitments.
    return replace(dice, throws=left, seed_of=dice.seed_of or origin.match_id, seat_seeds=UNSET)


def branch_started(state: MatchState, keeps_orders: bool) -> ev.BranchStarted:
    """The event with the state of a running match, with which its branch begins.

    Without `keeps_orders`, given deck orders are dropped, and all decks are drawn from by chance.
    """
    assert state.status == RUNNING
    rules = state.rules
    orders = {row: tuple(order) for row, order in state.deck_orders.items()} if keeps_orders else {}
    return ev.BranchStarted(
        first_seat=state.first_seat,
        coins=tuple(state.coins),
        cities=tuple([_counts(rules.ids, city) for city in state.cities]),
        supply=_counts(rules.ids, state.supply),
        decks=_counts(rules.ids, state.decks),
        deck_orders=orders,
        draws={row.name: drawn for row, drawn in zip(rules.rows, state.draws, strict=True)},
        resigned=tuple([seat for seat, gone in enumerate(state.resigned) if gone]),
        turn=state.turn,
        seat=state.active,
        phase=state.phase,
        extra=state.extra_turn,
        round=state.round,
        seat_turns=tuple(state.seat_turns),
        values=state.dice,
        total=state.total,
        added=state.added,
        rerolled=state.rerolled,
        received=state.received,
        extra_turn_due=state.extra_turn_due,
        card=state.pending_card,
        copies=state.pending_copies,
    )


def branch_tokens(state: MatchState) -> ev.TokensPlaced | None:
    """The event with what lies on the cards of a running match; None if nothing does."""
    seats = range(len(state.coins))
    closed = tuple([_counts(state.rules.ids, city) for city in state.closed]) or tuple([{} for _ in seats])
    invested = tuple(state.invested) or tuple([0 for _ in seats])
    return ev.TokensPlaced(closed, invested) if any(closed) or any(invested) else None


def _counts(ids: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Counts by card id, without zeros."""
    return {id: count for id, count in zip(ids, counts, strict=True) if count}
