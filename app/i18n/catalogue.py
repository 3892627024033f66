"""The translations of one language, compiled from its ``.po`` when they are first needed."""

from __future__ import annotations

import hashlib
import io
import json
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations, c2py
from pathlib import Path

from platformdirs import user_cache_dir

from core.corpus.atomic import write_bytes

Language = str
LOCALES = Path(__file__).parent / "locale"
LANGUAGES: tuple[Language, ...] = ("en", *sorted(path.name for path in LOCALES.iterdir() if path.is_dir()))
SCRIPTS = "assets"  # messages of this room go to the browser


@cache
def catalogue(language: Language) -> NullTranslations:
    """The gettext catalogue of ``language``.

    Raises:
        FileNotFoundError: there is no such language.
    """
    return NullTranslations() if language == "en" else GNUTranslations(io.BytesIO(_compiled(language, "mo")))


@cache
def script_messages(language: Language) -> dict[str, object]:
    """Messages for the browser: ``messages`` by English text, and ``forms``, the plural form for each count.

    The scripts run no code they are sent, so the rule comes as its results for 0 to 199; beyond, the last two
    digits decide.
    """
    messages: dict[str, object] = json.loads(_compiled(language, "json"))
    return messages


def source(language: Language) -> Path:
    """The file a translator edits."""
    return LOCALES / language / "LC_MESSAGES" / "latticelens.po"


def _compiled(language: Language, kind: str) -> bytes:
    """The catalogue as ``mo`` or as ``json`` for the browser, kept in the person's cache.

    Reading a ``.po`` takes Babel half a second, reading what came of it some milliseconds.
    """
    content = source(language).read_bytes()
    stamp = hashlib.sha256(content + Path(__file__).read_bytes()).hexdigest()[:16]
    folder = Path(user_cache_dir("latticelens", appauthor=False)) / "messages"
    kept = folder / f"{language}-{stamp}.{kind}"
    try:
        return kept.read_bytes()
    except OSError:
        made = _compile(content, language)  # once, although a cache that cannot be written stays empty
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in made.items():
            write_bytes(folder / f"{language}-{stamp}.{name}", [data], durable=False)
    except OSError:
        pass  # a cache that cannot be written costs time only
    return made[kind]


@lru_cache(maxsize=2)
def _compile(content: bytes, language: Language) -> dict[str, bytes]:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    entries = read_po(io.BytesIO(content), locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, entries)
    messages: dict[str, object] = {}
    for entry in entries:
        if entry.id and not entry.fuzzy and any(place.startswith(SCRIPTS) for place, _ in entry.locations):
            english = entry.id if isinstance(entry.id, str) else entry.id[0]
            messages[f"{entry.context}\x04{english}" if entry.context else english] = entry.string
    form = c2py(entries.plural_expr)
    scripts = {"messages": messages, "forms": "".join(str(form(count)) for count in range(200))}
    return {"mo": compiled.getvalue(), "json": json.dumps(scripts, ensure_ascii=False).encode()}
