"""The legal commands as a numbered menu, and what a player may type to choose from it."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.match import commands as cmd
from machi.cli.text import DisplayNames, sum_of_dice
from machi.cli.translations import ENGLISH, Translation
from machi.commands import Command
from machi.table import State


class MenuItem(NamedTuple):
    """A menu entry."""

    label: str
    words: tuple[str, ...]
    """What may be typed instead of its number."""
    commands: tuple[Command, ...]
    """More than one if a further choice follows."""
    card: str = ""
    """The card that it is about."""


IDLE = cmd.Pass | cmd.DeclineSwap | cmd.DeclineInvestment
"""The commands that do nothing."""


def entries(
    commands: Sequence[Command], state: State, names: DisplayNames, translation: Translation = ENGLISH
) -> list[MenuItem]:
    """The menu, in the order of the commands; doing nothing comes last."""
    trades = [command for command in commands if isinstance(command, cmd.SwapEstablishments)]
    idle = [command for command in commands if isinstance(command, IDLE)]
    others = [command for command in commands if command not in (*trades, *idle)]
    return [
        *_trades(trades, names, translation),
        *[_entry(command, state, names, translation) for command in (*others, *idle)],
    ]


def _trades(
    trades: Sequence[cmd.SwapEstablishments], names: DisplayNames, translation: Translation
) -> list[MenuItem]:
    """One entry for each card that can be taken; a second menu asks what to give for it."""
    grouped: dict[tuple[int, str], list[Command]] = {}
    for trade in trades:
        grouped.setdefault((trade.with_seat, trade.take), []).append(trade)
    if len(grouped) == 1 or all(len(group) == 1 for group in grouped.values()):
        return [_given(trade, names, translation) for trade in trades]
    return [
        MenuItem(
            translation.take_card.format(card=names.card(card), seat=names.seat(seat)),
            (card,),
            tuple(group),
            card,
        )
        for (seat, card), group in grouped.items()
    ]


def what_to_give(entry: MenuItem, names: DisplayNames, translation: Translation = ENGLISH) -> list[MenuItem]:
    """The second menu, for an entry with several commands."""
    trades = [trade for trade in entry.commands if isinstance(trade, cmd.SwapEstablishments)]
    return [_given(trade, names, translation) for trade in trades]


def _given(trade: cmd.SwapEstablishments, names: DisplayNames, translation: Translation) -> MenuItem:
    label = translation.give_for.format(give=names.card(trade.give), take=names.card(trade.take))
    return MenuItem(label, (trade.give,), (trade,), trade.give)


def _entry(command: Command, state: State, names: DisplayNames, translation: Translation) -> MenuItem:
    label, words, card = _described(command, state, names, translation)
    return MenuItem(label, (command.type, *words), (command,), card)


def _described(
    command: Command, state: State, names: DisplayNames, translation: Translation
) -> tuple[str, tuple[str, ...], str]:
    """The label, what else may be typed, and the card it is about."""
    dice = sum_of_dice(state.dice.values, state.dice.total) if state.dice else ""
    match command:
        case cmd.RollDice(dice=1):
            return translation.roll_one, ("roll", "one"), ""
        case cmd.RollDice():
            return translation.roll_two, ("two",), ""
        case cmd.RerollDice():
            return translation.roll_again, ("again",), ""
        case cmd.KeepDice():
            return translation.keep.format(dice=dice), ("keep",), ""
        case cmd.AddTwo():
            total = state.dice.total + 2 if state.dice else 2
            return translation.add_two.format(total=total), ("add",), ""
        case cmd.KeepTotal():
            return translation.leave.format(dice=dice), ("keep",), ""
        case cmd.TakeCoins(from_seat=seat):
            name, purse = names.seat(seat), state.players[seat].coins
            return translation.take_coins.format(seat=name, coins=purse), (name,), ""
        case cmd.DeclineSwap():
            return translation.trade_nothing, ("nothing",), ""
        case cmd.GiveEstablishment(card=card):
            return translation.give_away.format(card=names.card(card)), (card,), card
        case cmd.Demolish(card=card):
            return translation.demolish.format(card=names.card(card)), (card,), card
        case cmd.MoveEstablishment(card=card, to_seat=seat):
            label = translation.move.format(card=names.card(card), seat=names.seat(seat))
            return label, (f"{card} {names.seat(seat)}",), card
        case cmd.Renovate(card=card):
            return translation.renovate.format(card=names.card(card)), (card,), card
        case cmd.InvestCoin():
            return translation.invest, ("invest",), ""
        case cmd.DeclineInvestment():
            return translation.invest_nothing, ("nothing",), ""
        case cmd.Build(card=card):
            return translation.build.format(card=names.card(card)), (card, names.card(card)), card
        case cmd.Pass():
            return translation.build_nothing, ("nothing",), ""
    return command.type, (), ""


def chosen(typed: str, menu: Sequence[MenuItem]) -> MenuItem | None:
    """The entry that the text names: by its number, one of its words, or a prefix that only it has."""
    if typed.isascii() and typed.isdigit():
        number = int(typed[:9])
        return menu[number - 1] if 1 <= number <= len(menu) else None
    wanted = _plain(typed)
    whole = [entry for entry in menu if wanted in map(_plain, entry.words)]
    begun = [entry for entry in menu if any(_plain(word).startswith(wanted) for word in entry.words)]
    found = whole or begun
    return found[0] if wanted and len(found) == 1 else None


def _plain(word: str) -> str:
    return word.lower().replace("_", " ").strip()
