"""Reading requests strictly: bodies, query parameters and the headers of the contract."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, Final

import msgspec
from flask import current_app, request
from gunicorn.http.errors import ParseException
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MIMEAccept
from werkzeug.wsgi import get_content_length

from contract.problems import Fault
from domain.errors import pointer_to
from service.edge.middleware import Environ
from service.edge.problems import Problem, problem_at

CODE: Final = r"[A-Za-z0-9]{1,64}"
"""An invitation code."""


class RequestTimeout(ParseException):  # type: ignore[misc]  # gunicorn has no types
    """The request did not arrive completely in time."""


_RAW_BODY: Final = "machi.raw_body"
"""In the environment: the body that `read_body` has read."""
_KEY: Final = re.compile(r"[!-~]{1,255}", re.ASCII)
_RFC_3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CODE: Final = re.compile(CODE, re.ASCII)
_SEQUENCE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_ETAG: Final = re.compile(r'(?:W/)?"([0-9]{1,9})"', re.ASCII)


def milliseconds(text: str, pointer: str) -> int:
    """An RFC 3339 time with a time zone, in ms since 1970.

    Raises:
        Problem: the text is no such time; `pointer` names the member that has it.
    """
    try:
        # Python accepts more formats than RFC 3339.
        time = datetime.fromisoformat(text.upper()) if _RFC_3339.fullmatch(text.upper()) else None
    except ValueError:
        time = None
    if time is None:
        raise problem_at(pointer, "must be a time in RFC 3339 with a time zone")
    return int(time.timestamp() * 1000)


def read_body(environ: Environ, schema: Schema, optional: bool = False) -> dict[str, Any]:
    """The body, validated by the schema. With `optional`, a missing body is an empty object.

    Raises:
        Problem: the body is invalid.
    """
    raw = environ[_RAW_BODY] = _raw_body(environ)
    if optional and not raw:
        return {}
    _require_plain_json(environ)
    loaded = _checked_short(schema, raw) if len(raw) <= _SHORT else _checked(schema, raw)
    return loaded.copy()


def canonical_body() -> bytes:
    """The body in canonical form: the same bytes for equal JSON objects. A missing body is an empty object.

    It is the body as sent, not as loaded by the schema, so a default added later changes nothing.
    """
    return msgspec.json.encode(parse_object(request.environ.get(_RAW_BODY) or b"{}"), order="sorted")


def _require_plain_json(environ: Environ) -> None:
    """Raise `unsupported_media_type` unless the body is uncompressed JSON in UTF-8."""
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise Problem("unsupported_media_type", "the body must not be compressed")
    if environ.get("CONTENT_TYPE") == "application/json":
        return
    if request.mimetype != "application/json":
        raise Problem("unsupported_media_type", f"the Content-Type is {request.mimetype or 'missing'}")
    if request.mimetype_params.get("charset", "utf-8").lower() != "utf-8":
        raise Problem("unsupported_media_type", "JSON must be in UTF-8")


def _raw_body(environ: Environ) -> bytes:
    """The bytes of the body.

    Werkzeug would truncate a chunked body at the limit, and accept one shorter than its Content-Length.

    Raises:
        Problem: `body_too_large`, `request_timeout`, or `malformed_request` if the body differs from what its
            headers announce.
    """
    limit: int = current_app.config["MAX_CONTENT_LENGTH"]
    length = get_content_length(environ)
    if length is None and "wsgi.input_terminated" not in environ:
        return b""
    if length is None or length <= limit:
        raw = _read(environ, limit + 1 if length is None else length)
        if len(raw) < (length or 0):
            raise Problem("malformed_request", "the body is shorter than its Content-Length")
        if len(raw) <= limit:
            return raw
    raise Problem("body_too_large", f"the body can have at most {limit} bytes")


def _read(environ: Environ, size: int) -> bytes:
    try:
        raw: bytes = environ["wsgi.input"].read(size)
    except RequestTimeout:
        raise Problem("request_timeout") from None
    except (OSError, ParseException):
        raise Problem("malformed_request", "the chunked body is malformed or incomplete") from None
    return raw


def _checked(schema: Schema, raw: bytes) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(parse_object(raw))
    except ValidationError as error:
        raise invalid(_messages(error)) from None
    return loaded


# Most bodies are one of a few hundred commands, and validating one costs as much as rolling its dice.
_checked_short: Final = lru_cache(maxsize=4096)(_checked)
_SHORT: Final = 200
"""The longest valid body in bytes that is cached."""


def parse_object(raw: bytes) -> dict[str, Any]:
    """Parse a JSON object strictly: UTF-8, no duplicate names, no NaN or Infinity.

    Raises:
        Problem: `malformed_json`.
    """
    try:
        parsed = json.loads(raw.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
        if b"\\u" in raw and _SURROGATE.search(json.dumps(parsed, ensure_ascii=False)):
            raise _NotJson("a string has half of a surrogate pair")
    except RecursionError:
        raise Problem("malformed_json", "the body is nested too deeply") from None
    except ValueError as error:
        raise Problem("malformed_json", f"the body is not JSON: {_reason(error)}") from None
    if not isinstance(parsed, dict):
        raise Problem("malformed_json", "the body is not a JSON object")
    return parsed


def _reason(error: ValueError) -> str:
    if isinstance(error, UnicodeError):
        return "it is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"the syntax is invalid at character {error.pos + 1}"
    return str(error) if isinstance(error, _NotJson) else "a number has too many digits"


class _NotJson(ValueError):
    """Something that Python accepts and JSON does not."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _NotJson("an object has a duplicate name")
    return found


def _no_constant(name: str) -> None:
    raise _NotJson(f"{name} is not a number")


def _messages(error: ValidationError) -> Mapping[Any, Any]:
    found = error.messages
    return found if isinstance(found, Mapping) else {"_schema": found}


def invalid(messages: Mapping[Any, Any]) -> Problem:
    """The problem for the messages of a schema, with one fault and pointer for each.

    Its code and detail are those of the first unknown member, or else of the first fault.
    """
    faults = tuple(_faults("", messages))
    told = next((fault for fault in faults if fault.code == "unknown_field"), faults[0])
    return Problem(told.code, told.detail, faults)


def _faults(pointer: str, messages: Any) -> list[Fault]:
    if isinstance(messages, Mapping):
        return [
            fault
            for name, below in messages.items()
            for fault in _faults(pointer if name == "_schema" else pointer + _pointer(name), below)
        ]
    return [Fault(pointer, _code(message), _REWORDED.get(message, message)) for message in messages]


def _pointer(name: object) -> str:
    """The pointer to a member; long names are truncated."""
    return pointer_to(str(name)[:100])


def _code(message: str) -> str:
    return "unknown_field" if message == "Unknown field." else "validation_failed"


_REWORDED: Final = {
    "Unknown field.": "unknown field",
    "Missing data for required field.": "is required",
    "Field may not be null.": "must not be null",
    "Invalid input type.": "must be an object",
    "Invalid type.": "must be an object",
    "Not a valid mapping type.": "must be an object",
    "Not a valid list.": "must be a list",
    "Not a valid string.": "must be a string",
    "Not a valid boolean.": "must be true or false",
    "Not a valid integer.": "must be an integer",
    "Number too large.": "is too large",
}
"""What the API says for a message of marshmallow."""


def read_query(schema: Schema) -> dict[str, Any]:
    """The query parameters, validated by the schema.

    Raises:
        Problem: `invalid_parameter`, also for a repeated parameter.
    """
    for name, values in request.args.lists():
        if len(values) > 1:
            pointer = _pointer(name)
            raise problem_at(pointer, f"{pointer[1:]}: must not be repeated", "invalid_parameter")
    try:
        loaded: dict[str, Any] = schema.load(request.args.to_dict())
    except ValidationError as error:
        faults = tuple(
            Fault(fault.pointer, "invalid_parameter", f"{fault.pointer[1:]}: {_of_parameter(fault)}")
            for fault in _faults("", _messages(error))
        )
        raise Problem("invalid_parameter", faults[0].detail, faults) from None
    return loaded


def _of_parameter(fault: Fault) -> str:
    return "unknown parameter" if fault.code == "unknown_field" else fault.detail


def is_key(text: str) -> bool:
    """Whether the text is a valid `Idempotency-Key`."""
    return _KEY.fullmatch(text) is not None


def idempotency_key() -> str | None:
    """The `Idempotency-Key`, or None. HTTP joins two header lines into one value with a comma.

    Raises:
        Problem: `invalid_parameter`, the key is not 1 to 255 visible ASCII characters.
    """
    key = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not is_key(key):
        raise problem_at("/Idempotency-Key", "must be 1 to 255 visible ASCII characters", "invalid_parameter")
    return key


def expected_version() -> int | None:
    """The version in `If-Match`, or None; `*` counts as none.

    Raises:
        Problem: `invalid_parameter`, the value is not the ETag of a match.
    """
    given = request.environ.get("HTTP_IF_MATCH")
    if given is None or given == "*":
        return None
    version = _ETAG.fullmatch(given)
    if version is None:
        raise problem_at("/If-Match", 'must be the ETag of a match, such as "42"', "invalid_parameter")
    return int(version[1])


def client_address() -> str:
    """The client's IPv4 address, or the /64 of its IPv6 address; `unknown` if there is neither.

    Behind proxies it is the address that the outermost trusted proxy saw, see TRUSTED_PROXIES.
    """
    return network_of(request.remote_addr or "")


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """The IPv4 address, or the /64 of the IPv6 address; `unknown` for any other text."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    # One customer usually has at least a /64.
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed), 64), strict=False))


def invitation_code() -> str:
    """The `Invitation-Code`; empty if there is none.

    Raises:
        Problem: `invalid_parameter`, the code is malformed.
    """
    given: str | None = request.environ.get("HTTP_INVITATION_CODE")
    if given is None:
        return ""
    if not _CODE.fullmatch(given):
        raise problem_at("/Invitation-Code", "must be 1 to 64 letters and digits", "invalid_parameter")
    return given


def last_event_id() -> int | None:
    """The sequence in `Last-Event-ID`, or None.

    Raises:
        Problem: `invalid_parameter`, the value is not the sequence of an event.
    """
    given = request.environ.get("HTTP_LAST_EVENT_ID")
    if given is None:
        return None
    if not _SEQUENCE.fullmatch(given):
        raise problem_at("/Last-Event-ID", "must be the sequence of an event", "invalid_parameter")
    return int(given)


def accepted_type(offered: Sequence[str]) -> str:
    """The offered media type that the client prefers; the first one if it has no preference.

    Parameters such as `charset` do not count: `Accept` may repeat the `Content-Type` of an answer.

    Raises:
        Problem: `not_acceptable`.
    """
    accept = request.environ.get("HTTP_ACCEPT", "")
    if accept in ("", "*/*", offered[0]):
        return offered[0]
    ranges = ((name.partition(";")[0], quality) for name, quality in request.accept_mimetypes)
    found: str | None = MIMEAccept(ranges).best_match(offered)
    if found is None:
        raise Problem("not_acceptable", f"the response is available as: {', '.join(dict.fromkeys(offered))}")
    return found
