"""Requests about ladders: who takes part, what is played, and what comes of it."""

from collections.abc import Iterator
from typing import Any

from contract.ladders import LadderEntry, LadderRound
from machi.decoding import Page, decoded
from machi.ladders import Crosstable, Job, Ladder, ListedLadder, SequentialTest, Standings
from machi.requests.sending import Requests
from machi.transport import Query, segment


class Ladders(Requests):
    """Ladders, and the jobs that play them."""

    def ladders(self, *, page_size: int = 100) -> Iterator[ListedLadder]:
        """All ladders, the newest first, page by page as they are asked for."""
        for item in self._items("/v1/ladders", {"limit": page_size}):
            yield decoded(ListedLadder, item)

    def ladder(self, ladder_id: str) -> Ladder:
        return decoded(Ladder, self._get(_ladder_path(ladder_id)))

    def create_ladder(
        self, name: str, ruleset: str, seats: int, *, key: str | None = None, **wishes: Any
    ) -> Ladder:
        """A new ladder. Further members of the request, such as `rating`, are in the shapes of the API."""
        body = {"name": name, "ruleset": ruleset, "seats": seats, **wishes}
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
        """A new entry: a built-in player, or with `version` a bot, which is the caller if none is named."""
        kind = "bot" if strategy is None else "strategy"
        given = {"kind": kind, "strategy": strategy, "bot": bot, "version": version, "name": name}
        body = {member: value for member, value in given.items() if value is not None}
        return decoded(LadderEntry, self._post(f"{_ladder_path(ladder_id)}/entries", body, key).body)

    def withdraw(self, ladder_id: str, entry_id: str) -> None:
        """Take an entry out; its results stay."""
        path = f"{_ladder_path(ladder_id)}/entries/{segment(entry_id)}"
        self._transport.request("DELETE", path)

    def probe(self, ladder_id: str, entry_id: str, *, key: str | None = None) -> Job:
        """Let a suspended bot play the matches that may bring it back."""
        path = f"{_ladder_path(ladder_id)}/entries/{segment(entry_id)}/probes"
        return decoded(Job, self._post(path, {}, key).body)

    def open_season(self, ladder_id: str, *, key: str | None = None, **wishes: Any) -> Ladder:
        """The ladder in its next season. `rating`, `luck` and `seed` are in the shapes of the API."""
        return decoded(Ladder, self._post(f"{_ladder_path(ladder_id)}/seasons", wishes, key).body)

    def open_round(
        self,
        ladder_id: str,
        blocks: int,
        *,
        public_value: tuple[str, str] | None = None,
        key: str | None = None,
    ) -> Job:
        """The job that plays so many blocks, each a table in all its seat rotations.

        With `public_value`, where a value will be published and when (RFC 3339), the round waits for that:
        see `record_value`.
        """
        body: dict[str, Any] = {"blocks": blocks}
        if public_value is not None:
            body["public_value"] = dict(zip(("source", "at"), public_value, strict=True))
        return decoded(Job, self._post(f"{_ladder_path(ladder_id)}/rounds", body, key).body)

    def record_value(self, ladder_id: str, round: int, value: str, *, key: str | None = None) -> LadderRound:
        """The round, which goes on. The value is as it was published, letter by letter."""
        path = f"{_ladder_path(ladder_id)}/rounds/{round}/public-value"
        return decoded(LadderRound, self._post(path, {"value": value}, key).body)

    def ladder_events(self, ladder_id: str) -> Iterator[bytes]:
        """Everything that happened in the ladder, each event as JSON; page by page as they are asked for."""
        following: str | None = "0"
        while following is not None:
            query: Query = {"after": following, "limit": 500}
            page = decoded(Page, self._get(f"{_ladder_path(ladder_id)}/events", query))
            yield from [bytes(item) for item in page.items]
            following = page.next

    def open_test(self, ladder_id: str, a: str, b: str, *, key: str | None = None, **wishes: Any) -> Job:
        """The job that compares two entries. `elo0`, `elo1`, `alpha`, `beta`, `most_blocks` as in the API."""
        body = {"a": a, "b": b, **wishes}
        return decoded(Job, self._post(f"{_ladder_path(ladder_id)}/tests", body, key).body)

    def test(self, ladder_id: str, test_id: str) -> SequentialTest:
        """A sequential test, as far as it is."""
        return decoded(SequentialTest, self._get(f"{_ladder_path(ladder_id)}/tests/{segment(test_id)}"))

    def job(self, job_id: str) -> Job:
        return decoded(Job, self._get(_job_path(job_id)))

    def stop_job(self, job_id: str, *, key: str | None = None) -> Job:
        """Have no further block begun."""
        return decoded(Job, self._post(f"{_job_path(job_id)}/stop", {}, key).body)

    def resume_job(self, job_id: str, *, key: str | None = None) -> Job:
        return decoded(Job, self._post(f"{_job_path(job_id)}/resume", {}, key).body)

    def standings(self, ladder_id: str, season: int | None = None) -> Standings:
        """The official table of a season, by default of the one that is open."""
        return decoded(Standings, self._get(f"{_ladder_path(ladder_id)}/standings", {"season": season}))

    def crosstable(self, ladder_id: str, season: int | None = None) -> Crosstable:
        """Who met whom how often, and who won."""
        return decoded(Crosstable, self._get(f"{_ladder_path(ladder_id)}/crosstable", {"season": season}))

    def results(
        self,
        ladder_id: str,
        season: int | None = None,
        *,
        test: str | None = None,
        as_csv: bool = False,
        kind: str | None = None,
    ) -> bytes:
        """All results of a season, or of a test: lines of JSON, from which its table follows, or CSV.

        `kind` is `ladder`, `entry` or `result`, for lines of one kind alone, which have the same members.
        """
        query = {"season": season, "test": test, "kind": kind}
        return self._download(f"{_ladder_path(ladder_id)}/results", query, as_csv)

    def ladder_matches(
        self, ladder_id: str, season: int | None = None, *, test: str | None = None, as_csv: bool = False
    ) -> bytes:
        """The matches behind the results, with the hash of each one's last event: lines of JSON, or CSV."""
        return self._download(f"{_ladder_path(ladder_id)}/matches", {"season": season, "test": test}, as_csv)


def _ladder_path(ladder_id: str) -> str:
    return f"/v1/ladders/{segment(ladder_id)}"


def _job_path(job_id: str) -> str:
    return f"/v1/jobs/{segment(job_id)}"
