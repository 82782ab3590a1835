"""Starting a match, carrying out a command, and going on to the next turn.

A command must be legal, which nothing here checks: `kernel.legal` lists the legal ones. Resigning is legal
for every seat in play.
"""

from __future__ import annotations

from kernel.answers import answer_about_tokens, trade
from kernel.effects import act_when_built, pay_out, request_swap, stage_after
from kernel.ending_commands import invest, resign
from kernel.layout import (
    ACTIVE,
    ADD_TWO,
    ADDED,
    ADDER,
    AMOUNT,
    BONUS,
    BUILD_CARD,
    BUILDING_ROUNDS,
    BY_LANDMARKS,
    CITIES,
    COINS,
    DECKS,
    DECLINE_SWAP,
    DEMOLISH_CARD,
    DIE_1,
    DIE_2,
    DRAWS,
    ESTABLISHMENTS,
    FINISHED,
    FIRST_SEAT,
    GIVE_CARD,
    GOAL,
    INVEST_COIN,
    IS_ORDERED,
    KEEP_DICE,
    LANDMARKS,
    MARKET_ROW,
    MARKET_ROW_WIDTH,
    MARKET_ROWS,
    MOST_CARDS,
    ORDER_AT,
    PASS,
    PAYS_PASS,
    PENDING_CARD,
    PENDING_COPIES,
    PHASE,
    RECEIVED,
    REROLL,
    REROLL_DICE,
    REROLLED,
    REROLLER,
    RESIGN,
    ROLL,
    ROLL_ONE,
    ROLL_TWO,
    ROW_OF,
    SEATS,
    SETUP,
    START,
    SUPPLY,
    TAKE_FROM,
    THRESHOLD,
    THROWS,
    TOTAL,
    TRADE,
    TWO_MORE,
    WHEN_BUILT,
    WIDTH,
    WINS_ALONE,
    Luck,
    Row,
    Tables,
)
from kernel.luck import die, place
from kernel.payments import choice_made, pay, receive, request
from kernel.queries import in_force, previous_in_play, price
from kernel.turns import close, finish_turn, start_turn


def _draw(t: Tables, s: Row, r: Luck, row: int) -> int:
    """The next card of a row's deck, which is not empty."""
    if r[IS_ORDERED + row]:
        return r[r[ORDER_AT + row] + s[DRAWS + row]]
    at = MARKET_ROW + row * MARKET_ROW_WIDTH
    cards = t[at + 1]
    left = 0
    for i in range(cards):
        left += s[DECKS + t[at + 2 + i]]
    found = place(r, left)
    for i in range(cards):
        card = t[at + 2 + i]
        if found < s[DECKS + card]:
            return card
        found -= s[DECKS + card]
    return -1


def refill(t: Tables, s: Row, r: Luck, row: int) -> None:
    """Draw until the row shows its number of kinds or its deck is empty."""
    at = MARKET_ROW + row * MARKET_ROW_WIDTH
    wanted = t[at]
    if wanted == 0:
        return
    kinds, left = 0, 0
    for i in range(t[at + 1]):
        card = t[at + 2 + i]
        kinds += 1 if s[SUPPLY + card] > 0 else 0
        left += s[DECKS + card]
    while kinds < wanted and left > 0:
        card = _draw(t, s, r, row)
        kinds += 1 if s[SUPPLY + card] == 0 else 0
        left -= 1
        s[DECKS + card] -= 1
        s[SUPPLY + card] += 1
        s[DRAWS + row] += 1


def start_match(t: Tables, s: Row, r: Luck, first: int) -> None:
    """Lay out a match; without a first seat, -1, chance chooses it."""
    for i in range(t[WIDTH]):
        s[i] = t[START + i]
    if first < 0:
        first = place(r, t[SEATS])
    s[FIRST_SEAT] = first
    for row in range(t[MARKET_ROWS]):
        refill(t, s, r, row)
    if t[BUILDING_ROUNDS]:
        start_turn(s, first, SETUP, 0, 1)
    else:
        start_turn(s, first, ROLL, 0, 0)


def _build(t: Tables, s: Row, r: Luck, card: int) -> None:
    active = s[ACTIVE]
    s[COINS + active] -= price(t, s, active, card)
    s[CITIES + active * MOST_CARDS + card] += 1
    if s[SUPPLY + card] > 0:
        s[SUPPLY + card] -= 1
    if card >= t[ESTABLISHMENTS]:
        s[LANDMARKS + active] += 1
        if s[LANDMARKS + active] >= t[GOAL] or t[WINS_ALONE + card]:
            close(s, FINISHED, BY_LANDMARKS, active)
            return
        if t[WHEN_BUILT + card]:
            act_when_built(t, s, t[WHEN_BUILT + card], card)
    elif t[BONUS + card]:
        receive(s, active, t[BONUS + card])
    if t[ROW_OF + card] >= 0:
        refill(t, s, r, t[ROW_OF + card])
    finish_turn(t, s)


def _pass(t: Tables, s: Row) -> None:
    active, airport = s[ACTIVE], t[PAYS_PASS]
    if airport >= 0 and s[PHASE] != SETUP and in_force(t, s, active, airport):
        s[COINS + active] += t[AMOUNT + airport]
        s[RECEIVED] += t[AMOUNT + airport]
    finish_turn(t, s)


def dice_of(s: Row, code: int) -> int:
    """How many dice the command rolls, boats aside; 0 if none."""
    if code == REROLL_DICE:
        return 2 if s[DIE_2] else 1
    return 1 + code - ROLL_ONE if code in (ROLL_ONE, ROLL_TWO) else 0


def _throw(s: Row, r: Luck, dice: int) -> None:
    s[DIE_1] = die(r)
    s[DIE_2] = die(r) if dice == 2 else 0
    s[TOTAL] = s[DIE_1] + s[DIE_2]
    s[THROWS] += 1
    choice_made(s)


def _settle(t: Tables, s: Row) -> int:
    """The stage to start paying out from, or -1 if the seat may add 2 first."""
    adder = t[ADDER]
    if adder >= 0 and s[TOTAL] >= t[THRESHOLD + adder] and in_force(t, s, s[ACTIVE], adder):
        request(s, ADD_TWO, adder, 1)
        return -1
    return 0


def _roll(t: Tables, s: Row, r: Luck, dice: int) -> int:
    _throw(s, r, dice)
    s[REROLLED] = 0
    reroller = t[REROLLER]
    if reroller >= 0 and in_force(t, s, s[ACTIVE], reroller):
        request(s, REROLL, reroller, 1)
        return -1
    return _settle(t, s)


def _answer_about_dice(t: Tables, s: Row, r: Luck, code: int) -> int:
    """Carry out a command about dice; the stage to start paying out from, or -1."""
    if code in (ROLL_ONE, ROLL_TWO):
        return _roll(t, s, r, dice_of(s, code))
    if code == REROLL_DICE:
        _throw(s, r, dice_of(s, code))
        s[REROLLED] = 1
        return _settle(t, s)
    choice_made(s)
    if code == KEEP_DICE:
        return _settle(t, s)
    if code == TWO_MORE:
        s[ADDED] = t[AMOUNT + t[ADDER]]
        s[TOTAL] += s[ADDED]
    return 0


def answer_to_card(t: Tables, s: Row, code: int) -> int:
    """Carry out an answer to a card; the stage to go on paying out from, or -1."""
    active, card, copies = s[ACTIVE], s[PENDING_CARD], s[PENDING_COPIES]
    choice_made(s)
    if TAKE_FROM <= code < RESIGN:
        pay(s, code - TAKE_FROM, active, copies * t[AMOUNT + card])
        return stage_after(t, s, card)
    if GIVE_CARD <= code < DEMOLISH_CARD:
        given = code - GIVE_CARD
        s[CITIES + active * MOST_CARDS + given] -= 1
        s[CITIES + previous_in_play(t, s, active) * MOST_CARDS + given] += 1
        return stage_after(t, s, card)
    if DEMOLISH_CARD <= code < TRADE:
        return answer_about_tokens(t, s, code, card, copies)
    if code != DECLINE_SWAP:
        trade(t, s, code - TRADE)
    if request_swap(t, s, card, copies - 1):
        return -1
    return stage_after(t, s, card)


def step(t: Tables, s: Row, r: Luck, code: int) -> None:
    """Carry out a legal command."""
    start = -1
    if code == PASS:
        _pass(t, s)
    elif BUILD_CARD <= code < GIVE_CARD:
        _build(t, s, r, code - BUILD_CARD)
    elif RESIGN <= code < BUILD_CARD:
        start = resign(t, s, code - RESIGN) if code < INVEST_COIN else invest(t, s, code)
    else:
        start = _answer_about_dice(t, s, r, code) if code < DECLINE_SWAP else answer_to_card(t, s, code)
    if start >= 0:
        pay_out(t, s, r, start)
