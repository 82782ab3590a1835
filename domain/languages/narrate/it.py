"""The sentences of match logs in Italian.

Names of players only follow "da" and "di", which never change: "a" would become "ad" before some names.
"""

from typing import Final

from domain.languages.language import Telling, one_or_more
from domain.languages.texts import it


def _cards(copies: int, card: str) -> str:
    return f"la carta {card}" if copies == 1 else f"{copies} carte {card}"


def _players(count: int) -> str:
    return f"{count} {one_or_more(count, 'giocatore', 'giocatori')}"


_GAMES: Final = {
    "base": "«Machi Koro»",
    "harbor": "«Machi Koro» con l’espansione «Porto»",
    "machi_koro_2": "«Machi Koro 2»",
    "millionaires_row": "«Machi Koro» con l’espansione «Quartiere dei Milionari»",
    "harbor_millionaires_row": "«Machi Koro» con le espansioni «Porto» e «Quartiere dei Milionari»",
}

_PARTS: Final = {
    "box:four_player": "edizione per quattro giocatori",
    "box:five_player": "edizione per cinque giocatori",
    "market:limited": "mercato limitato",
    "max_copies": "non più di {count} edifici uguali in una città",
    "card_costs": "prezzi modificati ({prices})",
    "clock:default_command": "{time} per ogni decisione, poi vale la scelta predefinita",
    "clock:strategy": "{time} per ogni decisione, poi gioca il computer",
    "clock:forfeit": "{time} per ogni decisione, poi il giocatore è eliminato",
    "clock_bank": "riserva di tempo di ogni giocatore: {time}",
    "clock_increment": "aggiunta alla riserva dopo ogni turno: {time}",
    "origin": "continuazione della partita {match} dopo l’evento {version}",
    "dice:committed": "lanci determinati da un seme segreto",
    "dice:seat_seeds": "lanci determinati da un seme segreto e dai semi dei giocatori",
    "dice:same": "lanci determinati dal seme di quella partita",
    "dice:scripted": "lanci stabiliti in anticipo",
    "position": "posizione assegnata",
}

_SENTENCES: Final = {
    "match_created": "Nuova partita a {game} per {players}: {parts}.",
    "seat_taken:account": "{name} occupa il posto {seat}.",
    "seat_taken:strategy": "Il giocatore automatico {name} occupa il posto {seat}.",
    "seat_reserved": "{name} riceve un invito al posto {seat}.",
    "reservation_ended:declined": "{name} rifiuta l’invito: il posto {seat} è libero.",
    "reservation_ended:withdrawn": "L’invito per {name} è ritirato: il posto {seat} è libero.",
    "seat_seed_committed": "{name} si impegna su un seme per i lanci: {commitment}.",
    "seat_seed_forgone": "{name} non si impegna in tempo su un seme e non ne aggiunge.",
    "seat_seed_opened": "{name} rivela il proprio seme: {seed}.",
    "seat_seed_withheld": "{name} non rivela in tempo il proprio seme.",
    "match_started": "La partita comincia: inizia {name}, ogni giocatore ha {coins}.",
    "match_started:position": "La partita comincia dalla posizione assegnata: inizia {name}; monete: "
    "{purses}.",
    "branch_started": "La partita riprende dal turno {turn}: gioca {name}; monete: {purses}.",
    "branch_started:thrown": "La partita riprende dal turno {turn}: gioca {name}; dadi: {throw}; monete: "
    "{purses}.",
    "branch_started:choice": "La partita riprende dal turno {turn}: gioca {name}; dadi: {throw}; scelta in "
    "sospeso: {card}; monete: {purses}.",
    "tokens_placed": "Chiuse per lavori o investite fin dall’inizio: {tokens}.",
    "turn_started:roll": "Comincia il turno {turn}: gioca {name}.",
    "turn_started:extra": "Comincia il turno {turn}: {name} gioca di nuovo.",
    "turn_started:setup": "Comincia il turno {turn}, giro di costruzione {round} su {rounds}: gioca {name}.",
    "turn_started:build": "Il turno {turn} comincia dalla costruzione: gioca {name}.",
    "turn_ended": "{name} conclude il turno {turn}.",
    "dice_rolled:roll:one": "{name} lancia un dado: {throw}.",
    "dice_rolled:roll:two": "{name} lancia due dadi: {throw}.",
    "dice_rolled:roll:double": "{name} lancia due dadi: {throw}, numeri uguali.",
    "dice_rolled:reroll:one": "{name} lancia di nuovo un dado: {throw}.",
    "dice_rolled:reroll:two": "{name} lancia di nuovo due dadi: {throw}.",
    "dice_rolled:reroll:double": "{name} lancia di nuovo due dadi: {throw}, numeri uguali.",
    "dice_rolled:boats": "Per la carta {card} {name} lancia due dadi: {throw}.",
    "choice_requested:reroll": "Grazie alla carta {card} {name} può ripetere il lancio.",
    "choice_requested:add_two": "Grazie alla carta {card} {name} può aggiungere {amount} al totale, che è "
    "{total}.",
    "choice_requested:take_coins": "{name} sceglie chi paga {coins} per {cards}.",
    "choice_requested:swap": "Grazie alla carta {card} {name} può scambiare un edificio.",
    "choice_requested:swap:more": "Grazie alla carta {card} {name} può scambiare un edificio; scambi "
    "rimasti: {count}.",
    "choice_requested:give": "Per la carta {card} {name} sceglie quale edificio cedere.",
    "choice_requested:demolish": "Per la carta {card} {name} sceglie quale punto d’interesse demolire; "
    "demolizioni rimaste: {count}.",
    "choice_requested:move": "Per la carta {card} {name} sceglie quale edificio cedere e chi lo riceve; "
    "cessioni rimaste: {count}.",
    "choice_requested:renovate": "Per la carta {card} {name} sceglie che cosa chiude per lavori.",
    "choice_requested:invest": "{name} può mettere {coins} sulla carta {card}.",
    "choice_lapsed": "Per la carta {card} non resta nulla che {name} possa scegliere.",
    "dice_kept:reroll": "{name} tiene il lancio: {total}.",
    "dice_kept:add_two": "{name} non aggiunge nulla: il totale resta {total}.",
    "two_added": "{name} aggiunge {amount} al lancio: {thrown} + {amount} = {total}.",
    "establishments_reopened": "Invece di attivarle, {name} riapre dopo i lavori {cards}.",
    "income_received": "{name} riceve {coins} dalla banca per {cards}.",
    "fee_paid": "{name} paga {coins} alla banca per {cards}.",
    "fee_paid:part": "{name} paga alla banca solo {coins} invece di {owed} per {cards}.",
    "fee_paid:none": "{name} dovrebbe pagare {coins} alla banca per {cards}, ma non ha monete.",
    "payment_made": "{payee} riceve {coins} da {payer} per {cards}.",
    "payment_made:part": "{payee} riceve solo {coins} invece di {owed} da {payer} per {cards}.",
    "payment_made:none": "{payee} dovrebbe ricevere {coins} per {cards}, ma {payer} non può pagare nulla.",
    "target_chosen": "Per la carta {card} {name} sceglie {target}.",
    "establishments_swapped": "{name} scambia la sua carta {given} con la carta {taken} di {other}.",
    "swap_declined": "{name} rinuncia allo scambio.",
    "establishment_given": "{other} riceve da {name} la carta {card}.",
    "renovation_moved": "La carta {card} che {other} riceve da {name} resta chiusa per lavori.",
    "landmark_demolished": "Per la carta {card} {name} demolisce il punto d’interesse {landmark}.",
    "establishments_closed": "Per la carta {card} di {name} chiude per lavori {establishment}: {copies}.",
    "coins_levelled": "Per la carta {card} {name} divide tutte le monete in parti uguali: ora ogni giocatore "
    "ha {share}.",
    "coins_levelled:bank": "Per la carta {card} {name} divide tutte le monete in parti uguali: la banca "
    "aggiunge {coins} e ora ogni giocatore ha {share}.",
    "help_received": "{name} non ha monete e riceve {coins} dalla banca.",
    "help_received:card": "{name} non ha monete e riceve {coins} dalla banca per la carta {card}.",
    "establishment_built": "{name} costruisce l’edificio {card} per {coins}.",
    "establishment_built:free": "{name} costruisce gratis l’edificio {card}.",
    "landmark_built": "{name} costruisce il punto d’interesse {card} per {coins}.",
    "landmark_built:free": "{name} costruisce gratis il punto d’interesse {card}.",
    "build_passed": "{name} non costruisce nulla.",
    "coin_invested": "{name} mette {coins} sulla carta {card}: in tutto {total}.",
    "investment_declined": "{name} non investe nulla.",
    "market_refilled:market": "Novità sul mercato: {cards}.",
    "market_refilled:low": "Novità tra gli edifici 1–6: {cards}.",
    "market_refilled:high": "Novità tra gli edifici 7–12: {cards}.",
    "market_refilled:landmarks": "Novità tra i punti d’interesse: {cards}.",
    "extra_turn_granted": "Grazie alla carta {card} {name} ottiene un altro turno.",
    "clock_expired:default_command": "Tempo scaduto per {name}: vale la scelta predefinita.",
    "clock_expired:strategy": "Tempo scaduto per {name}: da ora gioca il computer.",
    "clock_expired:forfeit": "Tempo scaduto per {name}: il giocatore è eliminato.",
    "bank_changed:spent": "{name} usa {spent} della riserva di tempo, che ora è di {left}.",
    "bank_changed:added": "La riserva di tempo di {name} cresce di {added} e ora è di {left}.",
    "bank_changed:both": "{name} usa {spent} della riserva di tempo e riceve {added}: ora è di {left}.",
    "controller_changed:account": "Al posto {seat} ora gioca {new} invece di {name}.",
    "controller_changed:strategy": "Al posto {seat} ora gioca il giocatore automatico {new} invece di "
    "{name}.",
    "seat_resigned:command": "{name} si arrende e lascia la partita.",
    "seat_resigned:clock": "{name} lascia la partita: tempo scaduto.",
    "match_finished:landmarks": "{name} vince con {count} punti d’interesse.",
    "match_finished:instant": "{name} vince grazie al punto d’interesse {card}.",
    "match_finished:resignation": "{name} vince: tutti gli avversari hanno lasciato la partita.",
    "match_aborted:creator": "La partita è annullata da chi l’ha creata.",
    "match_aborted:turn_limit": "La partita è interrotta: raggiunto il limite di turni ({turn}).",
    "match_aborted:dice_tape_exhausted": "La partita è interrotta: i lanci stabiliti sono finiti.",
    "match_aborted:dice_tape_mismatch": "La partita è interrotta: il prossimo dei lanci stabiliti ha un "
    "altro numero di dadi.",
    "match_aborted:seat_seed_withheld": "La partita è annullata: un giocatore non ha rivelato "
    "il proprio seme.",
    "dice_revealed": "Il seme dei lanci è svelato: {seed}.",
}

TELLING: Final = Telling(
    wording=it.WORDING,
    cards=_cards,
    players=_players,
    games=_GAMES,
    same_name="{name} (posto {seat})",
    units=("h", "min", "s"),
    decimal=",",
    parts=_PARTS,
    sentences=_SENTENCES,
)
