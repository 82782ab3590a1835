"""The cards as the reference prints them, kept apart from the catalogue that the rules use.

Columns of an establishment: id, totals, colour, symbol, cost, copies in the reserve, effect.
Effects: `bank n` draws n; `symbol n s,…` draws n per own card with a symbol; `card n id` draws n per own copy
of a card; `roller n` takes n from the active player; `each n`, `one n` take n from every or one opponent;
`each_symbol n s,…` takes n per card with a symbol that the opponent has; `half n` takes half from opponents
with at least n; a last word `harbor` is the landmark that the owner must have.
"""

from typing import NamedTuple


class Fact(NamedTuple):
    """One printed establishment."""

    id: str
    totals: tuple[int, ...]
    colour: str
    symbol: str
    cost: int
    copies: int
    effect: str
    amount: int
    about: tuple[str, ...]
    """Symbols, or the one card, that are counted."""
    needs: str


class LandmarkFact(NamedTuple):
    """One printed landmark."""

    id: str
    cost: tuple[int, ...]
    effect: str
    amount: int
    about: tuple[str, ...]
    orange: bool


BASE = """
wheat_field                1      blue    wheat    1  6  bank 1
ranch                      2      blue    cow      1  6  bank 1
bakery                     2,3    green   bread    1  6  bank 1
cafe                       3      red     cup      2  6  roller 1
convenience_store          4      green   bread    2  6  bank 3
forest                     5      blue    gear     3  6  bank 1
cheese_factory             7      green   factory  5  6  symbol 3 cow
furniture_factory          8      green   factory  3  6  symbol 3 gear
mine                       9      blue    gear     6  6  bank 5
family_restaurant          9,10   red     cup      3  6  roller 2
apple_orchard              10     blue    wheat    3  6  bank 3
fruit_and_vegetable_market 11,12  green   fruit    2  6  symbol 2 wheat
stadium                    6      purple  tower    6  4  each 2
tv_station                 6      purple  tower    7  4  one 5
business_center            6      purple  tower    8  4  swap
"""

HARBOR = """
sushi_bar                  1         red     cup      2  6  roller 3 harbor
flower_garden              4         blue    wheat    2  6  bank 1
flower_shop                6         green   bread    1  6  card 1 flower_garden
pizza_joint                7         red     cup      1  6  roller 1
hamburger_stand            8         red     cup      1  6  roller 1
mackerel_boat              8         blue    boat     2  6  bank 3 harbor
food_warehouse             12,13     green   factory  2  6  symbol 2 cup
tuna_boat                  12,13,14  blue    boat     5  6  boats 0 harbor
publisher                  7         purple  tower    5  5  each_symbol 1 cup,bread
tax_office                 8,9       purple  tower    4  5  half 10
"""

MACHI_KORO_2_LOW = """
sushi_bar                  1      red     cup      2  5  roller 3
wheat_field                1,2    blue    wheat    1  5  bank 1
vineyard                   2      blue    fruit    1  5  bank 2
bakery                     2,3    green   bread    1  5  bank 2
cafe                       3      red     cup      1  5  roller 2
flower_garden              4      blue    flower   2  5  bank 2
convenience_store          4      green   bread    1  5  bank 3
forest                     5      blue    gear     3  5  bank 2
flower_shop                6      green   combo    1  3  symbol 3 flower
business_center            6      purple  major    3  3  swap
"""

MACHI_KORO_2_HIGH = """
corn_field                 7      blue    wheat    2  5  bank 3
stadium                    7      purple  major    3  3  each 3
hamburger_stand            8      red     cup      1  5  roller 2
furniture_factory          8      green   combo    4  3  symbol 4 gear
shopping_district          8,9    purple  major    3  3  half 11
family_restaurant          9,10   red     cup      2  5  roller 2
winery                     9      green   combo    3  3  symbol 3 fruit
apple_orchard              10     blue    fruit    1  5  bank 3
food_warehouse             10,11  green   combo    2  3  symbol 2 cup
mine                       11,12  blue    gear     4  5  bank 6
"""

BASE_LANDMARKS = """
train_station   4   two_dice
shopping_mall   10  boost 1 cup,bread
amusement_park  16  extra_turn_on_double
radio_tower     22  reroll
"""

HARBOR_LANDMARKS = """
harbor          2   add_two 2
airport         30  income_on_pass 10
"""

MACHI_KORO_2_LANDMARKS = """
loan_office         10,10,10  own_landmark_discount 2
farmers_market      10,14,22  boost 1 wheat orange
french_restaurant   10,14,22  from_each 2
moving_company      10,14,22  give_on_double orange
observatory         10,14,22  discount 5 launch_pad orange
publisher           10,14,22  from_each_per_symbol 1 bread
shopping_mall       10,14,22  boost 1 bread orange
tech_startup        10,14,22  income_on_total 8 orange
airport             12,16,22  income_on_pass 5 orange
amusement_park      12,16,22  extra_turn_on_double orange
charterhouse        12,16,22  income_if_nothing_received 3 orange
exhibit_hall        12,16,22  half_from_each 11
forge               12,16,22  boost 1 gear orange
museum              12,16,22  from_each_per_landmark 3
park                12,16,22  level_coins
radio_tower         12,16,22  extra_turn
soda_bottling_plant 12,16,22  boost 1 cup orange
temple              12,16,22  from_each_on_double 2 orange
tv_station          12,16,22  from_each_per_symbol 1 cup
launch_pad          45,38,25  win
"""


def _fact(line: str) -> Fact:
    id, totals, colour, symbol, cost, copies, effect, *rest = line.split()
    amount = int(rest.pop(0)) if rest else 0
    needs = rest.pop() if rest and rest[-1] == "harbor" else ""
    about = tuple(rest[0].split(",")) if rest else ()
    fires_on = tuple(int(total) for total in totals.split(","))
    return Fact(id, fires_on, colour, symbol, int(cost), int(copies), effect, amount, about, needs)


def _landmark(line: str) -> LandmarkFact:
    id, cost, effect, *rest = line.split()
    orange = bool(rest) and rest[-1] == "orange"
    if orange:
        rest.pop()
    amount = int(rest.pop(0)) if rest else 0
    about = tuple(rest[0].split(",")) if rest else ()
    return LandmarkFact(id, tuple(int(price) for price in cost.split(",")), effect, amount, about, orange)


def facts(*tables: str) -> list[Fact]:
    return [_fact(line) for table in tables for line in table.strip().splitlines()]


def landmark_facts(*tables: str) -> list[LandmarkFact]:
    return [_landmark(line) for table in tables for line in table.strip().splitlines()]


ESTABLISHMENTS: dict[str, list[Fact]] = {
    "base": facts(BASE),
    "harbor": [fact._replace(copies=max(fact.copies, 5)) for fact in facts(BASE, HARBOR)],
    "machi_koro_2": facts(MACHI_KORO_2_LOW, MACHI_KORO_2_HIGH),
}
"""By ruleset; of the base box the four-player edition, harbor always in the five-player one."""

LANDMARKS: dict[str, list[LandmarkFact]] = {
    "base": landmark_facts(BASE_LANDMARKS),
    "harbor": landmark_facts(BASE_LANDMARKS, HARBOR_LANDMARKS),
    "machi_koro_2": landmark_facts(MACHI_KORO_2_LANDMARKS),
}
