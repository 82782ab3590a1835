"""Which matches of the service `machi export` exports."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct

from machi.answers import decoded
from machi.cli.session import WrongUse
from machi.client import Client
from machi.matches import ListedMatch

OVER: Final = ("finished", "aborted")
_LADDER: Final = "lad_"


class Selection(Struct, frozen=True, kw_only=True):
    """The matches that were asked for: named ones, or all of which something is true."""

    match_ids: tuple[str, ...] = ()
    everything: bool = False
    tag: str | None = None
    ladder: str | None = None
    season: int | None = None
    ruleset: str | None = None
    since: datetime | None = None
    """Only matches that were created then or later; UTC."""

    def check(self, has_files: bool = False) -> None:
        """Raises: WrongUse if the wishes do not go together."""
        is_named = bool(self.match_ids) or has_files
        ways = (is_named, self.everything, self.tag is not None, self.ladder is not None)
        if sum(ways) != 1:
            raise WrongUse("name matches, or use --all, --tag or --ladder")
        if is_named and (self.ruleset is not None or self.since is not None):
            raise WrongUse("--ruleset and --since require --all, --tag or --ladder")
        if self.season is not None and self.ladder is None:
            raise WrongUse("--season requires --ladder")
        if self.ladder is not None and not self.ladder.startswith(_LADDER):
            raise WrongUse(f"--ladder needs a ladder id ({_LADDER}...), not {self.ladder!r}")

    def found(self, client: Client) -> list[str]:
        """The ids of the matches; those that are not named are over, the oldest first."""
        if self.match_ids:
            return list(self.match_ids)
        listed = {match.match_id for match in self._listed(client)}
        if self.ladder is None:
            return sorted(listed)
        counted = self._counted(client)
        # All matches that count are public and over: a filter is all that the list is needed for.
        return [one for one in counted if one in listed] if self._is_filtered else counted

    @property
    def _is_filtered(self) -> bool:
        return self.ruleset is not None or self.since is not None

    def _listed(self, client: Client) -> Iterator[ListedMatch]:
        if self.ladder is not None and not self._is_filtered:
            return
        for status in OVER:
            for match in client.matches(
                status=status, ruleset=self.ruleset, ladder=self.ladder, page_size=500
            ):
                is_tagged = self.tag is None or self.tag in match.tags
                if is_tagged and (self.since is None or match.created_at >= self.since):
                    yield match

    def _counted(self, client: Client) -> list[str]:
        """The matches behind the results of a season, in order."""
        assert self.ladder is not None, "a ladder is named"
        lines = client.ladder_matches(self.ladder, self.season).splitlines()
        return [decoded(_Counted, line).match_id for line in lines]


class _Counted(Struct):
    match_id: str
