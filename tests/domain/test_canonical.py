"""Canonical JSON, held against another implementation of RFC 8785."""

import hmac
import json

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import LARGEST, canonical, hmac_sha256, parsed, parsed_as, sha256

texts = st.text(st.characters(max_codepoint=0xD7FF))
"""Beyond, members would have to be sorted by UTF-16; no member of ours is named like that."""
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(st.binary(max_size=130), st.binary(max_size=200))
def test_the_hmac_is_that_of_rfc_2104(key: bytes, message: bytes) -> None:
    assert hmac_sha256(key, message) == hmac.digest(key, message, "sha256")


@given(values)
def test_the_text_is_that_of_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(values, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_any_writer_made_of_a_value_is_read(value: object, indent: str | None, is_ascii: bool) -> None:
    assert parsed(json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode()) == value


NO_VALUES = {
    "a member twice": '{"winner":1,"winner":0}',
    "a member twice, further in": '[{"a":{"b":1,"c":[],"b":1}}]',
    "a member twice, in other letters": '{"a":1,"\\u0061":1}',
    "a fraction": '{"a":1.0}',
    "an exponent": "[1e2]",
    "an exponent without a sign": "1E2",
    "minus zero": "[-0]",
    "a number beyond 2^53": str(LARGEST + 1),
    "a number below": f'{{"a":{-LARGEST - 1}}}',
    "a number of 18 digits": "[1" + "0" * 17 + "]",
    "a number of many digits": "9" * 5000,
    "no number": "[NaN]",
    "two values": "1 2",
    "half a letter": '"\\ud800"',
    "a mark of the byte order": "\ufeff1",
    "a comma too many": "[1,]",
    "too deep": "[" * 100_000,
    "a form feed": "\x0c1",
    "a letter in front": "X1",
    "a letter behind": "1X",
    "nothing": "",
}


@pytest.mark.parametrize("text", NO_VALUES.values(), ids=NO_VALUES)
def test_what_readers_may_take_for_different_values_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # each for its own reason
        parsed(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9" * 50 + ".5", f"the number {'9' * 40} is not whole, or not written so"),
        ("9" * 50, f"{'9' * 40} is no number that every reader reads alike"),
        (f'{{"{"n" * 50}":1,"{"n" * 50}":1}}', f"an object has the member '{'n' * 40}' twice"),
    ],
)
def test_the_first_40_characters_of_what_is_refused_are_told(text: str, words: str) -> None:
    with pytest.raises(ValueError) as found:  # noqa: PT011  # the words follow
        parsed(text)
    assert str(found.value) == words


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        parsed(b'"\xff"')


def test_an_object_of_many_members_is_read_in_proportion() -> None:
    """The text is refused for its last member, after each was looked at once."""
    members = [*(f'"{number}":0' for number in range(50_000)), '"7":1']
    with pytest.raises(ValueError, match="'7' twice"):
        parsed("{" + ",".join(members) + "}")


class Pair(msgspec.Struct):
    one: int
    two: bool = False


def test_a_value_has_the_type_that_is_asked_for() -> None:
    assert parsed_as(b' { "two" : true, "one" : 1 } ', Pair) == Pair(1, True)
    for text in ('{"one":true}', '{"one":1.0}', '{"one":"1"}', '{"one":1,"one":1}'):
        with pytest.raises(ValueError):  # noqa: PT011  # each for its own reason
            parsed_as(text, Pair)


def test_a_value_of_another_type_is_refused_with_the_place_and_the_type() -> None:
    with pytest.raises(ValueError, match=r"^Expected `int`, got `bool` - at `\$\.one`$"):
        parsed_as('{"one":true}', Pair)


def test_a_digest_names_its_function_and_is_in_hex() -> None:
    """The SHA-256 of nothing, as FIPS 180-4 has it."""
    assert sha256(b"") == "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
