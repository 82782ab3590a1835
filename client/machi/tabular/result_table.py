"""The table `results`: one row for each seat of a match."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Struct

from domain.canonical import canonical
from domain.luck import UNIT, Luck
from domain.match.state import FINISHED, MatchState, is_over
from machi.tabular.columns import column, json_column, time_column
from machi.tabular.recorded import RecordedMatch


class ResultRow(Struct, frozen=True, gc=False):
    """One seat of one match, as it stands after the last exported event."""

    match_id: Annotated[str, column("the match")]
    seat: Annotated[int, column("the seat, from 0")]
    ruleset: Annotated[str, column("the ruleset, such as `harbor`")]
    rules_version: Annotated[str, column("the version of the rules")]
    box: Annotated[str | None, column("`four_player` or `five_player`; null if the ruleset has one box")]
    market: Annotated[str, column("`open`, `limited` or `rows`")]
    max_copies: Annotated[
        int | None, column("the limit on copies of an establishment; null for none", "cards")
    ]
    card_costs: Annotated[str, json_column("prices that differ from the catalogue, by card, in coins")]
    seats: Annotated[int, column("the number of seats")]
    first_seat: Annotated[int | None, column("the seat that began; null before the start")]
    visibility: Annotated[str, column("`public`, `unlisted` or `private`")]
    tags: Annotated[str, json_column("the tags of the match; a ladder tags its matches with its id")]
    dice: Annotated[str, column("`committed` (fair) or `scripted` (an analysis board)")]
    has_given_position: Annotated[bool, column("whether the match began with a given position")]
    branch_of: Annotated[str | None, column("the match that it branched off from; null for other matches")]
    status: Annotated[str, column("`open`, `running`, `finished` or `aborted`")]
    result: Annotated[
        str | None, column("why it is over: `landmarks`, `resignation`, or the reason of the abort")
    ]
    created_at: Annotated[str, time_column("the time of the first event")]
    ended_at: Annotated[str | None, time_column("the time of the last event; null if it is not over")]
    turns: Annotated[int, column("the turns of the match", "turns")]
    events: Annotated[int, column("the events of the match", "events")]
    head_hash: Annotated[str, column("the hash of the last event, which pins all of them")]
    player_kind: Annotated[str | None, column("`account` or `strategy`; null for an empty seat")]
    player: Annotated[
        str | None, column("the handle, or the name of the built-in player, that held the seat last")
    ]
    player_version: Annotated[str | None, column("the version of the built-in player; null for accounts")]
    place: Annotated[
        int | None, column("1 for the winner, then by landmarks and coins; null unless the match is finished")
    ]
    winner: Annotated[bool | None, column("whether the seat won; null unless the match is finished")]
    coins: Annotated[int | None, column("the coins at the end; null before the start", "coins")]
    landmarks: Annotated[int | None, column("the built landmarks", "cards")]
    establishments: Annotated[int | None, column("the establishments in the city", "cards")]
    city: Annotated[str | None, json_column("the copies of each card in the city, landmarks too")]
    seat_turns: Annotated[int | None, column("the turns of the seat", "turns")]
    decisions: Annotated[int, column("the rows of the seat in `decisions`", "decisions")]
    timeouts: Annotated[int, column("how often its clock ran out")]
    resigned: Annotated[bool, column("whether it resigned or was removed by the clock")]
    luck_coins: Annotated[
        float | None,
        column("the luck of all settled rolls, see luck.md; null if it was not computed", "coins"),
    ]
    error_coins: Annotated[
        float | None, column("what the choices about rolls cost or gave the seat, see luck.md", "coins")
    ]


def result_rows(
    match: RecordedMatch, state: MatchState, decisions: Mapping[int, int], luck: Luck | None
) -> list[ResultRow]:
    """The rows of all seats; `state` is the one after the last event, `decisions` the number by seat."""
    created, first, last = state.created, match.events[0].envelope, match.events[-1].envelope
    places = places_of(state)
    is_finished = state.status == FINISHED
    timeouts = Counter([one.event.seat for one in match.events if one.envelope.type == "clock_expired"])  # type: ignore[union-attr]  # these have one
    has_started = bool(state.coins)
    found = []
    for seat, player in enumerate(state.controllers):
        city = state.cities[seat] if has_started else []
        counts = {id: count for id, count in zip(state.rules.ids, city, strict=False) if count}
        row = ResultRow(
            match_id=match.match_id,
            seat=seat,
            ruleset=created.ruleset,
            rules_version=created.rules_version,
            box=created.options.box or None,
            market=created.options.market,
            max_copies=created.options.max_copies,
            card_costs=canonical(created.options.card_costs).decode(),
            seats=created.seats,
            first_seat=state.first_seat if has_started else None,
            visibility=created.visibility,
            tags=msgspec.json.encode(created.tags).decode(),
            dice=created.dice.mode,
            has_given_position=created.position is not None,
            branch_of=created.origin.match_id if created.origin else None,
            status=state.status,
            result=state.result or None,
            created_at=first.time,
            ended_at=last.time if is_over(state) else None,
            turns=state.turn,
            events=len(match.events),
            head_hash=last.hash,
            player_kind=player.kind if player else None,
            player=player.name if player else None,
            player_version=(player.version or None) if player else None,
            place=places[seat] if is_finished else None,
            winner=seat == state.winner if is_finished else None,
            coins=state.coins[seat] if has_started else None,
            landmarks=state.landmarks[seat] if has_started else None,
            establishments=sum(city[: state.rules.establishments]) if has_started else None,
            city=canonical(counts).decode() if has_started else None,
            seat_turns=state.seat_turns[seat] if has_started else None,
            decisions=decisions.get(seat, 0),
            timeouts=timeouts[seat],
            resigned=bool(state.resigned) and state.resigned[seat],
            luck_coins=luck.totals.luck[seat] / UNIT if luck else None,
            error_coins=luck.totals.error[seat] / UNIT if luck else None,
        )
        found.append(row)
    return found


def places_of(state: MatchState) -> list[int]:
    """By seat: the winner is first; the others follow by landmarks, then coins, resigned seats last.

    Seats that are equal in all of it share a place.
    """
    ranks = [
        (seat != state.winner, gone, -landmarks, -coins)
        for seat, (gone, landmarks, coins) in enumerate(
            zip(state.resigned, state.landmarks, state.coins, strict=True)
        )
    ]
    return [1 + sum([other < own for other in ranks]) for own in ranks]
