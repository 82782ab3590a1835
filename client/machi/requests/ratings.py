"""Requests about the ratings of people."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from machi.answers import decoded
from machi.requests.subject import RequestGroup
from machi.transport import Query
from machi.values import OwnRating, RatedResult, RatingPage

_PAGE: Final = 500


class Ratings(RequestGroup):
    """Ratings of people, and the results of rated matches."""

    def ratings(self, ruleset: str, seats: int) -> RatingPage:
        """All ratings for a ruleset and a number of seats, in one page.

        If a new table comes between two pages, they are read again.
        """
        while True:
            first = found = self._page(ruleset, seats, None)
            items = [*found.items]
            while found.next is not None and found.as_of == first.as_of:
                found = self._page(ruleset, seats, found.next)
                items += found.items
            if found.as_of == first.as_of:
                return replace(first, items=tuple(items), next=None)

    def _page(self, ruleset: str, seats: int, cursor: str | None) -> RatingPage:
        query: Query = {"ruleset": ruleset, "seats": seats, "limit": _PAGE, "cursor": cursor}
        return decoded(RatingPage, self._get("/v1/ratings", query))

    def rated_results(self, ruleset: str, seats: int, page_size: int = _PAGE) -> Iterator[RatedResult]:
        """The results that ratings are computed from, by match id, the newest first."""
        query: Query = {"ruleset": ruleset, "seats": seats, "limit": page_size}
        for item in self._items("/v1/ratings/results", query):
            yield decoded(RatedResult, item)

    def my_ratings(self) -> Iterator[OwnRating]:
        """The ratings of the caller."""
        for item in self._items("/v1/me/ratings"):
            yield decoded(OwnRating, item)
