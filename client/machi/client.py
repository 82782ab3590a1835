"""The client: one method for each thing the service does."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

import msgspec

from machi.accounts import Account, Me, NewToken, Token
from machi.auditing import CheckpointPage, KeyList, MatchHead, SigningKey, head_in
from machi.catalogue import Card, EventType, Ruleset, Strategy
from machi.commands import Command, encode_command
from machi.decoding import decoded, with_raw
from machi.errors import ApiError
from machi.events import Event, EventPage, decode_event, decode_page
from machi.following import SILENCE_S, stream_events
from machi.ladders import (
    Crosstable,
    Job,
    Ladder,
    LadderEntry,
    ListedLadder,
    SequentialTest,
    Standings,
)
from machi.log import LogLine, LogPage
from machi.matches import Clock, Joined, ListedMatch, Match, NewSeat, Page
from machi.playing import Choose, Player
from machi.retrying import OnRetry, Retries
from machi.table import (
    CommandAnswer,
    CommandRecord,
    LegalCommands,
    State,
    Turn,
    Validated,
    decode_command_answer,
    decode_command_record,
    decode_legal_commands,
    decode_turns,
)
from machi.transport import CSV, NDJSON, Answer, Query, Transport, segment

Members = Mapping[str, Any]

_EXPORT_S: Final = 60.0
"""How much longer than other answers an export may take."""

_KEY: Final = re.compile(r"[!-~]{1,255}", re.ASCII)


class Client:
    """A service, and the account that speaks to it.

    Every request is tried again while there is time: after broken connections, time-outs, 429, 502, 503 and
    504. Every POST has an `Idempotency-Key`, the same in each try, so that nothing happens twice.

    All methods raise the errors of `machi.errors`; a wrong argument is a ValueError.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        token: str | None = None,
        *,
        timeout: float = 10.0,
        retries: Retries | None = None,
        on_retry: OnRetry | None = None,
        silence: float = SILENCE_S,
    ) -> None:
        """`timeout` and `silence` are seconds: for one answer, and between signs of life of a stream."""
        self._transport = Transport(base_url, token, timeout, retries or Retries(), on_retry)
        self._silence_s = silence
        self._own_token_id: str | None = None

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    @property
    def base_url(self) -> str:
        return self._transport.base_url

    # Accounts and tokens

    def sign_up(self, handle: str, *, key: str | None = None) -> Account:
        """A new account. A client without a token speaks for it from now on."""
        account = decoded(Account, self._post("/v1/accounts", {"handle": handle}, key).body)
        if not self._transport.has_token:
            self._transport.use_token(account.token)
        return account

    def me(self) -> Me:
        """The account and the token in use."""
        me = decoded(Me, self._get("/v1/me"))
        self._own_token_id = me.token.token_id
        return me

    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the account, the oldest first."""
        return tuple(decoded(Token, item) for item in self._items("/v1/me/tokens"))

    def create_token(
        self, name: str, scopes: Sequence[str], expires_at: str | None = None, *, key: str | None = None
    ) -> NewToken:
        """A further token. `expires_at` is RFC 3339; without it, 90 days from now."""
        body = {"name": name, "scopes": list(scopes), "expires_at": expires_at}
        return decoded(NewToken, self._post("/v1/me/tokens", body, key).body)

    def delete_token(self, token_id: str) -> None:
        """Let the token end, be it the one in use.

        It is gone, too, when a try got no answer and the next one does not find it, or is refused because
        the token in use, known from `me`, was the one to end.
        """
        try:
            self._transport.request("DELETE", f"/v1/me/tokens/{segment(token_id)}")
        except ApiError as error:
            # With a token that was never valid a 401 says nothing of another token.
            gone = (401, 404) if token_id == self._own_token_id else (404,)
            if not (error.may_be_done and error.status in gone):
                raise

    # What can be played

    def rulesets(self) -> tuple[Ruleset, ...]:
        return tuple(decoded(Ruleset, item) for item in self._items("/v1/rulesets"))

    def ruleset(self, ruleset: str) -> Ruleset:
        return decoded(Ruleset, self._get(f"/v1/rulesets/{segment(ruleset)}"))

    def cards(self, ruleset: str, lang: str | None = None) -> tuple[Card, ...]:
        """The cards of a ruleset, establishments first; `lang` is `en`, `uk`, `ru`, `cs` or `it`."""
        path = f"/v1/rulesets/{segment(ruleset)}/cards"
        return tuple(decoded(Card, item) for item in self._items(path, {"lang": lang}))

    def event_types(self) -> tuple[EventType, ...]:
        """What events there are, and their JSON Schemas."""
        return tuple(decoded(EventType, item) for item in self._items("/v1/event-types"))

    def strategies(self) -> tuple[Strategy, ...]:
        """The built-in players, the weakest first."""
        return tuple(decoded(Strategy, item) for item in self._items("/v1/strategies"))

    # Matches

    def create_match(
        self,
        ruleset: str,
        seats: Sequence[NewSeat],
        *,
        options: Members | None = None,
        first_seat: int | None = None,
        clock: Clock | None = None,
        dice: Members | None = None,
        position: Members | None = None,
        visibility: str = "public",
        tags: Sequence[str] = (),
        key: str | None = None,
    ) -> Match:
        """A new match; it starts by itself when no seat is open.

        `dice` and `position` make an analysis board, in the shapes of the API.
        """
        body: dict[str, Any] = {
            "ruleset": ruleset,
            "seats": seats,
            "options": options or {},
            "first_seat": first_seat,
            "clock": clock,
            "dice": dice or {"mode": "committed"},
            "position": position,
            "visibility": visibility,
            "tags": tags,
        }
        return with_raw(Match, self._post("/v1/matches", body, key).body)

    def matches(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        player: str | None = None,
        ladder: str | None = None,
        page_size: int = 100,
    ) -> Iterator[ListedMatch]:
        """Matches, the newest first, page by page as they are asked for.

        `player` is the handle or id of an account, or the name of a built-in player.
        """
        wanted = {"status": status, "ruleset": ruleset, "player": player, "ladder": ladder}
        for item in self._items("/v1/matches", {**wanted, "limit": page_size}):
            yield with_raw(ListedMatch, item)

    def match(self, match_id: str) -> Match:
        return with_raw(Match, self._get(_path(match_id)))

    def join(
        self, match_id: str, seat: int | None = None, seed: str | None = None, *, key: str | None = None
    ) -> Joined:
        """Take an open seat; without `seat`, the first one."""
        given = {"seat": seat, "seed": seed}
        body = {name: value for name, value in given.items() if value is not None}
        raw = self._post(f"{_path(match_id)}/seats", body, key).body
        return Joined(decoded(_Seat, raw).seat, with_raw(Match, raw))

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
        """A new match that goes on from any event of another one; without `seats` the caller plays them all.

        `dice` is `same` (the origin must be over), `fresh`, or `scripted` with `throws`.
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
        return with_raw(Match, self._post(f"{_path(match_id)}/branches", body, key).body)

    def abort(self, match_id: str, *, key: str | None = None) -> Match:
        """Call a match off before its first throw; for its creator."""
        return with_raw(Match, self._post(f"{_path(match_id)}/abort", {}, key).body)

    # Playing

    def state(self, match_id: str) -> State:
        """Everything on the table."""
        return decoded(State, self._get(f"{_path(match_id)}/state"))

    def legal_commands(self, match_id: str, *, explain: bool = False) -> LegalCommands:
        """What the seat to act can do; with `explain`, also the cards that it cannot build, and why."""
        query = {"explain": True} if explain else None
        return decode_legal_commands(self._get(f"{_path(match_id)}/legal-commands", query))

    def command(
        self,
        match_id: str,
        command: Command | Members,
        *,
        if_match: int | None = None,
        embed: Sequence[str] = (),
        key: str | None = None,
    ) -> CommandAnswer:
        """Say a command. `if_match` is the version it was chosen for; `embed` is `state`, `legal_commands`.

        Raises:
            StaleVersion: the match is at another version.
            Refused: the rules do not allow it.
        """
        answer = self._say(match_id, command, if_match, key, {"embed": ",".join(embed) or None})
        return decode_command_answer(answer.body, answer.headers.get("Idempotency-Replayed") == "true")

    def validate(
        self, match_id: str, command: Command | Members, *, if_match: int | None = None
    ) -> Validated:
        """Whether the command would be accepted (`validate_only`); raises what `command` would."""
        answer = self._say(match_id, command, if_match, None, {"validate_only": True})
        return decoded(Validated, answer.body)

    def find_command(self, match_id: str, key: str) -> CommandRecord:
        """What a command of the caller caused, found by its key. Raises: NotFound, it never arrived."""
        return decode_command_record(self._get(f"{_path(match_id)}/commands/{segment(key)}"))

    def turns(self, wait: int = 0) -> tuple[Turn, ...]:
        """Every decision that waits for the caller; if there is none, wait up to 30 seconds for one."""
        return decode_turns(self._get("/v1/me/turns", {"wait": wait}, wait))

    def play(self, choose: Choose, *, stop: Callable[[], bool] = lambda: False, forever: bool = False) -> int:
        """Play all matches of the account with `choose`; the number of decisions made.

        Ends when no match with a seat of the account is open or running, unless it is to go on `forever`, and
        within half a minute when `stop()` is true. Goes on where the world has moved on (409, 412).

        Raises:
            Refused: `choose` gave a command that the rules do not allow.
        """
        player = Player(self, choose, stop, forever)
        player.run()
        return player.decisions

    # Events

    def events(
        self,
        match_id: str,
        after: int = 0,
        *,
        limit: int = 100,
        types: Sequence[str] | None = None,
        wait: int = 0,
    ) -> EventPage:
        """One page of events; if there is none yet, wait up to 30 seconds for the next one."""
        chosen = ",".join(types) if types is not None else None
        query = {"after": after, "limit": limit, "types": chosen, "wait": wait}
        return decode_page(self._get(_events_path(match_id), query, wait))

    def event(self, match_id: str, sequence: int) -> Event:
        return decode_event(self._get(f"{_events_path(match_id)}/{sequence}"))

    def follow(
        self, match_id: str, after: int = 0, types: Sequence[str] | None = None
    ) -> Generator[Event, None, None]:
        """Every event behind `after`, then each new one as it happens, until the match is over.

        Takes itself up again when it is cut or silent; no event comes twice, none is left out.
        """
        return stream_events(self._transport, _events_path(match_id), after, types, silence_s=self._silence_s)

    def history(self, match_id: str, after: int = 0) -> Generator[Event, None, None]:
        """Every event behind `after` up to now, with the same promises."""
        return stream_events(
            self._transport, _events_path(match_id), after, is_live=False, silence_s=self._silence_s
        )

    def log(self, match_id: str, after: int = 0, *, lang: str | None = None) -> Iterator[LogLine]:
        """Every event behind `after` up to now in a sentence, in one of `en uk ru cs it`; page by page."""
        following: str | None = str(after)
        while following is not None:
            query: Query = {"after": following, "limit": 500, "lang": lang}
            page = decoded(LogPage, self._get(f"{_path(match_id)}/log", query))
            yield from page.items
            following = page.next

    # Auditing

    def export(self, match_id: str) -> bytes:
        """Everything that an audit of the match needs, as lines of JSON; see docs/verifying.md."""
        path = f"{_path(match_id)}/export"
        answer = self._transport.request("GET", path, None, None, {"Accept": NDJSON}, _EXPORT_S)
        return answer.body

    def head(self, match_id: str) -> MatchHead:
        """How many events the match has, and the hash of the last; one small answer."""
        return head_in(self._transport.request("HEAD", _path(match_id)).headers)

    def signing_keys(self) -> tuple[SigningKey, ...]:
        """The public keys that ends of matches were ever signed with."""
        return decoded(KeyList, self._get("/v1/signing-keys")).items

    def checkpoints(self, after: int = 0, limit: int = 500) -> tuple[bytes, ...]:
        """Up to so many lines of the log of matches that ended, behind line `after`, as JSON; none at its
        end."""
        page = decoded(CheckpointPage, self._get("/v1/checkpoints", {"after": after, "limit": limit}))
        return tuple(bytes(item) for item in page.items)

    # Ladders

    def ladders(self, *, page_size: int = 100) -> Iterator[ListedLadder]:
        """All ladders, the newest first, page by page as they are asked for."""
        for item in self._items("/v1/ladders", {"limit": page_size}):
            yield with_raw(ListedLadder, item)

    def ladder(self, ladder_id: str) -> Ladder:
        return with_raw(Ladder, self._get(_ladder_path(ladder_id)))

    def create_ladder(
        self, name: str, ruleset: str, seats: int, *, key: str | None = None, **wishes: Any
    ) -> Ladder:
        """A new ladder. Further members of the request, such as `rating`, are in the shapes of the API."""
        body = {"name": name, "ruleset": ruleset, "seats": seats, **wishes}
        return with_raw(Ladder, self._post("/v1/ladders", body, key).body)

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
        return with_raw(Job, self._post(path, {}, key).body)

    def open_season(self, ladder_id: str, *, key: str | None = None, **wishes: Any) -> Ladder:
        """The ladder in its next season. `rating`, `luck` and `seed` are in the shapes of the API."""
        return with_raw(Ladder, self._post(f"{_ladder_path(ladder_id)}/seasons", wishes, key).body)

    def open_round(self, ladder_id: str, blocks: int, *, key: str | None = None) -> Job:
        """The job that plays so many blocks, each a table in all its seat rotations."""
        return with_raw(Job, self._post(f"{_ladder_path(ladder_id)}/rounds", {"blocks": blocks}, key).body)

    def open_test(self, ladder_id: str, a: str, b: str, *, key: str | None = None, **wishes: Any) -> Job:
        """The job that compares two entries. `elo0`, `elo1`, `alpha`, `beta`, `most_blocks` as in the API."""
        body = {"a": a, "b": b, **wishes}
        return with_raw(Job, self._post(f"{_ladder_path(ladder_id)}/tests", body, key).body)

    def test(self, ladder_id: str, test_id: str) -> SequentialTest:
        """A sequential test, as far as it is."""
        return with_raw(SequentialTest, self._get(f"{_ladder_path(ladder_id)}/tests/{segment(test_id)}"))

    def job(self, job_id: str) -> Job:
        return with_raw(Job, self._get(_job_path(job_id)))

    def stop_job(self, job_id: str, *, key: str | None = None) -> Job:
        """Have no further block begun."""
        return with_raw(Job, self._post(f"{_job_path(job_id)}/stop", {}, key).body)

    def resume_job(self, job_id: str, *, key: str | None = None) -> Job:
        return with_raw(Job, self._post(f"{_job_path(job_id)}/resume", {}, key).body)

    def standings(self, ladder_id: str, season: int | None = None) -> Standings:
        """The official table of a season, by default of the one that is open."""
        return with_raw(Standings, self._get(f"{_ladder_path(ladder_id)}/standings", {"season": season}))

    def crosstable(self, ladder_id: str, season: int | None = None) -> Crosstable:
        """Who met whom how often, and who won."""
        return with_raw(Crosstable, self._get(f"{_ladder_path(ladder_id)}/crosstable", {"season": season}))

    def results(
        self, ladder_id: str, season: int | None = None, *, test: str | None = None, as_csv: bool = False
    ) -> bytes:
        """All results of a season, or of a test: lines of JSON, from which its table follows, or CSV."""
        return self._download(f"{_ladder_path(ladder_id)}/results", {"season": season, "test": test}, as_csv)

    def ladder_matches(
        self, ladder_id: str, season: int | None = None, *, test: str | None = None, as_csv: bool = False
    ) -> bytes:
        """The matches behind the results, with the hash of each one's last event: lines of JSON, or CSV."""
        return self._download(f"{_ladder_path(ladder_id)}/matches", {"season": season, "test": test}, as_csv)

    def _download(self, path: str, query: Query, as_csv: bool) -> bytes:
        headers = {"Accept": CSV if as_csv else NDJSON}
        return self._transport.request("GET", path, query, None, headers, _EXPORT_S).body

    # Requests

    def _get(self, path: str, query: Query | None = None, wait_s: float = 0.0) -> bytes:
        return self._transport.request("GET", path, query, wait_s=wait_s).body

    def _post(self, path: str, body: Members, key: str | None) -> Answer:
        return self._posted(path, msgspec.json.encode(body), key)

    def _posted(
        self, path: str, body: bytes, key: str | None, query: Query | None = None, **headers: str
    ) -> Answer:
        key = str(uuid4()) if key is None else key
        if not _KEY.fullmatch(key):
            raise ValueError("a key is 1 to 255 visible ASCII characters")
        sent = {"Idempotency-Key": key, **headers}
        return self._transport.request("POST", path, query, body, sent)

    def _say(
        self,
        match_id: str,
        command: Command | Members,
        if_match: int | None,
        key: str | None,
        query: Query,
    ) -> Answer:
        version = {} if if_match is None else {"If-Match": f'"{if_match}"'}
        return self._posted(f"{_path(match_id)}/commands", encode_command(command), key, query, **version)

    def _items(self, path: str, query: Query | None = None) -> Iterator[msgspec.Raw]:
        """The items of a list, page by page."""
        cursor: str | None = None
        while True:
            page = decoded(Page, self._get(path, {**(query or {}), "cursor": cursor}))
            yield from page.items
            cursor = page.next
            if cursor is None:
                return


class _Seat(msgspec.Struct):
    seat: int


def _path(match_id: str) -> str:
    return f"/v1/matches/{segment(match_id)}"


def _ladder_path(ladder_id: str) -> str:
    return f"/v1/ladders/{segment(ladder_id)}"


def _job_path(job_id: str) -> str:
    return f"/v1/jobs/{segment(job_id)}"


def _events_path(match_id: str) -> str:
    return f"{_path(match_id)}/events"
