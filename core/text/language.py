"""Whether texts are Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_CHARACTER = re.compile(f"[{_HAN}]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_WORD = re.compile(rf"[^\W\d_{_HAN}]+")
_READ = 2000  # texts


def mostly_chinese(texts: Iterable[str]) -> bool:
    """Whether the first texts have more Han characters than words of other scripts, and hardly any kana."""
    han = kana = words = 0
    for text in islice(texts, _READ):
        han += len(_CHARACTER.findall(text))
        kana += len(_KANA.findall(text))
        words += len(_WORD.findall(text))
    return han > words and 10 * kana < han
