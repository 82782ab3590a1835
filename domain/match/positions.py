"""Positions: given tables to start a match from, their validation and the table that they describe."""

from typing import Final, NamedTuple

from msgspec import UNSET

from domain.errors import RuleViolation, pointer_to
from domain.match.events import Position, PositionPlayer, PositionRow, TokensPlaced
from domain.match.rules import Rules
from domain.match.rulesets import Ruleset, never_sold
from domain.match.state import wins


class PositionTable(NamedTuple):
    """The table when the match starts; counts are by card id."""

    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    supply: dict[str, int]
    decks: dict[str, int]
    deck_orders: dict[str, tuple[str, ...]]


MOST_COINS: Final = 1000
"""Most coins of a seat in a position, and on its Tech Startup. No card costs nearly as much, but a seat that
only saves can have more: its table cannot be given as a position."""


def check_position(rules: Rules, position: Position) -> None:
    """Refuse a table that is impossible with the box and the rules.

    Raises:
        RuleViolation: `validation_failed`, `unknown_card`, `major_already_owned` or `copy_limit_reached`,
            with a pointer to the member below `/position`.
    """
    if not 0 <= position.active_seat < rules.seats:
        raise _fault(f"the match has no seat {position.active_seat}", "active_seat")
    phases = ("roll", "build", "setup") if rules.ruleset.building_rounds else ("roll", "build")
    if position.phase not in phases:
        raise _fault(f"must be one of: {', '.join(phases)}; not {position.phase!r}", "phase")
    if len(position.players) != rules.seats:
        raise _fault(f"must be {rules.seats} players, one per seat, not {len(position.players)}", "players")
    for seat, player in enumerate(position.players):
        _check_player(rules, player, ("players", seat))
    _check_rows(rules, position)
    _check_copies(rules, position)


def require_starters(ruleset: Ruleset, position: Position) -> None:
    """Refuse a city without exactly one of each card that cannot be bought or lost, such as the Town Hall.

    Only for new matches: positions recorded before this check existed may violate it.

    Raises:
        RuleViolation: `validation_failed`, with a pointer below `/position/players`.
    """
    for seat, player in enumerate(position.players):
        for id in sorted(never_sold(ruleset)):
            if player.establishments.get(id) != 1:
                raise _fault(f"every city must have exactly one {id}", "players", seat, "establishments", id)


Where = tuple[str | int, ...]
"""The path to a member of the position."""


def _fault(detail: str, *where: str | int, code: str = "validation_failed") -> RuleViolation:
    return RuleViolation(code, detail, pointer_to("position", *where))


def _check_player(rules: Rules, player: PositionPlayer, where: Where) -> None:
    if not 0 <= player.coins <= MOST_COINS:
        raise _fault(f"must be 0 to {MOST_COINS} coins, not {player.coins}", *where, "coins")
    for id, count in player.establishments.items():
        _check_stack(rules, id, count, (*where, "establishments", id))
    for place, id in enumerate(player.landmarks):
        if rules.index.get(id, -1) < rules.establishments:
            raise _fault(
                f"this match has no landmark {id!r}", *where, "landmarks", place, code="unknown_card"
            )
    if len(set(player.landmarks)) != len(player.landmarks):
        raise _fault("a landmark is listed twice", *where, "landmarks")
    _check_tokens(rules, player, where)
    if _has_won(rules, player):
        raise _fault("with these landmarks, the match would be over", *where, "landmarks")


def _check_tokens(rules: Rules, player: PositionPlayer, where: Where) -> None:
    """Refuse renovation of cards that are not there or never close, and an investment without its card."""
    for id, count in ({} if player.closed is UNSET else player.closed).items():
        card = rules.index.get(id, -1)
        if not 0 <= card < rules.establishments:
            raise _fault(f"this match has no establishment {id!r}", *where, "closed", id, code="unknown_card")
        if not rules.renovates or not rules.tradable[card]:
            raise _fault(f"{id} never closes for renovation", *where, "closed", id)
        if not 0 <= count <= player.establishments.get(id, 0):
            raise _fault(f"the city has fewer copies of {id} than {count}", *where, "closed", id)
    invested = 0 if player.invested is UNSET else player.invested
    if not 0 <= invested <= MOST_COINS:
        raise _fault(f"must be 0 to {MOST_COINS} coins, not {invested}", *where, "invested")
    if invested and (rules.invests < 0 or not player.establishments.get(rules.ids[rules.invests])):
        raise _fault("the city has no card to invest in", *where, "invested")


def _has_won(rules: Rules, player: PositionPlayer) -> bool:
    return any(wins(rules, len(player.landmarks), rules.index[id]) for id in player.landmarks)


def _check_stack(rules: Rules, id: str, count: int, where: Where) -> None:
    card = rules.index.get(id, -1)
    if not 0 <= card < rules.establishments:
        raise _fault(f"this match has no establishment {id!r}", *where, code="unknown_card")
    if count < 0:
        raise _fault(f"the number of copies is negative: {count}", *where)
    if rules.unique[card] and count > 1:
        raise _fault(f"a city can have only one {id}", *where, code="major_already_owned")
    if rules.max_copies and count > rules.max_copies:
        raise _fault(f"max_copies allows {rules.max_copies} copies", *where, code="copy_limit_reached")


def _check_rows(rules: Rules, position: Position) -> None:
    if position.rows is None:
        return
    names = [row.name for row in rules.rows]
    given = [row.name for row in position.rows]
    if len(set(given)) != len(given):
        raise _fault("a row is given twice", "market")
    for row in position.rows:
        if row.name not in names:
            raise _fault(f"this market has no row {row.name!r}", "market")
        cards = rules.rows[names.index(row.name)].cards
        where = _row_path(rules, row)
        for id, count in row.face_up.items():
            if id not in cards:
                raise _fault(f"this row does not sell {id!r}", *where, id, code="unknown_card")
            if count < 0:
                raise _fault(f"the number of copies is negative: {count}", *where, id)
        if row.deck and not rules.rows[names.index(row.name)].kinds:
            raise _fault("an open market has no deck", "market", "deck")
        for place, id in enumerate(row.deck or ()):
            if id not in cards:
                raise _fault(
                    f"this row does not sell {id!r}", *_deck_path(rules, row), place, code="unknown_card"
                )


def _row_path(rules: Rules, row: PositionRow) -> Where:
    if len(rules.rows) > 1:
        return ("market", "rows", row.name)
    return ("market", "face_up") if rules.rows[0].kinds else ("market", "supply")


def _deck_path(rules: Rules, row: PositionRow) -> Where:
    return ("market", "decks", row.name) if len(rules.rows) > 1 else ("market", "deck")


def _check_copies(rules: Rules, position: Position) -> None:
    """Refuse more copies of a card than the box and the starter cards have."""
    table = table_of(rules, position)
    for id in rules.ids:
        held = sum(city.get(id, 0) for city in table.cities)
        there = held + table.supply.get(id, 0) + table.decks.get(id, 0)
        most = _copies_in_play(rules, id)
        if there > most:
            left = most - held
            path = _city_path(position, id) if left < 0 else _market_path(rules, position, id, left)
            raise _fault(f"the position has {there} copies of {id}, the box {most}", *path)


def _city_path(position: Position, id: str) -> Where:
    """The path to the card in the first city that holds it."""
    for seat, player in enumerate(position.players):
        if player.establishments.get(id):
            return ("players", seat, "establishments", id)
        if id in player.landmarks:
            return ("players", seat, "landmarks")
    raise AssertionError(f"{id} is in a city")


def _market_path(rules: Rules, position: Position, id: str, left: int) -> Where:
    """The path to the card's face-up stack if that exceeds what the cities leave, else to the first surplus
    card in the deck."""
    for row in position.rows or ():
        shown = row.face_up.get(id, 0)
        if shown > left:
            return (*_row_path(rules, row), id)
        places = [place for place, card in enumerate(row.deck or ()) if card == id]
        if shown + len(places) > left:
            return (*_deck_path(rules, row), places[left - shown])
    raise AssertionError(f"{id} is in the market")


def _copies_in_play(rules: Rules, id: str) -> int:
    """Copies in the supply and starter cards together; one per seat for players' own landmarks."""
    card = rules.index[id]
    if card >= rules.establishments and rules.own_landmarks:
        return rules.seats
    return rules.copies[card] + rules.seats * rules.ruleset.starters.count(id)


def tokens_of(position: Position) -> TokensPlaced | None:
    """What lies on the cards of a position; None if nothing does."""
    closed = tuple(
        {} if player.closed is UNSET else {id: count for id, count in player.closed.items() if count}
        for player in position.players
    )
    invested = tuple(0 if player.invested is UNSET else player.invested for player in position.players)
    return TokensPlaced(closed, invested) if any(closed) or any(invested) else None


def table_of(rules: Rules, position: Position) -> PositionTable:
    """The table that a position describes; omitted rows have the full box less the cities' cards."""
    cities = tuple(
        {**player.establishments, **dict.fromkeys(player.landmarks, 1)} for player in position.players
    )
    supply: dict[str, int] = {}
    decks: dict[str, int] = {}
    orders: dict[str, tuple[str, ...]] = {}
    given = {row.name: row for row in position.rows or ()}
    for row in rules.rows:
        left = {id: _left_in_box(rules, id, cities) for id in row.cards}
        if row.name in given:
            _lay_given(given[row.name], row.kinds, left, supply, decks, orders)
        else:
            (decks if row.kinds else supply).update(left)
    coins = tuple(player.coins for player in position.players)
    return PositionTable(coins, cities, supply, decks, orders)


def _left_in_box(rules: Rules, id: str, cities: tuple[dict[str, int], ...]) -> int:
    held = sum(city.get(id, 0) for city in cities)
    return max(0, min(rules.copies[rules.index[id]], _copies_in_play(rules, id) - held))


def _lay_given(
    row: PositionRow,
    kinds: int,
    left: dict[str, int],
    supply: dict[str, int],
    decks: dict[str, int],
    orders: dict[str, tuple[str, ...]],
) -> None:
    """Lay out one given row; in an open market, unnamed stacks are complete."""
    if not kinds:
        supply.update(left | row.face_up)
        return
    supply.update(row.face_up)
    if row.deck is None:
        decks.update({id: max(0, count - row.face_up.get(id, 0)) for id, count in left.items()})
        return
    orders[row.name] = row.deck
    for id in row.deck:
        decks[id] = decks.get(id, 0) + 1
