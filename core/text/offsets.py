"""Converts between Python's code points and the UTF-16 units of browsers and Java tools."""

from __future__ import annotations

from bisect import bisect_left

from core.text.message import ToldValueError


class Utf16Offsets:
    """Converts offsets of one text between code points and UTF-16 code units.

    Only characters above U+FFFF (emoji, rare Han) take two units, so it stores their positions; a conversion
    takes O(log of their number).
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._astral = [index for index, char in enumerate(text) if ord(char) > 0xFFFF]
        # The k-th astral character starts at unit astral[k] + k.
        self._astral_units = [index + order for order, index in enumerate(self._astral)]

    def to_utf16(self, offset: int) -> int:
        """UTF-16 offset of the code point at ``offset`` (0 to the length of the text, inclusive).

        Raises:
            ValueError: the offset is outside the text.
        """
        if not 0 <= offset <= self._length:
            raise ToldValueError(
                "offset {offset} is outside a text of {length} characters", offset=offset, length=self._length
            )
        return offset + bisect_left(self._astral, offset)

    def to_code_point(self, offset: int) -> int:
        """Code-point offset of the UTF-16 unit at ``offset``.

        Raises:
            ValueError: the offset is outside the text or inside a surrogate pair.
        """
        units = self._length + len(self._astral)
        if not 0 <= offset <= units:
            raise ToldValueError(
                "UTF-16 offset {offset} is outside a text of {units} units", offset=offset, units=units
            )
        before = bisect_left(self._astral_units, offset)
        if before and offset == self._astral_units[before - 1] + 1:
            raise ToldValueError("UTF-16 offset {offset} lies inside a surrogate pair", offset=offset)
        return offset - before
