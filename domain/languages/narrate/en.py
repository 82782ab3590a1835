"""The sentences of match logs in English."""

from typing import Final

from domain.languages.language import Telling, one_or_more
from domain.languages.texts import en


def _cards(copies: int, card: str) -> str:
    return f"the {card}" if copies == 1 else f"{copies} {card} cards"


def _players(count: int) -> str:
    return f"{count} {one_or_more(count, 'player', 'players')}"


_GAMES: Final = {
    "base": "Machi Koro",
    "harbor": "Machi Koro with its Harbor expansion",
    "machi_koro_2": "Machi Koro 2",
    "millionaires_row": "Machi Koro with its Millionaire's Row expansion",
    "harbor_millionaires_row": "Machi Koro with its Harbor and Millionaire's Row expansions",
}

_PARTS: Final = {
    "box:four_player": "four-player box",
    "box:five_player": "five-player box",
    "market:limited": "limited market",
    "max_copies": "at most {count} copies of an establishment in a city",
    "card_costs": "changed prices ({prices})",
    "clock:default_command": "{time} for each decision, then the default choice is made",
    "clock:strategy": "{time} for each decision, then a built-in player takes the seat",
    "clock:forfeit": "{time} for each decision, then the player is out",
    "clock_bank": "a time bank of {time} for each player",
    "clock_increment": "{time} for the bank after each turn",
    "origin": "continues match {match} after event {version}",
    "dice:committed": "dice from a secret seed",
    "dice:seat_seeds": "dice from a secret seed and from seeds of the players",
    "dice:same": "dice from the seed of that match",
    "dice:scripted": "scripted rolls",
    "position": "a given position",
}

_SENTENCES: Final = {
    "match_created": "A new match of {game} for {players}: {parts}.",
    "seat_taken:account": "{name} takes seat {seat}.",
    "seat_taken:strategy": "The built-in player {name} takes seat {seat}.",
    "seat_reserved": "{name} is invited to seat {seat}.",
    "reservation_ended:declined": "{name} declines the invitation: seat {seat} is open.",
    "reservation_ended:withdrawn": "The invitation of {name} is withdrawn: seat {seat} is open.",
    "seat_seed_committed": "{name} commits to a seed for the dice: {commitment}.",
    "seat_seed_forgone": "{name} has not committed to a seed in time and adds none.",
    "seat_seed_opened": "{name} opens the seed: {seed}.",
    "seat_seed_withheld": "{name} has not opened the seed in time.",
    "match_started": "The match begins: {name} goes first, and every player has {coins}.",
    "match_started:position": "The match begins from the given position: {name} goes first; coins: {purses}.",
    "branch_started": "The match continues in turn {turn}: {name} plays; coins: {purses}.",
    "branch_started:thrown": "The match continues in turn {turn}: {name} plays; dice: {throw}; coins: "
    "{purses}.",
    "branch_started:choice": "The match continues in turn {turn}: {name} plays; dice: {throw}; open choice: "
    "{card}; coins: {purses}.",
    "tokens_placed": "Closed for renovation or invested from the start: {tokens}.",
    "turn_started:roll": "Turn {turn} begins: {name} plays.",
    "turn_started:extra": "Turn {turn} begins: {name} plays again.",
    "turn_started:setup": "Turn {turn} begins, building round {round} of {rounds}: {name} plays.",
    "turn_started:build": "Turn {turn} begins with building: {name} plays.",
    "turn_ended": "{name} ends turn {turn}.",
    "dice_rolled:roll:one": "{name} rolls one die: {throw}.",
    "dice_rolled:roll:two": "{name} rolls two dice: {throw}.",
    "dice_rolled:roll:double": "{name} rolls two dice: {throw}, a double.",
    "dice_rolled:reroll:one": "{name} rolls one die again: {throw}.",
    "dice_rolled:reroll:two": "{name} rolls two dice again: {throw}.",
    "dice_rolled:reroll:double": "{name} rolls two dice again: {throw}, a double.",
    "dice_rolled:boats": "For the {card}, {name} rolls two dice: {throw}.",
    "choice_requested:reroll": "Thanks to the {card}, {name} may roll again.",
    "choice_requested:add_two": "Thanks to the {card}, {name} may add {amount} to the total of {total}.",
    "choice_requested:take_coins": "{name} is to choose who pays {coins} for {cards}.",
    "choice_requested:swap": "Thanks to the {card}, {name} may trade an establishment.",
    "choice_requested:swap:more": "Thanks to the {card}, {name} may trade an establishment; trades left: "
    "{count}.",
    "choice_requested:give": "Because of the {card}, {name} is to choose an establishment to give away.",
    "choice_requested:demolish": "Because of the {card}, {name} is to choose a landmark to demolish; "
    "demolitions left: {count}.",
    "choice_requested:move": "Because of the {card}, {name} is to choose an establishment and who gets it; "
    "moves left: {count}.",
    "choice_requested:renovate": "For the {card}, {name} is to choose what closes for renovation.",
    "choice_requested:invest": "{name} may put {coins} on the {card}.",
    "choice_lapsed": "For the {card}, nothing is left that {name} could choose.",
    "dice_kept:reroll": "{name} keeps the roll: {total}.",
    "dice_kept:add_two": "{name} adds nothing: the total stays {total}.",
    "two_added": "{name} adds {amount} to the roll: {thrown} + {amount} = {total}.",
    "establishments_reopened": "After renovation, {name} reopens {cards} without any effect.",
    "income_received": "{name} receives {coins} from the bank for {cards}.",
    "fee_paid": "{name} pays the bank {coins} for {cards}.",
    "fee_paid:part": "{name} pays the bank only {coins} instead of {owed} for {cards}.",
    "fee_paid:none": "{name} cannot pay the bank {coins} for {cards}: no coins are left.",
    "payment_made": "{payer} pays {coins} to {payee} for {cards}.",
    "payment_made:part": "{payer} pays only {coins} instead of {owed} to {payee} for {cards}.",
    "payment_made:none": "{payer} cannot pay {coins} to {payee} for {cards}: no coins are left.",
    "target_chosen": "For the {card}, {name} chooses {target}.",
    "establishments_swapped": "{name} gives the {given} to {other} and gets the {taken} in return.",
    "swap_declined": "{name} trades nothing.",
    "establishment_given": "{name} gives the {card} to {other}.",
    "renovation_moved": "The {card} that {other} gets from {name} stays closed for renovation.",
    "landmark_demolished": "For the {card}, {name} demolishes the landmark {landmark}.",
    "establishments_closed": "Because of the {card} of {name}, the "
    "{establishment} closes for renovation: {copies}.",
    "coins_levelled": "For the {card}, {name} shares out all coins equally: every player now has {share}.",
    "coins_levelled:bank": "For the {card}, {name} shares out all coins equally: the bank adds {coins}, and "
    "every player now has {share}.",
    "help_received": "{name} has no coins and receives {coins} from the bank.",
    "help_received:card": "{name} has no coins and receives {coins} from the bank for the {card}.",
    "establishment_built": "{name} builds the {card} for {coins}.",
    "establishment_built:free": "{name} builds the {card} for free.",
    "landmark_built": "{name} builds the landmark {card} for {coins}.",
    "landmark_built:free": "{name} builds the landmark {card} for free.",
    "build_passed": "{name} builds nothing.",
    "coin_invested": "{name} puts {coins} on the {card}: {total} in all.",
    "investment_declined": "{name} invests nothing.",
    "market_refilled:market": "New in the market: {cards}.",
    "market_refilled:low": "New among the establishments 1–6: {cards}.",
    "market_refilled:high": "New among the establishments 7–12: {cards}.",
    "market_refilled:landmarks": "New among the landmarks: {cards}.",
    "extra_turn_granted": "Thanks to the {card}, {name} gets another turn.",
    "clock_expired:default_command": "{name} has run out of time: the default choice is made.",
    "clock_expired:strategy": "{name} has run out of time: a built-in player takes the seat.",
    "clock_expired:forfeit": "{name} has run out of time and is out.",
    "bank_changed:spent": "{name} uses {spent} of the time bank: {left} left.",
    "bank_changed:added": "The time bank of {name} grows by {added} to {left}.",
    "bank_changed:both": "{name} uses {spent} of the time bank and gets {added}: {left} left.",
    "controller_changed:account": "From now on {new} plays seat {seat} instead of {name}.",
    "controller_changed:strategy": "From now on the built-in player {new} plays seat {seat} instead of "
    "{name}.",
    "seat_resigned:command": "{name} resigns and leaves the match.",
    "seat_resigned:clock": "{name} leaves the match: the time is up.",
    "match_finished:landmarks": "{name} wins with {count} landmarks.",
    "match_finished:instant": "{name} wins with the {card}.",
    "match_finished:resignation": "{name} wins: all opponents have left the match.",
    "match_aborted:creator": "The creator aborts the match.",
    "match_aborted:turn_limit": "The match is aborted: the turn limit of {turn} is reached.",
    "match_aborted:dice_tape_exhausted": "The match is aborted: the scripted rolls are used up.",
    "match_aborted:dice_tape_mismatch": "The match is aborted: the next scripted roll has another number of "
    "dice.",
    "match_aborted:seat_seed_withheld": "The match is aborted: a player did not open the seed.",
    "dice_revealed": "The seed of the dice is revealed: {seed}.",
}

TELLING: Final = Telling(
    wording=en.WORDING,
    cards=_cards,
    players=_players,
    games=_GAMES,
    same_name="{name} (seat {seat})",
    units=("h", "min", "s"),
    decimal=".",
    parts=_PARTS,
    sentences=_SENTENCES,
)
