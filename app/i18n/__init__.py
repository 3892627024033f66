"""The languages of the interface: messages are English in the code and translated here.

``locale/LANGUAGE/LC_MESSAGES/latticelens.po`` holds a language; another folder there is another language.
"""

from __future__ import annotations

from app.i18n.catalogue import LANGUAGES, Language, catalogue
from core.runtime.message import Message, _, ngettext, pgettext

__all__ = [
    "LANGUAGES",
    "Language",
    "Message",
    "_",
    "accepted_language",
    "language_of",
    "ngettext",
    "pgettext",
    "text",
]


def text(message: str | Message, language: Language = "en", /, **values: object) -> str:
    """``message`` in ``language``, filled in.

    Raises:
        KeyError: a value is missing.
    """
    return _(message, **values).translated(catalogue(language))


def language_of(tag: str | None) -> Language:
    """The language to start in for a browser's language tag such as ``zh-CN``; English where unknown."""
    primary = (tag or "").lower().partition("-")[0]
    return primary if primary in LANGUAGES else "en"


def accepted_language(header: str) -> Language:
    """The language that an ``Accept-Language`` header names first."""
    return language_of(header.split(",")[0].split(";")[0].strip())
