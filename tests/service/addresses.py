"""Every address about a match."""

import re

from tests.service.contract import Contract

PLACES = {
    "sequence": ("1", "2", "9", "10000"),
    "idempotency_key": ("first", "last", "never"),
}
"""What stands at a place of an address about a match, if it is no number."""


QUERIES = {
    "/events": (
        "?limit=3",
        "?after=4&limit=5",
        "?after=10000",
        "?types=dice_rolled",
        "?after=1&wait=1",
        "?follow=false",
    ),
    "/legal-commands": ("?explain=true",),
    "/diff": ("?from=2&to=9",),
    "/replay": ("?from=2&to=9",),
    "/log": ("?after=3&limit=4&lang=uk",),
}


def addresses(contract: Contract, match_id: str) -> list[str]:
    """Every address about the match that can be read, as the document has them."""
    found = []
    for template, item in contract.document["paths"].items():
        if "{match_id}" in template and "get" in item:
            path = template.replace("{match_id}", match_id)
            name = re.search(r"\{(\w+)\}", path)
            paths = (
                [path.replace(name[0], value) for value in PLACES.get(name[1], ("1", "2"))]
                if name
                else [path]
            )
            queries = ("", *QUERIES.get(template.rpartition("}")[2], ()))
            found += [one + query for one in paths for query in queries]
    return found
