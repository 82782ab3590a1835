"""The field types of requests: strict, and documented exactly."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from contract.names import declared
from contract.values import CARD, GREATEST, INSTANT


class NothingSchema(Schema):
    """An empty object."""


NOTHING: Final[dict[str, Any]] = {"nothing": {"value": {}}}
"""The example of an empty object."""


def integer(low: int = 0, high: int = GREATEST, **options: Any) -> fields.Integer:
    """An integer, not a string, float or boolean."""
    limits = validate.Range(low, high, error="must be from {min} to {max}")
    return fields.Integer(strict=True, validate=limits, **options)


class Flag(fields.Boolean):
    """True or false, not a string or a number."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


def matching(pattern: str, **options: Any) -> fields.String:
    """A string that matches the pattern from end to end."""
    shown = pattern.replace("{", "{{").replace("}", "}}")  # marshmallow formats the message
    regexp = validate.Regexp(rf"^(?:{pattern})\Z", error=f"must match {shown}")
    regexp.documented = f"^(?:{pattern})$"  # type: ignore[attr-defined]  # JSON Schema has no \Z
    return fields.String(validate=regexp, **options)


def prose(most: int, least: int = 0, **options: Any) -> fields.String:
    """Any string with `least` to `most` characters."""
    return fields.String(validate=_length(least, most, "characters"), **options)


def _length(least: int, most: int | None, unit: str) -> validate.Length:
    limits = f"{least} to {most}" if least and most else f"at most {most}" if most else f"at least {least}"
    return validate.Length(least or None, most, error=f"must have {limits} {unit}")


_UNSEEN: Final = (
    r"\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200b\u200e\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\uffff"
)
"""Control characters, characters that change the direction of text, and blanks other than the space."""
_JOINERS: Final = r"\u200c\u200d"
"""Joiners, which some scripts need inside a name."""


def label(most: int, **options: Any) -> fields.String:
    """A name for display: one line without invisible characters or blanks at its ends."""
    end, inside = f"[^ {_JOINERS}{_UNSEEN}]", f"[^{_UNSEEN}]"
    found = matching(f"{end}(?:{inside}*{end})?", **options)
    regexp: Any = found.validators[0]
    regexp.error = "must be one line, without control characters and without blanks at its ends"
    found.validators.append(_length(1, most, "characters"))
    return found


class OneOf(fields.String):
    """One name of an enumeration in `contract.names`."""

    def __init__(self, kind: Any, **options: Any) -> None:
        self.kind = kind
        choice = validate.OneOf(declared(kind).names, error="must be one of: {choices}")
        super().__init__(validate=choice, **options)


def one_of(kind: Any, **options: Any) -> OneOf:
    """One name of an enumeration in `contract.names`."""
    return OneOf(kind, **options)


def exactly(name: str, **options: Any) -> fields.String:
    """Always the same string."""
    return fields.String(required=True, validate=validate.Equal(name, error="must be {other}"), **options)


def instant(**options: Any) -> fields.String:
    """A time: RFC 3339, UTC, with milliseconds."""
    options.setdefault("metadata", {})["format"] = "date-time"
    return matching(INSTANT, **options)


def nested(schema: Schema, **options: Any) -> fields.Nested:
    return fields.Nested(schema, **options)


def list_of(
    field: fields.Field[Any], least: int = 0, most: int | None = None, **options: Any
) -> fields.Field[Any]:
    """A list with `least` to `most` items."""
    return fields.List(field, validate=_length(least, most, "items"), **options)


class CountsField(fields.Dict):
    """Numbers by card id, with the limits of a type in `contract.names`."""

    def __init__(self, kind: Any, **options: Any) -> None:
        self.kind = kind
        limits = declared(kind)
        super().__init__(keys=matching(CARD), values=integer(limits.low, limits.high), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]
        except ValidationError as error:
            raise ValidationError(_by_name(error.messages)) from None


def _by_name(messages: Any) -> Any:
    """Merge the errors of a key and its value, which marshmallow nests one level too deep."""
    if not isinstance(messages, Mapping):
        return messages
    return {name: [text for part in below.values() for text in part] for name, below in messages.items()}


class Hundredths(fields.Field[float]):
    """A share as a number from 0.01 to 0.49, in hundredths."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if type(value) is float and 0.01 <= value <= 0.49 and round(value, 2) == value:
            return value
        raise ValidationError("must be a number from 0.01 to 0.49 with at most two decimals")


class QueryInteger(fields.Field[int]):
    """An integer in a query parameter, in decimal digits."""

    def __init__(self, low: int, high: int, **options: Any) -> None:
        self.low, self.high = low, high
        super().__init__(**options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        digits = str(value)
        if (
            digits.isascii()
            and digits.isdigit()
            and len(digits) <= 10
            and self.low <= int(digits) <= self.high
        ):
            return int(digits)
        raise ValidationError(f"must be an integer from {self.low} to {self.high}")


def query_after(
    what: str = "The last sequence that you have, such as `42`; 0 for all events.",
) -> QueryInteger:
    """The parameter `after` of lists that grow at their end."""
    return QueryInteger(0, GREATEST, load_default=0, metadata={"description": what})


class QueryFlag(fields.Field[bool]):
    """A boolean in a query parameter: `true` or `false`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError("must be true or false")
        return bool(value == "true")


class QueryList(fields.Field[list[str]]):
    """A comma-separated list of known names in a query parameter."""

    def __init__(self, names: Iterable[str], **options: Any) -> None:
        self.names = [*names]
        super().__init__(**options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[str]:
        found = str(value).split(",")
        if set(found) <= set(self.names):
            return found
        raise ValidationError(f"must be a comma-separated list of: {', '.join(self.names)}")


class Union(Schema):
    """A union of schemas, which the member `tag` distinguishes."""

    tag: str = "type"
    members: Mapping[str, Schema] = {}

    def load(self, data: Any, **options: Any) -> Any:
        """Load the data with the schema of its tag.

        Raises:
            ValidationError: the data is not an object, the tag is unknown, or the schema rejects the data.
        """
        if not isinstance(data, Mapping):
            raise ValidationError({"_schema": ["must be an object"]})
        schema = self.members.get(_name(data.get(self.tag)))
        if schema is None:
            missing = "is required" if self.tag not in data else ""
            raise ValidationError({self.tag: [missing or f"must be one of: {', '.join(self.members)}"]})
        return schema.load(data)


def _name(tag: object) -> str:
    return tag if isinstance(tag, str) else ""
