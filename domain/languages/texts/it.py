"""Card texts in Italian."""

from typing import Final

from domain.languages.language import Wording, one_or_more


def coins(count: int) -> str:
    """So many coins."""
    return f"{count} {one_or_more(count, 'moneta', 'monete')}"


_SIGNS: Final = {
    "boat": "della barca",
    "bread": "del pane",
    "briefcase": "della valigetta",
    "combo": "della combo",
    "cow": "della mucca",
    "cup": "della tazza",
    "factory": "della fabbrica",
    "flower": "del fiore",
    "fruit": "della frutta",
    "gear": "dell’ingranaggio",
    "major": "del grande edificio",
    "tower": "della torre",
    "wheat": "del grano",
}

_ALL: Final = "Dopo la costruzione vale per tutti i giocatori: "

_SENTENCES: Final = {
    "add_two": "Se il totale del tuo lancio è {threshold} o più, puoi aumentarlo di {amount}",
    "all_from_roller": "Se l’avversario di turno ha costruito almeno {landmarks} punti d’interesse, ti paga "
    "tutte le sue monete",
    "boats": "Nel turno di qualsiasi giocatore, chi è di turno lancia due dadi una sola volta per tutti e "
    "tu ricevi dalla banca tante monete quante ne indica il totale",
    "boost:all_players": _ALL + "ogni edificio con il simbolo {signs}, quando si attiva, rende al "
    "proprietario {coins} in più",
    "boost:own": "Ogni tuo edificio con il simbolo {signs}, quando si attiva, ti rende {coins} in più",
    "demolish": "Nel tuo turno devi demolire un tuo punto d’interesse costruito, se ne hai; in cambio "
    "ricevi {coins} dalla banca",
    "discount": _ALL + "la carta {card} costa {coins} in meno",
    "extra_turn": "Dopo il turno in cui costruisci questa carta, ne giochi un altro",
    "extra_turn_on_double:all_players": _ALL + "chi ottiene lo stesso numero su entrambi i dadi gioca un "
    "altro turno dopo questo",
    "extra_turn_on_double:own": "Se ottieni lo stesso numero su entrambi i dadi, giochi un altro turno dopo "
    "questo",
    "from_bank:any_turn": "Nel turno di qualsiasi giocatore ricevi {coins} dalla banca",
    "from_bank:any_turn_below": "Nel turno di qualsiasi giocatore ricevi {coins} dalla banca, finché hai "
    "costruito meno di {landmarks} punti d’interesse",
    "from_bank:own_turn": "Nel tuo turno ricevi {coins} dalla banca",
    "from_bank:own_turn_below": "Nel tuo turno ricevi {coins} dalla banca, finché hai costruito meno di "
    "{landmarks} punti d’interesse",
    "from_each:own_turn": "Nel tuo turno ogni avversario ti paga {coins}",
    "from_each:when_built": "Quando costruisci questa carta, ogni avversario ti paga {coins}",
    "from_each_on_double": _ALL + "chi ottiene lo stesso numero su entrambi i dadi riceve {coins} da ogni "
    "avversario",
    "from_each_per_landmark": "Quando costruisci questa carta, ogni avversario ti paga {coins} per ogni "
    "punto d’interesse che ha costruito",
    "from_each_per_symbol:own_turn": "Nel tuo turno ogni avversario ti paga {coins} per ogni suo edificio "
    "con il simbolo {signs}",
    "from_each_per_symbol:when_built": "Quando costruisci questa carta, ogni avversario ti paga {coins} per "
    "ogni suo edificio con il simbolo {signs}",
    "from_one": "Nel tuo turno un avversario a tua scelta ti paga {coins}",
    "from_roller:any": "L’avversario di turno ti paga {coins}",
    "from_roller:landmarks": "L’avversario di turno ti paga {coins}, se ha costruito almeno {landmarks} "
    "punti d’interesse",
    "give_on_double": _ALL + "chi ottiene lo stesso numero su entrambi i dadi, dopo tutti gli altri effetti "
    "del lancio, deve cedere un suo edificio a scelta al giocatore che lo precede nell’ordine di turno",
    "half_from_each:own_turn": "Nel tuo turno ogni avversario che ha {threshold} o più monete te ne dà la "
    "metà, arrotondata per difetto",
    "half_from_each:when_built": "Quando costruisci questa carta, ogni avversario che ha {threshold} o più "
    "monete te ne dà la metà, arrotondata per difetto",
    "help": "Se nel tuo turno, prima di costruire, non hai monete, ricevi {coins} dalla banca",
    "income_if_nothing_received": _ALL + "chi lancia due dadi e con quel lancio non incassa nulla riceve "
    "{coins} dalla banca",
    "income_on_pass:all_players": _ALL + "chi non costruisce nulla nel proprio turno riceve {coins} dalla "
    "banca",
    "income_on_pass:own": "Se nel tuo turno non costruisci nulla, ricevi {coins} dalla banca",
    "income_on_total": _ALL + "chi ottiene un totale di {threshold} riceve {coins} dalla banca",
    "invest": "Alla fine di ogni tuo turno puoi mettere {coins} su questa carta, dove resta; quando la "
    "carta si attiva nel tuo turno, ogni avversario ti paga tante monete quante ce ne sono sopra",
    "level_coins:own_turn": "Nel tuo turno le monete di tutti i giocatori vengono riunite e divise in parti "
    "uguali, arrotondate per eccesso; la banca aggiunge quelle che mancano",
    "level_coins:when_built": "Quando costruisci questa carta, le monete di tutti i giocatori vengono "
    "riunite e divise in parti uguali, arrotondate per eccesso; la banca aggiunge quelle che mancano",
    "move": "Nel tuo turno devi cedere un tuo edificio a un avversario, ma non uno con il simbolo della "
    "torre; in cambio ricevi {coins} dalla banca",
    "own_landmark_discount": "Puoi costruire questa carta solo se non hai nessun punto d’interesse e ogni "
    "avversario ne ha almeno uno; ogni tuo punto d’interesse successivo costa {coins} in meno",
    "per_counted:card_boosted_each": "Nel tuo turno ricevi {coins} dalla banca per ogni tua carta {card}; "
    "il bonus per il simbolo di questa carta si aggiunge per ognuna di esse",
    "per_counted:card_closing": "Nel tuo turno ricevi {coins} dalla banca per ogni tua carta {card}; poi "
    "questa carta chiude per lavori",
    "per_counted:signs": "Nel tuo turno ricevi {coins} dalla banca per ogni tuo edificio con il simbolo "
    "{signs}",
    "per_counted_of_all": "Nel tuo turno ricevi {coins} dalla banca per ogni edificio di qualsiasi "
    "giocatore con il simbolo {signs}",
    "renovate": "Nel tuo turno scegli un tipo di edificio senza il simbolo della torre: tutte le sue carte, "
    "in ogni città, chiudono per lavori e ogni avversario ti paga {coins} per ognuna delle sue; una carta "
    "chiusa, invece di attivarsi, la volta successiva riapre soltanto",
    "reroll": "Una volta in ogni tuo turno puoi ripetere il lancio con lo stesso numero di dadi; vale "
    "l’ultimo",
    "swap:itself_too": "Nel tuo turno puoi scambiare un tuo edificio (anche questo) con uno di un avversario",
    "swap:no_towers": "Nel tuo turno puoi scambiare un tuo edificio con uno di un avversario; le carte con "
    "il simbolo della torre non si possono scambiare",
    "to_bank": "Quando costruisci questa carta, ricevi {bonus} dalla banca; nel tuo turno paghi {coins} "
    "alla banca",
    "two_dice": "Nel tuo turno puoi lanciare due dadi invece di uno",
    "win": "Quando costruisci questa carta, vinci all’istante",
}

WORDING: Final = Wording(
    coins=coins,
    signs=_SIGNS,
    either=" o ",
    quotes=("«", "»"),
    condition=", se hai costruito il punto d’interesse {card}",
    sentences=_SENTENCES,
)
