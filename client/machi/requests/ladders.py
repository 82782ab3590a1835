"""Requests about ladders: entries, rounds, tests, tables and results."""

from collections.abc import Iterator
from typing import Any

from machi.answers import RawPage, decoded
from machi.ladders import Crosstable, Job, Ladder, ListedLadder, SequentialTest, Standings, Tournament
from machi.requests.subject import RequestGroup
from machi.transport import Query, segment
from machi.values import LadderEntry, LadderRound


class Ladders(RequestGroup):
    """Ladders, and the jobs that play them."""

    def ladders(self, *, page_size: int = 100) -> Iterator[ListedLadder]:
        """All ladders, the newest first; further pages are fetched as you iterate."""
        for item in self._items("/v1/ladders", {"limit": page_size}):
            yield decoded(ListedLadder, item)

    def ladder(self, ladder_id: str) -> Ladder:
        return decoded(Ladder, self._get(_ladder_path(ladder_id)))

    def create_ladder(
        self, name: str, ruleset: str, seats: int, *, key: str | None = None, **members: Any
    ) -> Ladder:
        """Create a ladder. `members` are further members of the request as in the API, such as `rating`."""
        body = {"name": name, "ruleset": ruleset, "seats": seats, **members}
        return decoded(Ladder, self._post("/v1/ladders", body, key).body)

    def enter(
        self,
        ladder_id: str,
        *,
        strategy: str | None = None,
        bot: str | None = None,
        version: str | None = None,
        name: str | None = None,
        key: str | None = None,
    ) -> LadderEntry:
        """Add an entry: a built-in player, or with `version` a bot, by default the caller."""
        kind = "bot" if strategy is None else "strategy"
        given = {"kind": kind, "strategy": strategy, "bot": bot, "version": version, "name": name}
        body = {member: value for member, value in given.items() if value is not None}
        return decoded(LadderEntry, self._post(f"{_ladder_path(ladder_id)}/entries", body, key).body)

    def withdraw(self, ladder_id: str, entry_id: str) -> None:
        """Remove an entry; its results stay."""
        path = f"{_ladder_path(ladder_id)}/entries/{segment(entry_id)}"
        self._transport.request("DELETE", path)

    def probe(self, ladder_id: str, entry_id: str, *, key: str | None = None) -> Job:
        """Let a suspended bot play the matches that can reinstate it."""
        path = f"{_ladder_path(ladder_id)}/entries/{segment(entry_id)}/probes"
        return decoded(Job, self._post(path, {}, key).body)

    def open_season(self, ladder_id: str, *, key: str | None = None, **members: Any) -> Ladder:
        """Open the next season. `members` are `rating`, `luck`, `schedule` and `seed` as in the API."""
        return decoded(Ladder, self._post(f"{_ladder_path(ladder_id)}/seasons", members, key).body)

    def open_round(
        self,
        ladder_id: str,
        blocks: int | None = None,
        *,
        public_value: tuple[str, str] | None = None,
        key: str | None = None,
    ) -> Job:
        """Start a round of `blocks` blocks, each one table in all its seat rotations; return its job.

        Without `blocks`, start the tournament of the season; the job is that of its first round.

        `public_value` is the source of a public value and the time of its publication (RFC 3339). The round
        then waits for `record_value`.
        """
        body: dict[str, Any] = {} if blocks is None else {"blocks": blocks}
        if public_value is not None:
            body["public_value"] = dict(zip(("source", "at"), public_value, strict=True))
        return decoded(Job, self._post(f"{_ladder_path(ladder_id)}/rounds", body, key).body)

    def record_value(self, ladder_id: str, round: int, value: str, *, key: str | None = None) -> LadderRound:
        """Record the public value of a round, which then starts. Give it exactly as it was published."""
        path = f"{_ladder_path(ladder_id)}/rounds/{round}/public-value"
        return decoded(LadderRound, self._post(path, {"value": value}, key).body)

    def ladder_events(self, ladder_id: str) -> Iterator[bytes]:
        """All events of the ladder as JSON; further pages are fetched as you iterate."""
        following: str | None = "0"
        while following is not None:
            query: Query = {"after": following, "limit": 500}
            page = decoded(RawPage, self._get(f"{_ladder_path(ladder_id)}/events", query))
            yield from [bytes(item) for item in page.items]
            following = page.next

    def open_test(self, ladder_id: str, a: str, b: str, *, key: str | None = None, **members: Any) -> Job:
        """Start a sequential test of two entries; return its job. `members`: `elo0`, `elo1`, `alpha`, `beta`,
        `most_blocks`.
        """
        body = {"a": a, "b": b, **members}
        return decoded(Job, self._post(f"{_ladder_path(ladder_id)}/tests", body, key).body)

    def test(self, ladder_id: str, test_id: str) -> SequentialTest:
        """A sequential test and its progress."""
        return decoded(SequentialTest, self._get(f"{_ladder_path(ladder_id)}/tests/{segment(test_id)}"))

    def job(self, job_id: str) -> Job:
        return decoded(Job, self._get(_job_path(job_id)))

    def stop_job(self, job_id: str, *, key: str | None = None) -> Job:
        """Stop a job: it starts no further block."""
        return decoded(Job, self._post(f"{_job_path(job_id)}/stop", {}, key).body)

    def resume_job(self, job_id: str, *, key: str | None = None) -> Job:
        return decoded(Job, self._post(f"{_job_path(job_id)}/resume", {}, key).body)

    def standings(self, ladder_id: str, season: int | None = None) -> Standings:
        """The official table of a season, by default the open one."""
        return decoded(Standings, self._get(f"{_ladder_path(ladder_id)}/standings", {"season": season}))

    def crosstable(self, ladder_id: str, season: int | None = None) -> Crosstable:
        """The wins and losses between all pairs of entries."""
        return decoded(Crosstable, self._get(f"{_ladder_path(ladder_id)}/crosstable", {"season": season}))

    def tournament(self, ladder_id: str, season: int | None = None) -> Tournament:
        """The tournament of a season, by default the open one."""
        return decoded(Tournament, self._get(f"{_ladder_path(ladder_id)}/tournament", {"season": season}))

    def results(
        self,
        ladder_id: str,
        season: int | None = None,
        *,
        test: str | None = None,
        as_csv: bool = False,
        kind: str | None = None,
    ) -> bytes:
        """All results of a season or of a test, as CSV or as lines of JSON, from which its table can be
        recomputed.

        `kind` is `ladder`, `entry` or `result`: only lines of that kind, which all have the same members.
        """
        query = {"season": season, "test": test, "kind": kind}
        return self._download(f"{_ladder_path(ladder_id)}/results", query, as_csv)

    def ladder_matches(
        self, ladder_id: str, season: int | None = None, *, test: str | None = None, as_csv: bool = False
    ) -> bytes:
        """The matches behind the results, each with the hash of its last event, as lines of JSON or CSV."""
        return self._download(f"{_ladder_path(ladder_id)}/matches", {"season": season, "test": test}, as_csv)


def _ladder_path(ladder_id: str) -> str:
    return f"/v1/ladders/{segment(ladder_id)}"


def _job_path(job_id: str) -> str:
    return f"/v1/jobs/{segment(job_id)}"
