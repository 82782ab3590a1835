"""The ids of the matches of a round, and what their dice are bound to, as docs/fairness.md has them."""

from hashlib import sha256

from domain.ladder.derivation import match_id, round_of, seat_seed
from tests.domain.ladder.bound import OPENED_MS


def test_the_id_of_a_match_is_a_ulid_of_the_rounds_time_and_a_hash_of_the_matchs_place() -> None:
    id = match_id("lad_1", OPENED_MS, 7, 2, 1)
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    number = sum([digits.index(digit) * 32**place for place, digit in enumerate(reversed(id[4:]))])

    assert (id[:4], len(id)) == ("mat_", 30)
    assert (
        number.to_bytes(16, "big")
        == OPENED_MS.to_bytes(6, "big") + sha256(b"ladder|lad_1|7|2|1").digest()[:10]
    )
    assert match_id("lad_1", 0, 7, 2, 1)[:5] == "mat_0"


def test_every_seat_adds_the_hash_of_the_value_and_the_dice_name_ladder_round_and_time() -> None:
    assert seat_seed("5f") == sha256(b"5f").hexdigest()
    assert round_of("lad_1", 2, 1000) == "lad_1|2|1000"
