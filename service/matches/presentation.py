"""The presentation of states, legal commands and matches: from domain values to contract types."""

from typing import Final

from msgspec import UNSET, UnsetType

from contract import matches as contract
from contract import states
from contract.names import CardCounts
from contract.states import Command, LegalCommands, State, Unbuildable
from contract.values import Timestamp
from domain.match.decide.building import REFUSALS
from domain.match.events import Clock, Dice, MatchCreated, Options, Origin, Position
from domain.match.legal import legal_commands, unbuildable
from domain.match.rated import counts_for_ratings
from domain.match.rules import Rules
from domain.match.seat_seeds import due_step, seat_seeds_of
from domain.match.state import OPEN, MatchState, seat_to_act

CHOICES: Final = frozenset(
    {"reroll", "add_two", "take_coins", "swap", "give", "demolish", "move", "renovate", "invest"}
)
"""The phases in which a choice is open."""


def present_state(match_id: str, state: MatchState, deadline: Timestamp | None) -> State:
    """The state of a match."""
    rules = state.rules
    return State(
        match_id=match_id,
        version=state.version,
        status=state.status,
        ruleset=rules.ruleset.id,
        options=present_options(rules.options),
        rules_version=rules.ruleset.version,
        turn=state.turn,
        active_seat=seat_to_act(state),
        phase=state.phase or None,
        extra_turn=state.extra_turn,
        dice=_dice(state),
        pending=_pending(state),
        players=tuple([_player(state, rules, seat) for seat in range(rules.seats)]),
        market=_market(state, rules),
        winner=_winner(state),
        result=_result(state),
        deadline=deadline,
    )


def _winner(state: MatchState) -> int | None:
    return state.winner if state.winner >= 0 else None


def _result(state: MatchState) -> contract.MatchResult | None:
    return contract.MatchResult(reason=state.result) if state.result else None


def present_options(options: Options) -> contract.ResolvedOptions:
    return contract.ResolvedOptions(
        box=options.box or None,
        market=options.market,
        max_copies=options.max_copies,
        card_costs=options.card_costs,
        commentary=options.commentary,
        rated=options.rated,
    )


def _dice(state: MatchState) -> states.Dice | None:
    """The current roll; None before the first of a turn."""
    if not state.dice:
        return None
    return states.Dice(
        values=tuple(state.dice), total=state.total, added=state.added, rerolled=state.rerolled
    )


def _pending(state: MatchState) -> states.PendingChoice | UnsetType:
    if state.phase not in CHOICES:
        return UNSET
    return states.PendingChoice(card=state.pending_card, copies=state.pending_copies)


def _player(state: MatchState, rules: Rules, seat: int) -> states.Player:
    controller = state.controllers[seat]
    city = state.cities[seat] if state.cities else [0] * rules.size
    built = [card for card in range(rules.size) if city[card]]
    return states.Player(
        seat=seat,
        name=controller.name if controller else None,
        coins=state.coins[seat] if state.coins else 0,
        establishments={rules.ids[card]: city[card] for card in built if card < rules.establishments},
        landmarks=tuple([rules.ids[card] for card in built if card >= rules.establishments]),
        closed=_closed(state, seat),
        invested=state.invested[seat] if state.invested else UNSET,
        bank_ms=state.banks[seat] if state.banks else UNSET,
    )


def _closed(state: MatchState, seat: int) -> CardCounts | UnsetType:
    if not state.closed:
        return UNSET
    closed = state.closed[seat]
    return {id: copies for id, copies in zip(state.rules.ids, closed, strict=True) if copies}


def _market(state: MatchState, rules: Rules) -> states.Market:
    match rules.options.market:
        case "open":
            return states.OpenMarket(supply=_stacks(state, rules, 0, True))
        case "limited":
            face_up = _stacks(state, rules, 0, False)
            return states.LimitedMarket(face_up=face_up, deck_remaining=_remaining(state, rules, 0))
    rows = {row.name: _stacks(state, rules, i, False) for i, row in enumerate(rules.rows)}
    decks = {row.name: _remaining(state, rules, i) for i, row in enumerate(rules.rows)}
    return states.RowsMarket(rows=states.FaceUpRows(**rows), decks_remaining=states.DecksRemaining(**decks))


def _stacks(state: MatchState, rules: Rules, row: int, with_empty: bool) -> CardCounts:
    if state.status == OPEN or not state.supply:
        return {}
    supply = state.supply
    return {rules.ids[card]: supply[card] for card in rules.row_cards[row] if with_empty or supply[card]}


def _remaining(state: MatchState, rules: Rules, row: int) -> int:
    return sum([state.decks[card] for card in rules.row_cards[row]]) if state.decks else 0


def present_legal_commands(state: MatchState, explain: bool = False) -> LegalCommands:
    """The legal commands of the seat to act; with `explain`, also the cards that it cannot build, and why."""
    commands: list[Command] = legal_commands(state)
    return LegalCommands(
        version=state.version,
        seat=seat_to_act(state),
        phase=state.phase or None,
        commands=tuple(commands),
        unbuildable=_unbuildable(state) if explain else UNSET,
    )


def no_legal_commands(version: int) -> LegalCommands:
    """The legal commands of a version at which nobody is to act."""
    return LegalCommands(version=version, seat=None, phase=None, commands=())


def _unbuildable(state: MatchState) -> tuple[Unbuildable, ...]:
    return tuple([_refused(state, *refused) for refused in unbuildable(state)])


def _refused(state: MatchState, card: str, cost: int, code: str) -> Unbuildable:
    detail = REFUSALS[code].format(card=card, price=cost, coins=state.coins[state.active])
    return Unbuildable(card=card, cost=cost, code=code, detail=detail)


def present_match(
    match_id: str,
    state: MatchState,
    created_at_ms: int,
    deadline: Timestamp | None,
    invitation_code: str | None = None,
) -> contract.Match:
    """The match resource; only its creator may see the `invitation_code`."""
    created = state.created
    return contract.Match(
        match_id=match_id,
        version=state.version,
        status=state.status,
        ruleset=created.ruleset,
        rules_version=created.rules_version,
        options=present_options(created.options),
        seats=tuple([_seat(state, seat) for seat in range(created.seats)]),
        first_seat=created.first_seat,
        clock=present_clock(created.clock),
        dice=_dice_source(created.dice),
        position=_position(created),
        seat_seeds=_seat_seeds(state, deadline),
        origin=_origin(created.origin),
        visibility=created.visibility,
        tags=created.tags,
        creator=created.creator,
        created_at=Timestamp.at(created_at_ms),
        turn=state.turn,
        active_seat=seat_to_act(state),
        winner=_winner(state),
        result=_result(state),
        rated=counts_for_ratings(state),
        invitation_code=invitation_code or UNSET,
    )


def present_clock(clock: Clock | None) -> contract.Clock | None:
    if clock is None:
        return None
    return contract.Clock(
        decision_ms=clock.decision_ms,
        on_timeout=clock.on_timeout,
        bank_ms=clock.bank_ms or UNSET,
        increment_ms=clock.increment_ms or UNSET,
    )


def _seat(state: MatchState, seat: int) -> contract.Seat:
    controller = state.controllers[seat]
    kind = controller.kind if controller else "open"
    return contract.Seat(
        seat=seat,
        kind=kind,
        account_id=controller.id if controller and kind == "account" else None,
        strategy=controller.id if controller and kind == "strategy" else None,
        name=controller.name if controller else None,
        resigned=bool(state.resigned and state.resigned[seat]),
        invited=state.reservations[seat].name if seat in state.reservations else None,
    )


def _dice_source(dice: Dice) -> contract.DiceSource:
    throws = dice.throws if dice.mode == "scripted" else UNSET
    return contract.DiceSource(mode=dice.mode, commitment=dice.commitment or None, throws=throws)


def _seat_seeds(state: MatchState, deadline: Timestamp | None) -> contract.SeatSeeds | None:
    seeds = seat_seeds_of(state)
    if seeds is None:
        return None
    step = due_step(state)
    return contract.SeatSeeds(
        within_ms=seeds.within_ms,
        step=step,
        deadline=deadline if step else None,
        seats=tuple([_seat_seed(state, seat) for seat in range(len(state.controllers))]),
    )


def _seat_seed(state: MatchState, seat: int) -> contract.SeatSeed:
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
    return contract.SeatSeed(seat=seat, status=status, commitment=commitment or None, seed=seed or None)


def _origin(origin: Origin | None) -> contract.Origin | None:
    if origin is None:
        return None
    return contract.Origin(
        match_id=origin.match_id, version=origin.version, head_hash=origin.head_hash, dice=origin.dice
    )


def _position(created: MatchCreated) -> contract.GivenTable | None:
    position = created.position
    if position is None:
        return None
    return contract.GivenTable(
        active_seat=position.active_seat,
        phase=position.phase,
        players=tuple(
            [
                contract.GivenPlayer(
                    coins=one.coins,
                    establishments=one.establishments,
                    landmarks=one.landmarks,
                    closed=one.closed,
                    invested=one.invested,
                )
                for one in position.players
            ]
        ),
        market=_position_market(position, created.options.market),
    )


def _position_market(position: Position, kind: str) -> contract.GivenMarket | None:
    rows = position.rows
    if rows is None:
        return None
    if kind == "open":
        return contract.GivenMarket(supply=rows[0].face_up)
    if kind == "limited":
        deck = rows[0].deck
        return contract.GivenMarket(face_up=rows[0].face_up, deck=UNSET if deck is None else deck)
    return contract.GivenMarket(
        rows={row.name: row.face_up for row in rows},
        decks={row.name: row.deck for row in rows if row.deck is not None},
    )
