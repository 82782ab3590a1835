"""`expected_value`: looks one ply ahead over all dice, and takes what is worth most; no luck, no training.

What a table is worth to the seat, in coins: its purse, what it has paid for of what it needs to win, and what
it expects to receive in a round for as many rounds as the match is likely to last.
"""

import random
from collections.abc import Sequence
from typing import Final

from domain.commands import (
    AddTwo,
    Build,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    PlayCommand,
    RerollDice,
    RollDice,
    SwapEstablishments,
    TakeCoins,
)
from domain.decide.building import price
from domain.state import MatchState
from workers.players.builds import landmarks, richest, winning, without_idle_round
from workers.players.outlook import THROWS, Outlook, _mean
from workers.players.race import rounds_left, still_to_pay


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    if len(legal) == 1:
        return legal[0]
    seat = view.active
    if view.phase == "take_coins":
        return richest(view, legal)
    won = winning(view, landmarks(view, legal))
    if won:
        return won
    outlook = Outlook(view, seat)
    if view.phase in ("roll", "reroll", "add_two"):
        return _about_dice(view, outlook)
    rounds = rounds_left(view, outlook)
    if view.phase in ("build", "setup"):
        return _best_build(view, without_idle_round(view, legal), outlook, rounds)
    return max(legal, key=lambda command: outlook.change(_changes(view, command)))


def _about_dice(view, outlook):
    seat = view.active
    if view.phase == "roll":
        one = outlook.worth(seat, 1, outlook.gains(1))
        two = outlook.worth(seat, 2, outlook.gains(2))
        return RollDice(seat, 2 if two > one else 1)
    if view.phase == "reroll":
        dice = len(view.dice)
        values = outlook.values(seat, dice, outlook.gains(dice))
        mean = _mean(values, THROWS[dice])
        place = [values for values, _ in THROWS[dice]].index(_plain(view.dice))
        return RerollDice(seat) if mean > values[place] else KeepDice(seat)
    from workers.players import dice as d
    return d._add_or_keep(view)


def _plain(values):
    a = tuple(sorted(values))
    if len(a) == 1 or a[0] == a[1]:
        return a
    t = sum(a)
    return next(v for v, _ in THROWS[2][6:] if sum(v) == t)


def _best_build(view, legal, outlook, rounds):
    seat = view.active
    before = still_to_pay(view, seat)

    def worth(command):
        if not isinstance(command, Build):
            return 0.0, 0
        card = view.rules.index[command.card]
        found = rounds * outlook.change({card: 1}) - price(view, seat, card)
        if card >= view.rules.establishments:
            found += before - still_to_pay(view, seat, card)
        return found, card >= view.rules.establishments

    return max(legal, key=worth)


def _changes(view: MatchState, command: PlayCommand) -> dict[int, int]:
    index = view.rules.index
    if isinstance(command, SwapEstablishments):
        return {index[command.give]: -1, index[command.take]: 1} if command.give != command.take else {}
    if isinstance(command, GiveEstablishment):
        return {index[command.card]: -1}
    return {}
