"""The language of a response: `?lang=`, else the best match of `Accept-Language`, else English."""

import re
from collections.abc import Mapping
from typing import Final

from flask import request
from werkzeug.datastructures import LanguageAccept

from domain.languages.names import LANGUAGES

LANGUAGE_REQUEST_HEADER: Final = "Accept-Language"
"""The request header that endpoints with several languages read."""

LANGUAGE_HEADERS: Final = ("Content-Language", "Vary")
"""The headers of their responses."""

NOT_MODIFIED_HEADERS: Final = ("Vary",)
"""The headers of their 304, which has no language."""

_SUBTAGS: Final = re.compile("[-_]")


def chosen_language(lang: str | None) -> str:
    """The language of the response; `lang` is the query parameter, already validated."""
    return best_language(request.accept_languages) if lang is None else lang


def best_language(accepted: LanguageAccept) -> str:
    """The supported language that an `Accept-Language` prefers.

    Among equals, the one named first wins, and a named one wins over `*`. If none is acceptable, the result
    is English: a reader may well prefer that to an error.
    """
    likings = {language: _liking(language, accepted) for language in LANGUAGES}
    best = max(LANGUAGES, key=likings.__getitem__)
    return best if likings[best][0] else LANGUAGES[0]


def _liking(language: str, accepted: LanguageAccept) -> tuple[float, int]:
    """The quality of the language, 0 to 1, and its position, earlier ones being greater.

    `uk-UA` matches `uk` as well as `uk` itself does (lookup of RFC 4647), and `*` matches any language.
    Werkzeug prefers exact tags: for `uk-UA, en;q=0.5` it would choose English.
    """
    if any(tag.lower() == language and not quality for tag, quality in accepted):
        return 0, 0
    for place, (tag, quality) in enumerate(accepted):
        if tag == "*" or _primary(tag) == language:
            return quality, -place
    return 0, 0


def _primary(tag: str) -> str:
    return _SUBTAGS.split(tag, maxsplit=1)[0].lower()


def language_headers(language: str) -> Mapping[str, str]:
    """The headers of a response in the language, which tell caches that it depends on the request."""
    return {"Content-Language": language, "Vary": LANGUAGE_REQUEST_HEADER}
