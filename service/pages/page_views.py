"""The HTML pages of the service, their files, and the OpenAPI document.

The pages are no part of the API: they use it as any client does. The document lists only those that it always
has, the home page and the reference.

Nothing here counts against a quota. Pages are small, and files come from memory, compressed once per process:
a request costs less than the one to Redis that would count it.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import flask
import msgspec
import yaml
from flask import Response, abort, render_template, request
from marshmallow import EXCLUDE, Schema
from werkzeug.exceptions import NotFound

from service.context import services
from service.edge.answers import FixedResponse, empty_answer, has_current
from service.edge.guard import Limit, count_address
from service.edge.middleware import ROUTE
from service.edge.native_threads import in_native_thread
from service.openapi.endpoints import Endpoints, Success
from service.openapi.operations import documented_path
from service.pages import assets, guides

blueprint = Endpoints("pages", "HTML pages, and this document.")
pages = flask.Blueprint("site", __name__, template_folder=".")
"""Pages that the document does not list. Each shows itself whatever its address names: its script finds out
whether that exists and whether the visitor may see it, and an answer that told would tell everybody."""

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C is ten times as fast; PyYAML may have been built without it."""

_DOCUMENT: Final = Path(__file__).parents[2] / "openapi.yaml"
"""Generated from the code; a test compares them."""

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types lit-html; "
    "frame-ancestors {framed_by}"
)
_STYLES: Final = ("css/page.css", "css/drawings.css")
_MOVED_FILES: Final = {"docs.js": "js/docs.js", "icon.svg": "icon.svg", "page.css": "css/page.css"}
"""Files that the document lists, and which of the assets they are. The pages themselves do not use them."""
_YEAR_S: Final = 31_536_000

_ANYTHING: Final = Schema(unknown=EXCLUDE)
"""The query of a page is its script's business."""
_TEXT: Final = {"type": "string"}
_CACHED: Final = {304: Success("The client's copy is current.", None, ("ETag",))}


def _choice(names: Iterable[str]) -> str:
    """The arguments of a converter of addresses that takes these names alone."""
    return ", ".join(map(repr, names))


class HtmlPage(NamedTuple):
    """What one page is: the names of its module and its style sheet are the name of the page."""

    name: str
    title: str
    about: str
    also: tuple[str, ...] = ()
    """Pages whose style sheets it uses, too."""


_HOME: Final = HtmlPage(
    "home", "Machi Koro", "Play Machi Koro against people and built-in players, or watch."
)
_NEW: Final = HtmlPage("new", "New match", "Start a match of Machi Koro with all its options.")
_TABLE: Final = HtmlPage("table", "Match", "A match of Machi Koro: play, watch and replay it.")
_DOCS: Final = HtmlPage(
    "docs", "Documentation", "Guides to Machi Koro matches, and the reference of the API."
)
_REVIEW: Final = HtmlPage(
    "review", "Review", "Where a match of Machi Koro was won, by luck and by decisions."
)
_PUZZLES: Final = HtmlPage(
    "puzzles", "Puzzles", "Find the best move in a position of a match of Machi Koro.", ("table", "review")
)
_VERIFY: Final = HtmlPage("verify", "Verify", "Check every die and coin of a match in your browser.")
_LADDERS: Final = HtmlPage("ladders", "Ladders", "Ladders of built-in players and bots.")
_LADDER: Final = HtmlPage("ladder", "Ladder", "Standings, rounds and matches of a ladder.")
_RATINGS: Final = HtmlPage(
    "ratings", "Player ratings", "Ratings of people from rated matches of Machi Koro.", ("ladder",)
)
_ACCOUNT: Final = HtmlPage("account", "Account", "Your matches, invitations and tokens.")
_MISSING: Final = HtmlPage("missing", "Not found", "There is nothing at this address.")


class _Content(NamedTuple):
    """The content of one address."""

    body: bytes
    media_type: str
    etag: str


@blueprint.endpoint(
    "GET",
    "/",
    {200: Success("The home page.", _TEXT, (), "text/html")},
    query=_ANYTHING,
    limit=Limit.NONE,
)
def first_page(query: object) -> Response:
    """Show the home page of the service."""
    return _page(_HOME)


@blueprint.endpoint(
    "GET",
    "/docs",
    {200: Success("The guides and the interactive reference.", _TEXT, (), "text/html")},
    query=_ANYTHING,
    limit=Limit.NONE,
)
def show_reference(query: object) -> Response:
    """Show the guides, and this document as an interactive page, on which you can try out every operation."""
    return _page(_DOCS, "docs.html", topics=guides.topics())


@blueprint.endpoint(
    "GET",
    f"/docs/<any({_choice(sorted(_MOVED_FILES))}):name>",
    {
        200: Success("The file, with its media type.", {}, ("ETag",), "*/*"),
        **_CACHED,
    },
    headers=("If-None-Match",),
    refusals=("not_found", "rate_limited"),  # where there is no such file: nothing was routed here
    limit=Limit.NONE,
)
def show_file(name: str) -> Response:
    """Show a file of the pages."""
    return _cached(_moved_file(name))


@blueprint.endpoint(
    "GET",
    "/openapi.yaml",
    {200: Success("This document.", {"type": "object"}, ("ETag",), "application/yaml"), **_CACHED},
    headers=("If-None-Match",),
    limit=Limit.NONE,
)
def show_document() -> Response:
    """Show the OpenAPI document."""
    return _cached(_document())


@blueprint.endpoint(
    "GET",
    "/asyncapi.yaml",
    {200: Success("The document.", {"type": "object"}, ("ETag",), "application/yaml"), **_CACHED},
    headers=("If-None-Match",),
    limit=Limit.NONE,
)
def show_document_of_streams() -> Response:
    """Show the AsyncAPI document of streams and webhooks."""
    return _cached(_document_of_streams())


@blueprint.endpoint(
    "GET",
    "/openapi.json",
    {200: Success("This document.", {"type": "object"}, ("ETag",)), **_CACHED},
    headers=("If-None-Match",),
    limit=Limit.NONE,
)
def show_document_as_json() -> Response:
    """Show the OpenAPI document as JSON."""
    return _cached(_document_as_json())


@pages.before_app_request
def _show_missing() -> Response | None:
    """A page for people who follow a broken link. Whatever is asked of the API is answered by the API."""
    is_missing = isinstance(request.routing_exception, NotFound) and not request.path.startswith("/v1/")
    accepted = request.accept_mimetypes
    prefers_pages = accepted["text/html"] > accepted["application/problem+json"]
    if not is_missing or request.method != "GET" or not prefers_pages:
        return None
    response = _page(_MISSING)
    response.status_code = 404
    return response


@pages.before_request
def _note_route() -> None:
    request.environ[ROUTE] = documented_path(str(request.url_rule))


@pages.get("/new")
def show_new_match() -> Response:
    """A form for a match with all options."""
    return _page(_NEW)


@pages.get("/matches/<match_id>")
def show_table(match_id: str) -> Response:
    """The table of a match, to play, watch and replay."""
    return _page(_TABLE)


@pages.get("/embed/matches/<match_id>")
def show_embedded_table(match_id: str) -> Response:
    """The same for frames of other sites: it reads no token, so that nobody can be tricked into a click."""
    return _page(_TABLE, framed_by=" ".join(sorted(services().settings.embed_origins)) or "'none'")


@pages.get("/matches/<match_id>/review")
def show_review(match_id: str) -> Response:
    """The review of a finished match."""
    return _page(_REVIEW)


@pages.get("/puzzles")
@pages.get("/puzzles/<puzzle_id>")
def show_puzzles(puzzle_id: str = "") -> Response:
    """Puzzles out of finished matches."""
    return _page(_PUZZLES)


@pages.get("/verify")
@pages.get("/matches/<match_id>/verify")
def show_verifier(match_id: str = "") -> Response:
    """The verifier, for a match or for a file."""
    return _page(_VERIFY)


@pages.get("/ladders")
def show_ladders() -> Response:
    """All ladders."""
    return _page(_LADDERS)


@pages.get("/ladders/<ladder_id>")
def show_ladder(ladder_id: str) -> Response:
    """One ladder."""
    return _page(_LADDER)


@pages.get("/ratings")
def show_ratings() -> Response:
    """The ratings of people."""
    return _page(_RATINGS)


@pages.get("/account")
def show_account() -> Response:
    """The visitor's own matches, invitations and tokens."""
    return _page(_ACCOUNT)


@pages.get(f"/docs/guides/<any({_choice(guides.NAMES)}):name>")
def show_guide(name: str) -> Response:
    """A guide from the repository."""
    guide = in_native_thread(guides.guide, name)
    page = HtmlPage("guide", guide.title, f"{guide.title}: a guide to Machi Koro matches.")
    return _page(page, "guide.html", guide=guide)


@pages.get(f"/docs/files/<any({_choice(guides.SAMPLE_NAMES)}):name>")
def show_sample(name: str) -> Response:
    """A file that the guides speak of."""
    body, media_type = guides.sample(name)
    return FixedResponse(body, mimetype=media_type)


@pages.get("/assets/<digest>/<path:name>")
def show_asset(digest: str, name: str) -> Response:
    """A file of the pages. A browser whose page came from another release may not keep it."""
    asset = assets.assets().get(name)
    if asset is None:
        count_address(Limit.BY_CALLER)  # as at any address where nothing is
        abort(404)
    response = FixedResponse(asset.body, mimetype=asset.media_type)
    if digest == assets.digest():
        response.headers["Cache-Control"] = f"public, max-age={_YEAR_S}, immutable"
    return response


def _page(
    page: HtmlPage, template: str = "page.html", framed_by: str = "'none'", **given: object
) -> Response:
    own = [f"css/{name}.css" for name in (*page.also, page.name)]
    language = request.accept_languages.best_match(assets.languages(), "en")
    texts = [f"languages/{language}.json", f"languages/{page.name}/{language}.json"]
    html = render_template(
        template,
        page=page.name,
        title=page.title,
        about=page.about,
        assets=_address(),
        styles=[name for name in (*_STYLES, *own) if name in assets.assets()],
        modules=assets.modules_of(f"js/{page.name}.js"),
        texts=[name for name in texts if name in assets.assets()],
        **given,
    )
    response = Response(html, mimetype="text/html")
    response.headers["Content-Security-Policy"] = _POLICY.format(framed_by=framed_by)
    return response


def _address() -> str:
    """Where the files of the pages are."""
    return f"/assets/{assets.digest()}"


def _cached(content: _Content) -> Response:
    """The content, or 304 if the client's copy is current."""
    headers = {"ETag": f'"{content.etag}"', "Cache-Control": "public, max-age=300"}
    if has_current(content.etag):
        return empty_answer(304, headers)
    response = FixedResponse(content.body, mimetype=content.media_type)
    response.headers.update(headers)
    return response


@cache
def _moved_file(name: str) -> _Content:
    return _content(*assets.assets()[_MOVED_FILES[name]])


@cache
def _document() -> _Content:
    return _content(_DOCUMENT.read_bytes(), "application/yaml")


@cache
def _document_of_streams() -> _Content:
    return _content(_DOCUMENT.with_name("asyncapi.yaml").read_bytes(), "application/yaml")


@cache
def _document_as_json() -> _Content:
    parsed = in_native_thread(yaml.load, _DOCUMENT.read_bytes(), _Loader)  # this takes a second
    return _content(msgspec.json.encode(parsed), "application/json")


def _content(body: bytes, media_type: str) -> _Content:
    return _Content(body, media_type, hashlib.sha256(body).hexdigest()[:16])
