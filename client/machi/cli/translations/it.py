"""Italian."""

from typing import Final

from machi.cli.translations.translation import Translation

TRANSLATION: Final = Translation(
    help="""\
Si sceglie con un numero o con l'inizio del nome di una carta.
  ?          questo aiuto, e che cosa fa ogni carta del menu
  ? CARTA    che cosa fa una carta, per nome o numero
  table      mostra di nuovo le città
  resign     abbandona la partita
  q          esci; la partita resta, e puoi tornare""",
    prompt="La tua scelta{time} [{span}, ?, q]: ",
    time_left=" (restano {seconds} s)",
    enter="Invio",
    give_up="Abbandonare la partita? [s/N] ",
    yes=("s", "si", "sì", "y", "yes"),
    none_of_these="{typed} non è nel menu; ? per l'aiuto",
    explains="? per l'aiuto",
    no_card="non c'è nessuna carta {typed}",
    card="carta",
    colour="colore",
    coins="monete",
    built="sì",
    closed="{count} ({closed} chiuse)",
    price="prezzo",
    left="restano",
    landmark="speciale",
    colours={"blue": "blu", "green": "verde", "red": "rosso", "purple": "viola", "orange": "arancione"},
    short="mancano {coins}",
    why_not={
        "major_already_owned": "una per città",
        "copy_limit_reached": "limite raggiunto",
        "loan_office_condition": "solo per l'ultimo senza",
    },
    dice="I dadi mostrano {dice}. ",
    dice_added="I dadi mostrano {dice}, e con 2 in più fa {total}. ",
    purses="Monete: {purses}.",
    roll_one="Lancia un dado",
    roll_two="Lancia due dadi",
    roll_again="Lancia di nuovo",
    keep="Tieni {dice}",
    add_two="Aggiungi 2: {total}",
    leave="Lascia {dice}",
    take_coins="Prendi da {seat} (monete: {coins})",
    take_card="Prendi {card} da {seat}",
    give_for="Dai {give} in cambio di {take}",
    give_away="Cedi {card}",
    demolish="Demolisci {card}",
    move="Cedi {card} a: {seat}",
    renovate="Chiudi per lavori {card}",
    invest="Investi una moneta",
    invest_nothing="Non investire nulla",
    trade_nothing="Non scambiare nulla",
    build="Costruisci {card}",
    build_nothing="Non costruire nulla",
    waiting="in attesa: {who} ...",
    to_join="posti liberi; per unirsi: machi play --join {match}",
    seeds_due="i semi degli altri giocatori per i dadi",
    without_you="La partita continua senza di te. Per guardarla: machi watch {match}",
    moved_on="Nel frattempo la partita è andata avanti:",
    refused="Il servizio ha rifiutato questa mossa ({code}).",
    you_left="Sei uscito; la partita resta. {back}",
    interrupted="Interrotto; la partita resta. {back}",
    kept="La partita resta. {back}",
    come_back="Per tornare: machi play {match}",
    title="{ruleset}, partita {match}",
    won="Vince {name} ({reason}). Turni: {turns}, eventi: {events}.",
    nobody_won="Nessuno ha vinto: la partita è {status} ({reason}).",
    stands="La partita è {status}; turno {turn}, evento {event}.",
    reasons={
        "landmarks": "punti d’interesse costruiti",
        "resignation": "gli avversari hanno abbandonato",
        "creator": "decisione di chi l'ha creata",
        "turn_limit": "limite di turni",
        "dice_tape_exhausted": "lanci assegnati esauriti",
        "dice_tape_mismatch": "lanci assegnati non adatti",
        "seat_seed_withheld": "un giocatore non ha rivelato il suo seme",
    },
    statuses={"open": "aperta", "running": "in corso", "finished": "finita", "aborted": "interrotta"},
)
