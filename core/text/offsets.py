"""Converts Python's code-point offsets to the UTF-16 units of browsers and Java tools."""

from __future__ import annotations

from bisect import bisect_left

from core.runtime.message import ToldValueError


class Utf16Offsets:
    """Converts offsets of one text from code points to UTF-16 code units.

    Stores the positions of characters above U+FFFF (emoji, rare Han), which take two units; a conversion
    takes O(log of their number).
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._astral = [index for index, char in enumerate(text) if ord(char) > 0xFFFF]

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
