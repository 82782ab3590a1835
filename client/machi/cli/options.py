"""The choices and options that several commands have."""

import os
from collections.abc import Mapping
from functools import partial
from typing import Final

import click

from domain.match.rulesets import CURRENT

RULESETS: Final = tuple(CURRENT)
LANGUAGES: Final = ("en", "uk", "ru", "cs", "it")
"""Languages of cards, sentences and menus; the first one is spoken to users of all others."""

_LOCALE: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables that name the user's language, the most important first (POSIX)."""


def user_language(environ: Mapping[str, str] = os.environ) -> str:
    """The language of the user's locale, if it is one of ours."""
    locale = next((environ[name] for name in _LOCALE if environ.get(name)), "")
    return locale[:2] if locale[:2] in LANGUAGES and not locale[2:3].isalpha() else LANGUAGES[0]


language_option = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    envvar="MACHI_LANG",
    default=user_language,
    show_default="that of your locale",
    help="Language of the output. [env: MACHI_LANG]",
)

ruleset_or_base = partial(
    click.option, "--ruleset", type=click.Choice(RULESETS), default="base", show_default=True
)
"""A ruleset, by default the first game; what it is for is the `help`."""

ruleset_option = ruleset_or_base(help="Ruleset to play.")

match_argument = click.argument("match_id", metavar="MATCH_ID")
