"""The server: it offers the tools, reports errors, and takes the account from where the caller shows it.

Over stdio, one caller has started the process, and plays as the account of the `machi` command. Over HTTP,
each request carries a token of the service, and is carried out with that token alone: the server has no
account of its own, keeps no sessions and stores no token, so that no caller can act for another one.
"""

import inspect
import json
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec
import uvicorn
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from contract.problems import KINDS
from contract.values import Timestamp
from machi import __version__
from machi.client import Client
from machi.errors import ApiError, ConnectionFailed, MachiError, NotAllowed
from machi.mcp import tools
from machi.retries import Retries

Lend = Callable[[Context], AbstractContextManager[Client]]
"""Gives a tool the client of the caller, for one call."""

RETRIES: Final = Retries(total_s=20.0)
MOST_CALLS: Final = 200
"""Calls that are carried out at once; they wait in threads."""
LARGEST_BODY: Final = 65_536
"""Bytes of a request."""
HOST: Final = "127.0.0.1"
"""The only address: with it, the SDK refuses requests whose Host or Origin is not of this machine."""

INSTRUCTIONS: Final = """\
Play the dice and city board game Machi Koro on a match service. First call list_rulesets and get_rules.
Then create_match (or join_match) and repeat: if is_your_turn, choose one of legal_commands and call act with
it and with state.version; otherwise call wait. Stop when is_over; get_review then shows your mistakes. An
error has a stable code, a title and a detail; after one, nothing has been done."""
PROMPT: Final = """\
Play a match of {} against {} with the tools of this server, and try to win. Read the rules first. Play to the
end without asking me, then tell me in two sentences how it went."""

ADVICE: Final = {
    "stale_version": "The match has moved on. Call get_state, look at the table again, and decide anew.",
    "idempotency_key_reused": "You have already made another move at this version. Call get_state.",
    "not_your_turn": "Call wait until it is your turn.",
    "match_not_started": "Call wait until the match has started.",
}
"""What to do after an error, by its code."""


def serve_stdio(client: Client) -> None:
    """Serve the caller that has started this process, until standard input ends."""
    _server(lambda _: nullcontext(client)).run("stdio")


def serve_http(url: str, listener: socket.socket) -> None:
    """Serve at `/mcp` on a listener of this machine until Ctrl-C. `url` is that of the match service."""
    server = _server(
        lambda context: Client(url, _token_of(context), retries=RETRIES),
        token_verifier=_Verifier(url),
        auth=AuthSettings.model_validate({"issuer_url": url, "resource_server_url": None}),
    )
    app = server.streamable_http_app(stateless_http=True, host=HOST, max_request_body_size=LARGEST_BODY)
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listener])


class _Verifier:
    """Asks the service about the token of each request, so that a deleted token is refused at once."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def verify_token(self, token: str) -> AccessToken | None:
        return await run_sync(self._verified, token)

    def _verified(self, token: str) -> AccessToken | None:
        handle = "unknown"
        try:
            with Client(self._url, token, retries=RETRIES) as client:
                handle = client.me().handle
        except (NotAllowed, ValueError):
            return None
        except MachiError:
            pass  # The tool meets the same failure, and can tell the caller about it.
        return AccessToken(token=token, client_id=handle, scopes=[])


def _token_of(context: Context) -> str:
    request: Any = context.request_context.request
    token: str = request.user.access_token.token
    return token


def _server(lend: Lend, **auth: Any) -> MCPServer:
    threads = CapacityLimiter(MOST_CALLS)
    made = [_tool(call, lend, threads) for call in (*tools.READING, *tools.CHANGING)]
    server = MCPServer(
        "machi",
        "Machi Koro",
        None,
        INSTRUCTIONS,
        version=__version__,
        tools=made,
        log_level="WARNING",
        **auth,
    )

    @server.resource("machi://rulesets/{ruleset}/rules", title="Rules in short", mime_type="text/plain")
    async def rules(ruleset: str, context: Context) -> str:
        """The rules of a ruleset, such as base or harbor, in short, with all cards."""
        try:
            read = partial(tools.get_rules, ruleset=ruleset)
            found: tools.Text = await run_sync(_lent, lend, context, read, limiter=threads)
        except MachiError as error:
            raise ResourceError(_problem(error)) from None
        return found.text

    @server.prompt(title="Play a match")
    def play_match(ruleset: str = "base", opponent: str = "greedy") -> str:
        """Play a whole match against a built-in player."""
        return PROMPT.format(ruleset, opponent)

    return server


def _lent(lend: Lend, context: Context, call: Callable[[Client], Any]) -> Any:
    with lend(context) as client:
        return call(client)


def _tool(call: Callable[..., Any], lend: Lend, threads: CapacityLimiter) -> Tool:
    """The function as a tool: without its parameter `client`, and with the schema of what it returns."""

    async def run(context: Context, **arguments: Any) -> CallToolResult:
        done = partial(call, **arguments)
        try:
            found = await run_sync(_lent, lend, context, done, limiter=threads, abandon_on_cancel=True)
        except (MachiError, ValueError) as error:
            return CallToolResult(content=[TextContent(text=_problem(error))], is_error=True)
        text = json.dumps(msgspec.to_builtins(found, builtin_types=(datetime,)), default=_written)
        return CallToolResult(content=[TextContent(text=text)], structured_content=json.loads(text))

    signature, name = inspect.signature(call), call.__name__
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Context)
    _, *others = signature.parameters.values()
    run.__signature__ = signature.replace(parameters=[context, *others])  # type: ignore[attr-defined]
    is_reading = call in tools.READING
    hints = ToolAnnotations(read_only_hint=is_reading, idempotent_hint=is_reading or call is tools.act)
    tool = Tool.from_function(
        run, name, description=inspect.getdoc(call), annotations=hints, structured_output=False
    )
    tool.fn_metadata.output_schema = _schema(signature.return_annotation)
    return tool


def _written(time: datetime) -> str:
    """The time as the API writes it."""
    return str(Timestamp.at(round(time.timestamp() * 1000)))


def _schema(kind: type) -> dict[str, Any]:
    """The JSON Schema, with an object as its root, as the protocol wants it."""
    found = msgspec.json.schema(kind, schema_hook=lambda _: {"title": "any value"})
    return {**found["$defs"][kind.__name__], "$defs": found["$defs"]}


def _problem(error: Exception) -> str:
    """The error as JSON, with the members of the API's problems."""
    said: dict[str, Any] = {"code": "invalid_argument", "title": "An argument is invalid"}
    if isinstance(error, ApiError):
        kind = KINDS.get(error.code)
        said = {"code": error.code, "title": kind.title if kind else "The service refused the request"}
        said |= {"status": error.status, "detail": error.detail, "errors": msgspec.to_builtins(error.errors)}
        said |= {"advice": ADVICE[error.code]} if error.code in ADVICE else {}
        return json.dumps(said)
    if isinstance(error, ConnectionFailed):
        said = {"code": "unreachable", "title": "The service cannot be reached"}
    elif isinstance(error, MachiError):
        said = {"code": "unusable_answer", "title": "The response is not one of this API"}
    return json.dumps({**said, "detail": str(error)})
