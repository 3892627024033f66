"""All formats by name, and detection of a file's format."""

from __future__ import annotations

from pathlib import Path

from core.formats.argilla import Argilla
from core.formats.bert_mrc import BertMrc
from core.formats.bioc.json import BiocJson
from core.formats.bioc.xml import BiocXml
from core.formats.brat import Brat
from core.formats.cas.format import CasJson, CasXmi
from core.formats.ccks import Ccks
from core.formats.cluener import Cluener
from core.formats.cmeee import Cmeee
from core.formats.cmeee_json import CmeeeJson
from core.formats.column import Column
from core.formats.conll import Conll2002, Conll2003
from core.formats.conll2012 import Conll2012
from core.formats.conll_u.format import ConllU
from core.formats.datasets_folder import DatasetsFolder
from core.formats.docbin import DocBin
from core.formats.doccano import Doccano
from core.formats.dygie import Dygie
from core.formats.entities_json import EntitiesJson
from core.formats.framework import archive
from core.formats.framework.archive import is_archive
from core.formats.framework.candidates import MARGIN, WEAK, UnsureFormat, different_readings
from core.formats.framework.errors import FormatError
from core.formats.framework.format import Format
from core.formats.framework.source import FolderSource, RawSource, Source, refuse_foreign
from core.formats.framework.unread import table_columns, unread_format
from core.formats.gate.json import GateJson
from core.formats.gate.xml import GateXml
from core.formats.gliner import Gliner
from core.formats.hipe import Hipe
from core.formats.jsonl import Jsonl
from core.formats.kaggle_ner import KaggleNer
from core.formats.label_studio import LabelStudio, LabelStudioMin
from core.formats.label_studio_csv import LabelStudioCsv
from core.formats.lexicon_ner import LexiconNer
from core.formats.mapping.format import Mapped
from core.formats.msra import Msra
from core.formats.msra_jsonl import MsraJsonl
from core.formats.parquet import Parquet
from core.formats.plain import Plain
from core.formats.prodigy import Prodigy
from core.formats.pubtator import PubTator
from core.formats.rasa import Rasa
from core.formats.spacy_json import SpacyJson
from core.formats.spacy_paragraphs import SpacyParagraphs
from core.formats.spert import Spert
from core.formats.stanford_ner import StanfordNer
from core.formats.tabular import Tabular
from core.formats.tokens_jsonl import TokensJsonl
from core.formats.uie import Uie
from core.formats.w2ner import W2ner
from core.formats.webanno_tsv.format import WebAnnoTsv
from core.formats.webanno_tsv.old import WebAnnoTsvOld

_FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Jsonl(),
        Column("BMES"),
        Column("BIO"),
        Column("BIOES"),
        Column("BILOU"),
        Conll2003(),
        Conll2002(),
        StanfordNer(),
        LexiconNer(),
        KaggleNer(),
        Hipe(),
        ConllU(),
        Conll2012(),
        Doccano(),
        LabelStudio(),
        LabelStudioMin(),
        LabelStudioCsv(),
        Prodigy(),
        SpacyJson(),
        SpacyParagraphs(),
        Cluener(),
        Cmeee(),
        CmeeeJson(),
        Msra(),
        MsraJsonl(),
        BertMrc(),
        EntitiesJson(),
        TokensJsonl(),
        Uie(),
        Gliner(),
        Spert(),
        Dygie(),
        W2ner(),
        Ccks(),
        Argilla(),
        GateJson(),
        Rasa(),
        PubTator(),
        BiocXml(),
        BiocJson(),
        Brat(),
        WebAnnoTsv(),
        WebAnnoTsvOld(),
        GateXml(),
        CasXmi(),
        CasJson(),
        DocBin(),
        Parquet(),
        DatasetsFolder(),
        Plain(),
        Tabular("csv", "CSV with a text column", ","),
        Tabular("tsv", "TSV with a text column", "\t"),
    )
}
_MAPPED = Mapped()
_ALIASES = {
    "column": "bmes",
    "text": "plain",
    "txt": "plain",
    "iob2": "bio",
    "iob": "bio",
    "conll": "bio",
    "native": "jsonl",
    "inception": "webanno",
    "xmi": "cas_xmi",
    "spacy": "docbin",
    "huggingface": "datasets",
}
_EXTENSION_BONUS = 0.25
_CERTAIN = 0.99


def available() -> tuple[str, ...]:
    """The names of all formats, the native one first."""
    return tuple(_FORMATS)


def writable() -> tuple[str, ...]:
    """The names of the formats that are written, too."""
    return tuple(name for name, format in _FORMATS.items() if format.writes)


def by_name(name: str) -> Format:
    """The format called ``name``.

    Raises:
        FormatError: there is none; the message lists the names.
    """
    lowered = name.lower()
    try:
        return _FORMATS[_ALIASES.get(lowered, lowered)]
    except KeyError:
        raise FormatError(
            "there is no format {name}; there are {formats}", name=repr(name), formats=list(_FORMATS)
        ) from None


def by_extension(path: Path | str) -> Format | None:
    """The first format to write that uses this file extension, or None."""
    suffix = Path(path).suffix.lower()
    name = _ALIASES.get(suffix[1:], suffix[1:])
    fitting = [_FORMATS[name]] if name in _FORMATS else []
    fitting += [format for format in _FORMATS.values() if format.writes and suffix in format.extensions]
    return fitting[0] if fitting else None


def opened(
    path: Path | str, format: str | None = None, encoding: str | None = None, mapped: bool = False
) -> tuple[Format, Source]:
    """The format of a file, a folder or an archive, and the source to read it from.

    Args:
        format: its name; None: detect.
        mapped: whether a mapping is given, which reads it whatever its format.

    Raises:
        FormatError: it cannot be read, or has no known format; says what it is and what to do.
    """
    place = Path(path)
    if not place.exists():
        raise FormatError("cannot read {place}: there is no such file or folder", place=place)
    if not place.is_dir() and not place.stat().st_size:
        raise FormatError("{name} is empty: there is nothing to import", name=place.name)
    if mapped:
        return _MAPPED, _source_to_map(place, encoding)
    if format is not None:
        chosen = by_name(format)
        if chosen.reads == "folder":
            return chosen, FolderSource(place)
        if not place.is_dir() and chosen.reads == "binary":
            return chosen, RawSource(place)
    if place.is_dir() or is_archive(place):
        refuse_foreign(place)
        if format is not None:
            raise FormatError(
                "{name} is a folder or an archive; {format} is read from single files",
                name=place.name,
                format=format,
            )
        if not place.is_dir():
            _check_names(place)
        return _detect_folder(FolderSource(place))
    if format is not None:
        return by_name(format), Source(place, encoding)
    raw = RawSource(place)
    binary = max(_of_kind("binary"), key=lambda candidate: candidate.recognises(raw))
    if binary.recognises(raw):
        return binary, raw
    source = Source(place, encoding)
    detected = detect(source)
    return detected, FolderSource(place) if detected.reads == "folder" else source


def detect(source: Source) -> Format:
    """Detect the format of a text file by its content, else by its extension.

    Raises:
        UnsureFormat: several formats fit about equally well, or none well, and they read something different.
        FormatError: the content is JSON or a table of no known form, or of a known format that is not read.
    """
    head = source.head()
    suffix = source.path.suffix.lower()

    def confidence(format: Format) -> float:
        score = format.sniff(head)
        return score + _EXTENSION_BONUS if score and suffix in format.extensions else score

    best = max(_FORMATS.values(), key=confidence)
    # Beginnings of formats that are not read are of kinds, such as XML, of which others are read.
    if best.sniff(head) < _CERTAIN and (unread := unread_format(head)) is not None:
        raise FormatError(
            "{name} is {kind}, which is not read: {advice}. To read it as something else, name the format",
            name=source.path.name,
            kind=unread.name,
            advice=unread.advice,
        )
    if isinstance(best, Plain) and suffix != ".txt" and head.lstrip()[:1] in ("[", "{"):
        raise FormatError(
            "{name} looks like JSON but its first lines hold no record that LatticeLens knows: "
            "it reads JSONL, one object with a text on each line",
            name=source.path.name,
        )
    if isinstance(best, Plain) and (columns := table_columns(head)):
        raise FormatError(
            "{name} looks like a table of {columns} columns, and no format with tags fits it. To read its "
            "lines as text, choose the format plain; to read one column, choose tsv and name the column; a "
            "word list belongs on the Dictionary page",
            name=source.path.name,
            columns=columns,
        )
    if confidence(best) < WEAK and not isinstance(best, Plain):
        near = [format for format in _FORMATS.values() if format.reads == "text" and confidence(format) > 0.0]
    else:
        # LatticeLens' own form reads any record with a text, so it is no rival of a form that fits better.
        rivals = [each for each in _FORMATS.values() if each is best or not isinstance(each, Jsonl)]
        near = [format for format in rivals if confidence(best) - confidence(format) <= MARGIN]
    if len(near) > 1:
        readings = different_readings(source, sorted(near, key=confidence, reverse=True))
        if len(readings) > 1:
            raise UnsureFormat(source.path.name, readings)
    return best


def _source_to_map(place: Path, encoding: str | None) -> Source:
    """A file whose fields are mapped.

    Raises:
        FormatError: a folder or an archive, or a binary file that is no Parquet.
    """
    if place.is_dir() or is_archive(place):
        raise FormatError(
            "{name} is a folder or an archive; the fields of single files can be mapped", name=place.name
        )
    raw = RawSource(place)
    return raw if raw.start(4) == b"PAR1" else Source(place, encoding)


def _of_kind(kind: str) -> list[Format]:
    return [format for format in _FORMATS.values() if format.reads == kind]


def _detect_folder(source: FolderSource) -> tuple[Format, FolderSource]:
    best = max(_of_kind("folder"), key=lambda format: format.recognises(source))
    if not best.recognises(source):
        raise _unknown_format(source.path, [path.name for path in source.listed()])
    return best, source


def _check_names(path: Path) -> None:
    """Refuse an archive without a known file extension before its many files are unpacked."""
    names = archive.names_in(path)
    endings = {".zip", *(ending for format in _of_kind("folder") for ending in format.required_extensions)}
    if not any(Path(name).suffix.lower() in endings for name in names):
        raise _unknown_format(path, names)


def _unknown_format(path: Path, names: list[str]) -> FormatError:
    if not names:
        return FormatError("{name} contains no files: there is nothing to import", name=path.name)
    return FormatError(
        "the files in {name} ({names}) do not belong to a format of several files; import them one by one",
        name=path.name,
        names=[*names[:5], "…"] if len(names) > 5 else names,
    )
