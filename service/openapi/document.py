"""The OpenAPI document, generated from the code: `python -m service > openapi.yaml`."""

from typing import Any, Final

import flask_smorest
from flask import Flask

from contract.problems import Problem
from service.openapi import event_types
from service.openapi.conversion import answers_in, make_plugin
from service.openapi.description import TITLE, VERSION, info
from service.openapi.endpoints import Endpoints
from service.openapi.examples import OrderedObject, with_examples
from service.openapi.headers import HEADERS, PARAMETERS, TOKEN
from service.openapi.operations import UNROUTED
from service.openapi.shared_components import with_shared_parts
from service.openapi.yaml_text import written

SECTIONS: Final = ("openapi", "info", "servers", "security", "tags", "paths", "components")
"""The sections of the document, in order."""


class Api(flask_smorest.Api):  # type: ignore[misc]  # flask-smorest has no types
    """Registers and documents blueprints; errors are left to `service.edge.problems`."""

    def _register_error_handlers(self) -> None:
        pass

    def _register_responses(self) -> None:
        pass

    def _register_pagination_header(self) -> None:
        pass

    def _register_etag_headers(self) -> None:
        pass


def _documented(app: Flask) -> Api:
    plugin = make_plugin()
    api = Api(
        app,
        spec_kwargs={
            "title": TITLE,
            "version": VERSION,
            "openapi_version": "3.1.0",
            "marshmallow_plugin": plugin,
            "info": info(app.config["MAX_CONTENT_LENGTH"]),
            "servers": [{"url": "/", "description": "The service that serves this document."}],
            "security": [],  # operations that use a token say so
        },
    )
    _add_components(api.spec, app)
    for blueprint in _resources(app):
        blueprint.register_views_in_doc(api, app, api.spec, name=blueprint.name, parameters=None)
        api.spec.tag({"name": blueprint.name, "description": blueprint.description})
    return api


def _resources(app: Flask) -> list[Endpoints]:
    return [blueprint for blueprint in app.iter_blueprints() if isinstance(blueprint, Endpoints)]


def _add_components(spec: Any, app: Flask) -> None:
    spec.components.security_scheme("token", TOKEN)
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    for name, parameter in PARAMETERS.items():
        spec.components.parameter(name, "header", {"name": name, **parameter})
    for name, schema in event_types.components().items():
        spec.components.schema(name, schema)
    answers = answers_in(spec)
    for kind in (Problem, *[one for blueprint in _resources(app) for one in blueprint.answers]):
        answers.schema_of(kind)
    for name, response in UNROUTED.items():
        spec.components.response(name, response)


def specification(app: Flask) -> dict[str, Any]:
    """The app's document without examples, each part written out where it stands."""
    found: dict[str, Any] = _documented(app).spec.to_dict()
    return found


def document(app: Flask) -> str:
    """The app's document as YAML, which depends only on the code. This takes a second or two."""
    shown = with_shared_parts(with_examples(specification(app)))
    return written(OrderedObject((name, shown[name]) for name in SECTIONS))
