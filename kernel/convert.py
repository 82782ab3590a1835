"""Between `domain` and the kernel: states and rows, commands and codes, chance and luck."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, TypeAlias

from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import index_at
from domain.match.commands import PlayCommand
from domain.match.events import Event
from domain.match.rules import Rules
from domain.match.state import ABORTED, FINISHED, RUNNING, MatchState
from kernel import layout as at
from kernel import luck
from kernel.tables import width_of

_STATUSES = (RUNNING, FINISHED, ABORTED)

_PLAIN: dict[type, int] = {
    cmd.RerollDice: at.REROLL_DICE,
    cmd.KeepDice: at.KEEP_DICE,
    cmd.AddTwo: at.TWO_MORE,
    cmd.KeepTotal: at.KEEP_TOTAL,
    cmd.DeclineSwap: at.DECLINE_SWAP,
    cmd.Pass: at.PASS,
    cmd.InvestCoin: at.INVEST_COIN,
    cmd.DeclineInvestment: at.KEEP_COIN,
}
"""The commands that name nothing but their seat."""
_PLAIN_BY_CODE = {code: command for command, code in _PLAIN.items()}


def row_of(state: MatchState) -> list[int]:
    """The row of a match that has started; given deck orders are left out."""
    rules = state.rules
    row = [0] * width_of(rules)
    first, second = (*state.dice, 0, 0)[:2]
    head = {
        at.STATUS: _STATUSES.index(state.status),
        at.FIRST_SEAT: state.first_seat,
        at.TURN: state.turn,
        at.ROUND: state.round,
        at.ACTIVE: state.active,
        at.PHASE: at.PHASES.index(state.phase),
        at.EXTRA_TURN: int(state.extra_turn),
        at.DIE_1: first,
        at.DIE_2: second,
        at.TOTAL: state.total,
        at.ADDED: state.added,
        at.REROLLED: int(state.rerolled),
        at.RECEIVED: state.received,
        at.EXTRA_TURN_DUE: int(state.extra_turn_due),
        at.PENDING_CARD: rules.index.get(state.pending_card, -1),
        at.PENDING_COPIES: state.pending_copies,
        at.THROWS: state.throws,
        at.WINNER: state.winner,
        at.RESULT: at.RESULTS.index(state.result),
    }
    for place, value in head.items():
        row[place] = value
    _put(row, at.COINS, state.coins)
    _put(row, at.LANDMARKS, state.landmarks)
    _put(row, at.RESIGNED, [int(gone) for gone in state.resigned])
    _put(row, at.SEAT_TURNS, state.seat_turns)
    _put(row, at.DRAWS, state.draws)
    _put(row, at.SUPPLY, state.supply)
    _put(row, at.DECKS, state.decks)
    for seat, city in enumerate(state.cities):
        _put(row, at.CITIES + seat * at.MOST_CARDS, city)
    if rules.invests >= 0:
        _put(row, at.INVESTED, state.invested)
    for seat, closed in enumerate(state.closed):
        _put(row, at.CLOSED + seat * at.MOST_CARDS, closed)
    return row


def _put(row: list[int], place: int, values: Sequence[int]) -> None:
    row[place : place + len(values)] = values


def state_of(row: Sequence[int], like: MatchState) -> MatchState:
    """The state of a row; what a row leaves out comes from another state of the match.

    That is its creation, players and version, and the given orders of decks, less the cards drawn since.
    """
    s = list(row)
    state = like.copy()
    rules = state.rules
    seats, size = rules.seats, rules.size
    state.status = _STATUSES[s[at.STATUS]]
    state.first_seat = s[at.FIRST_SEAT]
    state.turn = s[at.TURN]
    state.round = s[at.ROUND]
    state.active = s[at.ACTIVE]
    state.phase = at.PHASES[s[at.PHASE]]
    state.extra_turn = bool(s[at.EXTRA_TURN])
    state.dice = tuple([value for value in (s[at.DIE_1], s[at.DIE_2]) if value])
    state.total = s[at.TOTAL]
    state.added = s[at.ADDED]
    state.rerolled = bool(s[at.REROLLED])
    state.received = s[at.RECEIVED]
    state.extra_turn_due = bool(s[at.EXTRA_TURN_DUE])
    state.pending_card = rules.ids[s[at.PENDING_CARD]] if s[at.PENDING_CARD] >= 0 else ""
    state.pending_copies = s[at.PENDING_COPIES]
    state.throws = s[at.THROWS]
    state.winner = s[at.WINNER]
    state.result = at.RESULTS[s[at.RESULT]]
    state.coins = s[at.COINS : at.COINS + seats]
    state.landmarks = s[at.LANDMARKS : at.LANDMARKS + seats]
    state.resigned = [bool(gone) for gone in s[at.RESIGNED : at.RESIGNED + seats]]
    state.seat_turns = s[at.SEAT_TURNS : at.SEAT_TURNS + seats]
    drawn = s[at.DRAWS : at.DRAWS + len(rules.rows)]
    state.deck_orders = {
        rules.rows[i].name: state.deck_orders[rules.rows[i].name][count - before :]
        for i, (count, before) in enumerate(zip(drawn, state.draws, strict=True))
        if rules.rows[i].name in state.deck_orders
    }
    state.draws = drawn
    state.supply = s[at.SUPPLY : at.SUPPLY + size]
    state.decks = s[at.DECKS : at.DECKS + size]
    state.cities = _by_seat(s, at.CITIES, rules)
    if rules.renovates:
        state.closed = _by_seat(s, at.CLOSED, rules)
    if rules.invests >= 0:
        state.invested = s[at.INVESTED : at.INVESTED + seats]
    return state


def _by_seat(row: list[int], place: int, rules: Rules) -> list[list[int]]:
    """By seat and card: the numbers from that place on."""
    starts = [place + seat * at.MOST_CARDS for seat in range(rules.seats)]
    return [row[start : start + rules.size] for start in starts]


Decks: TypeAlias = tuple[list[int], list[int]]
"""The part of a luck for decks in a known order: what stands at `IS_ORDERED`, and at `ORDERS`."""


def decks_of(rules: Rules, orders: Mapping[str, Sequence[str]], draws: Sequence[int]) -> Decks:
    """The decks in a known order, by the name of the row; by row, so many cards were drawn before."""
    is_ordered, order_at = [0] * at.MOST_ROWS, [0] * at.MOST_ROWS
    cards: list[int] = []
    for row, market in enumerate(rules.rows):
        if market.name in orders:
            is_ordered[row] = 1
            order_at[row] = at.ORDERS + len(cards) - draws[row]
            cards += [rules.index[id] for id in orders[market.name]]
    return is_ordered + order_at, cards


def recorded_decks_of(state: MatchState, events: Iterable[Event]) -> Decks:
    """The decks in the order in which the match turned their cards over; those that were left lie below."""
    rules = state.rules
    orders: dict[str, list[str]] = {row.name: [] for row in rules.rows}
    for event in events:
        if type(event) is ev.MarketRefilled:  # faster than `isinstance` on these classes
            orders[event.row] += event.cards
    for row, cards in zip(rules.rows, rules.row_cards, strict=True):
        orders[row.name] += [rules.ids[card] for card in cards for _ in range(state.decks[card])]
    return decks_of(rules, orders, [0] * len(rules.rows))


def code_of(rules: Rules, command: PlayCommand) -> int:
    """The code of a command."""
    plain = _PLAIN.get(type(command))
    if plain is not None:
        return plain
    index = rules.index
    if isinstance(command, cmd.RollDice):
        return at.ROLL_ONE + command.dice - 1
    if isinstance(command, cmd.TakeCoins):
        return at.TAKE_FROM + command.from_seat
    if isinstance(command, cmd.Resign):
        return at.RESIGN + command.seat
    if isinstance(command, cmd.Build):
        return at.BUILD_CARD + index[command.card]
    if isinstance(command, cmd.GiveEstablishment):
        return at.GIVE_CARD + index[command.card]
    if isinstance(command, cmd.Demolish):
        return at.DEMOLISH_CARD + index[command.card]
    if isinstance(command, cmd.Renovate):
        return at.RENOVATE_CARD + index[command.card]
    if isinstance(command, cmd.MoveEstablishment):
        return at.MOVE_CARD + index[command.card] * at.MOST_SEATS + command.to_seat
    assert isinstance(command, cmd.SwapEstablishments)
    return _code_of_swap(index[command.give], command.with_seat, index[command.take])


def command_of(rules: Rules, seat: int, code: int) -> PlayCommand:
    """The command of a code, given by the seat to act; a resignation names its own seat."""
    plain = _PLAIN_BY_CODE.get(code)
    if plain is not None:
        found: PlayCommand = plain(seat)
        return found
    ids = rules.ids
    if code in (at.ROLL_ONE, at.ROLL_TWO):
        return cmd.RollDice(seat, 1 + code - at.ROLL_ONE)
    if code < at.RESIGN:
        return cmd.TakeCoins(seat, code - at.TAKE_FROM)
    if code < at.BUILD_CARD:
        return cmd.Resign(code - at.RESIGN)
    if code < at.GIVE_CARD:
        return cmd.Build(seat, ids[code - at.BUILD_CARD])
    if code < at.DEMOLISH_CARD:
        return cmd.GiveEstablishment(seat, ids[code - at.GIVE_CARD])
    if code < at.RENOVATE_CARD:
        return cmd.Demolish(seat, ids[code - at.DEMOLISH_CARD])
    if code < at.MOVE_CARD:
        return cmd.Renovate(seat, ids[code - at.RENOVATE_CARD])
    if code < at.TRADE:
        card, to_seat = divmod(code - at.MOVE_CARD, at.MOST_SEATS)
        return cmd.MoveEstablishment(seat, ids[card], to_seat)
    traded, take = divmod(code - at.TRADE, at.MOST_CARDS)
    give, other = divmod(traded, at.MOST_SEATS)
    return cmd.SwapEstablishments(seat, ids[give], other, ids[take])


def script_of(rules: Rules, events: Iterable[Event]) -> list[int]:
    """The commands of a match as `kernel.match_luck` reads them, from its events: for each command its code,
    the number of dice that it throws, and these dice.

    Not for rules in which cards close: some of their commands are missing in `_CODE_BY_EVENT`.
    """
    found: list[int] = []
    dice_at = 0
    for event in events:
        code = _CODE_BY_EVENT.get(type(event))
        if code is None:
            continue
        if type(event) is ev.DiceRolled and event.purpose == "boats":
            found[dice_at] += len(event.values)
            found += event.values
        else:
            values = event.values if type(event) is ev.DiceRolled else ()
            dice_at = len(found) + 1
            found += (code(rules, event), len(values), *values)
    return found


def _code_of_roll(rules: Rules, roll: ev.DiceRolled) -> int:
    return at.REROLL_DICE if roll.purpose == "reroll" else at.ROLL_ONE + len(roll.values) - 1


def _code_of_trade(rules: Rules, trade: ev.EstablishmentsSwapped) -> int:
    index = rules.index
    return _code_of_swap(index[trade.give], trade.with_seat, index[trade.take])


def _code_of_swap(give: int, seat: int, take: int) -> int:
    return at.TRADE + (give * at.MOST_SEATS + seat) * at.MOST_CARDS + take


def _code_of_build(rules: Rules, built: ev.EstablishmentBuilt | ev.LandmarkBuilt) -> int:
    return at.BUILD_CARD + rules.index[built.card]


_CODE_BY_EVENT: Final[dict[type, Callable[[Rules, Any], int]]] = {
    ev.DiceRolled: _code_of_roll,
    ev.DiceKept: lambda _, kept: at.KEEP_DICE if kept.declined == "reroll" else at.KEEP_TOTAL,
    ev.TwoAdded: lambda _, added: at.TWO_MORE,
    ev.TargetChosen: lambda _, chosen: at.TAKE_FROM + chosen.target,
    ev.EstablishmentsSwapped: _code_of_trade,
    ev.SwapDeclined: lambda _, declined: at.DECLINE_SWAP,
    ev.EstablishmentGiven: lambda rules, given: at.GIVE_CARD + rules.index[given.card],
    ev.EstablishmentBuilt: _code_of_build,
    ev.LandmarkBuilt: _code_of_build,
    ev.BuildPassed: lambda _, passed: at.PASS,
    ev.SeatResigned: lambda _, resigned: at.RESIGN + resigned.seat,
}
"""Where cards cannot close, each command of a seat brings one of these events, and no other event does."""


class TwinChance:
    """The luck of the match with a seed as a source of chance for `domain`."""

    def __init__(self, seed: int) -> None:
        self.luck: at.Luck = [0] * at.LUCK_WIDTH
        luck.seed_luck(self.luck, seed)

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        return tuple([luck.die(self.luck) for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return index_at(luck.place(self.luck, sum(weights)), weights)

    def first_seat(self, state: MatchState) -> int:
        return luck.place(self.luck, state.rules.seats)


class TwinRandom(Random):
    """The luck of a match as random numbers of players."""

    def __init__(self, words: at.Luck) -> None:
        super().__init__(0)
        self._words = words

    def random(self) -> float:
        return luck.next_word(self._words) / 2**32
