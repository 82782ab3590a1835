"""What chance decided is found from the events alone, with the address of each die, card and first seat."""

from collections import Counter
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.match import events as ev
from domain.match.chance import (
    Die,
    Pick,
    SeededChance,
    commitment,
    die_at,
    die_value,
    pick_at,
    seat_commitment,
    table_key,
)
from domain.match.commands import CommitSeatSeed, ExpireSeatSeeds, OpenSeatSeed
from domain.match.fairness import Traced, TracedDraw, TracedSeatSeed, trace
from tests.domain import independent_dice
from tests.domain.golden_matches import FOLDER, RECIPES, events_of
from tests.domain.kit import A, B, C, Scene, creation
from tests.domain.matches import CASES, Played, chance_of, play


def traced(name: str) -> tuple[Traced, list[ev.Event]]:
    """What chance decided in a recorded match, and its events."""
    events = events_of((FOLDER / f"{name}.jsonl").read_bytes())
    return trace(events), events


def key_of(found: Traced) -> bytes:
    assert found.seed is not None
    return table_key(found.seed, found.seat_seeds)


@pytest.mark.parametrize("name", RECIPES)
def test_every_throw_of_a_recorded_match_comes_from_its_address(name: str) -> None:
    found, events = traced(name)
    thrown = [(i, event) for i, event in enumerate(events, 1) if isinstance(event, ev.DiceRolled)]

    assert [(throw.sequence, throw.values) for throw in found.throws] == [
        (i, event.values) for i, event in thrown
    ]
    key = key_of(found)
    for throw in found.throws:
        if RECIPES[name].throws:
            assert throw.stems == ()
        else:
            assert tuple(die_at(key, stem).value for stem in throw.stems) == throw.values


@pytest.mark.parametrize("name", RECIPES)
def test_every_card_of_a_recorded_match_comes_from_its_address(name: str) -> None:
    found, events = traced(name)

    refills = [event for event in events if isinstance(event, ev.MarketRefilled)]
    assert [draw.card for draw in found.draws] == [card for event in refills for card in event.cards]
    for draw in found.draws:
        if draw.stem:
            assert card_of(draw, pick_at(key_of(found), draw.stem, draw.left)) == draw.card


def card_of(draw: TracedDraw, pick: Pick) -> str:
    return [card for card, copies in draw.deck for _ in range(copies)][pick.place]


def test_the_first_seat_comes_from_its_address_where_nobody_has_chosen_it() -> None:
    for name, recipe in RECIPES.items():
        found, _ = traced(name)
        assert (found.first_seat is None) == (recipe.position is not None)
        if found.first_seat is not None:
            first = found.first_seat
            assert pick_at(key_of(found), first.stem, first.seats).place == first.seat
            assert found.state.first_seat == first.seat


@pytest.mark.parametrize("name", ["harbor_limited", "machi_koro_2"])
def test_a_throw_is_traced_with_its_event_its_turn_and_the_turn_of_its_seat(name: str) -> None:
    found, events = traced(name)
    begun = Counter[int]()
    turn, thrown = ev.TurnStarted(0, 0), []
    for i, event in enumerate(events, 1):
        if isinstance(event, ev.TurnStarted):
            turn = event
            begun[turn.seat] += 1
        if isinstance(event, ev.DiceRolled):
            thrown.append((i, turn.turn, turn.seat, begun[turn.seat], event.purpose))

    assert thrown == [
        (throw.sequence, throw.turn, throw.seat, throw.seat_turn, throw.purpose) for throw in found.throws
    ]


@pytest.mark.parametrize("name", ["harbor_limited", "machi_koro_2"])
def test_a_card_is_traced_with_its_event_and_its_number_in_the_row(name: str) -> None:
    found, events = traced(name)
    numbers = Counter[str]()
    drawn = []
    for i, event in enumerate(events, 1):
        for card in event.cards if isinstance(event, ev.MarketRefilled) else ():
            numbers[event.row] += 1
            drawn.append((i, event.row, numbers[event.row], card))

    assert drawn == [(draw.sequence, draw.row, draw.number, draw.card) for draw in found.draws]


def test_the_first_seat_is_traced_with_the_start_of_the_match() -> None:
    found, events = traced("base_limited")

    assert found.first_seat is not None
    assert isinstance(events[found.first_seat.sequence - 1], ev.MatchStarted)


def test_the_seed_of_a_seat_is_traced_with_the_events_that_committed_to_it_and_opened_it() -> None:
    own = commitment(bytes(32))
    dice = ev.Dice("committed", "k1", own, seat_seeds=ev.SeatSeeds(60_000))
    commitments = [seat_commitment(own, seat, f"{seat}" * 32) for seat in (A, B)]
    scene = Scene(None).when(
        replace(creation("base", 3), dice=dice),
        CommitSeatSeed(B, commitments[B]),
        CommitSeatSeed(A, commitments[A]),
        ExpireSeatSeeds(),
        OpenSeatSeed(A, "0" * 32),
    )
    found = trace(scene.events)

    assert [*found.seeds.items()] == [
        (B, TracedSeatSeed(B, commitments[B], 5)),
        (A, TracedSeatSeed(A, commitments[A], 6, "0" * 32, 8)),
        (C, TracedSeatSeed(C, "", 7)),
    ]
    assert found.seat_seeds == ("0" * 32, "", "")


def test_cards_from_a_deck_in_a_given_order_have_no_address() -> None:
    found, events = traced("machi_koro_2_position")
    (started,) = [event for event in events if isinstance(event, ev.MatchStarted)]

    for draw in found.draws:
        assert (draw.stem == "") == (draw.row in started.deck_orders)
    assert {draw.stem == "" for draw in found.draws} == {True, False}


def played() -> Sequence[Played]:
    return [play(case, 3) for case in CASES[::7]]


def test_what_is_found_is_what_the_dice_of_random_matches_were_made_of() -> None:
    """Boats and rerolls, extra turns and refills in the middle of a command included."""
    purposes = set()
    for one in played():
        created, *others = one.events
        assert isinstance(created, ev.MatchCreated)
        found = trace([replace(created, dice=ev.Dice("committed")), *others])
        seed = bytes.fromhex(chance_of(one.case, one.seed).reveal()[1])
        key = table_key(seed, found.seat_seeds)
        for throw in found.throws:
            purposes.add(throw.purpose)
            assert tuple(die_at(key, stem).value for stem in throw.stems) == throw.values
        for draw in found.draws:
            assert card_of(draw, pick_at(key, draw.stem, draw.left)) == draw.card
        assert found.seed == (seed if one.events[-1:] == [ev.DiceRevealed("test", seed.hex())] else None)
    assert purposes == {"roll", "reroll", "boats"}


def test_a_trace_of_some_of_the_events_is_the_beginning_of_the_whole() -> None:
    whole, events = traced("harbor_limited")
    for count in range(1, len(events), 97):
        part = trace(events[:count])
        assert part.throws == whole.throws[: len(part.throws)]
        assert part.draws == whole.draws[: len(part.draws)]
        assert part.seed is None


@pytest.mark.parametrize("stem", ["die|0|1|roll|1|0", "die|3|77|boats|1|1"])
def test_a_die_says_which_byte_made_it(stem: str) -> None:
    key = bytes(range(32))
    die = die_at(key, stem)

    assert die.address == f"{stem}|0"
    assert die.digest == next(independent_dice.digests(key, stem))
    assert (die.byte, die.value) == (die.digest[die.byte_index], die.byte % 6 + 1)
    assert all(byte >= 252 for byte in die.digest[: die.byte_index])
    assert die.value == independent_dice.die(key, stem)


def test_a_digest_without_a_fair_byte_is_followed_by_the_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = {
        b"die|0|0": bytes([252] * 32),
        b"die|0|1": bytes([255] * 32),
        b"die|0|2": bytes([254] * 32),
        b"die|0|3": bytes([253, 251] * 16),
    }
    monkeypatch.setattr("domain.match.chance.hmac_sha256", lambda key, message: digests[message])

    assert die_at(b"", "die|0") == Die("die|0|3", bytes([253, 251] * 16), 1, 251, 6)
    assert die_value(b"", "die|0") == 6


@pytest.mark.parametrize("left", [1, 2, 7, 40_000, 65_536])
def test_a_choice_says_which_number_made_it(left: int) -> None:
    key = bytes(range(32))
    limit = 65_536 // left * left
    for place in range(1, 20):
        stem = f"draw|low|{place}"
        pick = pick_at(key, stem, left)
        block = int(pick.address.removeprefix(f"{stem}|"))
        digests = [
            digest for _, digest in zip(range(block + 1), independent_dice.digests(key, stem), strict=False)
        ]
        numbers = [int.from_bytes(pick.digest[i : i + 2], "big") for i in range(0, 32, 2)]

        assert pick.digest == digests[block]
        assert pick.number == numbers[pick.number_index] < limit
        assert all(number >= limit for number in numbers[: pick.number_index])
        assert pick.place == pick.number % left == independent_dice.pick(key, stem, left)


def test_a_digest_without_a_fair_number_is_followed_by_the_next_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 40,000 cards one is chosen by a number below 40,000: those from there on fill no whole deck."""
    numbers = {
        b"draw|low|1|0": 40_000,
        b"draw|low|1|1": 65_535,
        b"draw|low|1|2": 40_001,
        b"draw|low|1|3": 39_999,
    }
    digests = {address: number.to_bytes(2, "big") * 16 for address, number in numbers.items()}
    monkeypatch.setattr("domain.match.chance.hmac_sha256", lambda key, message: digests[message])

    found = digests[b"draw|low|1|3"]
    assert pick_at(b"", "draw|low|1", 40_000) == Pick("draw|low|1|3", found, 0, 39_999, 39_999)


@pytest.mark.parametrize("left", [0, -1, 65_537])
def test_nothing_is_chosen_of_none_or_of_more_than_a_number_can_tell_apart(left: int) -> None:
    with pytest.raises(ValueError, match=f"nothing is picked of {left}"):
        pick_at(bytes(32), "draw|low|1", left)


def test_one_object_goes_on_with_the_seeds_of_seats_that_are_taken_later() -> None:
    """The key is that of the seats at the time: it is made anew when one of them has changed hands."""
    events = traced("base_limited")[1]
    state = trace(events[:6]).state
    chance = SeededChance(bytes(32), "k")
    before = chance.first_seat(state), chance.throw(state, "roll", 2), chance.draw(state, 0, 9, [1] * 40)
    state.controllers[0] = ev.SeatTaken(0, "account", "acc_9", "nine", seed="mine")
    after = chance.first_seat(state), chance.throw(state, "roll", 2), chance.draw(state, 0, 9, [1] * 40)

    assert before != after
    key = table_key(bytes(32), ("mine", "", ""))
    assert after[2] == pick_at(key, f"draw|{state.rules.rows[0].name}|9", 40).place
