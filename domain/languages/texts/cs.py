"""Card texts in Czech."""

from typing import Final

from domain.languages.language import Wording, czech


def coins(count: int) -> str:
    """So many coins, in the accusative."""
    return f"{count} {czech(count, 'minci', 'mince', 'mincí')}"


_SIGNS: Final = {
    "boat": "lodi",
    "bread": "chleba",
    "briefcase": "aktovky",
    "combo": "kombinace",
    "cow": "krávy",
    "cup": "šálku",
    "factory": "továrny",
    "flower": "květiny",
    "fruit": "ovoce",
    "gear": "ozubeného kola",
    "major": "velkého objektu",
    "tower": "věže",
    "wheat": "pšenice",
}

_ALL: Final = "Po postavení platí pro všechny hráče: "

_SENTENCES: Final = {
    "add_two": "Padne-li vám součet {threshold} nebo více, můžete k němu přičíst {amount}",
    "all_from_roller": "Pokud soupeř na tahu postavil alespoň {landmarks} dominanty, zaplatí vám všechny "
    "své mince",
    "boats": "V tahu kteréhokoli hráče hodí hráč na tahu jednou pro všechny dvěma kostkami a vy dostanete z "
    "banku tolik mincí, kolik padlo celkem",
    "boost:all_players": _ALL + "každý objekt se symbolem {signs} při aktivaci vynese majiteli o {coins} "
    "více",
    "boost:own": "Každý váš objekt se symbolem {signs} vám při aktivaci vynese o {coins} více",
    "demolish": "Ve svém tahu musíte zbourat jednu ze svých postavených dominant, máte-li nějakou; "
    "dostanete za to z banku {coins}",
    "discount": _ALL + "karta {card} stojí o {coins} méně",
    "extra_turn": "Po tahu, ve kterém tuto dominantu postavíte, odehrajete ještě jeden",
    "extra_turn_on_double:all_players": _ALL + "komu padnou dvě stejná čísla, ten po tomto tahu odehraje "
    "ještě jeden",
    "extra_turn_on_double:own": "Padnou-li vám dvě stejná čísla, odehrajete po tomto tahu ještě jeden",
    "from_bank:any_turn": "V tahu kteréhokoli hráče dostanete z banku {coins}",
    "from_bank:any_turn_below": "V tahu kteréhokoli hráče dostanete z banku {coins}, dokud jste postavili "
    "méně než {landmarks} dominanty",
    "from_bank:own_turn": "Ve svém tahu dostanete z banku {coins}",
    "from_bank:own_turn_below": "Ve svém tahu dostanete z banku {coins}, dokud jste postavili méně než "
    "{landmarks} dominanty",
    "from_each:own_turn": "Ve vašem tahu vám každý soupeř zaplatí {coins}",
    "from_each:when_built": "Ihned po postavení vám každý soupeř zaplatí {coins}",
    "from_each_on_double": _ALL + "komu padnou dvě stejná čísla, tomu každý soupeř zaplatí {coins}",
    "from_each_per_landmark": "Ihned po postavení vám každý soupeř zaplatí {coins} za každou dominantu, "
    "kterou postavil",
    "from_each_per_symbol:own_turn": "Ve vašem tahu vám každý soupeř zaplatí {coins} za každý svůj objekt "
    "se symbolem {signs}",
    "from_each_per_symbol:when_built": "Ihned po postavení vám každý soupeř zaplatí {coins} za každý svůj "
    "objekt se symbolem {signs}",
    "from_one": "Ve vašem tahu vám jeden soupeř podle vašeho výběru zaplatí {coins}",
    "from_roller:any": "Soupeř na tahu vám zaplatí {coins}",
    "from_roller:landmarks": "Soupeř na tahu vám zaplatí {coins}, pokud postavil alespoň {landmarks} "
    "dominanty",
    "give_on_double": _ALL + "komu padnou dvě stejná čísla, ten musí po všech ostatních účincích hodu dát "
    "jeden svůj objekt podle vlastního výběru hráči, který je na tahu před ním",
    "half_from_each:own_turn": "Ve vašem tahu vám každý soupeř, který má {threshold} nebo více mincí, dá "
    "jejich polovinu, zaokrouhlenou dolů",
    "half_from_each:when_built": "Ihned po postavení vám každý soupeř, který má {threshold} nebo více "
    "mincí, dá jejich polovinu, zaokrouhlenou dolů",
    "help": "Nemáte-li ve svém tahu před stavbou žádné mince, dostanete z banku {coins}",
    "income_if_nothing_received": _ALL + "kdo hodí dvěma kostkami a za tento hod nezíská žádnou minci, "
    "dostane z banku {coins}",
    "income_on_pass:all_players": _ALL + "kdo ve svém tahu nic nepostaví, dostane z banku {coins}",
    "income_on_pass:own": "Když ve svém tahu nic nepostavíte, dostanete z banku {coins}",
    "income_on_total": _ALL + "komu padne součet {threshold}, ten dostane z banku {coins}",
    "invest": "Na konci každého svého tahu můžete na tuto kartu položit {coins}, kde už zůstane; když se "
    "karta aktivuje ve vašem tahu, každý soupeř vám zaplatí tolik mincí, kolik na ní leží",
    "level_coins:own_turn": "Ve vašem tahu se mince všech hráčů dají dohromady a rozdělí rovným dílem, "
    "každý podíl se zaokrouhlí nahoru; co chybí, doplní bank",
    "level_coins:when_built": "Ihned po postavení se mince všech hráčů dají dohromady a rozdělí rovným "
    "dílem, každý podíl se zaokrouhlí nahoru; co chybí, doplní bank",
    "move": "Ve svém tahu musíte dát soupeři jeden svůj objekt, ale ne se symbolem věže; dostanete za to z "
    "banku {coins}",
    "own_landmark_discount": "Tuto dominantu můžete postavit, jen když nemáte žádnou dominantu a každý "
    "soupeř má alespoň jednu; každá vaše další dominanta stojí o {coins} méně",
    "per_counted:card_boosted_each": "Ve svém tahu dostanete z banku {coins} za každou svou kartu {card}; "
    "bonus za symbol této karty se počítá za každou z nich",
    "per_counted:card_closing": "Ve svém tahu dostanete z banku {coins} za každou svou kartu {card}; potom "
    "se tato karta zavře kvůli renovaci",
    "per_counted:signs": "Ve svém tahu dostanete z banku {coins} za každý svůj objekt se symbolem {signs}",
    "per_counted_of_all": "Ve svém tahu dostanete z banku {coins} za každý objekt kteréhokoli hráče se "
    "symbolem {signs}",
    "renovate": "Ve svém tahu zvolte druh objektů bez symbolu věže: všechny takové karty ve všech městech "
    "se zavřou kvůli renovaci a každý soupeř vám zaplatí {coins} za každou svou; zavřená karta se místo "
    "příští aktivace jen znovu otevře",
    "reroll": "Jednou za svůj tah můžete hod zopakovat se stejným počtem kostek; platí poslední hod",
    "swap:itself_too": "Ve svém tahu můžete vyměnit jeden svůj objekt (třeba i tento) za jeden objekt "
    "soupeře",
    "swap:no_towers": "Ve svém tahu můžete vyměnit jeden svůj objekt za jeden objekt soupeře; karty se "
    "symbolem věže vyměnit nelze",
    "to_bank": "Ihned po postavení dostanete z banku {bonus}; ve svém tahu zaplatíte bance {coins}",
    "two_dice": "Ve svém tahu můžete házet dvěma kostkami místo jedné",
    "win": "Jakmile tuto dominantu postavíte, vítězíte",
}

WORDING: Final = Wording(
    coins=coins,
    signs=_SIGNS,
    either=" nebo ",
    quotes=("„", "“"),
    condition=", pokud jste postavili dominantu {card}",
    sentences=_SENTENCES,
)
