"""Which language an answer is in: `?lang=`, else what `Accept-Language` likes best, else English."""

import re
from collections.abc import Mapping
from typing import Final

from flask import request
from werkzeug.datastructures import LanguageAccept

from domain.languages.names import LANGUAGES

ASKED: Final = "Accept-Language"
"""The request header of an endpoint that answers in languages."""

TOLD: Final = ("Content-Language", "Vary")
"""The headers of its answers."""

HELD: Final = ("Vary",)
"""The headers of its 304, which is in no language."""

_SUBTAGS: Final = re.compile("[-_]")


def chosen_language(lang: str | None) -> str:
    """The language of the answer; `lang` is the query parameter, already checked."""
    return best_language(request.accept_languages) if lang is None else lang


def best_language(accepted: LanguageAccept) -> str:
    """The language of ours that an `Accept-Language` likes best; of equals the one that it names first, and
    what it names before what `*` allows.

    A header that likes none of ours gets English: who reads the answer may well prefer that to a refusal.
    """
    likings = {language: _liking(language, accepted) for language in LANGUAGES}
    best = max(LANGUAGES, key=likings.__getitem__)
    return best if likings[best][0] else LANGUAGES[0]


def _liking(language: str, accepted: LanguageAccept) -> tuple[float, int]:
    """How much the client likes the language, 0 to 1, and how early it says so.

    `uk-UA` asks for `uk` as much as `uk` itself does (the look-up of RFC 4647), and `*` for whatever else
    there is. Werkzeug's own choice looks for exact tags first: in `uk-UA, en;q=0.5` it would find English.
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
    """The headers of an answer in the language: caches must not hand it to everybody."""
    return {"Content-Language": language, "Vary": ASKED}
