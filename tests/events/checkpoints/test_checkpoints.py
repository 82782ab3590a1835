"""The log of all matches that ended, in every kind of store."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from domain.audit.checkpoints import NO_HASH, digest_of_match, message_of
from domain.canonical import hash_text
from domain.match.commands import AbortMatch
from events import Matches, MemoryStore, Notary, SigningKeyReused
from events.checkpoints.signatures import SigningKeys
from events.store.chain import rfc3339
from events.store.records import Append, Reused, Store
from tests.events.example_matches import (
    SEEDS,
    SIGNING_KEYS,
    Kit,
    assert_whole,
    creation,
    ended,
    finished_match,
)

OTHER_KEYS = SigningKeys("s2:" + "52" * 32)
SAME_ID = SigningKeys("s1:" + "53" * 32)


@pytest.fixture
def store(kit: Kit) -> Store:
    """Each kind of store in turn."""
    return kit.store


@pytest.fixture
def notary(store: Store) -> Notary:
    return Notary(store, SIGNING_KEYS)


def test_a_checkpoint_says_how_the_match_ended(notary: Notary) -> None:
    match = finished_match(Matches(MemoryStore(), SEEDS))
    assert notary.sign([match]) == 1
    found = notary.of_match(match.match_id)
    assert found is not None
    assert found == replace(
        found,
        number=1,
        match_id=match.match_id,
        match_digest=digest_of_match(match.match_id),
        rules_version="base@1",
        status="finished",
        version=match.version,
        head_hash=hash_text(match.head_hash),
        time=rfc3339(match.last_at_ms),
        key_id="s1",
        previous_hash=NO_HASH,
    )
    assert_whole(notary, 1)


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_only_a_public_match_is_named(notary: Notary, visibility: str) -> None:
    (match,) = ended(visibility=visibility)
    notary.sign([match])
    found = notary.of_match(match.match_id)
    assert found is not None
    assert found.status == "aborted"
    assert found.match_id == (match.match_id if visibility == "public" else None)
    assert found.match_digest == digest_of_match(match.match_id)
    assert found == notary.line(1)


def test_a_match_that_is_on_is_not_noted(notary: Notary) -> None:
    matches = Matches(MemoryStore(), SEEDS)
    running = matches.load(matches.create(creation()).match_id)
    assert notary.sign([running]) == 0
    assert notary.of_match(running.match_id) is None
    assert (notary.last_number(), notary.line(1), notary.line(0), notary.line(-1)) == (0, None, None, None)


def test_a_match_is_noted_once_however_often(notary: Notary, store: Store) -> None:
    first, second, third = ended(3)
    assert notary.sign([first, first]) == 1
    assert notary.sign([second, first]) == 1
    assert notary.sign([first, second]) == 0
    assert Notary(store, SIGNING_KEYS).sign([third, second, first]) == 1
    assert_whole(notary, 3)
    assert notary.without_line([first.match_id, "mat_none", third.match_id]) == ["mat_none"]


def test_many_notaries_at_once_leave_no_gap_and_no_duplicate(store: Store) -> None:
    matches = ended(120)

    def write(writer: int) -> int:
        mine = Notary(store, SIGNING_KEYS)
        # Each match comes from two writers.
        return sum(mine.sign(matches[i : i + 3]) for i in range(writer // 2 * 30, writer // 2 * 30 + 30, 3))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(8))) == 120
    found = assert_whole(Notary(store, SIGNING_KEYS), 120)
    assert {one.match_id for one in found} == {match.match_id for match in matches}


def test_a_notary_that_is_far_behind_goes_on_at_the_head(store: Store) -> None:
    behind, ahead = Notary(store, SIGNING_KEYS), Notary(store, SIGNING_KEYS)
    first, *others, last = ended(62)
    assert behind.sign([first]) == 1
    assert ahead.sign(others) == 60
    assert behind.sign([first, last]) == 1
    assert_whole(ahead, 62)


def test_a_new_key_goes_on_with_the_chain_and_the_old_one_stays_published(store: Store) -> None:
    first, second = ended(2)
    Notary(store, SIGNING_KEYS).sign([first])
    notary = Notary(store, OTHER_KEYS)
    notary.sign([second])
    assert [one.key_id for one in assert_whole(notary, 2)] == ["s1", "s2"]
    assert notary.public_keys() == {**OTHER_KEYS.public_keys, **SIGNING_KEYS.public_keys}
    assert (next(iter(notary.public_keys())), notary.current_key) == ("s2", "s2")


def test_keys_that_never_signed_are_published_while_they_are_in_the_settings(store: Store) -> None:
    both = SigningKeys("s2:" + "52" * 32 + ",s1:" + "51" * 32)
    assert Notary(store, both).public_keys() == both.public_keys
    assert [*Notary(store, both).public_keys()] == ["s2", "s1"]


def test_a_key_under_an_id_of_before_is_refused_at_the_start_and_at_signing(store: Store) -> None:
    first, second = ended(2)
    notary = Notary(store, SIGNING_KEYS)
    notary.sign([first])
    impostor = Notary(store, SAME_ID)
    with pytest.raises(SigningKeyReused, match="'s1'"):
        impostor.check_keys()
    with pytest.raises(SigningKeyReused, match="'s1'"):
        impostor.sign([second])
    assert impostor.public_keys() == SIGNING_KEYS.public_keys
    notary.check_keys()
    assert_whole(notary, 1)


def test_a_key_that_only_stands_by_is_checked_at_the_start_too(store: Store) -> None:
    Notary(store, SIGNING_KEYS).sign(ended())
    with pytest.raises(SigningKeyReused, match="'s1'"):
        Notary(store, SigningKeys("s2:" + "52" * 32 + ",s1:" + "53" * 32)).check_keys()


def test_a_signature_is_good_for_its_message_and_its_key_alone(store: Store) -> None:
    notary = Notary(store, SIGNING_KEYS)
    notary.sign(ended())
    (found,) = notary.lines(0, 1)
    message = message_of(found)
    assert notary.is_good("s1", message, found.signature)
    assert not notary.is_good("s2", message, found.signature)
    assert not notary.is_good("s1", message + b" ", found.signature)
    Notary(store, OTHER_KEYS).sign(ended())
    second = notary.lines(1, 1)[0]
    assert notary.is_good("s2", message_of(second), second.signature)
    assert not notary.is_good("s1", message_of(second), second.signature)


def test_matches_are_signed_by_whoever_ends_them(store: Store) -> None:
    notary = Notary(store, SIGNING_KEYS)
    matches = Matches(MemoryStore(), SEEDS, notary=notary)
    match_id = matches.create(creation()).match_id
    assert notary.of_match(match_id) is None
    ended = matches.execute(match_id, AbortMatch(), "account:acc_0", "key")
    found = notary.of_match(match_id)
    assert found is not None
    assert (found.version, found.head_hash) == (ended.last, hash_text(ended.head_hash))
    finished = finished_match(matches)
    assert notary.of_match(finished.match_id) == notary.line(2)
    matches.execute(match_id, AbortMatch(), "account:acc_0", "key")
    assert_whole(notary, 2)


class Away(MemoryStore):
    """A store that refuses everything."""

    def append(self, append: Append) -> Reused:
        return Reused()


def test_a_match_ends_though_it_cannot_be_signed() -> None:
    matches = Matches(MemoryStore(), SEEDS, notary=Notary(Away(), SIGNING_KEYS))
    assert finished_match(matches).state.status == "finished"
    match_id = matches.create(creation()).match_id
    assert not matches.execute(match_id, AbortMatch(), "account:acc_0").replayed
    assert matches.load(match_id).state.status == "aborted"


def test_a_repetition_of_the_last_command_makes_up_for_a_missing_line(store: Store) -> None:
    match_id = Matches(store, SEEDS).create(creation()).match_id
    Matches(store, SEEDS).execute(match_id, AbortMatch(), "account:acc_0", "key")
    notary = Notary(store, SIGNING_KEYS)
    again = Matches(store, SEEDS, notary=notary)
    assert again.execute(match_id, AbortMatch(), "account:acc_0", "key").replayed
    assert notary.of_match(match_id) is not None
