"""Requests about whole matches: create, find, join and abort them."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from contract.matches import Clock
from machi.answers import decoded
from machi.matches import Joined, ListedMatch, Match, NewSeat, decode_joined, seat_again
from machi.requests.subject import Members, RequestGroup, match_path
from machi.values import Me


class Matches(RequestGroup):
    """Matches as a whole."""

    def create_match(
        self,
        ruleset: str,
        seats: Sequence[NewSeat],
        *,
        options: Members | None = None,
        first_seat: int | None = None,
        clock: Clock | None = None,
        dice: Members | None = None,
        seat_seeds: bool = False,
        position: Members | None = None,
        visibility: str = "public",
        tags: Sequence[str] = (),
        key: str | None = None,
    ) -> Match:
        """Create a match. It starts by itself when no seat is open.

        With `seat_seeds`, it first waits until every account has added a seed to the dice; `play` does that
        by itself. `dice` and `position`, as in the API, make an analysis board.
        """
        usual: Members = {"mode": "committed", **({"seat_seeds": {}} if seat_seeds else {})}
        body: dict[str, Any] = {
            "ruleset": ruleset,
            "seats": seats,
            "options": options or {},
            "first_seat": first_seat,
            "clock": clock,
            "dice": dice or usual,
            "position": position,
            "visibility": visibility,
            "tags": tags,
        }
        return decoded(Match, self._post("/v1/matches", body, key).body)

    def matches(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        player: str | None = None,
        ladder: str | None = None,
        tag: str | None = None,
        rated: bool | None = None,
        page_size: int = 100,
    ) -> Iterator[ListedMatch]:
        """Matches, the newest first; further pages are fetched as you iterate.

        `player` is the handle or id of an account, or the name of a built-in player. `rated` is true for
        rated matches only, and false for all others.
        """
        wanted = {"status": status, "ruleset": ruleset, "player": player, "ladder": ladder, "tag": tag}
        if rated is not None:
            wanted["rated"] = "true" if rated else "false"
        for item in self._items("/v1/matches", {**wanted, "limit": page_size}):
            yield decoded(ListedMatch, item)

    def match(self, match_id: str, code: str | None = None) -> Match:
        """The match. With its invitation `code`, anyone can see a private match that is open."""
        headers = {} if code is None else {"Invitation-Code": code}
        return decoded(Match, self._transport.request("GET", match_path(match_id), headers=headers).body)

    def join(
        self,
        match_id: str,
        seat: int | None = None,
        seed: str | None = None,
        *,
        code: str | None = None,
        key: str | None = None,
    ) -> Joined:
        """Take an open seat, by default the first one. `code` is the invitation code of a private match."""
        given = {"seat": seat, "seed": seed, "code": code}
        body = {name: value for name, value in given.items() if value is not None}
        return decode_joined(self._post(f"{match_path(match_id)}/seats", body, key).body)

    def commit_seat_seed(self, match_id: str, seat: int, commitment: str, *, key: str | None = None) -> Match:
        """Commit to a seed, with a commitment from `machi.seat_seeds.seat_commitment`."""
        body = {"seat": seat, "commitment": commitment}
        return decoded(Match, self._post(f"{match_path(match_id)}/seat-seed-commitments", body, key).body)

    def open_seat_seed(self, match_id: str, seat: int, seed: str, *, key: str | None = None) -> Match:
        """Open the seed that the seat has committed to, once every seat has committed."""
        body = {"seat": seat, "seed": seed}
        return decoded(Match, self._post(f"{match_path(match_id)}/seat-seeds", body, key).body)

    def branch(
        self,
        match_id: str,
        from_version: int,
        dice: str = "fresh",
        *,
        throws: Sequence[Sequence[int]] | None = None,
        seats: Sequence[NewSeat] | None = None,
        clock: Clock | None = None,
        visibility: str | None = None,
        tags: Sequence[str] = (),
        key: str | None = None,
    ) -> Match:
        """A new match that continues from any event of another one; by default the caller holds all seats.

        `dice` is `same` (the other match must be over), `fresh`, or `scripted` with `throws`.
        """
        body: dict[str, Any] = {
            "from_version": from_version,
            "dice": dice,
            "seats": seats,
            "clock": clock,
            "visibility": visibility,
            "tags": tags,
        }
        if throws is not None:
            body["throws"] = throws
        return decoded(Match, self._post(f"{match_path(match_id)}/branches", body, key).body)

    def rematch(self, match_id: str, *, key: str | None = None) -> Match:
        """A new match with the rules, players and seats of another one, and new dice.

        Raises:
            ValueError: the caller had no seat in it, somebody's seat is still open, or it is a branch or an
                analysis board.
        """
        before = self.match(match_id)
        account_id = decoded(Me, self._get("/v1/me")).account_id
        if before.origin or before.position or before.dice.mode != "committed":
            raise ValueError(f"{match_id} did not start as in the rule book; branch from its events instead")
        if all(seat.account_id != account_id for seat in before.seats):
            raise ValueError(f"you had no seat in {match_id}")
        seeds = {"seat_seeds": {"within_ms": before.seat_seeds.within_ms}} if before.seat_seeds else {}
        return self.create_match(
            before.ruleset,
            [seat_again(seat, account_id) for seat in before.seats],
            options=msgspec.to_builtins(before.options),
            clock=before.clock,
            dice={"mode": "committed", **seeds},
            visibility=before.visibility,
            key=key,
        )

    def abort(self, match_id: str, *, key: str | None = None) -> Match:
        """Abort a match before its first roll. Only its creator can do this."""
        return decoded(Match, self._post(f"{match_path(match_id)}/abort", {}, key).body)
