"""The translations of one language, compiled from its ``.po`` when they are first needed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

import platformdirs

from core.text.message import ENGLISH

Language = str
LOCALES = Path(__file__).parent / "locale"
LANGUAGES: tuple[Language, ...] = ("en", *sorted(path.name for path in LOCALES.iterdir() if path.is_dir()))
SCRIPTS = "assets"  # messages of this room go to the browser


@cache
def catalogue(language: Language) -> NullTranslations:
    """What gettext needs to translate into ``language``.

    Raises:
        FileNotFoundError: there is no such language.
    """
    return ENGLISH if language == "en" else GNUTranslations(io.BytesIO(_compiled(language, "mo")))


@cache
def script_messages(language: Language) -> dict[str, object]:
    """``messages`` of the browser's scripts by their English, and ``plural``, the rule for their forms."""
    found: dict[str, object] = json.loads(_compiled(language, "json"))
    return found


def source(language: Language) -> Path:
    """The file a translator edits."""
    return LOCALES / language / "LC_MESSAGES" / "latticelens.po"


def _compiled(language: Language, kind: str) -> bytes:
    """The catalogue as ``mo`` or as ``json`` for the browser, kept in the person's cache.

    Reading a ``.po`` takes Babel half a second, reading what came of it some milliseconds.
    """
    content = source(language).read_bytes()
    stamp = hashlib.sha256(content).hexdigest()[:16]
    folder = Path(platformdirs.user_cache_dir("latticelens")) / "messages"
    kept = folder / f"{language}-{stamp}.{kind}"
    try:
        return kept.read_bytes()
    except OSError:
        made = _compile(content, language)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in made.items():
            _write(folder / f"{language}-{stamp}.{name}", data)
    except OSError:
        pass  # a cache that cannot be written costs time only
    return made[kind]


def _compile(content: bytes, language: Language) -> dict[str, bytes]:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    entries = read_po(io.BytesIO(content), locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, entries)
    messages: dict[str, object] = {}
    for entry in entries:
        if entry.id and not entry.fuzzy and any(place.startswith(SCRIPTS) for place, _ in entry.locations):
            english = entry.id[0] if isinstance(entry.id, tuple) else entry.id
            messages[f"{entry.context}\x04{english}" if entry.context else english] = entry.string
    scripts = {"messages": messages, "plural": entries.plural_expr}
    return {"mo": compiled.getvalue(), "json": json.dumps(scripts, ensure_ascii=False).encode()}


def _write(path: Path, data: bytes) -> None:
    """Another process may be writing the same."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, path)
