"""The sentences of match logs in Russian."""

from typing import Final

from domain.languages.language import Telling, east_slavic
from domain.languages.texts import ru


def _cards(copies: int, card: str) -> str:
    noun = east_slavic(copies, "карту", "карты", "карт")
    return f"{noun} {card}" if copies == 1 else f"{copies} {noun} {card}"


def _players(count: int) -> str:
    return f"{count} {east_slavic(count, 'игрока', 'игроков', 'игроков')}"


_GAMES: Final = {
    "base": "«Мачи Коро»",
    "harbor": "«Мачи Коро» с дополнением «Порт»",
    "machi_koro_2": "«Мачи Коро 2»",
    "millionaires_row": "«Мачи Коро» с дополнением «Квартал миллионеров»",
    "harbor_millionaires_row": "«Мачи Коро» с дополнениями «Порт» и «Квартал миллионеров»",
}

_PARTS: Final = {
    "box:four_player": "издание для четырёх игроков",
    "box:five_player": "издание для пяти игроков",
    "market:limited": "ограниченный рынок",
    "max_copies": "не больше {count} одинаковых предприятий в городе",
    "card_costs": "изменённые цены ({prices})",
    "clock:default_command": "{time} на каждое решение, затем действует выбор по умолчанию",
    "clock:strategy": "{time} на каждое решение, затем за игрока играет компьютер",
    "clock:forfeit": "{time} на каждое решение, затем игрок выбывает",
    "clock_bank": "запас времени каждого игрока: {time}",
    "clock_increment": "прибавка к запасу после каждого хода: {time}",
    "origin": "продолжение партии {match} после события {version}",
    "dice:committed": "броски определяет тайное зерно",
    "dice:seat_seeds": "броски определяют тайное зерно и зёрна игроков",
    "dice:same": "броски определяет зерно той партии",
    "dice:scripted": "броски заданы заранее",
    "position": "заданная позиция",
}

_SENTENCES: Final = {
    "match_created": "Новая партия в {game} для {players}: {parts}.",
    "seat_taken:account": "{name} занимает место {seat}.",
    "seat_taken:strategy": "Компьютерный игрок {name} занимает место {seat}.",
    "seat_reserved": "{name} получает приглашение на место {seat}.",
    "reservation_ended:declined": "{name} отклоняет приглашение: место {seat} свободно.",
    "reservation_ended:withdrawn": "Приглашение для игрока {name} отозвано: место {seat} свободно.",
    "seat_seed_committed": "{name} фиксирует своё зерно хешем: {commitment}.",
    "seat_seed_forgone": "{name} вовремя не фиксирует зерно и не добавляет его.",
    "seat_seed_opened": "{name} раскрывает своё зерно: {seed}.",
    "seat_seed_withheld": "{name} не раскрывает своё зерно вовремя.",
    "match_started": "Партия начинается: первый ход делает {name}, каждый игрок получает {coins}.",
    "match_started:position": "Партия начинается с заданной позиции: первый ход делает {name}; монеты: "
    "{purses}.",
    "branch_started": "Партия продолжается с хода {turn}: ходит {name}; монеты: {purses}.",
    "branch_started:thrown": "Партия продолжается с хода {turn}: ходит {name}; кубики: {throw}; монеты: "
    "{purses}.",
    "branch_started:choice": "Партия продолжается с хода {turn}: ходит {name}; кубики: {throw}; "
    "незавершённый выбор: {card}; монеты: {purses}.",
    "tokens_placed": "С самого начала закрыто на ремонт или вложено: {tokens}.",
    "turn_started:roll": "Начинается ход {turn}: ходит {name}.",
    "turn_started:extra": "Начинается ход {turn}: {name} ходит ещё раз.",
    "turn_started:setup": "Начинается ход {turn}, раунд строительства {round} из {rounds}: ходит {name}.",
    "turn_started:build": "Ход {turn} начинается со строительства: ходит {name}.",
    "turn_ended": "{name} завершает ход {turn}.",
    "dice_rolled:roll:one": "{name} бросает один кубик: {throw}.",
    "dice_rolled:roll:two": "{name} бросает два кубика: {throw}.",
    "dice_rolled:roll:double": "{name} бросает два кубика: {throw}, дубль.",
    "dice_rolled:reroll:one": "{name} ещё раз бросает один кубик: {throw}.",
    "dice_rolled:reroll:two": "{name} ещё раз бросает два кубика: {throw}.",
    "dice_rolled:reroll:double": "{name} ещё раз бросает два кубика: {throw}, дубль.",
    "dice_rolled:boats": "По карте {card} {name} бросает два кубика: {throw}.",
    "choice_requested:reroll": "Благодаря карте {card} {name} может повторить бросок.",
    "choice_requested:add_two": "Благодаря карте {card} {name} может прибавить {amount} к сумме {total}.",
    "choice_requested:take_coins": "{name} выбирает, кто заплатит {coins} за {cards}.",
    "choice_requested:swap": "Благодаря карте {card} {name} может обменять предприятие.",
    "choice_requested:swap:more": "Благодаря карте {card} {name} может обменять предприятие; осталось "
    "обменов: {count}.",
    "choice_requested:give": "По карте {card} {name} выбирает, какое предприятие отдать.",
    "choice_requested:demolish": "По карте {card} {name} выбирает, какую достопримечательность снести; "
    "осталось сносов: {count}.",
    "choice_requested:move": "По карте {card} {name} выбирает, какое предприятие и кому отдать; осталось: "
    "{count}.",
    "choice_requested:renovate": "По карте {card} {name} выбирает, что закрыть на ремонт.",
    "choice_requested:invest": "{name} может положить {coins} на карту {card}.",
    "choice_lapsed": "По карте {card} игроку {name} больше не из чего выбирать.",
    "dice_kept:reroll": "{name} оставляет бросок без изменений: {total}.",
    "dice_kept:add_two": "{name} ничего не прибавляет, сумма не меняется: {total}.",
    "two_added": "{name} прибавляет к броску {amount}: {thrown} + {amount} = {total}.",
    "establishments_reopened": "Вместо действия {name} снова открывает после ремонта {cards}.",
    "income_received": "{name} получает от банка {coins} за {cards}.",
    "fee_paid": "{name} платит банку {coins} за {cards}.",
    "fee_paid:part": "{name} платит банку только {coins} вместо {owed} за {cards}.",
    "fee_paid:none": "{name} не может заплатить банку {coins} за {cards}: кошелёк пуст.",
    "payment_made": "{payer} платит {coins} игроку {payee} за {cards}.",
    "payment_made:part": "{payer} платит только {coins} вместо {owed} игроку {payee} за {cards}.",
    "payment_made:none": "{payer} не может заплатить {coins} игроку {payee} за {cards}: кошелёк пуст.",
    "target_chosen": "По карте {card} {name} выбирает игрока {target}.",
    "establishments_swapped": "{name} отдаёт игроку {other} карту {given} и получает за неё карту {taken}.",
    "swap_declined": "{name} отказывается от обмена.",
    "establishment_given": "{name} отдаёт игроку {other} карту {card}.",
    "renovation_moved": "Карта {card}, которую {other} получает от игрока {name}, остаётся закрытой на "
    "ремонт.",
    "landmark_demolished": "По карте {card} {name} сносит достопримечательность {landmark}.",
    "establishments_closed": "По карте {card} игрока {name} закрывается на ремонт {establishment}: {copies}.",
    "coins_levelled": "По карте {card} {name} делит все монеты поровну: каждый игрок получает {share}.",
    "coins_levelled:bank": "По карте {card} {name} делит все монеты поровну: банк добавляет {coins}, и "
    "каждый игрок получает {share}.",
    "help_received": "У игрока {name} нет монет: банк платит {coins}.",
    "help_received:card": "У игрока {name} нет монет: банк платит {coins} за карту {card}.",
    "establishment_built": "{name} строит предприятие {card} за {coins}.",
    "establishment_built:free": "{name} бесплатно строит предприятие {card}.",
    "landmark_built": "{name} строит достопримечательность {card} за {coins}.",
    "landmark_built:free": "{name} бесплатно строит достопримечательность {card}.",
    "build_passed": "{name} ничего не строит.",
    "coin_invested": "{name} кладёт {coins} на карту {card}: всего {total}.",
    "investment_declined": "{name} ничего не вкладывает.",
    "market_refilled:market": "Новое на рынке: {cards}.",
    "market_refilled:low": "Новое среди предприятий 1–6: {cards}.",
    "market_refilled:high": "Новое среди предприятий 7–12: {cards}.",
    "market_refilled:landmarks": "Новое среди достопримечательностей: {cards}.",
    "extra_turn_granted": "Благодаря карте {card} {name} получает ещё один ход.",
    "clock_expired:default_command": "Время игрока {name} вышло: действует выбор по умолчанию.",
    "clock_expired:strategy": "Время игрока {name} вышло: дальше играет компьютер.",
    "clock_expired:forfeit": "Время игрока {name} вышло: игрок выбывает.",
    "bank_changed:spent": "{name} тратит {spent} из запаса времени, остаётся {left}.",
    "bank_changed:added": "Запас времени игрока {name} растёт на {added}: теперь {left}.",
    "bank_changed:both": "{name} тратит {spent} из запаса времени и получает {added}: теперь {left}.",
    "controller_changed:account": "На месте {seat} вместо игрока {name} теперь играет {new}.",
    "controller_changed:strategy": "На месте {seat} вместо игрока {name} теперь играет компьютерный игрок "
    "{new}.",
    "seat_resigned:command": "{name} сдаётся и выходит из партии.",
    "seat_resigned:clock": "{name} выходит из партии: время вышло.",
    "match_finished:landmarks": "{name} побеждает, построено достопримечательностей: {count}.",
    "match_finished:instant": "{name} побеждает благодаря достопримечательности {card}.",
    "match_finished:resignation": "{name} побеждает: все соперники вышли из партии.",
    "match_aborted:creator": "Партия отменена её создателем.",
    "match_aborted:turn_limit": "Партия прервана: достигнут предел числа ходов ({turn}).",
    "match_aborted:dice_tape_exhausted": "Партия прервана: заданные броски закончились.",
    "match_aborted:dice_tape_mismatch": "Партия прервана: в следующем из заданных бросков другое число "
    "кубиков.",
    "match_aborted:seat_seed_withheld": "Партия отменена: игрок не раскрыл своё зерно.",
    "dice_revealed": "Зерно бросков раскрыто: {seed}.",
}

TELLING: Final = Telling(
    wording=ru.WORDING,
    cards=_cards,
    players=_players,
    games=_GAMES,
    same_name="{name} (место {seat})",
    units=("ч", "мин", "с"),
    decimal=",",
    parts=_PARTS,
    sentences=_SENTENCES,
)
