"""Callers of `machi mcp`: the SDK's own client, over standard input and output or over streamable HTTP."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import httpx2
from mcp import Client as McpClient
from mcp import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from ops.run import ROOT
from tests.client.commands import machi_process

SERVED_S = 3600.0
"""A server that all tests of a module share lives longer than any of them; this only ends what hangs."""

T = TypeVar("T")
Json = dict[str, Any]
Open = Callable[[], Any]
"""Opens a client of the server, as an asynchronous context."""


class Refusal(Exception):
    """What a tool refused, with the members of its error."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.said: Json = json.loads(text) if text.startswith("{") else {"detail": text}

    @property
    def code(self) -> str | None:
        return self.said.get("code")


class Tools:
    """The tools of a server, called one by one."""

    def __init__(self, client: McpClient) -> None:
        self.client = client

    async def call(self, name: str, **arguments: Any) -> Json:
        """The structured answer, which the SDK has checked by its schema. Raises: Refusal."""
        result = await self.client.call_tool(name, arguments)
        (content,) = result.content
        assert content.type == "text"
        if result.is_error:
            raise Refusal(content.text)
        assert json.loads(content.text) == result.structured_content
        found: Json = result.structured_content or {}
        return found


def over_stdio(url: str, token: str) -> Open:
    """A server in a process of its own, which ends with its client."""
    path = f"{ROOT}{os.pathsep}{ROOT / 'client'}"
    environ = {"MACHI_URL": url, "MACHI_TOKEN": token, "PYTHONPATH": path, "XDG_CONFIG_HOME": "/nowhere"}
    words = ["-W", "error", "-m", "machi", "mcp"]
    return lambda: McpClient(StdioServerParameters(command=sys.executable, args=words, env=environ))


@contextmanager
def http_server(url: str) -> Iterator[str]:
    """The address of a server for all accounts of the service at `url`."""
    words = ("mcp", "--http", "--port", "0", "--url", url)
    with machi_process(*words, deadline_s=SERVED_S) as process:
        assert process.stderr is not None
        yield process.stderr.readline().split()[-1]


def over_http(address: str, token: str, mode: str = "auto") -> Open:
    """A client of an HTTP server; with `legacy` it speaks the protocol of 2025, as many programs do."""

    @asynccontextmanager
    async def opened() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(address, http_client=http)
            async with McpClient(transport, mode=mode) as client:
                yield client

    return opened


def using(open_client: Open, play: Callable[[Tools], Awaitable[T]]) -> T:
    """What comes of playing with the tools."""

    async def played() -> T:
        async with open_client() as client:
            return await play(Tools(client))

    # A browser that a test before has used leaves a loop running in this thread.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, played()).result()
