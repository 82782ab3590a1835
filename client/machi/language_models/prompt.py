"""The prompt of a decision: the rules in short, the table, and the legal moves with their numbers.

Names of players are not in it, because they are chosen by others.
"""

from typing import Any

import msgspec

from machi.commands import Command, OtherCommand
from machi.table import State, Turn

_TASK = """\
Choose the move that gives you the best chance to win. You may think first. End your answer with one line that
has only JSON with the number of your move, such as {"move": 1}."""


def prompt_of(rules: str, turn: Turn) -> str:
    """The prompt for a turn, with the rules as `rules_in_short` has them."""
    moves = [f"{number}. {move_text(command)}" for number, command in enumerate(turn.commands, 1)]
    return "\n".join(
        [
            "You play a board game.",
            rules,
            "",
            f"Turn {turn.state.turn}. You are seat {turn.seat}. To decide: {turn.legal_commands.phase}.",
            *_table(turn.state, turn.seat),
            "",
            "Your legal moves:",
            *moves,
            "",
            _TASK,
        ]
    )


def members_of(command: Command) -> dict[str, Any]:
    """The members of the command, as they are posted."""
    if isinstance(command, OtherCommand):
        return command.members
    members: dict[str, Any] = msgspec.to_builtins(command)
    return members


def move_text(command: Command) -> str:
    """The command in words, without its seat: `build cafe`, `roll_dice, dice 2`."""
    members = {name: value for name, value in members_of(command).items() if name not in ("type", "seat")}
    if set(members) == {"card"}:
        return f"{command.type} {members['card']}"
    return ", ".join([command.type, *[f"{name} {value}" for name, value in members.items()]])


def _table(state: State, seat: int) -> list[str]:
    lines = []
    if state.dice is not None:
        added = f", of which {state.dice.added} added" if state.dice.added else ""
        lines.append(f"Dice: {' and '.join(map(str, state.dice.values))}, total {state.dice.total}{added}.")
    for player in state.players:
        who = f"seat {player.seat}" + (" (you)" if player.seat == seat else "")
        landmarks = ", ".join(player.landmarks) or "none"
        closed = f" (closed: {_counted(player.closed)})" if player.closed else ""
        invested = f"; invested {player.invested} coins" if player.invested else ""
        cards = f"{_counted(player.establishments)}{closed}"
        lines.append(f"{who}: {player.coins} coins{invested}; cards {cards}; landmarks {landmarks}.")
    lines.append(f"On sale: {_counted(state.market.for_sale)}.")
    if state.pending is not None:
        lines.append(f"{state.pending.card} asks for this choice; {state.pending.copies} of its copies do.")
    if state.options.card_costs:
        prices = _counted(dict(state.options.card_costs))
        lines.append(f"Prices of this match that differ from the list above: {prices}.")
    return lines


def _counted(cards: dict[str, int]) -> str:
    return ", ".join(f"{card} {count}" for card, count in cards.items()) or "none"
