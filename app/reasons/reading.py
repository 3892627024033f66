"""What a room of core refuses, in Chinese: found by the English sentence that it raises.

The rooms stand below both languages and say one English sentence each. In the tables every such sentence
stands once more, with places for what it quotes; what fits none stays English. A test holds that none is
missing.

A place is a name in braces. ``{reason}`` is itself a sentence of the tables, or the pattern does not fit;
``{phrase…}`` is turned where the phrases know it. The more particular of two patterns comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache, partial

from app.i18n import Language
from app.reasons import encoders, formats, lexicon, models, store, text

TABLES = (lexicon.REASONS, formats.REASONS, text.REASONS, encoders.REASONS, models.REASONS, store.REASONS)
# A reason behind the name of a file, a field or a document: tried last, because it fits nearly everything.
FRAMES = (("{a}: {reason}", "{a}：{reason}"), ("{a}, {b}: {reason}", "{a}，{b}：{reason}"))
LONGEST = 2000  # characters of a sentence that is looked up; a longer one quotes a whole file

PLACE = re.compile(r"\{(\w+)\}")
_Patterns = tuple[tuple[re.Pattern[str], str], ...]


def reason_in(reason: str, language: Language) -> str:
    """``reason``, as a room of core raised it, in a person's language; English where the tables lack it."""
    if language != "zh" or len(reason) > LONGEST:
        return reason
    for pattern, chinese in _reasons():
        found = pattern.fullmatch(reason)
        if found is None:
            continue
        values = found.groupdict()
        if "reason" in values:
            inner = reason_in(values["reason"], language)
            if inner == values["reason"]:
                continue
            values["reason"] = inner
        values |= {name: _phrase(said) for name, said in values.items() if name.startswith("phrase")}
        return PLACE.sub(partial(_quoted, values), chinese)
    return reason


def _phrase(english: str) -> str:
    for pattern, chinese in _phrases():
        found = pattern.fullmatch(english)
        if found is not None:
            return PLACE.sub(partial(_quoted, found.groupdict()), chinese)
    return english


def _quoted(values: dict[str, str], place: re.Match[str]) -> str:
    """What stands in a place. Not str.format: what is quoted may hold braces."""
    return values[place[1]]


@lru_cache(maxsize=1)
def _reasons() -> _Patterns:
    return _compiled(pair for table in (*TABLES, FRAMES) for pair in table)


@lru_cache(maxsize=1)
def _phrases() -> _Patterns:
    return _compiled((*models.PHRASES, *formats.PHRASES, *store.PHRASES, *lexicon.PHRASES))


def _compiled(table: Iterable[tuple[str, str]]) -> _Patterns:
    return tuple((re.compile(_expression(english), re.DOTALL), chinese) for english, chinese in table)


def _expression(english: str) -> str:
    """The sentence with a group for each place; the text between is taken as it stands."""
    parts = PLACE.split(english)
    return "".join(f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
