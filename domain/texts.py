"""What each card does, in one English sentence made from its effect."""

from collections.abc import Callable
from typing import Final

from domain.cards import Card, Effect
from domain.rulesets import Ruleset


def card_text(ruleset: Ruleset, card: Card) -> str:
    """The sentence that stands for the card's effect."""
    names = {other.id: other.name for other in (*ruleset.establishments, *ruleset.landmarks)}
    sentence = SENTENCES[card.effect.kind](card, card.effect, names)
    if card.effect.requires:
        sentence = sentence[:-1] + f", if its owner has the {names[card.effect.requires]}."
    return sentence


def _coins(amount: int) -> str:
    return f"{amount} coin" if amount == 1 else f"{amount} coins"


def _counted(effect: Effect, names: dict[str, str]) -> str:
    """What is counted: a card by name, or establishments by their signs."""
    if effect.cards:
        return " or ".join(names[id] for id in effect.cards)
    return f"establishment with the {' or '.join(effect.symbols)} sign"


def _payee(card: Card) -> str:
    return "its owner" if card.colour == "blue" else "you"


def _from_bank(card: Card, effect: Effect, names: dict[str, str]) -> str:
    whose = "On anybody's turn" if card.colour == "blue" else "On your turn"
    return f"{whose} the bank pays {_payee(card)} {_coins(effect.amount)}."


def _per_counted(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return (
        f"On your turn the bank pays you {_coins(effect.amount)} for each of your {_plural(effect, names)}."
    )


def _plural(effect: Effect, names: dict[str, str]) -> str:
    if effect.cards:
        return " or ".join(f"{names[id]} cards" for id in effect.cards)
    return f"establishments with the {' or '.join(effect.symbols)} sign"


def _when(card: Card) -> str:
    return "On your turn" if card.kind == "establishment" else "When you build it"


def _from_roller(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"The player who threw the dice pays its owner {_coins(effect.amount)}."


def _from_each(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_when(card)} every opponent pays you {_coins(effect.amount)}."


def _from_each_per_symbol(card: Card, effect: Effect, names: dict[str, str]) -> str:
    what = _counted(effect, names)
    return f"{_when(card)} every opponent pays you {_coins(effect.amount)} for each {what} of theirs."


def _from_each_per_landmark(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_when(card)} every opponent pays you {_coins(effect.amount)} for each landmark of theirs."


def _half_from_each(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_when(card)} every opponent with {effect.threshold} coins or more gives you half, rounded down."


def _boost(card: Card, effect: Effect, names: dict[str, str]) -> str:
    whose = "Every player's" if card.colour == "orange" else "Your"
    signs = " or ".join(effect.symbols)
    more = _coins(effect.amount)
    return f"{whose} establishments with the {signs} sign bring {more} more each time they fire."


def _extra_turn_on_double(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_thrower(card)} a double you take another turn after this one."


def _thrower(card: Card) -> str:
    return "Whoever built it, when you throw" if card.colour == "orange" else "When you throw"


def _income_on_pass(card: Card, effect: Effect, names: dict[str, str]) -> str:
    whose = "Whoever built it, when" if card.colour == "orange" else "When"
    return f"{whose} you build nothing on your turn, the bank pays you {_coins(effect.amount)}."


def _give_on_double(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_thrower(card)} a double you give one of your establishments to the previous player."


def _income_on_total(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_thrower(card)} {effect.threshold} in all, the bank pays you {_coins(effect.amount)}."


def _income_if_nothing_received(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_thrower(card)} two dice and they bring you no coin, the bank pays you {_coins(effect.amount)}."


def _from_each_on_double(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"{_thrower(card)} a double every opponent pays you {_coins(effect.amount)}."


def _discount(card: Card, effect: Effect, names: dict[str, str]) -> str:
    targets = " and ".join(names[id] for id in effect.cards)
    return f"The {targets} costs every player {_coins(effect.amount)} less, whoever built this."


def _two_dice(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return "You may throw two dice instead of one."


def _reroll(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return "Once a turn you may throw your dice again; the last throw counts."


def _add_two(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"When your throw makes {effect.threshold} or more, you may add {effect.amount} to it."


def _from_one(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"On your turn one opponent of your choice pays you {_coins(effect.amount)}."


def _swap(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return "On your turn you may trade one of your establishments for one of an opponent."


def _boats(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return (
        "On anybody's turn two dice are thrown once for the table, and the bank pays its owner their total."
    )


def _help(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return f"With an empty purse before building, the bank pays you {_coins(effect.amount)}."


def _own_landmark_discount(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return (
        f"Your further landmarks cost {_coins(effect.amount)} less; it is for the one player without "
        "a landmark when all others have one."
    )


def _level_coins(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return "When you build it all coins of all players are pooled and shared out equally, rounded up."


def _extra_turn(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return "When you build it you take another turn after this one."


def _win(card: Card, effect: Effect, names: dict[str, str]) -> str:
    return "Whoever builds it wins at once."


SENTENCES: Final[dict[str, Callable[[Card, Effect, dict[str, str]], str]]] = {
    "add_two": _add_two,
    "boats": _boats,
    "boost": _boost,
    "discount": _discount,
    "extra_turn": _extra_turn,
    "extra_turn_on_double": _extra_turn_on_double,
    "from_bank": _from_bank,
    "from_each": _from_each,
    "from_each_on_double": _from_each_on_double,
    "from_each_per_landmark": _from_each_per_landmark,
    "from_each_per_symbol": _from_each_per_symbol,
    "from_one": _from_one,
    "from_roller": _from_roller,
    "give_on_double": _give_on_double,
    "half_from_each": _half_from_each,
    "help": _help,
    "income_if_nothing_received": _income_if_nothing_received,
    "income_on_pass": _income_on_pass,
    "income_on_total": _income_on_total,
    "level_coins": _level_coins,
    "own_landmark_discount": _own_landmark_discount,
    "per_counted": _per_counted,
    "reroll": _reroll,
    "swap": _swap,
    "two_dice": _two_dice,
    "win": _win,
}
"""Every kind of effect and its sentence; a test compares the keys with the catalogues."""
