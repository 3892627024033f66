"""The frozen corpus of a run: written once, and the run's only input.

A folder with one JSON Lines file for each part, ``labels.json``, ``lexicon.tsv`` (the words a person added to
or took out of the lexicon) and ``manifest.json``, which is written last: it counts and hashes all the others,
and a folder without it is no snapshot. Other files may lie beside them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from core.corpus.atomic import write_bytes, write_json
from core.corpus.document_json import document_line, parse_documents
from core.corpus.errors import CorpusError
from core.runtime.message import ToldValueError
from core.text import Document, LabelSet

PARTS = ("train", "dev", "test", "corrections")
UNLABELLED = "unlabelled"  # raw texts for unsupervised training; no run tags them
TAUGHT = "taught"  # raw texts with what a source said of them, from which a student learns; no run tags them
LABELS = "labels.json"
LEXICON = "lexicon.tsv"
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class AddedWord:
    """A word a person added to the lexicon, with its entity type, if any, and its frequency.

    Raises:
        ValueError: it is empty, has blanks around it, or holds a tab or line break.
    """

    word: str
    type: str = ""
    frequency: int = 1

    def __post_init__(self) -> None:
        if not self.word or self.word != self.word.strip():
            raise ToldValueError(
                "a word needs characters and no blanks around them, got {word}", word=repr(self.word)
            )
        if any(character in text for text in (self.word, self.type) for character in "\t\r\n"):
            raise ToldValueError(
                "the word {word} or its type holds a tab or a line break", word=repr(self.word)
            )


@dataclass(frozen=True, slots=True)
class PartCounts:
    """The size of a part of a snapshot."""

    documents: int = 0
    spans: int = 0
    characters: int = 0

    @classmethod
    def of(cls, documents: Iterable[Document]) -> PartCounts:
        """The counts of these documents."""
        counts = [(len(document.spans), len(document.text)) for document in documents]
        return cls(len(counts), sum(spans for spans, _ in counts), sum(length for _, length in counts))


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of a snapshot: document counts by part, sha256 by file name."""

    parts: Mapping[str, PartCounts]
    sha256: Mapping[str, str]

    def documents(self, part: str) -> int:
        """How many documents a part has; an absent part has none."""
        return self.parts.get(part, PartCounts()).documents


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The documents of a run by part, its labels, and the word-list changes of its project.

    Args:
        parts: documents of ``train``, ``dev``, ``test``, ``corrections``, ``unlabelled`` and ``taught``; one
            that is absent is empty.
        labels: the project's labels; labels that only occur in documents are not among them.
        added: words a person added. removed: words a person took out.
    """

    parts: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)
    labels: LabelSet = field(default_factory=LabelSet)
    added: tuple[AddedWord, ...] = ()
    removed: tuple[str, ...] = ()

    def __getitem__(self, part: str) -> tuple[Document, ...]:
        return self.parts.get(part, ())

    @property
    def descriptions(self) -> dict[str, str]:
        """The annotation guideline of each label that has one."""
        return {label.name: label.description for label in self.labels if label.description}

    def documents(self, parts: Iterable[str] = PARTS) -> list[Document]:
        """The documents of some parts in order, each id once."""
        documents: dict[str, Document] = {}
        for part in parts:
            for document in self[part]:
                documents.setdefault(document.id, document)
        return list(documents.values())


def write_snapshot(folder: Path, snapshot: Snapshot) -> Manifest:
    """Write a snapshot that is in memory; see ``write_parts``."""
    parts = {part: documents for part, documents in snapshot.parts.items() if documents or part in PARTS}
    return write_parts(folder, parts, snapshot.labels, snapshot.added, snapshot.removed)


def write_parts(
    folder: Path,
    parts: Mapping[str, Iterable[Document]],
    labels: LabelSet,
    added: Iterable[AddedWord] = (),
    removed: Iterable[str] = (),
) -> Manifest:
    """Write a snapshot from iterables of documents; missing ``PARTS`` are empty.

    An existing snapshot is replaced; there is none in between.

    Raises:
        DiskFullError: the snapshot is not complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    tallies = {part: _Tally(parts.get(part, ())) for part in dict.fromkeys((*PARTS, *parts))}
    sha256 = {}
    for part, tally in tallies.items():
        write_bytes(folder / _file(part), tally)
        sha256[_file(part)] = tally.sha256.hexdigest()
    for name, content in {
        LABELS: json.dumps(labels.to_json(), ensure_ascii=False, indent=1).encode() + b"\n",
        LEXICON: "".join(_word_lines(added, removed)).encode(),
    }.items():
        write_bytes(folder / name, [content])
        sha256[name] = hashlib.sha256(content).hexdigest()
    manifest = Manifest({part: tally.counts for part, tally in tallies.items()}, sha256)
    write_json(folder / MANIFEST, asdict(manifest))
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """The counts and hashes of a snapshot.

    Raises:
        CorpusError: the snapshot was not written to the end, or the file is damaged.
    """
    path = folder / MANIFEST
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        parts = {str(part): PartCounts(**counts) for part, counts in value["parts"].items()}
        return Manifest(parts, {str(name): str(digest) for name, digest in value["sha256"].items()})
    except FileNotFoundError:
        raise CorpusError(
            "{folder} holds no complete snapshot: {manifest} is missing; start a new run",
            folder=folder,
            manifest=MANIFEST,
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorpusError("{path} is damaged ({reason}); start a new run", path=path, reason=error) from error


def read_snapshot(folder: Path) -> Snapshot:
    """Read a snapshot, checked against its manifest.

    Raises:
        CorpusError: the snapshot is incomplete, or a file is damaged or does not match the manifest; names
            the file and, if possible, the line.
    """
    manifest = read_manifest(folder)
    parts = {part: _read_part(folder, part, manifest) for part in manifest.parts}
    labels = _read_labels(folder / LABELS)
    added, removed = _read_words(folder / LEXICON)
    for name in (LABELS, LEXICON):
        _check(folder / name, _digest(folder / name), manifest)
    return Snapshot(parts, labels, added, removed)


class _Tally:
    """Lines of documents, counted and hashed while they are written."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = documents
        self.counts = PartCounts()
        self.sha256 = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        documents = spans = characters = 0
        for document in self._documents:
            line = document_line(document)
            self.sha256.update(line)
            documents, spans = documents + 1, spans + len(document.spans)
            characters += len(document.text)
            yield line
        self.counts = PartCounts(documents, spans, characters)


def _file(part: str) -> str:
    return f"{part}.jsonl"


def _read_part(folder: Path, part: str, manifest: Manifest) -> tuple[Document, ...]:
    path = folder / _file(part)
    digest = hashlib.sha256()

    def hashed(lines: Iterable[bytes]) -> Iterator[bytes]:
        for line in lines:
            digest.update(line)
            yield line

    try:
        with path.open("rb") as file:
            documents = tuple(parse_documents(hashed(file), path))
    except FileNotFoundError:
        raise CorpusError("{path} is missing from the snapshot; start a new run", path=path) from None
    except CorpusError as error:
        raise CorpusError("{reason}; start a new run", reason=error) from error
    _check(path, digest.hexdigest(), manifest)
    if PartCounts.of(documents) != manifest.parts[part]:
        raise CorpusError(
            "{path} does not hold as many documents as {manifest} says; start a new run",
            path=path,
            manifest=MANIFEST,
        )
    return documents


def _check(path: Path, digest: str, manifest: Manifest) -> None:
    if manifest.sha256.get(path.name) != digest:
        raise CorpusError("{path} has changed since the snapshot was taken; start a new run", path=path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_labels(path: Path) -> LabelSet:
    try:
        return LabelSet.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise CorpusError("{path} is missing from the snapshot; start a new run", path=path) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorpusError(
            "{path} should list labels with names ({reason}); start a new run", path=path, reason=error
        ) from error


def _word_lines(added: Iterable[AddedWord], removed: Iterable[str]) -> Iterator[str]:
    """Tab-separated: ``added``, word, type and the frequency if it is not 1; or ``removed`` and the word."""
    for word in added:
        frequency = "" if word.frequency == 1 else f"\t{word.frequency}"
        yield f"added\t{word.word}\t{word.type}{frequency}\n"
    for surface in removed:
        yield f"removed\t{surface}\t\n"


def _read_words(path: Path) -> tuple[tuple[AddedWord, ...], tuple[str, ...]]:
    added: list[AddedWord] = []
    removed: list[str] = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise CorpusError("{path} is missing from the snapshot; start a new run", path=path) from None
    except UnicodeDecodeError as error:
        raise CorpusError("{path} is damaged ({reason}); start a new run", path=path, reason=error) from error
    for number, line in enumerate(lines, start=1):
        try:
            _read_word(line.split("\t"), added, removed)
        except ValueError as error:
            raise CorpusError(
                "{path}, line {number}: {reason}; start a new run", path=path, number=number, reason=error
            ) from error
    return tuple(added), tuple(removed)


def _read_word(cells: Sequence[str], added: list[AddedWord], removed: list[str]) -> None:
    match cells:
        case [""]:
            pass
        case ["added", word, kind]:
            added.append(AddedWord(word, kind))
        case ["added", word, kind, frequency] if frequency.isdecimal():
            added.append(AddedWord(word, kind, int(frequency[:18])))
        case ["removed", word, ""] if word:
            removed.append(word)
        case _:
            raise ToldValueError("expected added or removed, a tab, a word, a tab and its type")
