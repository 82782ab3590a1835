"""How an address answers OPTIONS: with the methods that it takes, and no body."""

from functools import partial

from flask import Flask, Response, request

from service.contract.operations import documented_path
from service.edge.answers import empty_answer
from service.edge.middleware import ROUTE


def install(app: Flask) -> None:
    """Answer OPTIONS at every address that has any other method; elsewhere nothing is found, as ever."""
    app.make_default_options_response = partial(_answer, app)  # type: ignore[method-assign]


def _answer(app: Flask) -> Response:
    request.environ[ROUTE] = documented_path(str(request.url_rule))
    allowed = Flask.make_default_options_response(app).allow
    return empty_answer(204, {"Allow": ", ".join(sorted(allowed))})
