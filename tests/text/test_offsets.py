"""Offsets against Python's own UTF-16 codec."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Utf16Offsets

TEXTS = st.text(st.sampled_from("a字😀𠮷é") | st.characters(exclude_categories=("Cs",)), max_size=20)


def units(text):
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS)
def test_every_offset_is_that_of_the_codec(text):
    offsets = Utf16Offsets(text)
    for place in range(len(text) + 1):
        assert offsets.to_utf16(place) == units(text[:place])


@given(TEXTS)
def test_offsets_outside_the_text_are_refused(text):
    for place in (-1, len(text) + 1):
        with pytest.raises(ValueError, match=f"offset {place} is outside a text"):
            Utf16Offsets(text).to_utf16(place)
