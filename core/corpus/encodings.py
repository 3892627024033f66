"""Guesses the encoding of a text without a byte order mark."""

from __future__ import annotations

import re

_LEAST_SHARE = 0.8
_MOST_STRAY = 0.2
# Latin-1 é with the next letter is a Han character in GB18030: "Gérard" would be G, a Han, and "ard".
_STRAY = re.compile(r"(?<=[a-z])[^\x00-\x7f](?![^\x00-\x7f])|(?<![^\x00-\x7f])[^\x00-\x7f](?=[a-z])")


def reads_as_chinese(text: str) -> bool:
    """Whether a text decoded as GB18030, which accepts nearly any bytes, is plausible Chinese.

    If so, most non-ASCII characters are Han or Chinese punctuation, and few stand alone next to a lower-case
    Latin letter, as they do in Latin-1 text that is decoded wrongly.
    """
    other = [char for char in text if not char.isascii()]
    han = sum(
        "\u4e00" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or char >= "\uff00" for char in other
    )
    stray = sum(1 for _ in _STRAY.finditer(text))
    return bool(other) and han >= _LEAST_SHARE * len(other) and stray <= _MOST_STRAY * len(other)
