"""The formats there are, by name, and which one a file is in."""

from __future__ import annotations

from pathlib import Path

from core.formats.bert_mrc import BertMrc
from core.formats.cluener import Cluener
from core.formats.cmeee import Cmeee
from core.formats.cmeee_json import CmeeeJson
from core.formats.column import Column
from core.formats.conll import Conll2002, Conll2003
from core.formats.doccano import Doccano
from core.formats.format import Format, FormatError
from core.formats.jsonl import Jsonl
from core.formats.label_studio import LabelStudio, LabelStudioMin
from core.formats.msra import Msra
from core.formats.msra_jsonl import MsraJsonl
from core.formats.plain import Plain
from core.formats.prodigy import Prodigy
from core.formats.source import Source
from core.formats.spacy_json import SpacyJson
from core.formats.tabular import Tabular

_FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Jsonl(),
        Column("BMES"),
        Column("BIO"),
        Column("BIOES"),
        Column("BILOU"),
        Conll2003(),
        Conll2002(),
        Doccano(),
        LabelStudio(),
        LabelStudioMin(),
        Prodigy(),
        SpacyJson(),
        Cluener(),
        Cmeee(),
        CmeeeJson(),
        Msra(),
        MsraJsonl(),
        BertMrc(),
        Plain(),
        Tabular("csv", "CSV with a text column", ","),
        Tabular("tsv", "TSV with a text column", "\t"),
    )
}
_ALIASES = {
    "column": "bmes",
    "text": "plain",
    "txt": "plain",
    "iob2": "bio",
    "iob": "bio",
    "conll": "bio",
    "native": "jsonl",
}
_EXTENSION_BONUS = 0.25


def available() -> tuple[str, ...]:
    """The names of all formats, the native one first."""
    return tuple(_FORMATS)


def by_name(name: str) -> Format:
    """The format called ``name``.

    Raises:
        FormatError: there is none; the message lists those there are.
    """
    lowered = name.lower()
    try:
        return _FORMATS[_ALIASES.get(lowered, lowered)]
    except KeyError:
        raise FormatError(f"there is no format {name!r}; there are {', '.join(_FORMATS)}") from None


def by_extension(path: Path | str) -> Format | None:
    """The format that usually has this file's ending, or None where several or none do."""
    suffix = Path(path).suffix.lower()
    name = _ALIASES.get(suffix[1:], suffix[1:])
    fitting = [_FORMATS[name]] if name in _FORMATS else []
    fitting += [one for one in _FORMATS.values() if suffix in one.extensions]
    return fitting[0] if fitting else None


def detect(source: Source) -> Format:
    """The format a file is in: by its content first, by its ending where the content does not tell.

    Raises:
        FormatError: the content is JSON of no known form.
    """
    head = source.head()
    suffix = source.path.suffix.lower()

    def confidence(one: Format) -> float:
        found = one.sniff(head)
        return found + _EXTENSION_BONUS if found and suffix in one.extensions else found

    best = max(_FORMATS.values(), key=confidence)
    if isinstance(best, Plain) and suffix != ".txt" and head.lstrip()[:1] in ("[", "{"):
        raise FormatError(
            f"{source.path.name} looks like JSON but its first lines hold no record that LatticeLens knows: "
            "it reads JSONL, one object with a text on each line"
        )
    return best
