"""The sentences of match logs in Ukrainian."""

from typing import Final

from domain.languages.language import Telling, east_slavic
from domain.languages.texts import uk


def _cards(copies: int, card: str) -> str:
    noun = east_slavic(copies, "карту", "карти", "карт")
    return f"{noun} {card}" if copies == 1 else f"{copies} {noun} {card}"


def _players(count: int) -> str:
    return f"{count} {east_slavic(count, 'гравця', 'гравців', 'гравців')}"


_GAMES: Final = {
    "base": "«Мачі Коро»",
    "harbor": "«Мачі Коро» з доповненням «Порт»",
    "machi_koro_2": "«Мачі Коро 2»",
    "millionaires_row": "«Мачі Коро» з доповненням «Квартал мільйонерів»",
    "harbor_millionaires_row": "«Мачі Коро» з доповненнями «Порт» і «Квартал мільйонерів»",
}

_PARTS: Final = {
    "box:four_player": "видання для чотирьох гравців",
    "box:five_player": "видання для п’яти гравців",
    "market:limited": "обмежений ринок",
    "max_copies": "не більше {count} однакових підприємств у місті",
    "card_costs": "змінені ціни ({prices})",
    "clock:default_command": "{time} на кожне рішення, потім діє типовий вибір",
    "clock:strategy": "{time} на кожне рішення, потім за гравця грає комп’ютер",
    "clock:forfeit": "{time} на кожне рішення, потім гравець вибуває",
    "clock_bank": "запас часу кожного гравця: {time}",
    "clock_increment": "надбавка до запасу після кожного ходу: {time}",
    "origin": "продовження партії {match} після події {version}",
    "dice:committed": "кидки визначає таємне зерно",
    "dice:seat_seeds": "кидки визначають таємне зерно й зерна гравців",
    "dice:same": "кидки визначає зерно тієї партії",
    "dice:scripted": "кидки задано заздалегідь",
    "position": "задана позиція",
}

_SENTENCES: Final = {
    "match_created": "Нова партія в {game} для {players}: {parts}.",
    "seat_taken:account": "{name} займає місце {seat}.",
    "seat_taken:strategy": "Комп’ютерний гравець {name} займає місце {seat}.",
    "seat_reserved": "{name} має запрошення на місце {seat}.",
    "reservation_ended:declined": "{name} відхиляє запрошення: місце {seat} вільне.",
    "reservation_ended:withdrawn": "Запрошення для гравця {name} скасовано: місце {seat} вільне.",
    "seat_seed_committed": "{name} фіксує своє зерно хешем: {commitment}.",
    "seat_seed_forgone": "{name} вчасно не фіксує зерна й не додає його.",
    "seat_seed_opened": "{name} розкриває своє зерно: {seed}.",
    "seat_seed_withheld": "{name} не розкриває своє зерно вчасно.",
    "match_started": "Партія починається: перший хід робить {name}, кожен гравець має {coins}.",
    "match_started:position": "Партія починається із заданої позиції: перший хід робить {name}; монети: "
    "{purses}.",
    "branch_started": "Партія продовжується з ходу {turn}: ходить {name}; монети: {purses}.",
    "branch_started:thrown": "Партія продовжується з ходу {turn}: ходить {name}; кубики: {throw}; монети: "
    "{purses}.",
    "branch_started:choice": "Партія продовжується з ходу {turn}: ходить {name}; кубики: {throw}; "
    "незавершений вибір: {card}; монети: {purses}.",
    "tokens_placed": "Від початку закрито на ремонт або вкладено: {tokens}.",
    "turn_started:roll": "Починається хід {turn}: ходить {name}.",
    "turn_started:extra": "Починається хід {turn}: {name} ходить ще раз.",
    "turn_started:setup": "Починається хід {turn}, раунд будівництва {round} з {rounds}: ходить {name}.",
    "turn_started:build": "Хід {turn} починається з будівництва: ходить {name}.",
    "turn_ended": "{name} завершує хід {turn}.",
    "dice_rolled:roll:one": "{name} кидає один кубик: {throw}.",
    "dice_rolled:roll:two": "{name} кидає два кубики: {throw}.",
    "dice_rolled:roll:double": "{name} кидає два кубики: {throw}, дубль.",
    "dice_rolled:reroll:one": "{name} ще раз кидає один кубик: {throw}.",
    "dice_rolled:reroll:two": "{name} ще раз кидає два кубики: {throw}.",
    "dice_rolled:reroll:double": "{name} ще раз кидає два кубики: {throw}, дубль.",
    "dice_rolled:boats": "За картою {card} {name} кидає два кубики: {throw}.",
    "choice_requested:reroll": "Завдяки карті {card} {name} може повторити кидок.",
    "choice_requested:add_two": "Завдяки карті {card} {name} може додати {amount} до суми {total}.",
    "choice_requested:take_coins": "{name} вибирає, хто заплатить {coins} за {cards}.",
    "choice_requested:swap": "Завдяки карті {card} {name} може обміняти підприємство.",
    "choice_requested:swap:more": "Завдяки карті {card} {name} може обміняти підприємство; залишилося "
    "обмінів: {count}.",
    "choice_requested:give": "За картою {card} {name} вибирає, яке підприємство віддати.",
    "choice_requested:demolish": "За картою {card} {name} вибирає, яку пам’ятку знести; залишилося знесень: "
    "{count}.",
    "choice_requested:move": "За картою {card} {name} вибирає, яке підприємство та кому віддати; "
    "залишилося: {count}.",
    "choice_requested:renovate": "За картою {card} {name} вибирає, що закрити на ремонт.",
    "choice_requested:invest": "{name} може покласти {coins} на карту {card}.",
    "choice_lapsed": "За картою {card} {name} більше не має з чого вибирати.",
    "dice_kept:reroll": "{name} залишає кидок без змін: {total}.",
    "dice_kept:add_two": "{name} нічого не додає, сума не змінюється: {total}.",
    "two_added": "{name} додає до кидка {amount}: {thrown} + {amount} = {total}.",
    "establishments_reopened": "Замість дії {name} знову відкриває після ремонту {cards}.",
    "income_received": "{name} отримує від банку {coins} за {cards}.",
    "fee_paid": "{name} платить банку {coins} за {cards}.",
    "fee_paid:part": "{name} платить банку лише {coins} замість {owed} за {cards}.",
    "fee_paid:none": "{name} не може заплатити банку {coins} за {cards}: гаманець порожній.",
    "payment_made": "{payer} платить {coins} гравцеві {payee} за {cards}.",
    "payment_made:part": "{payer} платить лише {coins} замість {owed} гравцеві {payee} за {cards}.",
    "payment_made:none": "{payer} не може заплатити {coins} гравцеві {payee} за {cards}: гаманець порожній.",
    "target_chosen": "За картою {card} {name} вибирає гравця {target}.",
    "establishments_swapped": "{name} віддає гравцеві {other} карту {given} та отримує за неї карту {taken}.",
    "swap_declined": "{name} відмовляється від обміну.",
    "establishment_given": "{name} віддає гравцеві {other} карту {card}.",
    "renovation_moved": "Карта {card}, яку {other} отримує від гравця {name}, залишається закритою на "
    "ремонт.",
    "landmark_demolished": "За картою {card} {name} зносить визначну пам’ятку {landmark}.",
    "establishments_closed": "За картою {card} гравця {name} закривається на ремонт "
    "{establishment}: {copies}.",
    "coins_levelled": "За картою {card} {name} ділить усі монети порівну: кожен гравець тепер має {share}.",
    "coins_levelled:bank": "За картою {card} {name} ділить усі монети порівну: банк додає {coins}, і кожен "
    "гравець тепер має {share}.",
    "help_received": "{name} не має монет і отримує від банку {coins}.",
    "help_received:card": "{name} не має монет і отримує від банку {coins} за карту {card}.",
    "establishment_built": "{name} будує підприємство {card} за {coins}.",
    "establishment_built:free": "{name} безкоштовно будує підприємство {card}.",
    "landmark_built": "{name} будує визначну пам’ятку {card} за {coins}.",
    "landmark_built:free": "{name} безкоштовно будує визначну пам’ятку {card}.",
    "build_passed": "{name} нічого не будує.",
    "coin_invested": "{name} кладе {coins} на карту {card}: разом {total}.",
    "investment_declined": "{name} нічого не вкладає.",
    "market_refilled:market": "Нове на ринку: {cards}.",
    "market_refilled:low": "Нове серед підприємств 1–6: {cards}.",
    "market_refilled:high": "Нове серед підприємств 7–12: {cards}.",
    "market_refilled:landmarks": "Нове серед визначних пам’яток: {cards}.",
    "extra_turn_granted": "Завдяки карті {card} {name} отримує ще один хід.",
    "clock_expired:default_command": "Час гравця {name} вийшов: діє типовий вибір.",
    "clock_expired:strategy": "Час гравця {name} вийшов: далі грає комп’ютер.",
    "clock_expired:forfeit": "Час гравця {name} вийшов: гравець вибуває.",
    "bank_changed:spent": "{name} витрачає {spent} із запасу часу, залишається {left}.",
    "bank_changed:added": "Запас часу гравця {name} зростає на {added}: тепер {left}.",
    "bank_changed:both": "{name} витрачає {spent} із запасу часу й отримує {added}: тепер {left}.",
    "controller_changed:account": "На місці {seat} замість гравця {name} тепер грає {new}.",
    "controller_changed:strategy": "На місці {seat} замість гравця {name} тепер грає комп’ютерний гравець "
    "{new}.",
    "seat_resigned:command": "{name} здається й виходить із партії.",
    "seat_resigned:clock": "{name} виходить із партії: час вийшов.",
    "match_finished:landmarks": "{name} перемагає, збудовано визначних пам’яток: {count}.",
    "match_finished:instant": "{name} перемагає завдяки визначній пам’ятці {card}.",
    "match_finished:resignation": "{name} перемагає: усі суперники вийшли з партії.",
    "match_aborted:creator": "Партію скасовує її автор.",
    "match_aborted:turn_limit": "Партію перервано: досягнуто межі кількості ходів ({turn}).",
    "match_aborted:dice_tape_exhausted": "Партію перервано: задані кидки закінчилися.",
    "match_aborted:dice_tape_mismatch": "Партію перервано: у наступному із заданих кидків інша кількість "
    "кубиків.",
    "match_aborted:seat_seed_withheld": "Партію скасовано: гравець не розкрив своє зерно.",
    "dice_revealed": "Зерно кидків розкрито: {seed}.",
}

TELLING: Final = Telling(
    wording=uk.WORDING,
    cards=_cards,
    players=_players,
    games=_GAMES,
    same_name="{name} (місце {seat})",
    units=("год", "хв", "с"),
    decimal=",",
    parts=_PARTS,
    sentences=_SENTENCES,
)
