"""The layout of three more arrays: the workspaces of a forecast and of the value network, and the network.

A *workspace* is working memory that callers allocate once and pass to every call.
"""

from typing import Final

from kernel.layout import COINS, LUCK_WIDTH, MOST_CARDS, MOST_SEATS, ROW_WIDTH

# --- The workspace of a forecast: a luck with the roll of typical boats, then these ------------------------

SAVED: Final = LUCK_WIDTH
"""What a row held before the forecast: the head, and the coins of all seats."""
SAVED_WIDTH: Final = COINS + MOST_SEATS
ROLLS: Final = 21
"""The rolls that the rules distinguish: one die, doubles, and the totals 3 to 11 of two different dice."""
FIRST_DOUBLE: Final = 6
FIRST_OTHER: Final = 12
ONE_DIE: Final = 0
"""Which rolls are tried, and in which order; so are the next three."""
ONE_FIRST: Final = 1
TWO_DICE_ONLY: Final = 2
TWO_FIRST: Final = 3
KNOWN: Final = SAVED + SAVED_WIDTH
"""By roller, roll and seat: the gain."""
GAINS_WIDTH: Final = MOST_SEATS * ROLLS * MOST_SEATS
CHANGED: Final = KNOWN + GAINS_WIDTH
"""The same with changed cards."""
PAID: Final = CHANGED + GAINS_WIDTH
"""By roller and seat: the totals, one bit each, with which the seat owes anybody coins."""
BEST_DICE: Final = PAID + MOST_SEATS * MOST_SEATS
"""By roller: its better number of dice."""
KEPT: Final = BEST_DICE + MOST_SEATS
"""Rows that a lookahead puts back: before the turn, a choice of the turn, a gift, and the build."""
KEPT_CHOICE: Final = KEPT + ROW_WIDTH
KEPT_GIFT: Final = KEPT_CHOICE + ROW_WIDTH
KEPT_BUILD: Final = KEPT_GIFT + ROW_WIDTH
KEPT_CARDS: Final = KEPT_BUILD + ROW_WIDTH
"""A row before a roll is paid out, of which the cards and what lies on them are put back."""
MOST_CLOSE: Final = 4
CLOSE: Final = KEPT_CARDS + ROW_WIDTH
"""The builds that are compared after the next turn."""
TRADED: Final = CLOSE + MOST_CLOSE
"""Whether a card has changed hands since the row before the turn was put back."""
MOST_LEAVES: Final = 256
LEAVES: Final = TRADED + 1
"""How many tables before a build are known, and the coins of each in one number; their values are incomes."""
RANKED: Final = LEAVES + 1 + MOST_LEAVES
"""Whether the ranks of builds are used."""
RANKS: Final = RANKED + 1
"""By seat: the ranks of its builds by card, then of no build, above 0; higher is better, and 0 is none. Then
follow the number of throws for which they are still used, and the number of landmarks that the seat had."""
ROLLS_LEFT: Final = MOST_CARDS + 1
LANDMARKS_THEN: Final = ROLLS_LEFT + 1
RANKS_WIDTH: Final = LANDMARKS_THEN + 1
COINS_BEFORE: Final = RANKS + MOST_SEATS * RANKS_WIDTH
"""By seat: its coins before a build that is tried."""
FORECAST_WIDTH: Final = COINS_BEFORE + MOST_SEATS

PAIR_VALUES: Final = MOST_CARDS
"""Among incomes, after those of builds, by landmark: its highest value together with a card that needs it."""
FOUND: Final = PAIR_VALUES + MOST_CARDS
"""The chances of all seats that a lookahead has found; the same holds for the next four."""
UNRAISED: Final = FOUND + MOST_SEATS
"""If the total of a roll stays."""
BEST_TARGET: Final = UNRAISED + MOST_SEATS
"""With the best target so far."""
ROLL_CHANCES: Final = BEST_TARGET + MOST_SEATS
"""By roll."""
LEAF_CHANCES: Final = ROLL_CHANCES + ROLLS * MOST_SEATS
"""By table before a build."""
WIN_LUCK: Final = LEAF_CHANCES + MOST_LEAVES * MOST_SEATS
"""By seat: the sums over the throws of a match."""

# --- The value network and the workspace of its layers -----------------------------------------------------

SEAT_FEATURES: Final = 0
TABLE_FEATURES: Final = 1
KINDS: Final = 2
"""The kinds of rolls: one die, two dice, and two dice with 2 added where a landmark allows it."""
SET_SIZE: Final = 3
"""How many weights there are for a number of seats in play."""
FIRES: Final = 4
"""By card and kind of roll: its chance to pay on its own turn, on others' by the bank, and by the roller."""
FIRES_WIDTH: Final = 9
LINE: Final = 8
"""The numbers in a line of the processor's cache. Weights and layers begin with one, which is faster."""
WEIGHTS: Final = -(-(FIRES + MOST_CARDS * FIRES_WIDTH) // LINE) * LINE
"""Where the weights for two seats in play begin; those for three follow, and so on. A seat's weights for all
seats are subtracted from its weights for itself, because the mean of the others excludes it."""

FIRST_UNITS: Final = 64
SECOND_UNITS: Final = 32
"""The sizes of the layers. They are constants and not stored with the network, because the compiler makes
loops of a known length faster."""
FIRST_BIASES: Final = 0
"""In the weights for a number of seats in play: where what is added to the first layer is."""
SECOND_BY_SEAT: Final = FIRST_BIASES + FIRST_UNITS
"""By unit of a seat: what it gives to the seat's own second layer."""
SECOND_BY_ALL: Final = SECOND_BY_SEAT + FIRST_UNITS * SECOND_UNITS
"""By unit, summed over all seats: what it gives to the second layer of each."""
SECOND_BIASES: Final = SECOND_BY_ALL + FIRST_UNITS * SECOND_UNITS
OUTPUT_WEIGHTS: Final = SECOND_BIASES + SECOND_UNITS
FIRST: Final = OUTPUT_WEIGHTS + SECOND_UNITS
"""By feature of a seat, by feature summed over all seats, and by feature of the table: what it gives to the
first layer."""

CHANCES: Final = 0
"""By seat: its chance to win."""
MOST_FEATURES: Final = 128
BY_SEAT: Final = CHANCES + LINE
"""By seat: its features."""
OF_TABLE: Final = BY_SEAT + MOST_SEATS * MOST_FEATURES
"""The features of the table."""
LAYER: Final = OF_TABLE + MOST_FEATURES
"""By seat: what it alone gives to the units of a layer."""
COMMON: Final = LAYER + MOST_SEATS * FIRST_UNITS
"""What all seats and the table give to the units of every seat."""
ROUNDS_LEFT: Final = COMMON + FIRST_UNITS
"""By seat: rounds until the missing landmarks are paid."""
BASE_FEATURES: Final = ROUNDS_LEFT + LINE
"""The features of a base position, in the order of `BY_SEAT` and `OF_TABLE`: see `kernel.network`."""
BASE_LAYER: Final = BASE_FEATURES + (MOST_SEATS + 1) * MOST_FEATURES
"""What they give to the first layer, in the order of `LAYER`, and then of `COMMON`."""
UNITS: Final = BASE_LAYER + (MOST_SEATS + 1) * FIRST_UNITS
"""By seat: the units of a layer."""
SUM: Final = UNITS + MOST_SEATS * FIRST_UNITS
"""Their sums over all seats."""
NOTED: Final = SUM + FIRST_UNITS
"""The inputs of a layer that are added to it, or what they differ by from the base; and three zeros."""
NOTED_AT: Final = NOTED + MOST_FEATURES
"""The indices of these inputs."""
NET_WORKSPACE: Final = NOTED_AT + MOST_FEATURES

# --- The memo of rollouts -----------------------------------------------------------------------------------

MEMO_SLOTS: Final = 1 << 12
"""The number of tables in a memo. Each slot has a row, followed by the code of the choice plus 1."""
