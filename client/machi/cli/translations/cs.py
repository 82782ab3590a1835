"""Czech."""

from typing import Final

from machi.cli.translations.translation import Translation

TRANSLATION: Final = Translation(
    help="""\
Vybírá se číslem nebo začátkem názvu karty.
  ?          tato nápověda a co dělá každá karta v nabídce
  ? KARTA    co karta dělá, podle názvu nebo čísla
  table      znovu ukázat města
  resign     vzdát partii
  q          odejít; partie zůstane a lze se k ní vrátit""",
    prompt="Vaše volba{time} [{span}, ?, q]: ",
    time_left=" (zbývá {seconds} s)",
    enter="Enter",
    give_up="Vzdát partii? [a/N] ",
    yes=("a", "ano", "y", "yes"),
    none_of_these="{typed}: to v nabídce není; ? napoví",
    explains="? napoví",
    no_card="karta {typed} neexistuje",
    card="karta",
    colour="barva",
    coins="mince",
    built="stojí",
    closed="{count} ({closed} zavřeno)",
    price="cena",
    left="zbývá",
    landmark="dominanta",
    colours={
        "blue": "modrá",
        "green": "zelená",
        "red": "červená",
        "purple": "fialová",
        "orange": "oranžová",
    },
    short="chybí {coins}",
    why_not={
        "major_already_owned": "jedna na město",
        "copy_limit_reached": "víc už nelze",
        "loan_office_condition": "jen poslednímu bez ní",
    },
    dice="Na kostkách je {dice}. ",
    dice_added="Na kostkách je {dice}, s přidanými 2 je to {total}. ",
    purses="Mince: {purses}.",
    roll_one="Hodit jednou kostkou",
    roll_two="Hodit dvěma kostkami",
    roll_again="Hodit znovu",
    keep="Ponechat {dice}",
    add_two="Přidat 2: {total}",
    leave="Nepřidávat: {dice}",
    take_coins="Vzít mince hráči {seat} (mince: {coins})",
    take_card="Vzít kartu „{card}“ hráči {seat}",
    give_for="Dát „{give}“ za „{take}“",
    give_away="Odevzdat „{card}“",
    demolish="Zbourat „{card}“",
    move="Dát „{card}“ hráči {seat}",
    renovate="Zavřít kvůli renovaci „{card}“",
    invest="Vložit minci",
    invest_nothing="Nic nevkládat",
    trade_nothing="Nic neměnit",
    build="Postavit „{card}“",
    build_nothing="Nic nestavět",
    waiting="čeká se: {who} ...",
    to_join="volná místa; přidat se: machi play --join {match}",
    seeds_due="semínka ostatních hráčů pro kostky",
    without_you="Partie pokračuje bez vás. Sledovat: machi watch {match}",
    moved_on="Partie mezitím pokročila:",
    refused="Služba tento tah odmítla ({code}).",
    you_left="Odešli jste; partie zůstává. {back}",
    interrupted="Přerušeno; partie zůstává. {back}",
    kept="Partie zůstává. {back}",
    come_back="Návrat: machi play {match}",
    title="{ruleset}, partie {match}",
    won="Vítěz: {name} ({reason}). Tahů: {turns}, událostí: {events}.",
    nobody_won="Nikdo nevyhrál: partie je {status} ({reason}).",
    stands="Partie je {status}; tah {turn}, událost {event}.",
    reasons={
        "landmarks": "postavené dominanty",
        "resignation": "soupeři se vzdali",
        "creator": "rozhodnutí zakladatele",
        "turn_limit": "nejvyšší počet tahů",
        "dice_tape_exhausted": "zadané hody došly",
        "dice_tape_mismatch": "zadané hody nesedí",
        "seat_seed_withheld": "hráč neodhalil své semínko",
    },
    statuses={"open": "otevřená", "running": "rozehraná", "finished": "dohraná", "aborted": "přerušená"},
)
