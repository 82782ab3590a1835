"""Forms of the sentences about turns: dice, coins, cards and buildings."""

from collections.abc import Callable
from typing import Any, Final

from domain.languages.narrate.scene import Scene, Told
from domain.match import events as ev


def _turn_started(scene: Scene, event: ev.TurnStarted) -> Told:
    facts: dict[str, str | int] = {"turn": event.turn, "name": scene.name(event.seat)}
    if event.phase == "setup":
        return "turn_started:setup", {
            **facts,
            "round": event.round,
            "rounds": scene.ruleset.building_rounds,
        }
    return f"turn_started:{'extra' if event.extra else event.phase}", facts


def _turn_ended(scene: Scene, event: ev.TurnEnded) -> Told:
    return "turn_ended", {"turn": event.turn, "name": scene.name(event.seat)}


def _rolled(scene: Scene, event: ev.DiceRolled) -> Told:
    facts: dict[str, str | int] = {
        "name": scene.name(scene.before.active),
        "throw": scene.throw(event.values, event.total),
    }
    if event.purpose == "boats":
        boats = [card.id for card in scene.ruleset.establishments if card.effect.kind == "boats"]
        return "dice_rolled:boats", {**facts, "card": scene.card(boats[0])}
    return f"dice_rolled:{event.purpose}:{_dice(event.values)}", facts


def _dice(values: tuple[int, ...]) -> str:
    if len(values) == 1:
        return "one"
    return "double" if len(set(values)) == 1 else "two"


def _lapsed(scene: Scene, event: ev.ChoiceLapsed) -> Told:
    return "choice_lapsed", {"name": scene.name(event.seat), "card": scene.card(event.card)}


def _reopened(scene: Scene, event: ev.EstablishmentsReopened) -> Told:
    return "establishments_reopened", {
        "name": scene.name(event.seat),
        "cards": scene.cards(event.copies, event.card),
    }


def _requested(scene: Scene, event: ev.ChoiceRequested) -> Told:
    amount = scene.before.rules.firings[scene.before.rules.index[event.card]].amount
    more = ":more" if event.phase == "swap" and event.copies > 1 else ""
    return f"choice_requested:{event.phase}{more}", {
        "name": scene.name(event.seat),
        "card": scene.card(event.card),
        "cards": scene.cards(event.copies, event.card),
        "count": event.copies,
        "amount": amount,
        "coins": scene.coins(event.copies * amount),
        "total": scene.before.total,
    }


def _kept(scene: Scene, event: ev.DiceKept) -> Told:
    return f"dice_kept:{event.declined}", {"name": scene.name(event.seat), "total": event.total}


def _two_added(scene: Scene, event: ev.TwoAdded) -> Told:
    thrown = scene.before.total
    facts = {"thrown": thrown, "amount": event.total - thrown, "total": event.total}
    return "two_added", {"name": scene.name(event.seat), **facts}


def _income(scene: Scene, event: ev.IncomeReceived) -> Told:
    return "income_received", {
        "name": scene.name(event.seat),
        "coins": scene.coins(event.coins),
        "cards": scene.cards(event.copies, event.card),
    }


def _payment(scene: Scene, event: ev.PaymentMade) -> Told:
    facts = {
        "payer": scene.name(event.from_seat),
        "payee": scene.name(event.to_seat),
        "cards": scene.cards(event.copies, event.card),
    }
    if event.paid == event.owed:
        return "payment_made", {**facts, "coins": scene.coins(event.paid)}
    if event.paid:
        return "payment_made:part", {**facts, "coins": scene.coins(event.paid), "owed": event.owed}
    return "payment_made:none", {**facts, "coins": scene.coins(event.owed)}


def _fee(scene: Scene, event: ev.FeePaid) -> Told:
    facts = {"name": scene.name(event.seat), "cards": scene.cards(event.copies, event.card)}
    if event.paid == event.owed:
        return "fee_paid", {**facts, "coins": scene.coins(event.paid)}
    if event.paid:
        return "fee_paid:part", {**facts, "coins": scene.coins(event.paid), "owed": event.owed}
    return "fee_paid:none", {**facts, "coins": scene.coins(event.owed)}


def _target(scene: Scene, event: ev.TargetChosen) -> Told:
    names = {"name": scene.name(event.seat), "target": scene.name(event.target)}
    return "target_chosen", {**names, "card": scene.card(event.card)}


def _swapped(scene: Scene, event: ev.EstablishmentsSwapped) -> Told:
    names = {"name": scene.name(event.seat), "other": scene.name(event.with_seat)}
    return "establishments_swapped", {
        **names,
        "given": scene.card(event.give),
        "taken": scene.card(event.take),
    }


def _swap_declined(scene: Scene, event: ev.SwapDeclined) -> Told:
    return "swap_declined", {"name": scene.name(event.seat)}


def _given(scene: Scene, event: ev.EstablishmentGiven) -> Told:
    names = {"name": scene.name(event.seat), "other": scene.name(event.to_seat)}
    return "establishment_given", {**names, "card": scene.card(event.card)}


def _renovation_moved(scene: Scene, event: ev.RenovationMoved) -> Told:
    names = {"name": scene.name(event.from_seat), "other": scene.name(event.to_seat)}
    return "renovation_moved", {**names, "card": scene.card(event.card)}


def _demolished(scene: Scene, event: ev.LandmarkDemolished) -> Told:
    cards = {"card": scene.card(event.card), "landmark": scene.card(event.landmark)}
    return "landmark_demolished", {"name": scene.name(event.seat), **cards}


def _closed(scene: Scene, event: ev.EstablishmentsClosed) -> Told:
    copies = [f"{scene.name(seat)} {count}" for seat, count in enumerate(event.copies) if count]
    cards = {"card": scene.card(event.card), "establishment": scene.card(event.establishment)}
    return "establishments_closed", {"name": scene.name(event.seat), **cards, "copies": ", ".join(copies)}


def _invested(scene: Scene, event: ev.CoinInvested) -> Told:
    return "coin_invested", {
        "name": scene.name(event.seat),
        "card": scene.card(event.card),
        "coins": scene.coins(event.coins),
        "total": scene.before.invested[event.seat] + event.coins,
    }


def _investment_declined(scene: Scene, event: ev.InvestmentDeclined) -> Told:
    return "investment_declined", {"name": scene.name(event.seat)}


def _levelled(scene: Scene, event: ev.CoinsLevelled) -> Told:
    """The share of every player is the coins of the active seat; seats that have resigned are excluded."""
    share = scene.coins(event.coins[event.seat])
    names = {"name": scene.name(event.seat), "card": scene.card(event.card)}
    facts: dict[str, str | int] = {**names, "share": share}
    if not event.from_bank:
        return "coins_levelled", facts
    return "coins_levelled:bank", {**facts, "coins": scene.coins(event.from_bank)}


def _help(scene: Scene, event: ev.HelpReceived) -> Told:
    facts: dict[str, str | int] = {"name": scene.name(event.seat), "coins": scene.coins(event.coins)}
    needed = scene.ruleset.help_needs
    if not needed:
        return "help_received", facts
    return "help_received:card", {**facts, "card": scene.card(needed)}


def _built(scene: Scene, event: ev.EstablishmentBuilt | ev.LandmarkBuilt) -> Told:
    free = "" if event.price else ":free"
    return f"{ev.type_name(event)}{free}", {
        "name": scene.name(event.seat),
        "card": scene.card(event.card),
        "coins": scene.coins(event.price),
    }


def _passed(scene: Scene, event: ev.BuildPassed) -> Told:
    return "build_passed", {"name": scene.name(event.seat)}


def _refilled(scene: Scene, event: ev.MarketRefilled) -> Told:
    return f"market_refilled:{event.row}", {"cards": scene.listed(event.cards)}


def _extra_turn(scene: Scene, event: ev.ExtraTurnGranted) -> Told:
    return "extra_turn_granted", {"name": scene.name(event.seat), "card": scene.card(event.card)}


TELLERS: Final[dict[type, Callable[[Scene, Any], Told]]] = {
    ev.TurnStarted: _turn_started,
    ev.DiceRolled: _rolled,
    ev.ChoiceRequested: _requested,
    ev.DiceKept: _kept,
    ev.TwoAdded: _two_added,
    ev.ChoiceLapsed: _lapsed,
    ev.EstablishmentsReopened: _reopened,
    ev.IncomeReceived: _income,
    ev.FeePaid: _fee,
    ev.PaymentMade: _payment,
    ev.TargetChosen: _target,
    ev.EstablishmentsSwapped: _swapped,
    ev.SwapDeclined: _swap_declined,
    ev.EstablishmentGiven: _given,
    ev.RenovationMoved: _renovation_moved,
    ev.LandmarkDemolished: _demolished,
    ev.EstablishmentsClosed: _closed,
    ev.CoinsLevelled: _levelled,
    ev.HelpReceived: _help,
    ev.EstablishmentBuilt: _built,
    ev.LandmarkBuilt: _built,
    ev.BuildPassed: _passed,
    ev.CoinInvested: _invested,
    ev.InvestmentDeclined: _investment_declined,
    ev.MarketRefilled: _refilled,
    ev.ExtraTurnGranted: _extra_turn,
    ev.TurnEnded: _turn_ended,
}
"""By event type: the form of its sentence, and the values of its placeholders."""
