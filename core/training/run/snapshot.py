"""The frozen corpus of a run: written once, then the only thing the run reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.lexicon import Entry, Lexicon, LexiconError
from core.text import Document
from core.training.run.atomic import write_json, write_text
from core.training.run.document_lines import read_documents, write_documents
from core.training.run.message import TrainingError

PARTS = ("train", "dev", "test", "corrections")
UNLABELLED = "unlabelled"  # texts that only teach what needs no labels; no run answers them


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The documents of a run by part, its labels, and the word-list changes of its project.

    Args:
        parts: documents of ``train``, ``dev``, ``test``, ``corrections`` and ``unlabelled``; an absent part
            is empty.
        labels: label names in the project's order; labels met in documents only are not listed.
        added: words a person added, as entries where they have a type. removed: words a person took out.
        descriptions: the annotation guideline of each label that has one.
    """

    parts: dict[str, tuple[Document, ...]] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    added: tuple[str | Entry, ...] = ()
    removed: tuple[str, ...] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, part: str) -> tuple[Document, ...]:
        return self.parts.get(part, ())

    def documents(self, parts: Iterable[str] = PARTS) -> list[Document]:
        """The documents of some parts in order, each id once."""
        found: dict[str, Document] = {}
        for part in parts:
            for document in self[part]:
                found.setdefault(document.id, document)
        return list(found.values())

    def lexicon(self, folder: Path, base: str) -> Lexicon:
        """The base lexicon with the person's changes.

        Args:
            folder: the snapshot's folder. base: ``jieba``, or the name of a word list inside it.

        Raises:
            LexiconError: the word list cannot be read.
        """
        return self.changed(Lexicon.jieba() if base == "jieba" else Lexicon.from_file(folder / base))

    def changed(self, lexicon: Lexicon) -> Lexicon:
        """``lexicon`` with the words a person added and without those taken out."""
        if self.added:
            lexicon = lexicon.with_words(self.added)
        return lexicon.without_words(self.removed) if self.removed else lexicon


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Write every part with its counts and hashes; ``manifest.json`` last, as the mark of completeness.

    Raises:
        DiskFullError: the snapshot is not complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = [*PARTS, UNLABELLED] if snapshot[UNLABELLED] else list(PARTS)
    for part in parts:
        write_documents(folder / f"{part}.jsonl", snapshot[part])
    labels = [{"name": name, "description": snapshot.descriptions.get(name, "")} for name in snapshot.labels]
    write_json(folder / "labels.json", labels)
    write_text(folder / "lexicon.tsv", _change_lines(snapshot))
    manifest = {
        "parts": {
            part: {
                "documents": len(snapshot[part]),
                "spans": sum(len(document.spans) for document in snapshot[part]),
                "sha256": _digest(folder / f"{part}.jsonl"),
            }
            for part in parts
        }
    }
    write_json(folder / "manifest.json", manifest)


def read_snapshot(folder: Path) -> Snapshot:
    """What ``write_snapshot`` (or the store) wrote.

    Raises:
        TrainingError: nothing is there, or a line is damaged; names file and line.
    """
    if not any((folder / f"{part}.jsonl").is_file() for part in PARTS):
        raise TrainingError(
            f"{folder} holds no documents: the snapshot was not written; start a new run",
            f"{folder} 中没有文档：快照未写入，请重新开始一次训练",
        )
    parts = {
        part: tuple(read_documents(folder / f"{part}.jsonl"))
        for part in (*PARTS, UNLABELLED)
        if (folder / f"{part}.jsonl").is_file()
    }
    added, removed = _read_changes(folder / "lexicon.tsv")
    guidelines = _read_labels(folder / "labels.json")
    described = {name: text for name, text in guidelines.items() if text}
    return Snapshot(parts, tuple(guidelines), added, removed, described)


def _change_lines(snapshot: Snapshot) -> Sequence[str]:
    entries = [word if isinstance(word, Entry) else Entry(word) for word in snapshot.added]
    return [_added_line(entry) for entry in entries] + [f"removed\t{word}\t\n" for word in snapshot.removed]


def _added_line(entry: Entry) -> str:
    known = f"added\t{entry.word}\t{entry.type}"
    return f"{known}\n" if entry.frequency == 1 else f"{known}\t{entry.frequency}\n"


def _read_changes(path: Path) -> tuple[tuple[str | Entry, ...], tuple[str, ...]]:
    """Words added and removed; a line is the change, a tab and the word, then tabs with its type and its
    frequency if any."""
    added: list[str | Entry] = []
    removed: list[str] = []
    if not path.is_file():
        return (), ()
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        try:
            match line.rstrip("\r").split("\t"):
                case [""]:
                    continue
                case ["added", word, kind, frequency, *_] if word and frequency.isdecimal():
                    added.append(Entry(word, int(frequency[:18]), kind))
                case ["added", word, kind, *_] if word and kind:
                    added.append(Entry(word, type=kind))
                case ["added", word, *_] if word:
                    added.append(word)
                case ["removed", word, *_] if word:
                    removed.append(word)
                case _:
                    raise LexiconError("expected added or removed, a tab and a word")
        except LexiconError as error:
            raise TrainingError(f"{path}, line {number}: {error}") from error
    return tuple(added), tuple(removed)


def _read_labels(path: Path) -> dict[str, str]:
    """Every label in order with its description, which may be empty."""
    if not path.is_file():
        return {}
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        return {str(item["name"]): str(item.get("description") or "") for item in items}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TrainingError(f"{path} should list objects with a name ({error}); start a new run") from error


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
