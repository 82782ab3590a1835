"""What differs from recording to recording, made up so that it is always the same.

Each request of a story happens at a time of the story's own, and ids are made from that time. Seeds,
commitments, hashes and signatures are then computed anew, as anybody can who has the keys and the events:
chains hold.
"""

import base64
import hashlib
import json
import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import rfc8785
from ulid import ULID

from contract.values import INSTANT
from domain.ladder.derivation import round_of
from events.checkpoints.signatures import SigningKeys, base64_text
from events.matches.reviews import ReviewSubject
from events.matches.seeds import Seeds
from events.store.chain import rfc3339
from players.weight_files import digest
from review import JUDGE_VERSION
from tests.domain.independent_dice import table_key

Json = dict[str, Any]

_BEGIN: Final = datetime(2026, 11, 20, 9, tzinfo=UTC)
_HOUR_MS: Final = 3_600_000
_PAUSE_MS: Final = 4_217
"""From one request of the story to the next."""

DECISION_MS: Final = 300_000
"""How long the story's matches with a clock give; longer than the recording takes."""

_AHEAD_MS: Final = (0, DECISION_MS, _HOUR_MS, *[days * 24 * _HOUR_MS for days in (1, 7, 90, 366)])
"""How far ahead of its request a time can lie: deadlines, ends of tokens and of what is kept."""

_ID: Final = re.compile(r"\b([a-z]{3})_([0-9A-HJKMNP-TV-Z]{26})\b")
_COMMAND: Final = re.compile(r"\bcmd_[A-Za-z0-9_-]{20}(?![A-Za-z0-9_-])")
_TOKEN: Final = re.compile(r"\bmk_[A-Za-z0-9_-]{43}")
_WEBHOOK_SECRET: Final = re.compile(r"\bwhsec_[A-Za-z0-9+/]{43}=")
_MILLISECONDS: Final = re.compile(r'("(?:opened_)?at_ms": )([0-9]+)')
_REVIEW: Final = re.compile(r"\brev_[0-9a-f]{32}\b")
_DIGEST: Final = re.compile(r"\b[0-9a-f]{64}\b")
_SIGNATURE: Final = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class StoryClock:
    """The real times of requests, no two in the same millisecond, and those that the story gives them."""

    def __init__(self) -> None:
        self._real: list[int] = []
        self._told: list[int] = []
        self._chapters = 0
        self._next = 0

    def begin_chapter(self) -> None:
        """The next request comes at the next full hour of the story."""
        self._next = int(_BEGIN.timestamp() * 1000) + self._chapters * _HOUR_MS
        self._chapters += 1

    def tick(self) -> None:
        """A request comes now, later than all before."""
        before = _now_ms()
        while _now_ms() <= before:
            pass
        self._real.append(_now_ms())
        self._next += _PAUSE_MS
        self._told.append(self._next)

    def told(self, real_ms: int) -> int | None:
        """The story's time for one that a request made; None for any other."""
        now = _now_ms()
        for ahead in _AHEAD_MS:
            if self._real[0] <= real_ms - ahead <= now:
                return self._told[bisect_right(self._real, real_ms - ahead) - 1] + ahead
        return None


class Keys(NamedTuple):
    """What nobody but the service has."""

    seeds: Seeds
    signing: SigningKeys


def made_up(
    shown: Json,
    chains: Sequence[Sequence[Json]],
    ladders: Sequence[Sequence[Json]],
    log: Sequence[Json],
    clock: StoryClock,
    keys: Keys,
) -> Json:
    """What was recorded, as it is kept. `chains` are all events of each match that it tells of, `ladders`
    those of each ladder, `log` are all checkpoints."""
    text = _renamed(json.dumps([shown, chains, ladders, log]), clock)
    _, matches, rounds, _ = json.loads(text)
    results = zip(_results_in(shown), _results_in(json.loads(text)), strict=True)
    digests = {_digest_of(old): _digest_of(new) for old, new in results}
    digests |= _luck(chains, matches, keys.seeds) | _bound(ladders, rounds, keys.seeds)
    text = _with_digests(text, digests)
    shown, renamed, ladders, log = json.loads(text)
    hashes: dict[str, str] = {}
    for chain in [*renamed, *ladders]:
        # A branch names the hash of the event that it goes on from; the match of that comes before it.
        hashes |= _hashes(json.loads(_with_digests(json.dumps(chain), hashes)))
    shown, log = json.loads(_with_digests(json.dumps([shown, log]), hashes))
    reviews = _reviews(chains, json.loads(_with_digests(json.dumps(renamed), hashes)))
    hashes, signatures = _signed(log, keys.signing)
    text = _with_digests(json.dumps(shown), hashes)
    text = _REVIEW.sub(lambda found: reviews.get(found[0], found[0]), text)
    kept: Json = json.loads(_SIGNATURE.sub(lambda found: signatures.get(found[0], found[0]), text))
    return kept


def _renamed(text: str, clock: StoryClock) -> str:
    """Times, ids and tokens replaced, each by the same wherever it stands."""
    ids = _new_ids({found[0] for found in _ID.finditer(text)}, clock)
    text = _ID.sub(lambda found: ids[found[0]], text)
    text = re.sub(INSTANT, lambda found: _new_time(found[0], clock), text)
    text = _MILLISECONDS.sub(lambda found: found[1] + str(clock.told(int(found[2])) or found[2]), text)
    text = _COMMAND.sub(_numbered(_command_name), text)
    text = _WEBHOOK_SECRET.sub(_numbered(_webhook_secret), text)
    return _TOKEN.sub(_numbered(_token_name), text)


def _new_ids(found: set[str], clock: StoryClock) -> dict[str, str]:
    """ULIDs of the story's time; what stands for chance is made from that time."""
    names: dict[str, str] = {}
    made: Counter[tuple[str, int]] = Counter()
    for old in sorted(found):
        prefix, _, ulid = old.partition("_")
        told = clock.told(ULID.from_str(ulid).milliseconds)
        if told is None:
            names[old] = old
            continue
        made[prefix, told] += 1
        chance = hashlib.sha256(f"{prefix} {told} {made[prefix, told]}".encode()).digest()[:10]
        names[old] = f"{prefix}_{ULID(told.to_bytes(6, 'big') + chance)}"
    return names


def _new_time(text: str, clock: StoryClock) -> str:
    told = clock.told(round(datetime.fromisoformat(text).timestamp() * 1000))
    return text if told is None else rfc3339(told)


def _numbered(name: Callable[[int], str]) -> Callable[[re.Match[str]], str]:
    """Gives each text a name by its number in the order of their coming."""
    names: dict[str, str] = {}
    return lambda found: names.setdefault(found[0], name(len(names) + 1))


def _command_name(number: int) -> str:
    return "cmd_" + base64.urlsafe_b64encode(hashlib.sha256(b"%d" % number).digest()[:15]).decode()


def _token_name(number: int) -> str:
    return f"mk_example-{number}-opens-nothing-".ljust(46, "x")


def _webhook_secret(number: int) -> str:
    return "whsec_" + base64.b64encode(f"example {number} signs nothing".ljust(32).encode()).decode()


def _luck(
    chains: Sequence[Sequence[Json]], renamed: Sequence[Sequence[Json]], seeds: Seeds
) -> dict[str, str]:
    """The seeds, table keys, commitments and digests of matches under their new ids, by the old ones."""
    found = {}
    for old, new in zip(chains, renamed, strict=True):
        before, after = (_seed(one[0], seeds) for one in (old, new))
        ids = [one[0]["match_id"] for one in (old, new)]
        seats = _seat_seeds(new)
        found[before.hex()] = after.hex()
        found[table_key(before, seats).hex()] = table_key(after, seats).hex()
        commitments = [_seat_commitments(seed, seats) for seed in (before, after)]
        found |= dict(zip(*commitments, strict=True))
        for pair in ((before, after), [match_id.encode() for match_id in ids]):
            found[hashlib.sha256(pair[0]).hexdigest()] = hashlib.sha256(pair[1]).hexdigest()
    return found


def _bound(
    ladders: Sequence[Sequence[Json]], renamed: Sequence[Sequence[Json]], seeds: Seeds
) -> dict[str, str]:
    """The commitments of rounds with a public value under the new ids of their ladders, by the old ones."""
    found = {}
    for old, new in zip(ladders, renamed, strict=True):
        commitments = [[*_commitments(history, seeds)] for history in (old, new)]
        found |= dict(zip(*commitments, strict=True))
    return found


def _results_in(shown: Any) -> Iterator[list[Json]]:
    """The lists of results of rated matches in anything that was shown."""
    if isinstance(shown, list) and shown and isinstance(shown[0], dict) and "ended_at" in shown[0]:
        yield shown
    elif isinstance(shown, list | dict):
        for one in shown.values() if isinstance(shown, dict) else shown:
            yield from _results_in(one)


def _digest_of(results: Sequence[Json]) -> str:
    """What ratings say of the results that they count."""
    told = [
        [one["match_id"], [player["account_id"] for player in one["players"]], one["winner"]]
        for one in results[::-1]
    ]
    return hashlib.sha256(rfc8785.dumps(told)).hexdigest()


def _commitments(history: Sequence[Json], seeds: Seeds) -> Iterator[str]:
    for event in history:
        bound = event["data"].get("public_value") if event["type"] == "round_opened" else None
        if bound is not None:
            name = round_of(event["ladder_id"], event["data"]["round"], bound["at_ms"])
            yield hashlib.sha256(seeds.round_seed(bound["key_id"], name)).hexdigest()


def _seed(created: Json, seeds: Seeds) -> bytes:
    dice = created["data"]["dice"]
    return seeds.match_seed(dice["key_id"], dice["seed_of"] or created["match_id"])


def _seat_seeds(chain: Sequence[Json]) -> list[str]:
    told = [event["data"] for event in chain if event["type"] in ("seat_taken", "seat_seed_opened")]
    taken = {data["seat"]: data["seed"] for data in told}
    return [taken.get(seat, "") for seat in range(chain[0]["data"]["seats"])]


def _seat_commitments(seed: bytes, seats: Sequence[str]) -> list[str]:
    """The digest that each seat would commit to its seed with."""
    match = f"sha-256:{hashlib.sha256(seed).hexdigest()}"
    messages = [rfc8785.dumps([match, seat, told]) for seat, told in enumerate(seats)]
    return [hashlib.sha256(message).hexdigest() for message in messages]


def _hashes(chain: Sequence[Json]) -> dict[str, str]:
    """The new hash of each event, by the old one."""
    found = {}
    before = 64 * "0"
    for event in chain:
        covered = {**event, "previous_hash": f"sha-256:{before}"}
        old = covered.pop("hash").removeprefix("sha-256:")
        before = hashlib.sha256(rfc8785.dumps(covered)).hexdigest()
        found[old] = before
    return found


def _reviews(chains: Sequence[Sequence[Json]], renamed: Sequence[Sequence[Json]]) -> dict[str, str]:
    """The new id of each match's review, by the old one."""
    return {_review(old): _review(new) for old, new in zip(chains, renamed, strict=True)}


def _review(chain: Sequence[Json]) -> str:
    last, network = chain[-1], digest(chain[0]["data"]["ruleset"])
    return ReviewSubject(last["match_id"], last["sequence"], last["hash"], JUDGE_VERSION, network).review_id


def _signed(log: Sequence[Json], keys: SigningKeys) -> tuple[dict[str, str], dict[str, str]]:
    """The new hash and the new signature of each checkpoint, by the old ones."""
    hashes: dict[str, str] = {}
    signatures: dict[str, str] = {}
    before = 64 * "0"
    for line in log:
        covered = {**line, "previous_hash": f"sha-256:{before}"}
        old = covered.pop("hash").removeprefix("sha-256:")
        signature = covered.pop("signature")
        message = rfc8785.dumps(covered)
        before = hashes[old] = hashlib.sha256(message).hexdigest()
        signatures[signature] = base64_text(keys.sign(message))
    return hashes, signatures


def _with_digests(text: str, new: Mapping[str, str]) -> str:
    return _DIGEST.sub(lambda found: new.get(found[0], found[0]), text)
