"""Offsets against Python's own UTF-16 codec."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Utf16Offsets

TEXTS = st.text(st.sampled_from("a字😀𠮷é") | st.characters(exclude_categories=("Cs",)), max_size=20)


def units(text):
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS)
def test_every_offset_is_that_of_the_codec_and_comes_back(text):
    offsets = Utf16Offsets(text)
    for place in range(len(text) + 1):
        assert offsets.to_utf16(place) == units(text[:place])
        assert offsets.to_code_point(units(text[:place])) == place


@given(TEXTS)
def test_offsets_inside_a_pair_and_outside_the_text_are_refused(text):
    offsets = Utf16Offsets(text)
    starts = {units(text[:place]) for place in range(len(text) + 1)}
    for unit in set(range(units(text) + 1)) - starts:
        with pytest.raises(ValueError, match=f"offset {unit} lies inside a surrogate pair"):
            offsets.to_code_point(unit)
    for convert, outside in ((offsets.to_utf16, len(text) + 1), (offsets.to_code_point, units(text) + 1)):
        for place in (-1, outside):
            with pytest.raises(ValueError, match=f"offset {place} is outside a text"):
                convert(place)
