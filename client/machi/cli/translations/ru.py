"""Russian."""

from typing import Final

from machi.cli.translations.translation import Translation

TRANSLATION: Final = Translation(
    help="""\
Выбирает номер или начало названия карты.
  ?          эта справка и что делает каждая карта в меню
  ? КАРТА    что делает карта, по названию или номеру
  table      ещё раз показать города
  resign     сдаться
  q          выйти; партия останется, и к ней можно вернуться""",
    prompt="Ваш выбор{time} [{span}, ?, q]: ",
    time_left=" (осталось {seconds} с)",
    enter="Enter",
    give_up="Сдаться? [д/Н] ",
    yes=("д", "да", "y", "yes"),
    none_of_these="{typed}: такого варианта нет; ? — справка",
    explains="? — справка",
    no_card="нет карты {typed}",
    card="карта",
    colour="цвет",
    coins="монеты",
    built="есть",
    closed="{count} ({closed} закрыто)",
    price="цена",
    left="запас",
    landmark="объект",
    colours={
        "blue": "синий",
        "green": "зелёный",
        "red": "красный",
        "purple": "фиолетовый",
        "orange": "оранжевый",
    },
    short="ещё {coins}",
    why_not={
        "major_already_owned": "одна на город",
        "copy_limit_reached": "больше нельзя",
        "loan_office_condition": "только последнему без неё",
    },
    dice="На кубиках {dice}. ",
    dice_added="На кубиках {dice}, с добавленными 2 получается {total}. ",
    purses="Монеты: {purses}.",
    roll_one="Бросить один кубик",
    roll_two="Бросить два кубика",
    roll_again="Перебросить",
    keep="Оставить {dice}",
    add_two="Прибавить 2: {total}",
    leave="Не прибавлять: {dice}",
    take_coins="Забрать у игрока {seat} (монеты: {coins})",
    take_card="Взять карту «{card}» у игрока {seat}",
    give_for="Отдать «{give}» за «{take}»",
    give_away="Отдать «{card}»",
    demolish="Снести «{card}»",
    move="Отдать «{card}» игроку {seat}",
    renovate="Закрыть на ремонт «{card}»",
    invest="Вложить монету",
    invest_nothing="Ничего не вкладывать",
    trade_nothing="Ничего не менять",
    build="Построить «{card}»",
    build_nothing="Ничего не строить",
    waiting="ждём: {who} ...",
    to_join="свободные места; присоединиться: machi play --join {match}",
    seeds_due="зёрна других игроков для кубиков",
    without_you="Партия продолжается без вас. Наблюдать: machi watch {match}",
    moved_on="Партия тем временем ушла вперёд:",
    refused="Сервис отклонил этот ход ({code}).",
    you_left="Вы вышли; партия остаётся. {back}",
    interrupted="Прервано; партия остаётся. {back}",
    kept="Партия остаётся. {back}",
    come_back="Вернуться: machi play {match}",
    title="{ruleset}, партия {match}",
    won="Победа: {name} ({reason}). Ходов: {turns}, событий: {events}.",
    nobody_won="Победителя нет: партия {status} ({reason}).",
    stands="Партия {status}; ход {turn}, событие {event}.",
    reasons={
        "landmarks": "построены достопримечательности",
        "resignation": "соперники сдались",
        "creator": "решение создателя партии",
        "turn_limit": "предел числа ходов",
        "dice_tape_exhausted": "заданные броски кончились",
        "dice_tape_mismatch": "заданные броски не подходят",
        "seat_seed_withheld": "игрок не раскрыл своё зерно",
    },
    statuses={"open": "открыта", "running": "идёт", "finished": "завершена", "aborted": "прервана"},
)
