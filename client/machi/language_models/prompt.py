"""The prompt of a decision: the rules in short, the table, and the legal moves with their numbers.

Names of players are not in it, because they are chosen by others.
"""

from collections.abc import Mapping

from machi.commands import Command, members_of
from machi.table import State, Turn


def prompt_of(rules: str, turn: Turn) -> str:
    """The prompt for a turn, with the rules as `rules_in_short` has them."""
    table = "\n".join(_table(turn.state, turn.seat))
    moves = "\n".join(f"{number}. {move_text(one)}" for number, one in enumerate(turn.commands, 1))
    return f"""\
You play a board game.
{rules}

Turn {turn.state.turn}. You are seat {turn.seat}. To decide: {turn.legal_commands.phase}.
{table}

Your legal moves:
{moves}

Choose the move that gives you the best chance to win. You may think first. End your answer with one line that
has only JSON with the number of your move, such as {{"move": 1}}."""


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
    if prices := state.options.card_costs:
        lines.append(f"Prices of this match that differ from the list above: {_counted(prices)}.")
    return lines


def _counted(cards: Mapping[str, int]) -> str:
    return ", ".join(f"{card} {count}" for card, count in cards.items()) or "none"
