"""A model of the append protocol, small enough to look at every state that it can reach.

Each client has one command for the same match, and sends it as often as it likes. A web process reads the
match, decides on what it has read, appends, and answers once the server, or the server and its replica, have
the entry. Somebody looks at the match now and then. Messages are lost, late and doubled, processes die, and
the replica takes over.

`append` is also what the script on the server has to do, see `tests.simulation.recorded`.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

Log: TypeAlias = tuple["Entry", ...]


class Entry(NamedTuple):
    """One command in a stream."""

    command: str
    decided_on: Log
    """What the command was decided on, which its hash binds it to."""


class Protocol(NamedTuple):
    """The parts of the protocol; without one of them, something goes wrong."""

    knows_commands: bool = True
    """The server knows the commands that it has carried out."""
    compares_versions: bool = True
    """The server appends only to the version that the command was decided on."""
    compares_hashes: bool = True
    """The server appends only to the history that the command was decided on."""
    waits: bool = True
    """A command is acknowledged when the replica has it, as with `DURABILITY=replicated`."""
    waits_for_known: bool = True
    """So is a command that had been carried out before."""
    shows_confirmed: bool = True
    """Nobody is shown an entry before the replica has it."""


WHOLE: Final = Protocol()


class Reply(NamedTuple):
    """What the server says to an append."""

    kind: str
    """`appended`, `duplicate` or `conflict`."""
    version: int = 0
    """The version that the command led to."""


def append(log: Log, command: str, decided_on: Log, protocol: Protocol = WHOLE) -> tuple[Log, Reply]:
    """What the server does: the stream afterwards, and the reply."""
    if protocol.knows_commands:
        for version, entry in enumerate(log, 1):
            if entry.command == command:
                return log, Reply("duplicate", version)
    if protocol.compares_versions and len(log) != len(decided_on):
        return log, Reply("conflict")
    if protocol.compares_hashes and log[: len(decided_on)] != decided_on:
        return log, Reply("conflict")
    return (*log, Entry(command, decided_on)), Reply("appended", len(log) + 1)


class Request(NamedTuple):
    """A command on its way through a web process."""

    client: int
    step: str
    """`read`, `append` or `confirm`."""
    server: str
    """`primary`, or `cut_off` for the one that was replaced."""
    decided_on: Log = ()
    version: int = 0
    """The version that the command led to, once that is known."""
    is_known: bool = False
    """Whether the command had been carried out before."""


class State(NamedTuple):
    """Everything that matters at one moment."""

    primary: Log = ()
    replica: Log = ()
    cut_off: Log | None = None
    """The stream on the server that was replaced and still answers."""
    requests: tuple[Request, ...] = ()
    acknowledged: tuple[int, ...] = (0, 0)
    """By client: the version that its command was acknowledged at; 0 for not yet."""
    failovers: int = 0
    shown: Log = ()
    """The most that anybody was shown."""


class Model(NamedTuple):
    """What can happen."""

    protocol: Protocol = WHOLE
    failovers: int = 0
    """The most that there are."""
    in_flight: int = 1
    """The most requests of one client at a time."""

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Everything that can happen next, each with its name."""
        for client, version in enumerate(state.acknowledged):
            if not version and sum(one.client == client for one in state.requests) < self.in_flight:
                for server in self._servers(state):
                    sent = Request(client, "read", server)
                    yield f"{client} sends to {server}", _with(state, None, sent)
        for request in state.requests:
            yield f"the request of {request.client} is lost", _with(state, request)
            yield from self._next(state, request)
        for server in self._servers(state):
            log = self._log(state, server)
            if len(log) > len(state.shown) and (
                not self.protocol.shows_confirmed or self._is_on_replica(state, server)
            ):
                yield f"{len(log)} is shown by {server}", state._replace(shown=log)
        if state.replica != state.primary:
            yield "the replica follows", state._replace(replica=state.primary[: len(state.replica) + 1])
        if state.failovers < self.failovers:
            yield from self._failovers(state)

    def _servers(self, state: State) -> tuple[str, ...]:
        return ("primary",) if state.cut_off is None else ("primary", "cut_off")

    def _next(self, state: State, request: Request) -> Iterator[tuple[str, State]]:
        log = self._log(state, request.server)
        if request.step == "read":
            yield (
                f"{request.client} is decided",
                _with(state, request, request._replace(step="append", decided_on=log)),
            )
        elif request.step == "append":
            after, reply = append(log, f"command {request.client}", request.decided_on, self.protocol)
            changed = state._replace(**{request.server: after})
            if reply.kind == "conflict":
                yield "conflict", _with(changed, request, Request(request.client, "read", request.server))
                return
            confirming = request._replace(
                step="confirm", decided_on=(), version=reply.version, is_known=reply.kind == "duplicate"
            )
            yield reply.kind, _with(changed, request, confirming)
            if changed != state:
                yield "appended, and sent again", changed
        elif self._is_confirmed(state, request):
            known = [*state.acknowledged]
            known[request.client] = request.version
            told = state._replace(acknowledged=tuple(known))
            yield f"{request.client} is told {request.version}", _with(told, request)

    def _is_confirmed(self, state: State, request: Request) -> bool:
        if not self.protocol.waits or (request.is_known and not self.protocol.waits_for_known):
            return True
        return self._is_on_replica(state, request.server)

    def _is_on_replica(self, state: State, server: str) -> bool:
        return server == "primary" and state.replica == state.primary

    def _log(self, state: State, server: str) -> Log:
        log = state.primary if server == "primary" else state.cut_off
        assert log is not None, "nobody talks to a server that is gone"
        return log

    def _failovers(self, state: State) -> Iterator[tuple[str, State]]:
        """The replica takes over, and gets a replica of its own."""
        new = state._replace(primary=state.replica, replica=(), failovers=state.failovers + 1)
        # Whoever waits for an answer gets an error; an append may be sent again to the new primary.
        left = tuple([one for one in state.requests if one.step != "confirm"])
        yield "the primary is lost", new._replace(cut_off=None, requests=_on_primary(left))
        stay = tuple([one._replace(server="cut_off") for one in state.requests])
        yield "the primary is cut off", new._replace(cut_off=state.primary, requests=_sorted(stay))


def _on_primary(requests: tuple[Request, ...]) -> tuple[Request, ...]:
    return _sorted(tuple([one._replace(server="primary") for one in requests]))


def _sorted(requests: tuple[Request, ...]) -> tuple[Request, ...]:
    return tuple(sorted(requests, key=repr))


def _with(state: State, gone: Request | None, new: Request | None = None) -> State:
    requests = [*state.requests]
    if gone is not None:
        requests.remove(gone)
    if new is not None:
        requests.append(new)
    return state._replace(requests=_sorted(tuple(requests)))


def fault_of(state: State) -> str:
    """What is wrong in a state; empty if nothing is."""
    commands = [entry.command for entry in state.primary]
    if len({*commands}) < len(commands):
        return "a command was carried out twice"
    for version, entry in enumerate(state.primary):
        if entry.decided_on != state.primary[:version]:
            return "an entry does not follow from those before it"
    for client, version in enumerate(state.acknowledged):
        if version and commands[version - 1 : version] != [f"command {client}"]:
            return "an acknowledged command is lost"
    if state.primary[: len(state.shown)] != state.shown:
        return "what was shown is lost"
    return ""


class Explored(NamedTuple):
    """All states that can be reached, or the way to the first bad one."""

    states: int
    fault: str
    way: tuple[str, ...]
    """The names of the steps to the fault."""
    is_stuck: bool
    """Whether there is a state from which some command can never be acknowledged."""


def explore(model: Model) -> Explored:
    """Look at every state that can be reached, the nearest first."""
    start = State()
    came_from: dict[State, tuple[State, str] | None] = {start: None}
    before: dict[State, list[State]] = {}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        if fault := fault_of(state):
            return Explored(len(came_from), fault, _way(came_from, state), is_stuck=False)
        for name, after in model.steps(state):
            before.setdefault(after, []).append(state)
            if after not in came_from:
                came_from[after] = (state, name)
                waiting.append(after)
    return Explored(len(came_from), "", (), len(_leading_to_the_end(came_from, before)) < len(came_from))


def _leading_to_the_end(
    states: dict[State, tuple[State, str] | None], before: dict[State, list[State]]
) -> set[State]:
    """The states from which one can be reached in which every command is acknowledged."""
    found = {state for state in states if all(state.acknowledged)}
    waiting = deque(found)
    while waiting:
        for state in before.get(waiting.popleft(), []):
            if state not in found:
                found.add(state)
                waiting.append(state)
    return found


def _way(came_from: dict[State, tuple[State, str] | None], state: State) -> tuple[str, ...]:
    names: list[str] = []
    while (step := came_from[state]) is not None:
        state, name = step
        names.append(name)
    return tuple(reversed(names))
