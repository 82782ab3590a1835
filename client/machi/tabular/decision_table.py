"""The table `decisions`: one row for each choice of a seat, with the table before it and all it could do.

A row has what lies open on the table, and so nothing that a player could not know.
"""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Struct

from domain.match.commands import PlayCommand
from domain.match.legal import legal_commands
from domain.match.state import MatchState
from machi.tabular.columns import column, json_column, time_column
from machi.tabular.event_table import dice_of
from machi.tabular.recorded import Damaged, Step

_encode: Final = msgspec.json.Encoder().encode


class DecisionRow(Struct, frozen=True, gc=False):
    """One decision: the state is the one before it."""

    match_id: Annotated[str, column("the match")]
    sequence: Annotated[int, column("the event that records the decision: `events.sequence`")]
    time: Annotated[str, time_column("when it was recorded")]
    ruleset: Annotated[str, column("the ruleset, such as `harbor`")]
    seats: Annotated[int, column("the number of seats of the match")]
    turn: Annotated[int, column("the turn of the match, from 1")]
    seat_turn: Annotated[int, column("the turn of the seat, from 1")]
    building_round: Annotated[int | None, column("the building round, from 1; null outside of them")]
    extra_turn: Annotated[bool, column("whether the turn is an extra turn")]
    seat: Annotated[int, column("the seat that decides")]
    player_kind: Annotated[str, column("`account` or `strategy`")]
    player: Annotated[str, column("the handle of the account, or the name of the built-in player")]
    player_version: Annotated[str | None, column("the version of the built-in player; null for accounts")]
    phase: Annotated[str, column("what is decided: `setup`, `roll`, `reroll`, `add_two`, `take_coins`, …")]
    coins: Annotated[int, column("the coins of the seat", "coins")]
    landmarks: Annotated[int, column("the built landmarks of the seat", "cards")]
    establishments: Annotated[int, column("the establishments of the seat", "cards")]
    others_coins: Annotated[int, column("the most coins of another seat in play", "coins")]
    others_landmarks: Annotated[int, column("the most landmarks of another seat in play", "cards")]
    die_1: Annotated[int | None, column("the first die of the turn's current roll; null before it", "pips")]
    die_2: Annotated[int | None, column("the second die; null for one die", "pips")]
    total: Annotated[
        int | None, column("the current total, with two added if so; null before a roll", "pips")
    ]
    legal_count: Annotated[int, column("the number of legal commands", "commands")]
    legal_index: Annotated[int, column("the chosen command among `legal`, from 0")]
    by_clock: Annotated[bool, column("whether the clock decided, because the seat's time had run out")]
    command: Annotated[str, column("the type of the chosen command, such as `build`")]
    dice: Annotated[int | None, column("of `roll_dice`: the number of dice", "dice")]
    card: Annotated[str | None, column("the card that is built, given away, closed or demolished")]
    other_card: Annotated[str | None, column("of a trade: the card taken")]
    other_seat: Annotated[int | None, column("the seat that is taken from, traded with or given to")]
    won: Annotated[
        bool | None, column("whether the seat won in the end; null if nobody did or the match goes on")
    ]
    coins_by_seat: Annotated[str, json_column("the coins of all seats")]
    cities: Annotated[str, json_column("by seat: the copies of each card in its city, landmarks too")]
    supply: Annotated[str, json_column("the copies of each card that lie open for sale")]
    legal: Annotated[str, json_column("all legal commands, in the order of the API")]


def decision_row(step: Step, winner: int | None) -> DecisionRow:
    """The row of a step with a decision; `winner` is the seat that wins in the end, if any.

    Raises:
        Damaged: the rules do not allow the decision.
    """
    state, command = step.before, step.command
    assert state is not None, "the step has a decision"
    assert command is not None, "the step has a decision"
    legal = legal_commands(state)
    if command not in legal:
        raise Damaged(f"event {step.recorded.place} breaks the rules; `machi verify` says how")
    seat, rules = state.active, state.rules
    player = state.controllers[seat]
    assert player is not None, "a running match has no empty seat"
    others = [other for other, gone in enumerate(state.resigned) if other != seat and not gone]
    die_1, die_2 = dice_of(state.dice)
    return DecisionRow(
        match_id=step.recorded.envelope.match_id,
        sequence=step.recorded.place,
        time=step.recorded.envelope.time,
        ruleset=state.created.ruleset,
        seats=rules.seats,
        turn=state.turn,
        seat_turn=state.seat_turns[seat],
        building_round=state.round or None,
        extra_turn=state.extra_turn,
        seat=seat,
        player_kind=player.kind,
        player=player.name,
        player_version=player.version or None,
        phase=state.phase,
        coins=state.coins[seat],
        landmarks=state.landmarks[seat],
        establishments=sum(state.cities[seat][: rules.establishments]),
        others_coins=max([state.coins[other] for other in others], default=0),
        others_landmarks=max([state.landmarks[other] for other in others], default=0),
        die_1=die_1,
        die_2=die_2,
        total=state.total if state.dice else None,
        legal_count=len(legal),
        legal_index=legal.index(command),
        by_clock=step.by_clock,
        command=command.type,
        dice=getattr(command, "dice", None),
        card=getattr(command, "card", None) or getattr(command, "give", None),
        other_card=getattr(command, "take", None),
        other_seat=_other_seat(command),
        won=None if winner is None else seat == winner,
        coins_by_seat=_json(state.coins),
        cities=_json([_counts(state, city) for city in state.cities]),
        supply=_json(_counts(state, state.supply)),
        legal=_json(legal),
    )


def _other_seat(command: PlayCommand) -> int | None:
    for member in ("from_seat", "with_seat", "to_seat"):
        found: int | None = getattr(command, member, None)
        if found is not None:
            return found
    return None


def _counts(state: MatchState, copies: Sequence[int]) -> dict[str, int]:
    return {id: count for id, count in zip(state.rules.ids, copies, strict=True) if count}


def _json(value: object) -> str:
    return _encode(value).decode()
