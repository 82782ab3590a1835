"""Committed dice: each die and draw is a function of the seed, its address and the seats' seeds, and fair."""

import hashlib
import hmac
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain import MatchState, decide, fold
from domain.match import events as ev
from domain.match.chance import SeededChance, TapeChance, commitment, seed_in_round
from domain.match.chance import chance_of as stored_chance
from domain.match.commands import SeatPlan
from tests.domain.independent_dice import die, digests, pick, table_key
from tests.domain.kit import creation
from tests.domain.matches import CASES, chance_of, play

GOLDEN = Path(__file__).parents[1] / "golden" / "dice.json"

SEEDS = [bytes(32), bytes(range(32)), hashlib.sha256(b"a match").digest()]
SEAT_SEEDS = [("", ""), ("one", "two", ""), ("зерно", 'quo"ted', "", "\\", "é")]


def state_of(seat_seeds: tuple[str, ...], ruleset: str = "machi_koro_2") -> MatchState:
    """A match whose seats brought these seeds."""
    plans = [SeatPlan("account", f"acc_{i}", "", seed=seed) for i, seed in enumerate(seat_seeds)]
    command = creation(ruleset, plans=plans, first_seat=0)
    return fold(None, decide(None, command, SeededChance(bytes(32), "k")))


def vectors() -> list[dict[str, Any]]:
    """What the golden file holds: addresses, the bytes that decide and the results."""
    found: list[dict[str, Any]] = []
    for seed, seats in zip(SEEDS, SEAT_SEEDS, strict=True):
        key = table_key(seed, seats)
        head = {"seed": seed.hex(), "seat_seeds": list(seats)}
        for purpose in ("roll", "reroll", "boats"):
            for seat, turn, index in ((0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 37, 1)):
                address = f"die|{seat}|{turn}|{purpose}|1|{index}"
                found.append({**head, **_vector(key, address), "die": die(key, address)})
        for row, number, left in (
            ("low", 1, 46),
            ("high", 7, 40),
            ("landmarks", 20, 1),
            ("low", 12, 7),
            ("low", 3, 40_000),
        ):
            address = f"draw|{row}|{number}"
            found.append({**head, **_vector(key, address), "left": left, "place": pick(key, address, left)})
        first = pick(key, "first_seat", len(seats))
        found.append({**head, **_vector(key, "first_seat"), "first_seat": first})
    return found


def _vector(key: bytes, address: str) -> dict[str, str]:
    return {"address": f"{address}|0", "digest": next(digests(key, address)).hex()}


def golden() -> list[dict[str, Any]]:
    return msgspec.json.decode(GOLDEN.read_bytes(), type=list[dict[str, Any]])


def test_the_test_vectors_are_those_of_the_golden_file() -> None:
    assert vectors() == golden()


def test_the_dice_are_those_of_the_golden_file() -> None:
    for vector in golden():
        if "die" not in vector:
            continue
        _, seat, turn, purpose, _, index, _ = vector["address"].split("|")
        state = state_of(tuple(vector["seat_seeds"]))
        state.active = int(seat)
        state.seat_turns[int(seat)] = int(turn)
        chance = SeededChance(bytes.fromhex(vector["seed"]), "k")
        assert chance.throw(state, purpose, 2)[int(index)] == vector["die"]
        if index == "0":
            assert chance.throw(state, purpose, 1) == (vector["die"],)


def test_the_draws_are_those_of_the_golden_file() -> None:
    for vector in golden():
        if "place" not in vector:
            continue
        _, row, number, _ = vector["address"].split("|")
        state = state_of(tuple(vector["seat_seeds"]))
        rows = [one.name for one in state.rules.rows]
        chance = SeededChance(bytes.fromhex(vector["seed"]), "k")
        assert chance.draw(state, rows.index(row), int(number), [1] * vector["left"]) == vector["place"]


def test_the_first_seat_is_that_of_the_golden_file() -> None:
    for vector in golden():
        if "first_seat" in vector:
            state = state_of(tuple(vector["seat_seeds"]))
            chance = SeededChance(bytes.fromhex(vector["seed"]), "k")
            assert chance.first_seat(state) == vector["first_seat"]


def test_a_draw_counts_through_the_cards_in_their_order() -> None:
    """The place among all cards left falls to the kind that covers it; empty kinds are passed over."""
    state = state_of(("", ""))
    weights = [0, 2, 0, 3, 1]
    cards = [1, 1, 3, 3, 3, 4]
    chance = SeededChance(bytes(32), "k")
    for number in range(1, 60):
        place = pick(table_key(bytes(32), ("", "")), f"draw|low|{number}", 6)
        assert chance.draw(state, 0, number, weights) == cards[place]


def test_the_commitment_is_the_digest_of_the_seed() -> None:
    seed = bytes(range(32))

    assert commitment(seed) == "sha-256:" + hashlib.sha256(seed).hexdigest()
    assert SeededChance(seed, "k3").reveal() == ("k3", seed.hex())


def test_the_random_numbers_of_a_player_depend_on_the_seed_and_the_version() -> None:
    first = {SeededChance(seed, "k").random_numbers(version).random() for seed in SEEDS for version in (1, 2)}

    assert len(first) == 6


def test_the_random_numbers_of_a_player_derive_from_the_seed_also_beside_scripted_dice() -> None:
    seeded = SeededChance(SEEDS[1], "k")
    secret = hmac.new(SEEDS[1], b"ai|1", hashlib.sha256).digest()
    once = hashlib.sha256(secret).digest()
    expected = [int.from_bytes(digest[:7]) // 8 / 2**53 for digest in (once, hashlib.sha256(once).digest())]

    for chance in (seeded, TapeChance([], seeded)):
        rng = chance.random_numbers(1)
        assert [rng.random(), rng.random()] == expected


def test_the_random_numbers_of_players_are_spread_evenly() -> None:
    chance = SeededChance(SEEDS[1], "k")
    of_versions = [chance.random_numbers(version).random() for version in range(4_000)]
    rng = chance.random_numbers(0)
    in_a_row = [rng.random() for _ in range(4_000)]

    for numbers in (of_versions, in_a_row):
        counts = Counter([int(10 * number) for number in numbers])
        assert sum([(counts[tenth] - 400) ** 2 / 400 for tenth in range(10)]) < 27.9  # chi-squared, 0.1 %


def test_the_seed_of_a_match_in_a_round_is_the_hmac_of_its_id_under_the_seed_of_the_round() -> None:
    expected = hmac.new(SEEDS[1], b"mat_1", hashlib.sha256).digest()
    assert seed_in_round(SEEDS[1], "mat_1") == expected


def test_the_seats_own_seeds_change_the_dice() -> None:
    throws = set()
    for seats in (("", ""), ("a", ""), ("", "a"), ("a", "b"), ("b", "a")):
        chance = SeededChance(bytes(32), "k")
        state = state_of(seats)
        state.seat_turns = [1, 1]
        throws.add(tuple(_many_throws(chance, state, 20)))

    assert len(throws) == 5


def _many_throws(chance: SeededChance, state: MatchState, turns: int) -> list[tuple[int, ...]]:
    found = []
    for turn in range(turns):
        state.seat_turns[state.active] = turn + 1
        found.append(chance.throw(state, "roll", 2))
    return found


def test_one_object_serves_states_of_different_seats_in_turn() -> None:
    chance = SeededChance(bytes(32), "k")
    states = [state_of(("", "")), state_of(("a", "")), state_of(("", ""))]
    first, second, third = [_many_throws(chance, state, 5) for state in states]

    assert first == third != second


def test_a_retry_gives_the_same_dice() -> None:
    state = state_of(("x", "y"))
    chance = SeededChance(SEEDS[1], "k")

    assert chance.throw(state, "roll", 2) == SeededChance(SEEDS[1], "other key").throw(state, "roll", 2)
    assert chance.throw(state, "roll", 2) == chance.throw(state, "roll", 2)


# Fairness: fixed seeds, and bounds that a fair source passes with a wide margin (99.99% of chi-square).

FIVE_DEGREES = 25.7
THIRTY_FIVE_DEGREES = 76.4


def test_each_face_comes_up_as_often_as_the_others() -> None:
    counts, pairs = Counter[int](), Counter[tuple[int, ...]]()
    for seat_seed in ("", "a", "b"):
        state = state_of((seat_seed, ""))
        for purpose in ("roll", "reroll", "boats"):
            chance = SeededChance(hashlib.sha256(purpose.encode()).digest(), "k")
            for turn in range(400):
                state.seat_turns[0] = turn
                throw = chance.throw(state, purpose, 2)
                counts.update(throw)
                pairs[throw] += 1

    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert _chi_square(counts, 6) < FIVE_DEGREES
    assert _chi_square(pairs, 36) < THIRTY_FIVE_DEGREES


def _chi_square(counts: Counter[Any], kinds: int) -> float:
    expected = sum(counts.values()) / kinds
    seen = sum((count - expected) ** 2 / expected for count in counts.values())
    return seen + expected * (kinds - len(counts))


@pytest.mark.parametrize("weights", [[1] * 6, [3, 1, 2], [40, 6]])
def test_each_card_left_is_as_likely_as_the_next(weights: list[int]) -> None:
    state = state_of(("", ""))
    chance = SeededChance(SEEDS[2], "k")
    counts = Counter(chance.draw(state, 0, number, weights) for number in range(1, 3001))

    seen = sum(
        (counts[place] - 3000 * weight / sum(weights)) ** 2 / (3000 * weight / sum(weights))
        for place, weight in enumerate(weights)
    )
    assert seen < FIVE_DEGREES


def test_each_seat_is_as_likely_to_begin() -> None:
    counts = Counter(
        SeededChance(hashlib.sha256(bytes([i % 256, i // 256])).digest(), "k").first_seat(state)
        for state in [state_of(("",) * 5)]
        for i in range(2000)
    )

    assert _chi_square(counts, 5) < FIVE_DEGREES


def test_the_dice_of_a_match_can_be_recomputed_from_its_events() -> None:
    """Addresses follow from the log alone: the seat's turns that have begun, and the purpose of the throw."""
    for case in CASES[::5]:
        played = play(case, 3)
        key_id, seed = chance_of(case, 3).reveal()
        assert ev.DiceRevealed(key_id, seed) == played.events[-1] or len(played.steps) == 400
        key = table_key(bytes.fromhex(seed), [""] * case.seats)
        turns, active = [0] * case.seats, -1
        for event in played.events:
            if isinstance(event, ev.TurnStarted):
                active = event.seat
                turns[active] += 1
            if isinstance(event, ev.DiceRolled):
                prefix = f"die|{active}|{turns[active]}|{event.purpose}|1"
                dice = tuple(die(key, f"{prefix}|{i}") for i in range(len(event.values)))
                assert event.values == dice


def test_the_draws_of_a_match_can_be_recomputed_from_its_events() -> None:
    """Each draw counts from 1 through the cards left of its row, in catalogue order."""
    for case in [case for case in CASES if case.ruleset == "machi_koro_2" and not case.rich]:
        played = play(case, 3)
        key = table_key(bytes.fromhex(chance_of(case, 3).reveal()[1]), [""] * case.seats)
        state = played.steps[0].after
        left: dict[str, int] = {}
        numbers: Counter[str] = Counter()
        for event in played.events:
            if isinstance(event, ev.MatchStarted):
                left = dict(event.decks)
            if not isinstance(event, ev.MarketRefilled):
                continue
            for card in event.cards:
                numbers[event.row] += 1
                cards = next(row.cards for row in state.rules.rows if row.name == event.row)
                heap = [id for id in cards for _ in range(left[id])]
                assert card == heap[pick(key, f"draw|{event.row}|{numbers[event.row]}", len(heap))]
                left[card] -= 1


def test_a_stored_match_throws_scripted_dice_from_its_script_and_others_from_its_seed() -> None:
    state, seed = state_of(("", "")), SEEDS[1]
    seeded = SeededChance(seed, "k")
    committed = stored_chance(ev.Dice("committed", key_id="k"), seed)
    scripted = stored_chance(ev.Dice("scripted", throws=((7, 8),), key_id="k"), seed)

    assert committed.throw(state, "roll", 2) == seeded.throw(state, "roll", 2)
    assert scripted.throw(state, "roll", 2) == (7, 8)
    for chance in (committed, scripted):
        assert chance.reveal() == ("k", seed.hex())
        assert chance.draw(state, 0, 1, [1] * 40) == seeded.draw(state, 0, 1, [1] * 40)
