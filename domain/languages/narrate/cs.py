"""The sentences of match logs in Czech."""

from typing import Final

from domain.languages.language import Telling, czech
from domain.languages.texts import cs


def _cards(copies: int, card: str) -> str:
    noun = czech(copies, "kartu", "karty", "karet")
    return f"{noun} {card}" if copies == 1 else f"{copies} {noun} {card}"


def _players(count: int) -> str:
    return f"{count} {czech(count, 'hráče', 'hráče', 'hráčů')}"


_GAMES: Final = {
    "base": "„Machi Koro“",
    "harbor": "„Machi Koro“ s rozšířením „Přístav“",
    "machi_koro_2": "„Machi Koro 2“",
    "millionaires_row": "„Machi Koro“ s rozšířením „Čtvrť milionářů“",
    "harbor_millionaires_row": "„Machi Koro“ s rozšířeními „Přístav“ a „Čtvrť milionářů“",
}

_PARTS: Final = {
    "box:four_player": "vydání pro čtyři hráče",
    "box:five_player": "vydání pro pět hráčů",
    "market:limited": "omezený trh",
    "max_copies": "stejných objektů ve městě nejvýše {count}",
    "card_costs": "změněné ceny ({prices})",
    "clock:default_command": "{time} na každé rozhodnutí, potom platí výchozí volba",
    "clock:strategy": "{time} na každé rozhodnutí, potom za hráče hraje počítač",
    "clock:forfeit": "{time} na každé rozhodnutí, potom hráč vypadává",
    "clock_bank": "časová rezerva každého hráče: {time}",
    "clock_increment": "přídavek k rezervě po každém tahu: {time}",
    "origin": "pokračování partie {match} po události {version}",
    "dice:committed": "hody určuje tajné semínko",
    "dice:seat_seeds": "hody určuje tajné semínko a semínka hráčů",
    "dice:same": "hody určuje semínko té partie",
    "dice:scripted": "hody jsou zadány předem",
    "position": "zadaná pozice",
}

_SENTENCES: Final = {
    "match_created": "Nová partie hry {game} pro {players}: {parts}.",
    "seat_taken:account": "{name} obsazuje místo {seat}.",
    "seat_taken:strategy": "Počítačový hráč {name} obsazuje místo {seat}.",
    "seat_reserved": "{name} dostává pozvání na místo {seat}.",
    "reservation_ended:declined": "{name} odmítá pozvání: místo {seat} je volné.",
    "reservation_ended:withdrawn": "Pozvání pro hráče {name} je odvoláno: místo {seat} je volné.",
    "seat_seed_committed": "{name} se zavazuje k semínku hodů: {commitment}.",
    "seat_seed_forgone": "{name} se včas nezavazuje k žádnému semínku a žádné nepřidává.",
    "seat_seed_opened": "{name} odhaluje své semínko: {seed}.",
    "seat_seed_withheld": "{name} své semínko včas neodhaluje.",
    "match_started": "Partie začíná: první tah má {name}, každý hráč má {coins}.",
    "match_started:position": "Partie začíná ze zadané pozice: první tah má {name}; mince: {purses}.",
    "branch_started": "Partie pokračuje tahem {turn}: hraje {name}; mince: {purses}.",
    "branch_started:thrown": "Partie pokračuje tahem {turn}: hraje {name}; kostky: {throw}; mince: {purses}.",
    "branch_started:choice": "Partie pokračuje tahem {turn}: hraje {name}; kostky: {throw}; otevřená volba: "
    "{card}; mince: {purses}.",
    "tokens_placed": "Od začátku zavřeno kvůli renovaci nebo vloženo: {tokens}.",
    "turn_started:roll": "Začíná tah {turn}: hraje {name}.",
    "turn_started:extra": "Začíná tah {turn}: {name} hraje ještě jednou.",
    "turn_started:setup": "Začíná tah {turn}, stavební kolo {round}/{rounds}: hraje {name}.",
    "turn_started:build": "Tah {turn} začíná stavbou: hraje {name}.",
    "turn_ended": "{name} končí tah {turn}.",
    "dice_rolled:roll:one": "{name} hází jednou kostkou: {throw}.",
    "dice_rolled:roll:two": "{name} hází dvěma kostkami: {throw}.",
    "dice_rolled:roll:double": "{name} hází dvěma kostkami: {throw}, dvě stejná čísla.",
    "dice_rolled:reroll:one": "{name} hází znovu jednou kostkou: {throw}.",
    "dice_rolled:reroll:two": "{name} hází znovu dvěma kostkami: {throw}.",
    "dice_rolled:reroll:double": "{name} hází znovu dvěma kostkami: {throw}, dvě stejná čísla.",
    "dice_rolled:boats": "Podle karty {card} hází {name} dvěma kostkami: {throw}.",
    "choice_requested:reroll": "Díky kartě {card} může {name} hod zopakovat.",
    "choice_requested:add_two": "Díky kartě {card} může {name} přičíst {amount} k součtu {total}.",
    "choice_requested:take_coins": "{name} vybírá, kdo zaplatí {coins} za {cards}.",
    "choice_requested:swap": "Díky kartě {card} může {name} vyměnit objekt.",
    "choice_requested:swap:more": "Díky kartě {card} může {name} vyměnit objekt; zbývá výměn: {count}.",
    "choice_requested:give": "Podle karty {card} vybírá {name}, který objekt odevzdá.",
    "choice_requested:demolish": "Podle karty {card} vybírá {name}, kterou dominantu zbourá; zbývá zbourat: "
    "{count}.",
    "choice_requested:move": "Podle karty {card} vybírá {name}, který objekt komu odevzdá; zbývá: {count}.",
    "choice_requested:renovate": "Podle karty {card} vybírá {name}, co se zavře kvůli renovaci.",
    "choice_requested:invest": "{name} může položit {coins} na kartu {card}.",
    "choice_lapsed": "Podle karty {card} už {name} nemá z čeho vybírat.",
    "dice_kept:reroll": "{name} ponechává hod beze změny: {total}.",
    "dice_kept:add_two": "{name} nic nepřičítá, součet se nemění: {total}.",
    "two_added": "{name} přičítá k hodu {amount}: {thrown} + {amount} = {total}.",
    "establishments_reopened": "Místo aktivace {name} po renovaci znovu otevírá {cards}.",
    "income_received": "{name} dostává z banku {coins} za {cards}.",
    "fee_paid": "{name} platí bance {coins} za {cards}.",
    "fee_paid:part": "{name} platí bance jen {coins} místo {owed} za {cards}.",
    "fee_paid:none": "{name} nemůže zaplatit bance {coins} za {cards}: nemá žádné mince.",
    "payment_made": "{payer} platí {coins} hráči {payee} za {cards}.",
    "payment_made:part": "{payer} platí jen {coins} místo {owed} hráči {payee} za {cards}.",
    "payment_made:none": "{payer} nemůže zaplatit {coins} hráči {payee} za {cards}: nemá žádné mince.",
    "target_chosen": "Podle karty {card} vybírá {name} hráče {target}.",
    "establishments_swapped": "{name} dává hráči {other} kartu {given} a dostává za ni kartu {taken}.",
    "swap_declined": "{name} nic nevyměňuje.",
    "establishment_given": "{name} dává hráči {other} kartu {card}.",
    "renovation_moved": "Karta {card}, kterou {other} dostává od hráče {name}, zůstává zavřená kvůli "
    "renovaci.",
    "landmark_demolished": "Podle karty {card} bourá {name} dominantu {landmark}.",
    "establishments_closed": "Podle karty {card} hráče {name} se kvůli renovaci zavírá "
    "{establishment}: {copies}.",
    "coins_levelled": "Podle karty {card} dělí {name} všechny mince rovným dílem: každý hráč má nyní "
    "{share}.",
    "coins_levelled:bank": "Podle karty {card} dělí {name} všechny mince rovným dílem: bank přidává {coins} "
    "a každý hráč má nyní {share}.",
    "help_received": "{name} nemá žádné mince a dostává z banku {coins}.",
    "help_received:card": "{name} nemá žádné mince a dostává z banku {coins} za kartu {card}.",
    "establishment_built": "{name} staví objekt {card} za {coins}.",
    "establishment_built:free": "{name} staví zdarma objekt {card}.",
    "landmark_built": "{name} staví dominantu {card} za {coins}.",
    "landmark_built:free": "{name} staví zdarma dominantu {card}.",
    "build_passed": "{name} nic nestaví.",
    "coin_invested": "{name} pokládá {coins} na kartu {card}: celkem {total}.",
    "investment_declined": "{name} nic nevkládá.",
    "market_refilled:market": "Nově na trhu: {cards}.",
    "market_refilled:low": "Nově mezi objekty 1–6: {cards}.",
    "market_refilled:high": "Nově mezi objekty 7–12: {cards}.",
    "market_refilled:landmarks": "Nově mezi dominantami: {cards}.",
    "extra_turn_granted": "Díky kartě {card} má {name} ještě jeden tah.",
    "clock_expired:default_command": "Hráči {name} vypršel čas: platí výchozí volba.",
    "clock_expired:strategy": "Hráči {name} vypršel čas: dál hraje počítač.",
    "clock_expired:forfeit": "Hráči {name} vypršel čas: hráč vypadává.",
    "bank_changed:spent": "{name} čerpá {spent} z časové rezervy, zbývá {left}.",
    "bank_changed:added": "Časová rezerva hráče {name} roste o {added}: nyní {left}.",
    "bank_changed:both": "{name} čerpá {spent} z časové rezervy a získává {added}: nyní {left}.",
    "controller_changed:account": "Na místě {seat} nyní za hráče {name} hraje {new}.",
    "controller_changed:strategy": "Na místě {seat} nyní za hráče {name} hraje počítačový hráč {new}.",
    "seat_resigned:command": "{name} se vzdává a odchází z partie.",
    "seat_resigned:clock": "{name} odchází z partie: vypršel čas.",
    "match_finished:landmarks": "{name} vítězí, počet postavených dominant: {count}.",
    "match_finished:instant": "{name} vítězí díky dominantě {card}.",
    "match_finished:resignation": "{name} vítězí: všichni soupeři odešli z partie.",
    "match_aborted:creator": "Partii ruší její zakladatel.",
    "match_aborted:turn_limit": "Partie je přerušena: byl dosažen nejvyšší počet tahů ({turn}).",
    "match_aborted:dice_tape_exhausted": "Partie je přerušena: zadané hody došly.",
    "match_aborted:dice_tape_mismatch": "Partie je přerušena: další ze zadaných hodů má jiný počet kostek.",
    "match_aborted:seat_seed_withheld": "Partie je zrušena: hráč neodhalil své semínko.",
    "dice_revealed": "Semínko hodů je odhaleno: {seed}.",
}

TELLING: Final = Telling(
    wording=cs.WORDING,
    cards=_cards,
    players=_players,
    games=_GAMES,
    same_name="{name} (místo {seat})",
    units=("h", "min", "s"),
    decimal=",",
    parts=_PARTS,
    sentences=_SENTENCES,
)
