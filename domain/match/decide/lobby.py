"""Creating, joining, starting and aborting a match."""

from msgspec import UNSET

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.branches import check_branch
from domain.match.chance import StartChance
from domain.match.decide.building import refill
from domain.match.decide.draft import Draft, DraftWith, require_not_over
from domain.match.decide.turns import call_off
from domain.match.positions import PositionTable, check_position, table_of, tokens_of
from domain.match.rated import check_rated, check_seat_of_rated
from domain.match.rules import Rules, rules_for
from domain.match.rulesets import VERSIONS, digest
from domain.match.seat_seeds import check_seat_seeds, has_opening_begun, require_no_plain_seed, seats_due
from domain.match.state import MatchState


def create(command: cmd.CreateMatch, chance: StartChance) -> tuple[MatchState, list[ev.Event]]:
    """Create a match with its occupied seats; start it if no seat is open.

    A branch begins with the state of its origin: nothing is laid out, drawn or rolled.

    Raises:
        RuleViolation: the command is refused.
    """
    ruleset = VERSIONS[command.rules_version]
    seats = len(command.seats)
    rules = rules_for(command.rules_version, command.options, seats)
    if command.first_seat is not None and not 0 <= command.first_seat < seats:
        raise RuleViolation("validation_failed", f"the match has no seat {command.first_seat}", "/first_seat")
    if command.position is not None:
        check_position(rules, command.position)
    check_branch(command)
    check_seat_seeds(command)
    check_rated(command)
    created = ev.MatchCreated(
        ruleset.id,
        ruleset.version,
        digest(ruleset),
        command.options,
        seats,
        command.first_seat,
        command.dice,
        command.creator,
        command.clock,
        command.position,
        command.visibility,
        command.tags,
        command.origin,
    )
    draft = DraftWith(MatchState(created, rules), chance)
    draft.events.append(created)
    for seat, plan in enumerate(command.seats):
        if plan.kind == "reserved":
            draft.emit(ev.SeatReserved(seat, plan.id, plan.name))
        elif plan.kind != "open":
            draft.emit(ev.SeatTaken(seat, plan.kind, plan.id, plan.name, plan.version, plan.seed))
    if command.branch is not None:
        draft.emit(command.branch)
        if command.tokens is not UNSET:
            draft.emit(command.tokens)
    else:
        start_when_ready(draft)
    return draft.state, draft.events


def refuse_creation(draft: Draft, command: cmd.CreateMatch) -> None:
    raise RuleViolation("validation_failed", "the match already exists")


def take_seat(draft: DraftWith[StartChance], command: cmd.TakeSeat) -> None:
    state = draft.state
    require_not_over(state)
    if None not in state.controllers:
        raise RuleViolation("match_full", "the match has no open seat")
    if not 0 <= command.seat < len(state.controllers):
        raise RuleViolation("validation_failed", f"the match has no seat {command.seat}", "/seat")
    if state.controllers[command.seat] is not None:
        raise RuleViolation("seat_taken", f"seat {command.seat} is taken", "/seat")
    _require_not_reserved(state, command)
    require_no_plain_seed(state, command.seed)
    check_seat_of_rated(state, command)
    draft.emit(
        ev.SeatTaken(command.seat, command.kind, command.id, command.name, command.version, command.seed)
    )
    start_when_ready(draft)


def _require_not_reserved(state: MatchState, command: cmd.TakeSeat) -> None:
    reserved = state.reservations.get(command.seat)
    if reserved is not None and (command.kind, command.id) != ("account", reserved.id):
        raise RuleViolation("seat_reserved", f"seat {command.seat} is reserved for {reserved.name}", "/seat")


def end_reservation(draft: Draft, command: cmd.EndReservation) -> None:
    """Open a reserved seat for anybody: the invited account declines, or the creator withdraws."""
    state = draft.state
    require_not_over(state)
    reserved = state.reservations.get(command.seat)
    if reserved is None:
        raise RuleViolation("invitation_not_found", f"seat {command.seat} is not reserved", "/seat")
    if command.account not in (reserved.id, state.created.creator):
        raise RuleViolation("not_your_seat", f"seat {command.seat} is reserved for {reserved.name}", "/seat")
    reason = "declined" if command.account == reserved.id else "withdrawn"
    draft.emit(ev.ReservationEnded(command.seat, reason))


def abort_match(draft: Draft, command: cmd.AbortMatch) -> None:
    """Abort the match: before the first roll, or later if scripted dice run out."""
    state = draft.state
    require_not_over(state)
    if command.reason == "creator" and state.throws:
        raise RuleViolation("wrong_phase", "the first roll has been made")
    if command.reason == "creator" and has_opening_begun(state):
        raise RuleViolation("wrong_phase", "every seat has committed to its seed")
    if command.reason == "seat_seed_withheld":
        raise RuleViolation("wrong_phase", "no seat has withheld its seed")
    call_off(draft, command.reason)


def start_when_ready(draft: DraftWith[StartChance]) -> None:
    """Start the match if every seat is taken and no seat seed is due."""
    state = draft.state
    if None in state.controllers or seats_due(state):
        return
    rules = draft.rules
    position = state.created.position
    table = table_of(rules, position) if position is not None else _fresh_table(rules)
    first = _first_seat(draft, state)
    draft.emit(
        ev.MatchStarted(first, table.coins, table.cities, table.supply, table.decks, table.deck_orders)
    )
    tokens = tokens_of(position) if position is not None else None
    if tokens is not None:
        draft.emit(tokens)
    for row in range(len(rules.rows)):
        refill(draft, row)
    phase, round = _first_phase(rules, position)
    draft.emit(ev.TurnStarted(1, first, phase, False, round))


def _first_phase(rules: Rules, position: ev.Position | None) -> tuple[str, int]:
    """The phase and the building round of the first turn."""
    if position is not None:
        return position.phase, int(position.phase == "setup")
    return ("setup", 1) if rules.ruleset.building_rounds else ("roll", 0)


def _first_seat(draft: DraftWith[StartChance], state: MatchState) -> int:
    created = state.created
    if created.position is not None:
        return created.position.active_seat
    if created.first_seat is not None:
        return created.first_seat
    return draft.chance.first_seat(state)


def _fresh_table(rules: Rules) -> PositionTable:
    """The initial table of the rule book."""
    ruleset = rules.ruleset
    city = dict.fromkeys(ruleset.starters, 1)
    supply: dict[str, int] = {}
    decks: dict[str, int] = {}
    for row in rules.rows:
        pile = decks if row.kinds else supply
        for id in row.cards:
            pile[id] = rules.copies[rules.index[id]]
    return PositionTable((ruleset.start_coins,) * rules.seats, (city,) * rules.seats, supply, decks, {})
