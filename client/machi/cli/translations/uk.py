"""Ukrainian."""

from typing import Final

from machi.cli.translations.translation import Translation

TRANSLATION: Final = Translation(
    help="""\
Обирає номер або початок назви карти.
  ?          ця довідка і що робить кожна карта в меню
  ? КАРТА    що робить карта, за назвою чи номером
  table      ще раз показати міста
  resign     здатися
  q          вийти; партія залишиться, і до неї можна повернутися""",
    prompt="Ваш вибір{time} [{span}, ?, q]: ",
    time_left=" (залишилося {seconds} с)",
    enter="Enter",
    give_up="Здатися? [т/Н] ",
    yes=("т", "так", "y", "yes"),
    none_of_these="{typed}: такого варіанта немає; ? — довідка",
    explains="? — довідка",
    no_card="немає карти {typed}",
    card="карта",
    colour="колір",
    coins="монети",
    built="є",
    closed="{count} ({closed} закрито)",
    price="ціна",
    left="запас",
    landmark="пам’ятка",
    colours={
        "blue": "синій",
        "green": "зелений",
        "red": "червоний",
        "purple": "фіолетовий",
        "orange": "помаранчевий",
    },
    short="ще {coins}",
    why_not={
        "major_already_owned": "одна на місто",
        "copy_limit_reached": "більше не можна",
        "loan_office_condition": "лише останньому без неї",
    },
    dice="На кубиках {dice}. ",
    dice_added="На кубиках {dice}, з додатковими 2 виходить {total}. ",
    purses="Монети: {purses}.",
    roll_one="Кинути один кубик",
    roll_two="Кинути два кубики",
    roll_again="Перекинути",
    keep="Залишити {dice}",
    add_two="Додати 2: {total}",
    leave="Не додавати: {dice}",
    take_coins="Забрати в гравця {seat} (монети: {coins})",
    take_card="Взяти карту «{card}» у гравця {seat}",
    give_for="Віддати «{give}» за «{take}»",
    give_away="Віддати «{card}»",
    demolish="Знести «{card}»",
    move="Віддати «{card}» гравцеві {seat}",
    renovate="Закрити на ремонт «{card}»",
    invest="Вкласти монету",
    invest_nothing="Нічого не вкладати",
    trade_nothing="Нічого не міняти",
    build="Збудувати «{card}»",
    build_nothing="Нічого не будувати",
    waiting="очікуємо: {who} ...",
    to_join="вільні місця; приєднатися: machi play --join {match}",
    seeds_due="зерна інших гравців для кубиків",
    without_you="Партія триває без вас. Спостерігати: machi watch {match}",
    moved_on="Партія тим часом пішла далі:",
    refused="Сервіс відхилив цей хід ({code}).",
    you_left="Ви вийшли; партія залишається. {back}",
    interrupted="Перервано; партія залишається. {back}",
    kept="Партія залишається. {back}",
    come_back="Повернутися: machi play {match}",
    title="{ruleset}, партія {match}",
    won="Перемога: {name} ({reason}). Ходів: {turns}, подій: {events}.",
    nobody_won="Переможця немає: партію {status} ({reason}).",
    stands="Партію {status}; хід {turn}, подія {event}.",
    reasons={
        "landmarks": "збудовано визначні пам’ятки",
        "resignation": "суперники здалися",
        "creator": "рішення творця партії",
        "turn_limit": "межа кількості ходів",
        "dice_tape_exhausted": "задані кидки скінчилися",
        "dice_tape_mismatch": "задані кидки не підходять",
        "seat_seed_withheld": "гравець не розкрив своє зерно",
    },
    statuses={"open": "відкрито", "running": "розпочато", "finished": "завершено", "aborted": "перервано"},
)
