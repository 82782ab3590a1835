"""`machi mcp`: the API as tools for language models."""

import os
import socket
from importlib.util import find_spec
from typing import Final

import click

from machi.cli.session import Session, Unusable, WrongUse, service_options, session_of

MISSING: Final = 'machi mcp needs a package that is not installed: pip install "./client[mcp]"'


@click.command(
    epilog="""\b
Examples:
  machi mcp                      a program starts this, and talks to it over stdin and stdout
  machi mcp --http --port 8765   serves http://127.0.0.1:8765/mcp
"""
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP, to programs on this machine.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8765, show_default=True, help="For --http.")
@service_options
@session_of
def mcp(session: Session, http: bool, port: int) -> None:
    """Serve the Model Context Protocol, with tools to play matches.

    Over standard input and output, the tools act as your account. Over HTTP, each request has to carry the
    token of the account that it acts for, as `Authorization: Bearer TOKEN`; yours is not used.
    """
    if find_spec("mcp") is None:
        raise Unusable(MISSING)
    from machi.mcp.server import HOST, serve_http, serve_stdio

    if not http:
        session.require_account()
        with session.client() as client:
            client.me()  # a wrong token or address ends the command here, where its user sees it
            serve_stdio(client)
            # The caller has gone. Python would wait for the threads of calls that still wait for an event.
            os._exit(0)
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise WrongUse(f"cannot listen on port {port}: {error.strerror}") from None
    with listener:
        session.warn(f"serving {session.url} at http://{HOST}:{listener.getsockname()[1]}/mcp")
        serve_http(session.url, listener)
