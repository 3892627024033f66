"""Every string a person reads, in English and Chinese, by key.

Each module of this folder holds `STRINGS: dict[str, tuple[str, str]]`, key to (English, Chinese), for one
page. A key starts with its module's name: `"data.import"` lives in `app/i18n/data.py`.
"""

from __future__ import annotations

import pkgutil
from functools import lru_cache
from importlib import import_module
from string import Formatter
from typing import Any, Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class DuplicateKeyError(ValueError):
    """Two modules define the same key."""


@lru_cache(maxsize=1)
def catalogue() -> dict[str, tuple[str, str]]:
    """Every key of every module of this folder.

    Raises:
        DuplicateKeyError: a key is defined in two modules.
    """
    strings: dict[str, tuple[str, str]] = {}
    for module in pkgutil.iter_modules(__path__):
        own: dict[str, tuple[str, str]] = getattr(import_module(f"{__name__}.{module.name}"), "STRINGS", {})
        twice = strings.keys() & own.keys()
        if twice:
            raise DuplicateKeyError(f"app/i18n/{module.name}.py repeats {sorted(twice)} of another module")
        strings |= own
    return strings


class _Counting(Formatter):
    """Fills strings in; ``{count:document|documents}`` is the word that goes with that count.

    Chinese needs no such word. The browser does the same in assets/annotator/dom.js.
    """

    def format_field(self, value: Any, format_spec: str) -> Any:
        one, choice, more = format_spec.partition("|")
        if not choice:
            return super().format_field(value, format_spec)
        return one if str(value) == "1" else more


_COUNTING = _Counting()


def text(key: str, language: Language = "en", **values: object) -> str:
    """The string of ``key`` in ``language``; ``{name}`` in it is replaced by ``values["name"]``,
    ``{name:one|more}`` by the word for that many.

    Raises:
        KeyError: no module defines the key.
    """
    pair = catalogue()[key]
    chosen = pair[LANGUAGES.index(language)]
    return _COUNTING.vformat(chosen, (), values) if values else chosen


def language_of(tag: str | None) -> Language:
    """The language to start in for a browser's language tag such as ``zh-CN``; English where unknown."""
    return "zh" if (tag or "").lower().startswith("zh") else "en"
