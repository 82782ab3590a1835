"""What the API shows of the domain's values: plain dicts in the shapes of the contract, ready for JSON."""

from typing import Any, Final

import msgspec

from domain.match.commands import PlayCommand
from domain.match.decide.building import REFUSALS
from domain.match.events import Clock, Dice, MatchCreated, Options, Origin, Position, SeatTaken
from domain.match.legal import legal_commands, unbuildable
from domain.match.rules import Rules
from domain.match.seat_seeds import due_step, seat_seeds_of
from domain.match.state import OPEN, RUNNING, MatchState

Shape = dict[str, Any]

CHOICES: Final = frozenset({"reroll", "add_two", "take_coins", "swap", "give"})
"""The phases in which a card's choice is open."""


def state_shape(match_id: str, state: MatchState, deadline: str | None) -> Shape:
    """The state as section 5 of the contract shows it. `deadline` is RFC 3339."""
    rules = state.rules
    shape: Shape = {
        "match_id": match_id,
        "version": state.version,
        "status": state.status,
        "ruleset": rules.ruleset.id,
        "options": options_shape(rules.options),
        "rules_version": rules.ruleset.version,
        "turn": state.turn,
        "active_seat": seat_to_act(state),
        "phase": state.phase or None,
        "extra_turn": state.extra_turn,
        "dice": dice_shape(state),
    }
    if state.phase in CHOICES:
        shape["pending"] = {"card": state.pending_card, "copies": state.pending_copies}
    shape["players"] = [_player(state, rules, seat) for seat in range(rules.seats)]
    shape["market"] = _market(state, rules)
    shape["winner"] = state.winner if state.winner >= 0 else None
    shape["result"] = result_shape(state)
    shape["deadline"] = deadline
    return shape


def seat_to_act(state: MatchState) -> int | None:
    """The seat that the match waits for, if it is running; none between its start and the first turn."""
    return state.active if state.status == RUNNING and state.active >= 0 else None


def result_shape(state: MatchState) -> Shape | None:
    return {"reason": state.result} if state.result else None


def options_shape(options: Options) -> Shape:
    return {
        "box": options.box or None,
        "market": options.market,
        "max_copies": options.max_copies,
        "card_costs": options.card_costs,
    }


def dice_shape(state: MatchState) -> Shape | None:
    """The throw that counts; None before the first of a turn."""
    if not state.dice:
        return None
    return {
        "values": state.dice,
        "total": state.total,
        "added": state.added,
        "rerolled": state.rerolled,
    }


def _player(state: MatchState, rules: Rules, seat: int) -> Shape:
    controller = state.controllers[seat]
    city = state.cities[seat] if state.cities else [0] * rules.size
    return {
        "seat": seat,
        "name": controller.name if controller else None,
        "coins": state.coins[seat] if state.coins else 0,
        "establishments": {rules.ids[card]: city[card] for card in range(rules.establishments) if city[card]},
        "landmarks": [rules.ids[card] for card in range(rules.establishments, rules.size) if city[card]],
    }


def _market(state: MatchState, rules: Rules) -> Shape:
    kind = rules.options.market
    if kind == "open":
        return {"kind": kind, "supply": _stacks(state, rules, 0, True)}
    if kind == "limited":
        return {
            "kind": kind,
            "face_up": _stacks(state, rules, 0, False),
            "deck_remaining": _remaining(state, rules, 0),
        }
    return {
        "kind": kind,
        "rows": {row.name: _stacks(state, rules, i, False) for i, row in enumerate(rules.rows)},
        "decks_remaining": {row.name: _remaining(state, rules, i) for i, row in enumerate(rules.rows)},
    }


def _stacks(state: MatchState, rules: Rules, row: int, with_empty: bool) -> dict[str, int]:
    if state.status == OPEN or not state.supply:
        return {}
    supply = state.supply
    return {rules.ids[card]: supply[card] for card in rules.row_cards[row] if with_empty or supply[card]}


def _remaining(state: MatchState, rules: Rules, row: int) -> int:
    return sum([state.decks[card] for card in rules.row_cards[row]]) if state.decks else 0


def command_shape(command: PlayCommand) -> Shape:
    """The command as it can be posted."""
    shape: Shape = {"type": str(command.__struct_config__.tag)}
    for name in command.__struct_fields__:
        shape[name] = getattr(command, name)
    return shape


def legal_shape(state: MatchState, explain: bool = False) -> Shape:
    """What the seat to act can do, ready to post."""
    shape: Shape = {
        "version": state.version,
        "seat": seat_to_act(state),
        "phase": state.phase or None,
        "commands": [command_shape(command) for command in legal_commands(state)],
    }
    if explain:
        shape["unbuildable"] = [_refused(state, *refused) for refused in unbuildable(state)]
    return shape


def _refused(state: MatchState, card: str, cost: int, code: str) -> Shape:
    detail = REFUSALS[code].format(card=card, price=cost, coins=state.coins[state.active])
    return {"card": card, "cost": cost, "code": code, "detail": detail}


def match_shape(match_id: str, state: MatchState, created_at: str, deadline: str | None) -> Shape:
    """The match resource. `created_at` and `deadline` are RFC 3339."""
    created = state.created
    assert created is not None, "the match was created"
    return {
        "match_id": match_id,
        "version": state.version,
        "status": state.status,
        "ruleset": created.ruleset,
        "rules_version": created.rules_version,
        "options": options_shape(created.options),
        "seats": [_seat(state, seat) for seat in range(created.seats)],
        "first_seat": created.first_seat,
        "clock": clock_shape(created.clock),
        "dice": _dice_source(created.dice),
        "position": _position(created),
        "seat_seeds": _seat_seeds(state, deadline),
        "origin": _origin(created.origin),
        "visibility": created.visibility,
        "tags": created.tags,
        "creator": created.creator,
        "created_at": created_at,
        "turn": state.turn,
        "active_seat": seat_to_act(state),
        "winner": state.winner if state.winner >= 0 else None,
        "result": result_shape(state),
    }


def clock_shape(clock: Clock | None) -> Shape | None:
    return {"decision_ms": clock.decision_ms, "on_timeout": clock.on_timeout} if clock else None


def _seat(state: MatchState, seat: int) -> Shape:
    controller: SeatTaken | None = state.controllers[seat]
    kind = controller.kind if controller else "open"
    return {
        "seat": seat,
        "kind": kind,
        "account_id": controller.id if controller and kind == "account" else None,
        "strategy": controller.id if controller and kind == "strategy" else None,
        "name": controller.name if controller else None,
        "resigned": bool(state.resigned and state.resigned[seat]),
        "invited": state.reservations[seat].name if seat in state.reservations else None,
    }


def _dice_source(dice: Dice) -> Shape:
    shape: Shape = {"mode": dice.mode, "commitment": dice.commitment or None}
    if dice.mode == "scripted":
        shape["throws"] = dice.throws
    return shape


def _seat_seeds(state: MatchState, deadline: str | None) -> Shape | None:
    seeds = seat_seeds_of(state)
    if seeds is None:
        return None
    step = due_step(state)
    return {
        "within_ms": seeds.within_ms,
        "step": step,
        "deadline": deadline if step else None,
        "seats": [_seat_seed(state, seat) for seat in range(len(state.controllers))],
    }


def _seat_seed(state: MatchState, seat: int) -> Shape:
    held, commitment = state.controllers[seat], state.seed_commitments.get(seat)
    seed = held.seed if held else ""
    if commitment is None:
        status = "awaited" if held and held.kind == "account" else "none"
    elif not commitment:
        status = "forgone"
    elif seed:
        status = "opened"
    else:
        status = "withheld" if state.result == "seat_seed_withheld" else "committed"
    return {"seat": seat, "status": status, "commitment": commitment or None, "seed": seed or None}


def _origin(origin: Origin | None) -> Shape | None:
    return msgspec.structs.asdict(origin) if origin else None


def _position(created: MatchCreated) -> Shape | None:
    position = created.position
    if position is None:
        return None
    return {
        "active_seat": position.active_seat,
        "phase": position.phase,
        "players": [
            {"coins": one.coins, "establishments": one.establishments, "landmarks": one.landmarks}
            for one in position.players
        ],
        "market": _position_market(position, created.options.market),
    }


def _position_market(position: Position, kind: str) -> Shape | None:
    if position.rows is None:
        return None
    if kind == "open":
        return {"supply": position.rows[0].face_up}
    if kind == "limited":
        row = position.rows[0]
        return {"face_up": row.face_up, **({"deck": row.deck} if row.deck is not None else {})}
    return {
        "rows": {row.name: row.face_up for row in position.rows},
        "decks": {row.name: row.deck for row in position.rows if row.deck is not None},
    }
