"""Canonical JSON, held against another implementation of RFC 8785."""

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import canonical

texts = st.text(st.characters(max_codepoint=0xD7FF))
"""Beyond, members would have to be sorted by UTF-16; no member of ours is named like that."""
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_the_text_is_that_of_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]
