"""The luck of a match: expected and realised coins of each roll."""

from typing import Any
from urllib.parse import urlencode

from flask import Response, request
from marshmallow import Schema

from contract import luck as contract
from domain.luck import Luck, Relative, Throw, in_coins
from domain.match.state import is_over
from events.matches.entries import Loaded
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import cached_answer
from service.edge.guard import Limit
from service.edge.problems import cursor_ahead
from service.matches.access import kept_for_ever, receipt_of, visible_match
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import QueryInteger, query_after

blueprint = Endpoints("luck", "The luck of every seat in a match: expected and realised coins.")


class LuckQuerySchema(Schema):
    """Range of rolls."""

    after = query_after("Only rolls after this sequence, such as `42`; 0 for all rolls.")
    limit = QueryInteger(1, 500, load_default=500, metadata={"description": "The most rolls per page."})


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/luck",
    {200: Success("The luck so far.", contract.Luck, ("Link", *RECEIPT)), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    query=LuckQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*ABOUT_MATCH, "cursor_ahead"),
    limit=Limit.AUDITS,
)
def show_luck(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """Show the luck of each seat, roll by roll.

    Coins are measured relative to the mean of the other seats in play, from the first roll of a turn until
    the turn reaches building. Luck is measured against fair dice, even if the dice are scripted. If the seat
    that rolls has a choice that can move coins, its best option counts for everybody, and the loss from any
    other option is the error. All identities hold exactly. Once the match is over, the response never
    changes.
    """
    loaded = visible_match(match_id, caller)
    if query["after"] > loaded.version:
        raise cursor_ahead(loaded.version)
    luck = services().luck.luck_of(loaded)
    throws = [throw for throw in luck.throws if throw.sequence > query["after"]]
    shown = throws[: query["limit"]]
    following = str(shown[-1].sequence) if len(shown) < len(throws) else None
    headers = kept_for_ever(loaded) if is_over(loaded.state) else receipt_of(loaded)
    answer = cached_answer(_present(loaded, luck, shown, following), str(loaded.version), headers)
    if following is not None:
        onward = urlencode({**request.args.to_dict(), "after": following})
        answer.headers["Link"] = f'<{request.path}?{onward}>; rel="next"'
    return answer


def _present(loaded: Loaded, luck: Luck, throws: list[Throw], following: str | None) -> contract.Luck:
    return contract.Luck(
        match_id=loaded.match_id,
        version=loaded.version,
        status=loaded.state.status,
        rules_version=loaded.state.created.rules_version,
        turns=luck.totals.turns,
        totals=tuple([_totals(luck, seat) for seat in range(len(luck.totals.luck))]),
        throws=tuple([_throw(throw) for throw in throws]),
        next=following,
    )


def _totals(luck: Luck, seat: int) -> contract.LuckTotals:
    totals = luck.totals
    parts = (totals.expected, totals.luck, totals.error, totals.realised)
    exact = [in_coins(units[seat]) for units in parts]
    expected, lucky, error, realised = [str(coins) for coins in exact]
    decimals = contract.LuckDecimals(*[float(round(coins, 4)) for coins in exact])
    return contract.LuckTotals(
        seat=seat, expected=expected, luck=lucky, error=error, realised=realised, decimals=decimals
    )


def _throw(throw: Throw) -> contract.ThrowLuck:
    return contract.ThrowLuck(
        sequence=throw.sequence,
        turn=throw.turn,
        seat=throw.seat,
        purpose=throw.purpose,
        values=throw.values,
        seats=tuple([_seat(throw, seat) for seat in range(len(throw.luck))]),
    )


def _seat(throw: Throw, seat: int) -> contract.SeatLuck:
    return contract.SeatLuck(
        seat=seat,
        expected=str(in_coins(throw.expected[seat])),
        luck=str(in_coins(throw.luck[seat])),
        error=_exact(throw.error, seat),
        realised=_exact(throw.realised, seat),
        coins=None if throw.coins is None else throw.coins[seat],
    )


def _exact(units: Relative | None, seat: int) -> str | None:
    return None if units is None else str(in_coins(units[seat]))
