"""The layout of the kernel's arrays, and the numbers that stand for names.

A *row* is the state of one match. The *tables* are the rules of a ruleset with options and a number of seats.
The *luck* of a match is its source of chance: a random generator, scripted throws and given decks. All three
are flat arrays of fixed layout, so that a function is compiled once for all rulesets. The constants below are
indices into these arrays unless their comments say otherwise.
"""

from collections.abc import MutableSequence
from typing import Final, TypeAlias

Row: TypeAlias = MutableSequence[int]
"""The state of a match: `int32` when compiled, a list or an array otherwise."""
Tables: TypeAlias = MutableSequence[int]
"""The rules: `int32` when compiled."""
Luck: TypeAlias = MutableSequence[int]
"""The source of chance of a match: `int64` when compiled."""
Codes: TypeAlias = MutableSequence[int]
"""Room for the codes of legal commands, and other lists of small numbers: `int32` when compiled."""
Incomes: TypeAlias = MutableSequence[float]
"""Room for the incomes of legal commands: `float64` when compiled."""
Net: TypeAlias = MutableSequence[float]
"""The value network, or its workspace: `float64` when compiled."""
Chances: TypeAlias = MutableSequence[float]
"""Chances of winning: `float64` when compiled."""

MOST_SEATS: Final = 5
MOST_CARDS: Final = 45
MOST_ROWS: Final = 3
MOST_LEGAL: Final = 4096
"""More than the legal commands of any state; most of them are trades."""

# --- A row -------------------------------------------------------------------------------------------------

STATUS: Final = 0
FIRST_SEAT: Final = 1
TURN: Final = 2
ROUND: Final = 3
ACTIVE: Final = 4
PHASE: Final = 5
EXTRA_TURN: Final = 6
DIE_1: Final = 7
DIE_2: Final = 8
"""0 if one die was thrown; both dice are 0 before the first throw of a turn."""
TOTAL: Final = 9
ADDED: Final = 10
REROLLED: Final = 11
RECEIVED: Final = 12
EXTRA_TURN_DUE: Final = 13
PENDING_CARD: Final = 14
"""-1 if no choice is open."""
PENDING_COPIES: Final = 15
THROWS: Final = 16
WINNER: Final = 17
"""-1 without a winner."""
RESULT: Final = 18
PAYERS: Final = 19
"""0; in a forecast that asks for it, the seats that owed coins, one bit each, and `IS_ASKED`."""
IS_ASKED: Final = 1 << 8
COINS: Final = 20
"""From here on: by seat."""
LANDMARKS: Final = COINS + MOST_SEATS
RESIGNED: Final = LANDMARKS + MOST_SEATS
SEAT_TURNS: Final = RESIGNED + MOST_SEATS
DRAWS: Final = SEAT_TURNS + MOST_SEATS
"""By row of the market."""
SUPPLY: Final = DRAWS + MOST_ROWS + 1
"""By card."""
DECKS: Final = SUPPLY + MOST_CARDS
CITIES: Final = DECKS + MOST_CARDS
"""By seat and card. What follows is only in rows of rules in which cards close or hold coins."""
UNPAID: Final = CITIES + MOST_SEATS * MOST_CARDS
"""0; in a forecast, 1 and what the roller was spared of payments to the bank because it had too few coins."""
INVESTED: Final = UNPAID + 1
"""By seat: the coins on the card that it invests in."""
CLOSED: Final = INVESTED + MOST_SEATS
"""By seat and card: the copies that are closed for renovation."""
ROW_WIDTH: Final = CLOSED + MOST_SEATS * MOST_CARDS
"""Of the longest row: see `WIDTH`."""

RUNNING: Final = 0
FINISHED: Final = 1
ABORTED: Final = 2

OVER: Final = 0
SETUP: Final = 1
ROLL: Final = 2
REROLL: Final = 3
ADD_TWO: Final = 4
TAKE_COINS: Final = 5
SWAP: Final = 6
GIVE: Final = 7
BUILD: Final = 8
DEMOLISH: Final = 9
MOVE: Final = 10
RENOVATE: Final = 11
INVEST: Final = 12

PHASES: Final = (
    *("", "setup", "roll", "reroll", "add_two", "take_coins", "swap", "give", "build"),
    *("demolish", "move", "renovate", "invest"),
)
"""The names of the phases by number."""

BY_LANDMARKS: Final = 1
BY_RESIGNATION: Final = 2
BY_TURN_LIMIT: Final = 3

RESULTS: Final = ("", "landmarks", "resignation", "turn_limit")
"""The names of the results by number."""

# --- Codes of commands -------------------------------------------------------------------------------------

ROLL_ONE: Final = 0
ROLL_TWO: Final = 1
REROLL_DICE: Final = 2
KEEP_DICE: Final = 3
TWO_MORE: Final = 4
KEEP_TOTAL: Final = 5
DECLINE_SWAP: Final = 6
PASS: Final = 7
TAKE_FROM: Final = 8
"""From here on, up to the next: by seat."""
RESIGN: Final = TAKE_FROM + MOST_SEATS
INVEST_COIN: Final = RESIGN + MOST_SEATS
KEEP_COIN: Final = INVEST_COIN + 1
BUILD_CARD: Final = KEEP_COIN + 1
"""From here on, up to the next: by card."""
GIVE_CARD: Final = BUILD_CARD + MOST_CARDS
DEMOLISH_CARD: Final = GIVE_CARD + MOST_CARDS
RENOVATE_CARD: Final = DEMOLISH_CARD + MOST_CARDS
MOVE_CARD: Final = RENOVATE_CARD + MOST_CARDS
"""From here on, up to the next: by card and the seat that gets it."""
TRADE: Final = MOVE_CARD + MOST_CARDS * MOST_SEATS
"""From here on: by own card, the opponent's seat, and its card."""

# --- The tables --------------------------------------------------------------------------------------------

SEATS: Final = 0
SIZE: Final = 1
ESTABLISHMENTS: Final = 2
OWN_LANDMARKS: Final = 3
GOAL: Final = 4
MAX_COPIES: Final = 5
TWO_DICE: Final = 6
"""A landmark, or -1; so are the next four."""
REROLLER: Final = 7
ADDER: Final = 8
PAYS_PASS: Final = 9
LOAN_OFFICE: Final = 10
BUILDING_ROUNDS: Final = 11
MARKET_ROWS: Final = 12
TURN_LIMIT: Final = 13
OFFERS: Final = 14
HELP_NEEDS: Final = 15
"""The card that the help for an empty purse needs, or -1."""
HELP_COINS: Final = 16
DISCOUNTS: Final = 17
"""The number of landmarks that reduce prices."""
HALF_THRESHOLD: Final = 18
"""The number of coins from which on a seat pays half of them to cards that take half."""
DOUBLER: Final = 19
"""The landmark that gives an extra turn after a double, or -1."""
WIDTH: Final = 20
"""How many numbers a row has by these rules."""
RENOVATES: Final = 21
"""Whether cards can close for renovation."""
INVESTS: Final = 22
"""The establishment in which its owner may invest, or -1."""
WAYS_TO_INVESTMENT: Final = 23
"""How many of the 36 throws of two dice activate it."""
SOLD: Final = 24
"""How many cards can be for sale."""

BY_CARD: Final = 25
LOWEST: Final = BY_CARD
PRICE_1: Final = LOWEST + MOST_CARDS
PRICE_2: Final = PRICE_1 + MOST_CARDS
PRICE_3: Final = PRICE_2 + MOST_CARDS
PRICED_BY_LANDMARKS: Final = PRICE_3 + MOST_CARDS
"""Whether the price depends on the builder's landmarks."""
UNIQUE: Final = PRICED_BY_LANDMARKS + MOST_CARDS
TRADABLE: Final = UNIQUE + MOST_CARDS
ROW_OF: Final = TRADABLE + MOST_CARDS
SOLD_PLACE: Final = ROW_OF + MOST_CARDS
"""The place of the card among those that can be for sale, or -1."""
EVERYBODY: Final = SOLD_PLACE + MOST_CARDS
WINS_ALONE: Final = EVERYBODY + MOST_CARDS
WHEN_BUILT: Final = WINS_ALONE + MOST_CARDS
"""The stage that acts when the card is built, or 0."""
AMOUNT: Final = WHEN_BUILT + MOST_CARDS
THRESHOLD: Final = AMOUNT + MOST_CARDS
NEEDS: Final = THRESHOLD + MOST_CARDS
OWN_TURN: Final = NEEDS + MOST_CARDS
PER_COUNTED: Final = OWN_TURN + MOST_CARDS
"""0; `COUNTS_OWN` if a copy pays for each counted card of its owner, `COUNTS_ALL` for those of everybody."""
BOOST_PER_COUNTED: Final = PER_COUNTED + MOST_CARDS
AFFECTED: Final = BOOST_PER_COUNTED + MOST_CARDS
"""The totals, one bit each, whose payments depend on copies of the card."""
DICE_MATTER: Final = AFFECTED + MOST_CARDS
"""Whether the card acts on the dice and not on their total alone."""
IS_HIGH: Final = DICE_MATTER + MOST_CARDS
"""Whether the card needs two dice."""
FIXED: Final = IS_HIGH + MOST_CARDS
"""The coins of a payment that depends on nothing, as the value network counts them; the next three, too."""
SHARED: Final = FIXED + MOST_CARDS
"""Whether every opponent pays it."""
PER_SYMBOL: Final = SHARED + MOST_CARDS
"""The coins for each card that an opponent has of those that are counted."""
HALVES: Final = PER_SYMBOL + MOST_CARDS
"""Whether opponents pay half of their coins."""
CONDITION: Final = HALVES + MOST_CARDS
"""0 if all copies fire and pay, `NEEDS_LANDMARK`, or `IS_SPECIAL` if `kernel.tokens` knows what they do."""
BELOW_LANDMARKS: Final = CONDITION + MOST_CARDS
"""The card fires only while its owner has fewer landmarks; 0 if that does not matter."""
ROLLER_LANDMARKS: Final = BELOW_LANDMARKS + MOST_CARDS
"""The card fires only if the roller has at least as many landmarks."""
TAKES_ALL: Final = ROLLER_LANDMARKS + MOST_CARDS
"""Whether the roller pays all its coins."""
PAYS_BANK: Final = TAKES_ALL + MOST_CARDS
"""Whether the owner pays the bank instead of the bank the owner."""
CLOSES: Final = PAYS_BANK + MOST_CARDS
"""Whether copies close after they have fired."""
BONUS: Final = CLOSES + MOST_CARDS
"""The coins that the bank pays for building the card."""
STAGE_OF: Final = BONUS + MOST_CARDS
"""The number of the stage that bears the name of the card's effect, or 0."""
OFFERED: Final = STAGE_OF + MOST_CARDS
"""The cards that can ever be built, in catalogue order."""
CHEAPEST_FIRST: Final = OFFERED + MOST_CARDS
"""The same cards by their lowest price."""
MOST_PRICED: Final = 64
AFFORDABLE: Final = CHEAPEST_FIRST + MOST_CARDS
"""By coins, fewer than `MOST_PRICED`: how many of those cards have no higher lowest price."""

MOST_COUNTED: Final = 12
COUNTED: Final = AFFORDABLE + MOST_PRICED
"""By card: how many cards its effect counts, and which."""
MOST_BOOSTS: Final = 3
BOOSTS: Final = COUNTED + MOST_CARDS * (1 + MOST_COUNTED)
"""By card: how many landmarks increase what it pays, and which."""

MOST_DISCOUNTS: Final = 2
DISCOUNT: Final = BOOSTS + MOST_CARDS * (1 + MOST_BOOSTS)
"""By discount: its landmark, its amount, and by card whether it applies."""
DISCOUNT_WIDTH: Final = 2 + MOST_CARDS

MARKET_ROW: Final = DISCOUNT + MOST_DISCOUNTS * DISCOUNT_WIDTH
"""By row: the kinds face up, the number of its cards, and the cards."""
MARKET_ROW_WIDTH: Final = 2 + MOST_CARDS

TOTALS: Final = 15
MOST_STAGES: Final = 12
MOST_FIRING: Final = 4
STAGE_WIDTH: Final = 2 + MOST_FIRING
PLAN: Final = MARKET_ROW + MOST_ROWS * MARKET_ROW_WIDTH
"""By total: the number of stages, and for each its number, the number of its cards, and the cards."""
PLAN_WIDTH: Final = 1 + MOST_STAGES * STAGE_WIDTH
DOUBLES_PLAN: Final = PLAN + TOTALS * PLAN_WIDTH
"""The same for doubles: the other plans leave out what only doubles bring."""

USUAL: Final = DOUBLES_PLAN + TOTALS * PLAN_WIDTH
"""By the number of landmarks that a builder has: the lowest price of one that does not win alone."""
START: Final = USUAL + 3
"""A row as a match starts, before a first seat is chosen and rows are filled."""
TABLES_WIDTH: Final = START + ROW_WIDTH

STAGES: Final = (
    "",
    "red",
    "income",
    "boats",
    "from_each",
    "from_one",
    "swap",
    "from_each_per_symbol",
    "half_from_each",
    "income_on_total",
    "from_each_on_double",
    "income_if_nothing_received",
    "extra_turn_on_double",
    "give_on_double",
    "help",
    "from_each_per_landmark",
    "extra_turn",
    "level_coins",
    "demolish",
    "move",
    "renovate",
    "invest",
)
"""The names of the stages by number: those of `domain.match.decide.effects`."""

BOATS_MEAN: Final = 7
"""The mean of the roll for the boats."""

RED: Final = 1
INCOME: Final = 2
BOATS: Final = 3
FROM_EACH: Final = 4
FROM_ONE: Final = 5
TRADING: Final = 6
FROM_EACH_PER_SYMBOL: Final = 7
HALF_FROM_EACH: Final = 8
INCOME_ON_TOTAL: Final = 9
FROM_EACH_ON_DOUBLE: Final = 10
INCOME_IF_NOTHING_RECEIVED: Final = 11
EXTRA_TURN_ON_DOUBLE: Final = 12
GIVE_ON_DOUBLE: Final = 13
HELP: Final = 14
FROM_EACH_PER_LANDMARK: Final = 15
GRANT_EXTRA_TURN: Final = 16
LEVEL_COINS: Final = 17
DEMOLITION: Final = 18
MOVING: Final = 19
RENOVATION: Final = 20
INVESTMENT: Final = 21

NEEDS_LANDMARK: Final = 1
IS_SPECIAL: Final = 2

COUNTS_OWN: Final = 1
COUNTS_ALL: Final = 2

# --- Luck --------------------------------------------------------------------------------------------------

GENERATOR: Final = 0
"""Four words of 32 bits."""
SCRIPTED: Final = 4
"""How many scripted values are left, dice or places in a deck; the generator follows them."""
SCRIPT_AT: Final = 5
"""Where the next one is."""
IS_ORDERED: Final = 6
"""By row of the market: whether the order of its deck was given."""
ORDER_AT: Final = IS_ORDERED + MOST_ROWS
"""By row of the market: where the card of draw 0 would be."""
LUCK_FREE: Final = ORDER_AT + MOST_ROWS
"""From here on: scripted values."""
ORDERS: Final = LUCK_FREE + 4
"""From here on: the orders of decks."""
LUCK_WIDTH: Final = LUCK_FREE + 64
"""The width without given decks."""

# --- Policies and results ----------------------------------------------------------------------------------

UNIFORM: Final = 0
RANDOM: Final = 1
LANDMARK_FIRST: Final = 2
GREEDY: Final = 3
LEARNED: Final = 4
EXPECTED_VALUE: Final = 5
QUICK: Final = 6

POLICIES: Final = ("uniform", "random", "landmark_first", "greedy", "learned", "expected_value", "quick")
"""The names of the policies by number: uniform play, built-in players, and a quick one by the network.

That one builds, trades and gives by the network's value at once, and decides all else as `expected_value`.
"""

RESULT_WIDTH: Final = 4
"""Of each match: the winner or -1, the number of the result, the turns, and the commands."""

# --- What happened while throws of a race were paid out, as bits --------------------------------------------

RACE_GOES_ON: Final = 1
"""Another turn of the roller follows."""
RACE_SAILS: Final = 2
"""The boats threw dice."""
RACE_ASKS: Final = 4
"""The roller chose who pays."""
RACE_GIVES: Final = 8
"""The roller has to give a card away."""

# --- Rollouts ----------------------------------------------------------------------------------------------

PAIRS: Final = 36
"""The pairs of dice."""
