"""What `machi` says itself at the terminal, in every language."""

import re
from collections.abc import Iterator

import msgspec
import pytest

from contract.names import EndReason, declared
from domain.languages.names import LANGUAGES as SPOKEN
from machi.cli.options import LANGUAGES
from machi.cli.translations import TRANSLATIONS, Translation


def lines_of(translation: Translation) -> Iterator[str]:
    """Every text of a language."""
    for value in msgspec.structs.asdict(translation).values():
        if isinstance(value, dict):
            yield from value.values()
        else:
            yield from [value] if isinstance(value, str) else value


def test_the_languages_are_those_of_the_service() -> None:
    assert tuple(TRANSLATIONS) == LANGUAGES == SPOKEN


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_says_all_and_fills_in_the_same(lang: str) -> None:
    english, other = (msgspec.structs.asdict(TRANSLATIONS[one]) for one in ("en", lang))
    for name, said in other.items():
        if isinstance(said, dict):
            assert said.keys() == english[name].keys(), name
        assert all([said, *said]), name
        if isinstance(said, str) and name != "refused":
            assert sorted(re.findall(r"{\w+}", said)) == sorted(re.findall(r"{\w+}", english[name])), name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_reason_why_a_match_is_over_is_told(lang: str) -> None:
    assert TRANSLATIONS[lang].reasons.keys() == set(declared(EndReason).names)


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_no_line_is_left_in_english(lang: str) -> None:
    kept = {"{typed}", "Enter", "coins"}
    english, other = list(lines_of(TRANSLATIONS["en"])), list(lines_of(TRANSLATIONS[lang]))
    assert [said for said in other if said in english and said not in kept and said.isascii()] == ["y", "yes"]


@pytest.mark.parametrize("lang", ["uk", "ru"])
def test_no_word_mixes_alphabets(lang: str) -> None:
    for said in lines_of(TRANSLATIONS[lang]):
        assert not re.search(r"[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]", said), said
