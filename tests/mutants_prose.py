"""Mutants that change prose alone, as the detail of a refusal: a test of them would only repeat the words."""

import re
from typing import NamedTuple


class Mutant(NamedTuple):
    """A change of one function."""

    function: str
    was: str
    becomes: str


def is_of_prose(found: Mutant) -> bool:
    """Whether the change is in a text of several words: what names or codes anything is one word.

    What a text has in braces is code. A refusal without a detail of its own has the words of its code.
    """
    if (fields := _fields(found.becomes)) and fields != _fields(found.was):
        return False
    was, becomes = (_STRING.sub(_without_prose, line) for line in (found.was, found.becomes))
    becomes = _NO_TEXT.sub(r'\1""', becomes)
    return becomes == was or _NO_DETAIL.sub(r'\1, ""', becomes) == _DETAIL.sub(r'\1, ""', was)


def _without_prose(string: re.Match[str]) -> str:
    return '""' if _has_words(string[0]) else string[0]


def _has_words(string: str) -> bool:
    return " " in string.strip('f" ')


def _fields(line: str) -> list[str]:
    """What the texts of several words have in braces."""
    return _FIELD.findall(" ".join(filter(_has_words, _STRING.findall(line))))


_FIELD = re.compile(r"\{[^}]*\}")
_STRING = re.compile(r'f?"[^"]*"')
_NO_TEXT = re.compile(
    r"(^|^detail = |AssertionError\(|ValueError\(|ValidationError\(|fail\(|_fault\(|_refusal\()None"
)
_CODE = r'(RuleViolation\("?\w+"?|^"\w+")'
_DETAIL = re.compile(_CODE + r', (?:""|detail)\s*')
_NO_DETAIL = re.compile(_CODE + r"(?:, None|,? ?(?=\)))")
