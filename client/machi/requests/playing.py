"""Requests of a player: what is on the table, what can be done, and doing it."""

from collections.abc import Sequence

from msgspec.structs import replace

from contract.commands import Validated
from machi.commands import Command, encode_command
from machi.decoding import decoded, with_events
from machi.requests.sending import Members, Requests, match_path
from machi.table import CommandAnswer, CommandRecord, LegalCommands, State, Turn, Turns
from machi.transport import Answer, Query, segment


class Playing(Requests):
    """A seat at the table."""

    def state(self, match_id: str) -> State:
        """Everything on the table."""
        return decoded(State, self._get(f"{match_path(match_id)}/state"))

    def legal_commands(self, match_id: str, *, explain: bool = False) -> LegalCommands:
        """What the seat to act can do; with `explain`, also the cards that it cannot build, and why."""
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
        """Say a command. `if_match` is the version it was chosen for; `embed` is `state`, `legal_commands`.

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
        """Whether the command would be accepted; raises what `command` would."""
        path = f"{match_path(match_id)}/dry-runs"
        body = encode_command(command)
        return decoded(Validated, self._posted(path, body, None, None, **_version(if_match)).body)

    def find_command(self, match_id: str, key: str) -> CommandRecord:
        """What a command of the caller caused, found by its key. Raises: NotFound, it never arrived."""
        return with_events(CommandRecord, self._get(f"{match_path(match_id)}/commands/{segment(key)}"))

    def turns(self, wait: int = 0) -> tuple[Turn, ...]:
        """Every decision that waits for the caller; if there is none, wait up to 30 seconds for one."""
        return decoded(Turns, self._get("/v1/me/turns", {"wait": wait}, wait)).items

    def _say(
        self,
        match_id: str,
        command: Command | Members,
        if_match: int | None,
        key: str | None,
        query: Query,
    ) -> Answer:
        path = f"{match_path(match_id)}/commands"
        return self._posted(path, encode_command(command), key, query, **_version(if_match))


def _version(if_match: int | None) -> dict[str, str]:
    return {} if if_match is None else {"If-Match": f'"{if_match}"'}
