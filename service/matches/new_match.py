"""The command of a new match, from the body of `POST /v1/matches`."""

from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Clock, Dice, Position, PositionPlayer, PositionRow, SeatSeeds
from domain.match.positions import require_starters
from domain.match.rulesets import CURRENT, require_sold, resolve_options
from runtime.strategies import OFFERED
from service.accounts.accounts import Accounts
from service.accounts.seating import Consent
from service.accounts.tokens import Token
from service.edge.problems import problem_at

Body = dict[str, Any]

_MARKET_MEMBERS: Final = {
    "open": ("supply",),
    "limited": ("face_up", "deck"),
    "rows": ("rows", "decks"),
}
"""The members of a given market, by its kind."""


def create_command(body: Body, caller: Token, accounts: Accounts) -> CreateMatch:
    """The command for the validated body.

    Raises:
        Problem: a seat names an unknown player, the first seat is not that of the given position, or a market
            does not fit the ruleset.
        RuleViolation: an option does not fit the ruleset.
    """
    ruleset = CURRENT[body["ruleset"]]
    options = resolve_options(ruleset, len(body["seats"]), **body["options"])
    require_sold(ruleset, options.card_costs)
    position = _position(body["position"], options.market)
    if position is not None:
        require_starters(ruleset, position)
    return CreateMatch(
        rules_version=ruleset.version,
        options=options,
        seats=seat_plans(body["seats"], caller, accounts, asks_all=body["options"].get("rated", False)),
        dice=_dice(body.get("dice", {"mode": "committed"})),
        creator=caller.account_id,
        first_seat=_first_seat(body),
        clock=clock_of(body),
        position=position,
        visibility=body["visibility"],
        tags=tuple(body["tags"]),
    )


def _first_seat(body: Body) -> int | None:
    first, position = body["first_seat"], body["position"]
    if first is not None and position is not None and first != position["active_seat"]:
        raise problem_at("/first_seat", f"the active seat of the position is {position['active_seat']}")
    return int(first) if first is not None else None


def clock_of(body: Body) -> Clock | None:
    return Clock(**body["clock"]) if body["clock"] else None


def seat_plans(
    seats: list[Body], caller: Token, accounts: Accounts, asks_all: bool = False
) -> tuple[SeatPlan, ...]:
    """The plan of each seat. With `asks_all`, other accounts are invited even if the caller may seat them.

    Raises:
        Problem: a seat names an unknown player, or an account that the caller may not seat.
    """
    plans = [_seat(index, seat, caller, accounts) for index, seat in enumerate(seats)]
    if not asks_all:
        return tuple(plans)
    return tuple(
        [
            replace(plan, kind="reserved")
            if plan.kind == "account" and plan.id != caller.account_id
            else plan
            for plan in plans
        ]
    )


def _seat(index: int, seat: Body, caller: Token, accounts: Accounts) -> SeatPlan:
    kind = seat["kind"]
    if kind == "me":
        return SeatPlan("account", caller.account_id, caller.handle, seed=seat.get("seed", ""))
    if kind == "account":
        return _account_seat(f"/seats/{index}/handle", seat["handle"], caller, accounts)
    if kind == "bot":
        return _account_seat(f"/seats/{index}/bot", seat["bot"], caller, accounts)
    if kind == "strategy":
        return _strategy_seat(index, seat["strategy"])
    return SeatPlan("open")


def _account_seat(pointer: str, handle: str, caller: Token, accounts: Accounts) -> SeatPlan:
    account = accounts.by_handle(handle)
    if account is None:
        raise problem_at(pointer, f"no account has the handle {handle!r}", of_fault="account_not_found")
    consent = accounts.consent(account, caller.account_id)
    if consent is Consent.REFUSED:
        raise problem_at(pointer, f"{account.handle} does not allow you to seat it", "seating_refused")
    kind = "account" if consent is Consent.GIVEN else "reserved"
    return SeatPlan(kind, account.account_id, account.handle)


def _strategy_seat(index: int, name: str) -> SeatPlan:
    strategy = OFFERED.get(name)
    if strategy is None:
        raise problem_at(f"/seats/{index}/strategy", f"must be one of: {', '.join(OFFERED)}")
    return SeatPlan("strategy", strategy.name, strategy.name, strategy.version)


def _dice(body: Body) -> Dice:
    seeds = body.get("seat_seeds")
    return Dice(body["mode"], throws=throws_of(body), seat_seeds=SeatSeeds(**seeds) if seeds else UNSET)


def throws_of(body: Body) -> tuple[tuple[int, ...], ...]:
    """The scripted rolls; empty without any."""
    return tuple(tuple(throw) for throw in body.get("throws", ()))


def _position(body: Body | None, market: str) -> Position | None:
    if body is None:
        return None
    players = tuple(
        PositionPlayer(
            player["coins"],
            player["establishments"],
            tuple(player["landmarks"]),
            player.get("closed") or UNSET,
            player.get("invested") or UNSET,
        )
        for player in body["players"]
    )
    return Position(body["active_seat"], body["phase"], players, _rows(body["market"], market))


def _rows(body: Body | None, market: str) -> tuple[PositionRow, ...] | None:
    if body is None:
        return None
    for member in body:
        if member not in _MARKET_MEMBERS[market]:
            raise problem_at(f"/position/market/{member}", f"a market of the kind {market!r} has no {member}")
    if market == "open":
        return (PositionRow("supply", body.get("supply", {})),)
    if market == "limited":
        return (PositionRow("market", body.get("face_up", {}), _deck(body.get("deck"))),)
    return _three_rows(body.get("rows", {}), body.get("decks", {}))


def _three_rows(rows: Body, decks: Body) -> tuple[PositionRow, ...]:
    names = [name for name in ("low", "high", "landmarks") if name in rows or name in decks]
    return tuple(PositionRow(name, rows.get(name, {}), _deck(decks.get(name))) for name in names)


def _deck(cards: list[str] | None) -> tuple[str, ...] | None:
    return None if cards is None else tuple(cards)
