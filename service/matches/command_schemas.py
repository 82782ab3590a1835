"""Schemas of commands, and their examples."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema

from contract.values import CARD, Named
from service.openapi.fields import (
    QueryFlag,
    QueryList,
    Union,
    exactly,
    integer,
    matching,
)

_ACTING_SEAT: Final = Named("ActingSeat", "Your seat; without it, the seat to act.")


class _Command(Schema):
    seat = integer(0, 4, metadata={"component": _ACTING_SEAT})


class RollDiceCommandSchema(_Command):
    """Roll one or two dice."""

    type = exactly("roll_dice")
    dice = integer(1, 2, required=True)


class RerollDiceCommandSchema(_Command):
    """Roll the same dice again."""

    type = exactly("reroll_dice")


class KeepDiceCommandSchema(_Command):
    """Keep the dice."""

    type = exactly("keep_dice")


class AddTwoCommandSchema(_Command):
    """Add 2 to the total."""

    type = exactly("add_two")


class KeepTotalCommandSchema(_Command):
    """Add nothing to the total."""

    type = exactly("keep_total")


class TakeCoinsCommandSchema(_Command):
    """Choose the opponent who pays."""

    type = exactly("take_coins")
    from_seat = integer(0, 4, required=True)


class SwapEstablishmentsCommandSchema(_Command):
    """Trade one establishment for one of an opponent."""

    type = exactly("swap_establishments")
    give = matching(CARD, required=True)
    with_seat = integer(0, 4, required=True)
    take = matching(CARD, required=True)


class DeclineSwapCommandSchema(_Command):
    """Decline the trade."""

    type = exactly("decline_swap")


class GiveEstablishmentCommandSchema(_Command):
    """Give an establishment to the previous seat."""

    type = exactly("give_establishment")
    card = matching(CARD, required=True)


class DemolishCommandSchema(_Command):
    """Turn back one of your landmarks."""

    type = exactly("demolish")
    card = matching(CARD, required=True)


class MoveEstablishmentCommandSchema(_Command):
    """Give an establishment to an opponent."""

    type = exactly("move_establishment")
    card = matching(CARD, required=True)
    to_seat = integer(0, 4, required=True)


class RenovateCommandSchema(_Command):
    """Choose the establishment that closes for renovation in all cities."""

    type = exactly("renovate")
    card = matching(CARD, required=True)


class InvestCoinCommandSchema(_Command):
    """Put a coin on your Tech Startup and end the turn."""

    type = exactly("invest_coin")


class DeclineInvestmentCommandSchema(_Command):
    """Invest nothing and end the turn."""

    type = exactly("decline_investment")


class BuildCommandSchema(_Command):
    """Build one card and end the turn."""

    type = exactly("build")
    card = matching(CARD, required=True)


class PassCommandSchema(_Command):
    """Build nothing and end the turn."""

    type = exactly("pass")


class ResignCommandSchema(_Command):
    """Leave the match."""

    type = exactly("resign")


class CommandSchema(Union):
    """A command of a seat."""

    members: Mapping[str, Schema] = {
        "roll_dice": RollDiceCommandSchema(),
        "reroll_dice": RerollDiceCommandSchema(),
        "keep_dice": KeepDiceCommandSchema(),
        "add_two": AddTwoCommandSchema(),
        "keep_total": KeepTotalCommandSchema(),
        "take_coins": TakeCoinsCommandSchema(),
        "swap_establishments": SwapEstablishmentsCommandSchema(),
        "decline_swap": DeclineSwapCommandSchema(),
        "give_establishment": GiveEstablishmentCommandSchema(),
        "demolish": DemolishCommandSchema(),
        "move_establishment": MoveEstablishmentCommandSchema(),
        "renovate": RenovateCommandSchema(),
        "invest_coin": InvestCoinCommandSchema(),
        "decline_investment": DeclineInvestmentCommandSchema(),
        "build": BuildCommandSchema(),
        "pass": PassCommandSchema(),
        "resign": ResignCommandSchema(),
    }


class CommandQuerySchema(Schema):
    """Options of the request."""

    embed = QueryList(
        ("state", "legal_commands"),
        metadata={
            "description": "Parts to include in the response, comma-separated, such as "
            "`state,legal_commands`. They are those of the version in the response."
        },
    )
    validate_only = QueryFlag(
        load_default=False,
        metadata={
            "deprecated": True,
            "description": "Use `POST /v1/matches/{match_id}/dry-runs` instead; its response is the same. "
            "With `true`, the command is checked, nothing is appended, and the response is a `Validated` "
            "with status 200.",
        },
    )


EXAMPLES: Final = {
    "roll_dice": {"summary": "Roll one die", "value": {"type": "roll_dice", "dice": 1}},
    "reroll_dice": {"summary": "Roll the same dice again", "value": {"type": "reroll_dice"}},
    "keep_dice": {"summary": "Keep the dice", "value": {"type": "keep_dice"}},
    "add_two": {"summary": "Add 2 to the total", "value": {"type": "add_two"}},
    "keep_total": {"summary": "Add nothing to the total", "value": {"type": "keep_total"}},
    "take_coins": {"summary": "Take coins from seat 1", "value": {"type": "take_coins", "from_seat": 1}},
    "swap_establishments": {
        "summary": "Trade a bakery for a ranch of seat 1",
        "value": {"type": "swap_establishments", "give": "bakery", "with_seat": 1, "take": "ranch"},
    },
    "decline_swap": {"summary": "Decline the trade", "value": {"type": "decline_swap"}},
    "give_establishment": {
        "summary": "Give a mine to the previous seat",
        "value": {"type": "give_establishment", "card": "mine"},
    },
    "demolish": {
        "summary": "Demolish the Train Station",
        "value": {"type": "demolish", "card": "train_station"},
    },
    "move_establishment": {
        "summary": "Give a ranch to seat 1",
        "value": {"type": "move_establishment", "card": "ranch", "to_seat": 1},
    },
    "renovate": {"summary": "Close all cafés", "value": {"type": "renovate", "card": "cafe"}},
    "invest_coin": {"summary": "Invest a coin", "value": {"type": "invest_coin"}},
    "decline_investment": {"summary": "Invest nothing", "value": {"type": "decline_investment"}},
    "build": {"summary": "Build a café with seat 0", "value": {"type": "build", "card": "cafe", "seat": 0}},
    "pass": {"summary": "Build nothing", "value": {"type": "pass"}},
    "resign": {"summary": "Leave the match", "value": {"type": "resign"}},
}
"""One command of each type."""
