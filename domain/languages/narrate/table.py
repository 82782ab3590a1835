"""Forms of the sentences about the match as a whole and about its players."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from domain.languages.narrate.scene import Scene, Told
from domain.match import events as ev
from domain.match.rulesets import VERSIONS, Ruleset


def _created(scene: Scene, event: ev.MatchCreated) -> Told:
    telling = scene.telling
    parts = [telling.parts[form].format(**facts) for form, facts in parts_of(scene, event)]
    game, players = telling.games[event.ruleset], telling.players(event.seats)
    return "match_created", {"game": game, "players": players, "parts": "; ".join(parts)}


def parts_of(scene: Scene, event: ev.MatchCreated) -> Iterator[Told]:
    """The forms of the options of a new match that differ from the defaults, and always that of its dice."""
    ruleset, options = VERSIONS[event.rules_version], event.options
    if len(ruleset.boxes) > 1:
        yield f"box:{options.box}", {}
    if len(ruleset.markets) > 1 and options.market != "open":
        yield f"market:{options.market}", {}
    if options.max_copies is not None:
        yield "max_copies", {"count": options.max_copies}
    if options.card_costs:
        yield "card_costs", {"prices": _prices(scene, ruleset, options)}
    if event.clock is not None:
        yield f"clock:{event.clock.on_timeout}", {"time": scene.time(event.clock.decision_ms)}
        if event.clock.bank_ms:
            yield "clock_bank", {"time": scene.time(event.clock.bank_ms)}
        if event.clock.increment_ms:
            yield "clock_increment", {"time": scene.time(event.clock.increment_ms)}
    if event.origin is not None:
        yield "origin", {"match": event.origin.match_id, "version": event.origin.version}
    yield f"dice:{_dice(event.dice)}", {}
    if event.position is not None:
        yield "position", {}


def _dice(dice: ev.Dice) -> str:
    if dice.mode == "committed" and dice.seed_of:
        return "same"
    return "seat_seeds" if isinstance(dice.seat_seeds, ev.SeatSeeds) else dice.mode


def _prices(scene: Scene, ruleset: Ruleset, options: ev.Options) -> str:
    return ", ".join([f"{scene.card(id, ruleset)} {price}" for id, price in options.card_costs.items()])


def _taken(scene: Scene, event: ev.SeatTaken) -> Told:
    return f"seat_taken:{event.kind}", {"name": event.name, "seat": event.seat}


def _reserved(scene: Scene, event: ev.SeatReserved) -> Told:
    return "seat_reserved", {"name": event.name, "seat": event.seat}


def _reservation_ended(scene: Scene, event: ev.ReservationEnded) -> Told:
    reserved = scene.before.reservations.get(event.seat)
    name = reserved.name if reserved else ""
    return f"reservation_ended:{event.reason}", {"name": name, "seat": event.seat}


def _seed_committed(scene: Scene, event: ev.SeatSeedCommitted) -> Told:
    return "seat_seed_committed", {"name": scene.name(event.seat), "commitment": event.commitment}


def _seed_forgone(scene: Scene, event: ev.SeatSeedForgone) -> Told:
    return "seat_seed_forgone", {"name": scene.name(event.seat)}


def _seed_opened(scene: Scene, event: ev.SeatSeedOpened) -> Told:
    return "seat_seed_opened", {"name": scene.name(event.seat), "seed": event.seed}


def _seed_withheld(scene: Scene, event: ev.SeatSeedWithheld) -> Told:
    return "seat_seed_withheld", {"name": scene.name(event.seat)}


def _started(scene: Scene, event: ev.MatchStarted) -> Told:
    name = scene.name(event.first_seat)
    if scene.before.created.position is None:
        return "match_started", {"name": name, "coins": scene.coins(event.coins[0])}
    return "match_started:position", {"name": name, "purses": _purses(scene, event.coins)}


def _branch_started(scene: Scene, event: ev.BranchStarted) -> Told:
    facts: dict[str, str | int] = {
        "turn": event.turn,
        "name": scene.name(event.seat),
        "purses": _purses(scene, event.coins),
    }
    if not event.values:
        return "branch_started", facts
    added = (event.added,) if event.added else ()
    facts["throw"] = scene.throw((*event.values, *added), event.total)
    if not event.card:
        return "branch_started:thrown", facts
    return "branch_started:choice", {**facts, "card": scene.card(event.card)}


def _tokens_placed(scene: Scene, event: ev.TokensPlaced) -> Told:
    tokens = []
    for seat, (closed, invested) in enumerate(zip(event.closed, event.invested, strict=True)):
        lying = [f"{count} × {scene.card(id)}" for id, count in closed.items()]
        lying += [scene.coins(invested)] if invested else []
        if lying:
            tokens.append(f"{scene.name(seat)} {', '.join(lying)}")
    return "tokens_placed", {"tokens": "; ".join(tokens)}


def _purses(scene: Scene, coins: tuple[int, ...]) -> str:
    return ", ".join([f"{scene.name(seat)} {count}" for seat, count in enumerate(coins)])


def _clock_expired(scene: Scene, event: ev.ClockExpired) -> Told:
    return f"clock_expired:{event.policy}", {"name": scene.name(event.seat)}


def _bank_changed(scene: Scene, event: ev.BankChanged) -> Told:
    facts = {name: scene.clock(getattr(event, f"{name}_ms")) for name in ("spent", "added", "left")}
    form = "spent" if not event.added_ms else "both" if event.spent_ms else "added"
    return f"bank_changed:{form}", {"name": scene.name(event.seat), **facts}


def _controller_changed(scene: Scene, event: ev.ControllerChanged) -> Told:
    names = {"name": scene.name(event.seat), "new": event.name}
    return f"controller_changed:{event.kind}", {**names, "seat": event.seat}


def _resigned(scene: Scene, event: ev.SeatResigned) -> Told:
    return f"seat_resigned:{event.reason}", {"name": scene.name(event.seat)}


def _finished(scene: Scene, event: ev.MatchFinished) -> Told:
    name = scene.name(event.winner)
    if event.reason != "landmarks":
        return f"match_finished:{event.reason}", {"name": name}
    count = scene.before.landmarks[event.winner]
    instant = [card.id for card in scene.ruleset.landmarks if card.effect.kind == "win"]
    if count < scene.ruleset.goal and instant:
        return "match_finished:instant", {"name": name, "card": scene.card(instant[0])}
    return "match_finished:landmarks", {"name": name, "count": count}


def _aborted(scene: Scene, event: ev.MatchAborted) -> Told:
    return f"match_aborted:{event.reason}", {"turn": scene.before.turn}


def _revealed(scene: Scene, event: ev.DiceRevealed) -> Told:
    return "dice_revealed", {"seed": event.seed}


TELLERS: Final[dict[type, Callable[[Scene, Any], Told]]] = {
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
    ev.TokensPlaced: _tokens_placed,
    ev.ClockExpired: _clock_expired,
    ev.BankChanged: _bank_changed,
    ev.ControllerChanged: _controller_changed,
    ev.SeatResigned: _resigned,
    ev.MatchFinished: _finished,
    ev.MatchAborted: _aborted,
    ev.DiceRevealed: _revealed,
}
"""By event type: the form of its sentence, and the values of its placeholders."""
