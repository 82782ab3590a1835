"""Seeds: the same for a match for ever, different for each, and never shown."""

import hashlib
import hmac

import msgspec
import pytest

from domain.match.chance import SeededChance, TapeChance, commitment
from domain.match.events import Dice
from events import Seeds

KEYS = "new:" + "01" * 32 + ",old:" + "02" * 16


def test_a_match_seed_is_the_hmac_of_its_id() -> None:
    expected = hmac.new(b"\x01" * 32, b"mat_1", hashlib.sha256).digest()
    assert Seeds(KEYS).match_seed("new", "mat_1") == expected
    assert Seeds(KEYS).match_seed("new", "mat_2") != expected
    assert Seeds(KEYS).match_seed("old", "mat_1") != expected


def test_new_matches_use_the_first_key() -> None:
    dice = Seeds(KEYS).new_dice(Dice("committed"), "mat_1")
    assert dice == Dice("committed", "new", commitment(Seeds(KEYS).match_seed("new", "mat_1")))


def test_scripted_dice_commit_to_the_seed_of_their_draws() -> None:
    seeds = Seeds(KEYS)
    dice = seeds.new_dice(Dice("scripted", throws=((3,), (4, 4))), "mat_1")
    assert dice == Dice("scripted", "new", commitment(seeds.match_seed("new", "mat_1")), ((3,), (4, 4)))
    assert isinstance(Seeds(KEYS).chance(dice, "mat_1"), TapeChance)


def test_a_match_keeps_the_dice_of_the_key_it_names() -> None:
    chance = Seeds(KEYS).chance(Dice("committed", "old", "sha-256:…"), "mat_1")
    assert isinstance(chance, SeededChance)
    assert chance.reveal() == ("old", Seeds(KEYS).match_seed("old", "mat_1").hex())


def test_a_branch_may_have_the_seed_of_another_match() -> None:
    seeds = Seeds(KEYS)
    dice = Dice("committed", "old", "sha-256:…", seed_of="mat_1")
    assert seeds.new_dice(dice, "mat_2") == dice
    assert seeds.chance(dice, "mat_2").reveal() == ("old", seeds.match_seed("old", "mat_1").hex())


def test_it_is_known_which_keys_are_there() -> None:
    assert [Seeds(KEYS).has_key(key_id) for key_id in ("new", "old", "gone", "")] == [
        True,
        True,
        False,
        False,
    ]


def test_another_purpose_gets_a_secret_of_its_own() -> None:
    secret = Seeds(KEYS).secret_for("old", "tokens")
    assert secret == hmac.digest(b"\x02" * 16, b"purpose:tokens", "sha256")
    others = [Seeds(KEYS).secret_for("new", "tokens"), Seeds(KEYS).secret_for("old", "other")]
    assert secret not in (*others, Seeds(KEYS).match_seed("old", "tokens"))


def test_a_key_that_is_gone_is_named() -> None:
    with pytest.raises(LookupError, match="gone"):
        Seeds(KEYS).match_seed("gone", "mat_1")
    with pytest.raises(LookupError, match="gone"):
        Seeds(KEYS).secret_for("gone", "tokens")


def test_no_key_is_ever_shown() -> None:
    assert repr(Seeds(KEYS)) == "<Seeds new, old>"
    with pytest.raises(ValueError, match="master key") as caught:
        Seeds("k1:zz" + "ab" * 20)
    assert "ab" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "k1", "k1:", ":" + "01" * 32, "k1:0102", "a b:" + "01" * 32, "k:" + "01" * 32 + ",k:" + "02" * 32],
)
def test_master_keys_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="key"):
        Seeds(text)


def test_the_seed_of_a_match_in_a_round_is_the_hmac_of_its_id_under_the_seed_of_the_round() -> None:
    seeds = Seeds(KEYS)
    round_seed = hmac.new(b"\x02" * 16, b"round:lad_1|3|7", hashlib.sha256).digest()
    expected = hmac.new(round_seed, b"mat_1", hashlib.sha256).digest()

    dice = seeds.new_dice(Dice("committed", "old", round_of="lad_1|3|7"), "mat_1")

    assert dice == Dice("committed", "old", commitment(expected), round_of="lad_1|3|7")
    assert seeds.chance(dice, "mat_1").reveal() == ("old", expected.hex())
    assert seeds.public_value("lad_1", 3, "drand", 7).commitment == commitment(
        seeds.round_seed("new", "lad_1|3|7")
    )
    assert seeds.round_seed("old", "lad_1|3|7") == round_seed


def test_a_branch_may_have_the_seed_of_a_match_in_a_round() -> None:
    seeds = Seeds(KEYS)
    dice = seeds.new_dice(Dice("committed", "old", round_of="lad_1|3|7"), "mat_1")

    same = msgspec.structs.replace(dice, seed_of="mat_1")

    assert seeds.new_dice(same, "mat_2") == same
    assert seeds.chance(same, "mat_2").reveal() == seeds.chance(dice, "mat_1").reveal()


def test_dice_of_no_round_are_recorded_as_before() -> None:
    assert b"round_of" not in msgspec.json.encode(Seeds(KEYS).new_dice(Dice("committed"), "mat_1"))
