"""The table `events`: one row for each event of a match."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from msgspec import Struct

from domain.audit.envelopes import ReadEvent
from domain.canonical import canonical
from domain.match.state import MatchState
from machi.tabular.columns import column, json_column, time_column

_SEAT: Final = ("seat", "from_seat", "winner")
_OTHER_SEAT: Final = ("to_seat", "with_seat", "target")
_CARD: Final = ("card", "give")
_COINS: Final = ("coins", "paid", "price")
"""Members of events that become one column: no event has two of them."""

_OF_THE_ACTIVE_SEAT: Final = ("dice_rolled", "market_refilled")
"""Events without a seat among their members that the seat to act causes."""


class EventRow(Struct, frozen=True, gc=False):
    """One event. The columns from `seat` to `total` take out of `data` what most analyses need."""

    match_id: Annotated[str, column("the match")]
    sequence: Annotated[int, column("the place of the event in its match, from 1")]
    time: Annotated[str, time_column("when it was recorded")]
    type: Annotated[str, column("the type, such as `income_received`")]
    schema: Annotated[int, column("the schema number of `data`")]
    actor: Annotated[str, column("who caused it: `seat:0`, `account:acc_…` or `service`")]
    command_id: Annotated[str, column("the command that caused it; events of one command share it")]
    turn: Annotated[int | None, column("the turn in which it happened, from 1; null before the first")]
    active_seat: Annotated[
        int | None, column("the seat whose turn it is after the event; null before the first")
    ]
    seat: Annotated[int | None, column("the seat that the event is about; of a payment, the payer")]
    other_seat: Annotated[
        int | None, column("the seat that is paid, given to, traded with or chosen, if there is one")
    ]
    card: Annotated[str | None, column("the card that pays, is built or given; of a trade, the card given")]
    other_card: Annotated[str | None, column("the card taken in a trade")]
    copies: Annotated[int | None, column("the copies of `card` that take part", "cards")]
    coins: Annotated[
        int | None, column("the coins that moved: received, paid, or the price of a build", "coins")
    ]
    owed: Annotated[int | None, column("the coins that the card demands in a payment", "coins")]
    purpose: Annotated[str | None, column("of a roll: `roll`, `reroll` or `boats`")]
    die_1: Annotated[int | None, column("of a roll: the first die", "pips")]
    die_2: Annotated[int | None, column("of a roll: the second die; null for one die", "pips")]
    total: Annotated[int | None, column("the total after a roll, a kept roll or an added two", "pips")]
    data: Annotated[str, json_column("all members of the event, as canonical JSON")]


def event_row(recorded: ReadEvent, state: MatchState) -> EventRow:
    """The row of an event, with the state after it."""
    envelope = recorded.envelope
    data = envelope.data
    has_turn = state.turn > 0
    seat = _whole(data, _SEAT)
    if envelope.type in _OF_THE_ACTIVE_SEAT:
        seat = state.active if state.active >= 0 else None
    die_1, die_2 = dice_of(data.get("values", ()))
    return EventRow(
        match_id=envelope.match_id,
        sequence=envelope.sequence,
        time=envelope.time,
        type=envelope.type,
        schema=envelope.schema,
        actor=envelope.actor,
        command_id=envelope.command_id,
        turn=state.turn if has_turn else None,
        active_seat=state.active if has_turn else None,
        seat=seat,
        other_seat=_whole(data, _OTHER_SEAT),
        card=_text(data, _CARD),
        other_card=_text(data, ("take",)),
        copies=_whole(data, ("copies",)),
        coins=_whole(data, _COINS),
        owed=_whole(data, ("owed",)),
        purpose=_text(data, ("purpose",)),
        die_1=die_1,
        die_2=die_2,
        total=_whole(data, ("total",)),
        data=canonical(data).decode(),
    )


def dice_of(values: Iterable[int]) -> tuple[int | None, int | None]:
    """The first and the second die; None for a die that was not rolled."""
    found: list[int | None] = [*values]
    first, second, *_ = [*found, None, None]
    return first, second


def _whole(data: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    """The first of these members that is a whole number: `coins` is a list where all purses are levelled."""
    return next((data[name] for name in names if isinstance(data.get(name), int)), None)


def _text(data: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((data[name] for name in names if data.get(name)), None)
