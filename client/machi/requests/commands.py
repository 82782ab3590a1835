"""Requests of a player: the state of the table, the legal commands, and posting one."""

from collections.abc import Sequence

from msgspec.structs import replace

from contract.commands import Validated
from machi.answers import RawPage, decoded, with_events
from machi.commands import Command, encode_command
from machi.requests.subject import Members, RequestGroup, match_path
from machi.table import CommandAnswer, CommandRecord, LegalCommands, State, Turn
from machi.transport import Query, Response, segment


class Commands(RequestGroup):
    """The decisions of a seat."""

    def state(self, match_id: str) -> State:
        """The complete state of the table."""
        return decoded(State, self._get(f"{match_path(match_id)}/state"))

    def state_after(self, match_id: str, version: int) -> State:
        """The state after an event. Raises: NotFound if the match has no such event."""
        return decoded(State, self._get(f"{match_path(match_id)}/states/{version}"))

    def legal_commands(self, match_id: str, *, explain: bool = False) -> LegalCommands:
        """The commands of the seat to act; with `explain`, also why other cards cannot be built."""
        query = {"explain": True} if explain else None
        return decoded(LegalCommands, self._get(f"{match_path(match_id)}/legal-commands", query))

    def command(
        self,
        match_id: str,
        command: Command | Members,
        *,
        if_match: int | None = None,
        embed: Sequence[str] = (),
        key: str | None = None,
    ) -> CommandAnswer:
        """Post a command. `if_match` is the version it was chosen for; `embed` lists `state`,
        `legal_commands`.

        Raises:
            StaleVersion: the match is at another version.
            Refused: the rules do not allow it.
        """
        answer = self._say(match_id, command, if_match, key, {"embed": ",".join(embed) or None})
        is_replayed = answer.headers.get("Idempotency-Replayed") == "true"
        return replace(with_events(CommandAnswer, answer.body), replayed=is_replayed)

    def validate(
        self, match_id: str, command: Command | Members, *, if_match: int | None = None
    ) -> Validated:
        """Check whether the command would be accepted; raises what `command` would raise."""
        path = f"{match_path(match_id)}/dry-runs"
        body = encode_command(command)
        return decoded(Validated, self._posted(path, body, None, None, **_version(if_match)).body)

    def find_command(self, match_id: str, key: str) -> CommandRecord:
        """The events of a command of the caller, by its key. Raises: NotFound if it never arrived."""
        return with_events(CommandRecord, self._get(f"{match_path(match_id)}/commands/{segment(key)}"))

    def turns(self, wait: int = 0) -> tuple[Turn, ...]:
        """The open decisions of the caller; if there are none, wait up to `wait` seconds (at most 30) for
        one.
        """
        page = decoded(RawPage, self._get("/v1/me/turns", {"wait": wait}, wait))
        return tuple(decoded(Turn, item) for item in page.items)

    def _say(
        self,
        match_id: str,
        command: Command | Members,
        if_match: int | None,
        key: str | None,
        query: Query,
    ) -> Response:
        path = f"{match_path(match_id)}/commands"
        return self._posted(path, encode_command(command), key, query, **_version(if_match))


def _version(if_match: int | None) -> dict[str, str]:
    return {} if if_match is None else {"If-Match": f'"{if_match}"'}
