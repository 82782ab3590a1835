"""Events of matches as CloudEvents 1.0, for receivers that take any kind of event.

The id is unique among all matches, and the data is the event as the API has it, hashes included.
"""

from collections.abc import Iterable
from typing import Any, Final

from contract.events import CloudEvent
from domain.match.envelope import Envelope

MEDIA_TYPE: Final = "application/cloudevents+json"
BATCH: Final = "application/cloudevents-batch+json"

SOURCE: Final = "/v1/matches"
PREFIX: Final = "machi_koro.match."
"""The beginning of all types, which are unique that way among those of other services."""

_COMPONENT: Final = {"$ref": "#/components/schemas/CloudEvent"}
AS_CLOUD_EVENT: Final[dict[str, Any]] = {MEDIA_TYPE: {"schema": _COMPONENT}}
AS_BATCH: Final[dict[str, Any]] = {
    BATCH: {
        "schema": {
            "type": "array",
            "items": _COMPONENT,
            "description": "The page as a batch of CloudEvents. `Link` has the next page.",
        }
    }
}
"""The media types in the document."""


def cloud_event(event: Envelope) -> CloudEvent:
    """The event as a CloudEvent."""
    return CloudEvent(
        specversion="1.0",
        id=f"{event.match_id}/{event.sequence}",
        source=SOURCE,
        type=f"{PREFIX}{event.type}",
        subject=event.match_id,
        time=event.time,
        datacontenttype="application/json",
        data=event,
    )


def batch(events: Iterable[Envelope]) -> list[CloudEvent]:
    """A batch of them, in their order."""
    return [cloud_event(event) for event in events]
