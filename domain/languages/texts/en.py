"""Card texts in English."""

from typing import Final

from domain.languages.language import Wording, one_or_more


def coins(count: int) -> str:
    """The number of coins in words."""
    return f"{count} {one_or_more(count, 'coin', 'coins')}"


_SIGNS: Final = {
    "boat": "boat",
    "bread": "bread",
    "briefcase": "briefcase",
    "combo": "combo",
    "cow": "cow",
    "cup": "cup",
    "factory": "factory",
    "flower": "flower",
    "fruit": "fruit",
    "gear": "gear",
    "major": "major",
    "tower": "tower",
    "wheat": "wheat",
}

_ALL: Final = "Once built, it works for all players: "

_SENTENCES: Final = {
    "add_two": "When you roll a total of {threshold} or more, you may add {amount} to it",
    "all_from_roller": "If the opponent whose turn it is has built at least {landmarks} landmarks, they pay "
    "you all their coins",
    "boats": "On anybody's turn the active player rolls two dice once for the whole table, and the bank "
    "pays you as many coins as their total",
    "boost:all_players": _ALL + "each establishment with the {signs} sign brings its owner {coins} more "
    "when it fires",
    "boost:own": "Each of your establishments with the {signs} sign brings you {coins} more when it fires",
    "demolish": "On your own turn you must turn back one of your built landmarks, if you have any; the bank "
    "pays you {coins} for it",
    "discount": _ALL + "the {card} costs {coins} less",
    "extra_turn": "After the turn in which you build it, you take another turn",
    "extra_turn_on_double:all_players": _ALL + "whoever rolls a double takes another turn after this one",
    "extra_turn_on_double:own": "When you roll a double, you take another turn after this one",
    "from_bank:any_turn": "On anybody's turn the bank pays you {coins}",
    "from_bank:any_turn_below": "On anybody's turn the bank pays you {coins}, as long as you have built "
    "fewer than {landmarks} landmarks",
    "from_bank:own_turn": "On your own turn the bank pays you {coins}",
    "from_bank:own_turn_below": "On your own turn the bank pays you {coins}, as long as you have built "
    "fewer than {landmarks} landmarks",
    "from_each:own_turn": "On your own turn every opponent pays you {coins}",
    "from_each:when_built": "When you build it, every opponent pays you {coins}",
    "from_each_on_double": _ALL + "whoever rolls a double gets {coins} from every opponent",
    "from_each_per_landmark": "When you build it, every opponent pays you {coins} for each landmark that "
    "they have built",
    "from_each_per_symbol:own_turn": "On your own turn every opponent pays you {coins} for each of their "
    "establishments with the {signs} sign",
    "from_each_per_symbol:when_built": "When you build it, every opponent pays you {coins} for each of "
    "their establishments with the {signs} sign",
    "from_one": "On your own turn one opponent of your choice pays you {coins}",
    "from_roller:any": "The opponent whose turn it is pays you {coins}",
    "from_roller:landmarks": "The opponent whose turn it is pays you {coins}, if they have built at least "
    "{landmarks} landmarks",
    "give_on_double": _ALL + "whoever rolls a double must, after all other effects of the roll, give one "
    "establishment of their choice to the previous player in turn order",
    "half_from_each:own_turn": "On your own turn every opponent with {threshold} or more coins gives you "
    "half of them, rounded down",
    "half_from_each:when_built": "When you build it, every opponent with {threshold} or more coins gives "
    "you half of them, rounded down",
    "help": "If you have no coins when you come to build on your turn, the bank pays you {coins}",
    "income_if_nothing_received": _ALL + "whoever rolls two dice and receives no coins for that roll gets "
    "{coins} from the bank",
    "income_on_pass:all_players": _ALL + "whoever builds nothing on their turn gets {coins} from the bank",
    "income_on_pass:own": "When you build nothing on your turn, the bank pays you {coins}",
    "income_on_total": _ALL + "whoever rolls a total of {threshold} gets {coins} from the bank",
    "invest": "At the end of each of your turns you may put {coins} on this card, where it stays; when the "
    "card is activated on your own turn, every opponent pays you as many coins as lie on it",
    "level_coins:own_turn": "On your own turn the coins of all players are pooled and shared out equally, "
    "each share rounded up; the bank adds what is missing",
    "level_coins:when_built": "When you build it, the coins of all players are pooled and shared out "
    "equally, each share rounded up; the bank adds what is missing",
    "move": "On your own turn you must give one of your establishments to an opponent, but none with the "
    "tower sign; the bank pays you {coins} for it",
    "own_landmark_discount": "You may build it only when you have no landmark and every opponent has at "
    "least one; each of your later landmarks costs {coins} less",
    "per_counted:card_boosted_each": "On your own turn the bank pays you {coins} for each of your {card} "
    "cards; a bonus for this card's sign is added for each of them",
    "per_counted:card_closing": "On your own turn the bank pays you {coins} for each of your {card} cards; "
    "then this card closes for renovation",
    "per_counted:signs": "On your own turn the bank pays you {coins} for each of your establishments with "
    "the {signs} sign",
    "per_counted_of_all": "On your own turn the bank pays you {coins} for each establishment of any player "
    "with the {signs} sign",
    "renovate": "On your own turn choose a kind of establishment without the tower sign: all its cards, in "
    "every city, close for renovation, and each opponent pays you {coins} for each of theirs; a closed card "
    "does nothing the next time it would be activated, but opens again",
    "reroll": "Once on each of your turns you may roll again with the same number of dice; the last roll "
    "counts",
    "swap:itself_too": "On your own turn you may trade one of your establishments, even this one, for one "
    "of an opponent's",
    "swap:no_towers": "On your own turn you may trade one of your establishments for one of an opponent's; "
    "cards with the tower sign cannot be traded",
    "to_bank": "When you build it, the bank pays you {bonus}; on your own turn you pay the bank {coins}",
    "two_dice": "On your turn you may roll two dice instead of one",
    "win": "When you build it, you win at once",
}

WORDING: Final = Wording(
    coins=coins,
    signs=_SIGNS,
    either=" or ",
    quotes=("", ""),
    condition=", if you have built the {card}",
    sentences=_SENTENCES,
)
