"""The HTML pages of the service, and the OpenAPI document."""

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import yaml
from flask import Response

from service.edge.answers import empty_answer, has_current
from service.edge.guard import Limit
from service.edge.native_threads import in_native_thread
from service.openapi.endpoints import Answer, Endpoints

blueprint = Endpoints("pages", "HTML pages, and this document.")

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C is ten times as fast; PyYAML may have been built without it."""

_OURS: Final = Path(__file__).parent

_DOCUMENT: Final = Path(__file__).parents[2] / "openapi.yaml"
"""Generated from the code; a test compares them."""

_FIRST_PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_REFERENCE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Swagger UI uses inline styles, and images in its style sheet."""

_MEDIA_TYPES: Final = {
    "docs.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "page.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
}
"""The media types of all files of the pages, by name."""

_TEXT: Final = {"type": "string"}
_CACHED: Final = {304: Answer("The client's copy is current.", None, ("ETag",))}


class _Content(NamedTuple):
    """The content of one address."""

    body: bytes
    media_type: str
    etag: str


@blueprint.endpoint(
    "GET",
    "/",
    {200: Answer("The home page.", _TEXT, (), "text/html")},
    limit=Limit.NONE,
)
def first_page() -> Response:
    """Show the home page of the service."""
    return _page("first.html", _FIRST_PAGE_POLICY)


@blueprint.endpoint(
    "GET",
    "/docs",
    {200: Answer("The interactive reference.", _TEXT, (), "text/html")},
    limit=Limit.NONE,
)
def show_reference() -> Response:
    """Show this document as an interactive page, on which you can try out every operation."""
    return _page("docs.html", _REFERENCE_POLICY)


@blueprint.endpoint(
    "GET",
    f"/docs/<any({', '.join(repr(name) for name in _MEDIA_TYPES)}):name>",
    {
        200: Answer("The file, with its media type.", {}, ("ETag",), "*/*"),
        **_CACHED,
    },
    headers=("If-None-Match",),
    refusals=("not_found", "rate_limited"),  # where there is no such file: nothing was routed here
    limit=Limit.NONE,
)
def show_file(name: str) -> Response:
    """Show a file of the pages."""
    return _cached(_file(name))


@blueprint.endpoint(
    "GET",
    "/openapi.yaml",
    {200: Answer("This document.", {"type": "object"}, ("ETag",), "application/yaml"), **_CACHED},
    headers=("If-None-Match",),
    limit=Limit.NONE,
)
def show_document() -> Response:
    """Show the OpenAPI document."""
    return _cached(_document())


@blueprint.endpoint(
    "GET",
    "/openapi.json",
    {200: Answer("This document.", {"type": "object"}, ("ETag",)), **_CACHED},
    headers=("If-None-Match",),
    limit=Limit.NONE,
)
def show_document_as_json() -> Response:
    """Show the OpenAPI document as JSON."""
    return _cached(_document_as_json())


def _page(name: str, policy: str) -> Response:
    response = Response((_OURS / name).read_bytes(), mimetype="text/html")
    response.headers["Content-Security-Policy"] = policy
    return response


def _cached(content: _Content) -> Response:
    """The content, or 304 if the client's copy is current."""
    headers = {"ETag": f'"{content.etag}"', "Cache-Control": "public, max-age=300"}
    if has_current(content.etag):
        return empty_answer(304, headers)
    response = Response(content.body, mimetype=content.media_type)
    response.headers.update(headers)
    return response


@cache
def _file(name: str) -> _Content:
    ours = _OURS / name
    path = ours if ours.exists() else files("flask_swagger_ui") / "dist" / name
    return _content(path.read_bytes(), _MEDIA_TYPES[name])


@cache
def _document() -> _Content:
    return _content(_DOCUMENT.read_bytes(), "application/yaml")


@cache
def _document_as_json() -> _Content:
    parsed = in_native_thread(yaml.load, _DOCUMENT.read_bytes(), _Loader)  # this takes a second
    return _content(msgspec.json.encode(parsed), "application/json")


def _content(body: bytes, media_type: str) -> _Content:
    return _Content(body, media_type, hashlib.sha256(body).hexdigest()[:16])
