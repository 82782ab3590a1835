"""Events as short English sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from machi import event_data as ev
from machi.events import Event


class Names:
    """What seats and cards are called."""

    def __init__(self, seats: Sequence[str | None], cards: Mapping[str, str]) -> None:
        """`cards` are names by id; what is not in them is called by its id."""
        self._cards = cards
        self._seats: dict[int, str] = {}
        for seat, name in enumerate(seats):
            if name is not None:
                self._seats[seat] = f"{name} {seat}" if seats.count(name) > 1 else name

    def take_seat(self, seat: int, name: str) -> None:
        """Somebody sits there from now on; one who is known already keeps the name."""
        if not self.seat(seat).startswith(name):
            self._seats[seat] = name if name not in self._seats.values() else f"{name} {seat}"

    def seat(self, seat: int) -> str:
        """The name of who sits there; several of one name are told apart by their seats."""
        return self._seats.get(seat, f"seat {seat}")

    def card(self, card: str) -> str:
        return self._cards.get(card, card)

    def copies(self, card: str, count: int) -> str:
        return f"{count} x {self.card(card)}" if count > 1 else self.card(card)

    def actor(self, actor: str) -> str:
        """Who caused an event."""
        kind, _, number = actor.partition(":")
        return self.seat(int(number)) if kind == "seat" and number.isdigit() else "the service"


def sentence(event: Event, names: Names) -> str:
    """The event in words, without a full stop."""
    data = event.data
    if isinstance(data, ev.SeatTaken | ev.ControllerChanged):
        names.take_seat(data.seat, data.name)
    tell = _SENTENCES.get(type(data))
    return tell(names, event.actor, data) if tell else _unknown(event)


def _unknown(event: Event) -> str:
    members = event.data.members if isinstance(event.data, ev.OtherData) else {}
    told = ", ".join(f"{name} {value}" for name, value in members.items())
    return f"{event.type}: {told}" if told else event.type


def coins(amount: int) -> str:
    return f"{amount} coin" if amount == 1 else f"{amount} coins"


def throw(values: Sequence[int], total: int) -> str:
    """The dice and their sum, such as `3 + 4 = 7`."""
    return f"{' + '.join(map(str, values))} = {total}" if len(values) > 1 else str(total)


def _created(names: Names, actor: str, data: ev.MatchCreated) -> str:
    if data.origin:
        return f"a branch of {data.origin['match_id']} at version {data.origin['version']} is made"
    return f"a match of {data.ruleset} for {data.seats} is made"


def _taken(names: Names, actor: str, data: ev.SeatTaken) -> str:
    return f"{names.seat(data.seat)} takes seat {data.seat}"


def _reserved(names: Names, actor: str, data: ev.SeatReserved) -> str:
    return f"{data.name} is invited to seat {data.seat}"


def _reservation_ended(names: Names, actor: str, data: ev.ReservationEnded) -> str:
    return f"the invitation to seat {data.seat} is {data.reason}"


def _seed_committed(names: Names, actor: str, data: ev.SeatSeedCommitted) -> str:
    return f"{names.seat(data.seat)} commits to a seed for the dice"


def _seed_forgone(names: Names, actor: str, data: ev.SeatSeedForgone) -> str:
    return f"{names.seat(data.seat)} adds no seed to the dice"


def _seed_opened(names: Names, actor: str, data: ev.SeatSeedOpened) -> str:
    return f"{names.seat(data.seat)} opens the seed {data.seed}"


def _seed_withheld(names: Names, actor: str, data: ev.SeatSeedWithheld) -> str:
    return f"{names.seat(data.seat)} did not open the seed in time"


def _started(names: Names, actor: str, data: ev.MatchStarted) -> str:
    return f"the match begins with {names.seat(data.first_seat)}"


def _branch_started(names: Names, actor: str, data: ev.BranchStarted) -> str:
    return f"the match goes on in turn {data.turn} with {names.seat(data.seat)}"


def _turn_started(names: Names, actor: str, data: ev.TurnStarted) -> str:
    extra = ", once more" if data.extra else ""
    if data.phase == "setup":
        return f"turn {data.turn}: {names.seat(data.seat)}, building round {data.round}"
    return f"turn {data.turn}: {names.seat(data.seat)}{extra}"


def _rolled(names: Names, actor: str, data: ev.DiceRolled) -> str:
    dice = throw(data.values, data.total)
    if data.purpose == "boats":
        return f"for the boats the dice show {dice}"
    again = " again" if data.purpose == "reroll" else ""
    return f"{names.actor(actor)} throws{again}: {dice}"


def _requested(names: Names, actor: str, data: ev.ChoiceRequested) -> str:
    return f"{names.seat(data.seat)} has a choice: {names.card(data.card)}"


def _kept(names: Names, actor: str, data: ev.DiceKept) -> str:
    return f"{names.seat(data.seat)} leaves it at {data.total}"


def _two_added(names: Names, actor: str, data: ev.TwoAdded) -> str:
    return f"{names.seat(data.seat)} adds 2: {data.total}"


def _income(names: Names, actor: str, data: ev.IncomeReceived) -> str:
    return f"{names.seat(data.seat)} receives {coins(data.coins)}: {names.copies(data.card, data.copies)}"


def _payment(names: Names, actor: str, data: ev.PaymentMade) -> str:
    short = f" of {data.owed}" if data.paid < data.owed else ""
    card = names.copies(data.card, data.copies)
    return f"{names.seat(data.from_seat)} pays {names.seat(data.to_seat)} {data.paid}{short}: {card}"


def _target(names: Names, actor: str, data: ev.TargetChosen) -> str:
    return f"{names.seat(data.seat)} chooses {names.seat(data.target)}: {names.card(data.card)}"


def _swapped(names: Names, actor: str, data: ev.EstablishmentsSwapped) -> str:
    given, taken = names.card(data.give), names.card(data.take)
    return f"{names.seat(data.seat)} gives {names.seat(data.with_seat)} {given} for {taken}"


def _declined(names: Names, actor: str, data: ev.SwapDeclined) -> str:
    return f"{names.seat(data.seat)} trades nothing"


def _given(names: Names, actor: str, data: ev.EstablishmentGiven) -> str:
    return f"{names.seat(data.seat)} gives {names.seat(data.to_seat)} {names.card(data.card)}"


def _levelled(names: Names, actor: str, data: ev.CoinsLevelled) -> str:
    purses = ", ".join(f"{names.seat(seat)} {amount}" for seat, amount in enumerate(data.coins))
    return f"all coins are shared out: {purses}"


def _help(names: Names, actor: str, data: ev.HelpReceived) -> str:
    return f"{names.seat(data.seat)} has nothing and receives {coins(data.coins)}"


def _built(names: Names, actor: str, data: ev.EstablishmentBuilt | ev.LandmarkBuilt) -> str:
    kind = "the landmark " if isinstance(data, ev.LandmarkBuilt) else ""
    return f"{names.seat(data.seat)} builds {kind}{names.card(data.card)} for {data.price}"


def _passed(names: Names, actor: str, data: ev.BuildPassed) -> str:
    return f"{names.seat(data.seat)} builds nothing"


def _refilled(names: Names, actor: str, data: ev.MarketRefilled) -> str:
    return f"new on the market: {', '.join(names.card(card) for card in data.cards)}"


def _extra(names: Names, actor: str, data: ev.ExtraTurnGranted) -> str:
    return f"{names.seat(data.seat)} gets another turn: {names.card(data.card)}"


def _turn_ended(names: Names, actor: str, data: ev.TurnEnded) -> str:
    return f"turn {data.turn} ends"


def _expired(names: Names, actor: str, data: ev.ClockExpired) -> str:
    return f"{names.seat(data.seat)} is out of time ({data.policy})"


def _changed(names: Names, actor: str, data: ev.ControllerChanged) -> str:
    return f"{data.name} plays seat {data.seat} from now on"


def _resigned(names: Names, actor: str, data: ev.SeatResigned) -> str:
    return (
        f"{names.seat(data.seat)} {'is out of time and ' if data.reason == 'clock' else ''}leaves the match"
    )


def _finished(names: Names, actor: str, data: ev.MatchFinished) -> str:
    return f"{names.seat(data.winner)} wins ({data.reason})"


def _aborted(names: Names, actor: str, data: ev.MatchAborted) -> str:
    return f"the match is called off ({data.reason})"


def _revealed(names: Names, actor: str, data: ev.DiceRevealed) -> str:
    return f"the seed of the dice was {data.seed}"


_SENTENCES: Final[Mapping[type[ev.Data], Callable[[Names, str, Any], str]]] = {
    ev.MatchCreated: _created,
    ev.SeatTaken: _taken,
    ev.SeatReserved: _reserved,
    ev.ReservationEnded: _reservation_ended,
    ev.SeatSeedCommitted: _seed_committed,
    ev.SeatSeedForgone: _seed_forgone,
    ev.SeatSeedOpened: _seed_opened,
    ev.SeatSeedWithheld: _seed_withheld,
    ev.MatchStarted: _started,
    ev.BranchStarted: _branch_started,
    ev.TurnStarted: _turn_started,
    ev.DiceRolled: _rolled,
    ev.ChoiceRequested: _requested,
    ev.DiceKept: _kept,
    ev.TwoAdded: _two_added,
    ev.IncomeReceived: _income,
    ev.PaymentMade: _payment,
    ev.TargetChosen: _target,
    ev.EstablishmentsSwapped: _swapped,
    ev.SwapDeclined: _declined,
    ev.EstablishmentGiven: _given,
    ev.CoinsLevelled: _levelled,
    ev.HelpReceived: _help,
    ev.EstablishmentBuilt: _built,
    ev.LandmarkBuilt: _built,
    ev.BuildPassed: _passed,
    ev.MarketRefilled: _refilled,
    ev.ExtraTurnGranted: _extra,
    ev.TurnEnded: _turn_ended,
    ev.ClockExpired: _expired,
    ev.ControllerChanged: _changed,
    ev.SeatResigned: _resigned,
    ev.MatchFinished: _finished,
    ev.MatchAborted: _aborted,
    ev.DiceRevealed: _revealed,
}
