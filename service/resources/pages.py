"""The first page, and the document of the API."""

import hashlib
from functools import cache
from typing import Final

from flask import Flask, Response, current_app

from service.answers import empty_answer, has_current
from service.endpoints import Answer, Endpoints
from service.openapi import document
from service.rate_limits import Limit

blueprint = Endpoints("pages", "For people and their tools")

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Machi Koro matches</title>
<h1>Machi Koro matches</h1>
<p>This service plays matches of Machi Koro, of its Harbor expansion and of Machi Koro 2.
<p>It is used by programs: <a href="/openapi.yaml">openapi.yaml</a> describes the whole API.
<ul>
<li><a href="/v1/rulesets">rulesets</a>
<li><a href="/v1/strategies">built-in players</a>
<li><a href="/v1/matches">matches</a>
<li><a href="/readyz">whether a match can be played now</a>
</ul>
"""

_TEXT: Final = {"type": "string"}


@blueprint.endpoint(
    "GET",
    "/",
    {200: Answer("A page that says what runs here.", _TEXT, (), "text/html")},
    limit=Limit.NONE,
)
def first_page() -> Response:
    """Say what runs here."""
    return Response(_PAGE, mimetype="text/html")


@blueprint.endpoint(
    "GET",
    "/openapi.yaml",
    {
        200: Answer("This document.", {"type": "object"}, ("ETag",), "application/yaml"),
        304: Answer("The client holds it already.", None, ("ETag",)),
    },
    headers=("If-None-Match",),
    limit=Limit.NONE,
)
def show_document() -> Response:
    """Show the document of the API."""
    text, mark = _document(current_app._get_current_object())  # type: ignore[attr-defined]  # a proxy
    headers = {"ETag": f'"{mark}"', "Cache-Control": "public, max-age=300"}
    if has_current(mark):
        return empty_answer(304, headers)
    response = Response(text, mimetype="application/yaml")
    response.headers.update(headers)
    return response


@cache
def _document(app: Flask) -> tuple[str, str]:
    """The text and its ETag."""
    text = document(app)
    return text, hashlib.sha256(text.encode()).hexdigest()[:16]
