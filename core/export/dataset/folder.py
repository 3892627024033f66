"""A project as a folder that the hub's ``datasets`` loads: a file for each split, and a card.

Rows are those of the Parquet format: tokens with BIO tags for token classification, and all spans, nested
ones too, in code points. Layout: Hugging Face's documentation, "Structure your repository".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from core.export.errors import ExportError
from core.formats.framework.attachments import ANNOTATED_AT, ANNOTATOR, COMMENTS
from core.formats.framework.format import flat_spans
from core.formats.shapes.arrow_table import CHUNK, batches_of, pyarrow, row_of, schema_for, tag_names
from core.formats.shapes.json_lines import dump
from core.text import Document, LabelSet

Files = Literal["jsonl", "parquet"]
FILES: tuple[Files, ...] = get_args(Files)
# As the hub calls them; documents outside the splits are a split of their own beside others.
SPLITS = {"train": "train", "dev": "validation", "test": "test", "none": "unassigned"}
_PERSONAL = (ANNOTATOR, ANNOTATED_AT, COMMENTS)


@dataclass
class SplitFacts:
    """What is in one split: documents, spans, characters; ``nested``: spans that ``ner_tags`` cannot hold."""

    documents: int = 0
    spans: int = 0
    characters: int = 0
    nested: int = 0


@dataclass
class Written:
    """What was written, by split in the order of the files, and the spans of each label."""

    files: Files
    splits: dict[str, SplitFacts] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    excerpt: list[str] = field(default_factory=list)  # of texts, to know the language by

    def add(self, split: str, document: Document) -> None:
        """Count a document."""
        facts = self.splits.setdefault(split, SplitFacts())
        flat, _ = flat_spans(document.spans)
        facts.documents += 1
        facts.spans += len(document.spans)
        facts.characters += len(document.text)
        facts.nested += len(document.spans) - len(flat)
        self.labels.update(span.label for span in document.spans)
        if len(self.excerpt) < 50:
            self.excerpt.append(document.text[:200])


class _Writer(Protocol):
    def write(self, document: Document) -> None: ...
    def close(self) -> None: ...


def write_data(
    documents: Iterable[Document], folder: Path, labels: LabelSet, *, files: Files = "jsonl", named: bool
) -> Written:
    """Write ``data/SPLIT.jsonl`` or ``.parquet`` for every split that has documents.

    Args:
        folder: exists. labels: every label of the spans, in the order of the tags.
        named: whether annotators, their times and their comments are kept.

    Raises:
        ExportError: there is no document. FormatError: pyarrow is missing. KeyError: an unknown label.
    """
    source = iter(documents)
    first = next(source, None)
    if first is None:
        raise ExportError("there is no document to export; choose others")
    data = folder / "data"
    data.mkdir()
    written = Written(files)
    names = [label.name for label in labels]
    with ExitStack() as stack:
        writers: dict[str, _Writer] = {}
        for document in chain([first], source):
            split, shown = _published(document, named=named)
            if split not in writers:
                path = data / f"{split}.{files}"
                writers[split] = _Lines(path, names) if files == "jsonl" else _Table(path, names)
                stack.callback(writers[split].close)
            writers[split].write(shown)
            written.add(split, shown)
    if set(written.splits) == {SPLITS["none"]}:  # nobody has split them
        (data / f"{SPLITS['none']}.{files}").rename(data / f"train.{files}")
        written.splits = {"train": written.splits[SPLITS["none"]]}
    order = list(SPLITS.values())
    written.splits = dict(sorted(written.splits.items(), key=lambda item: order.index(item[0])))
    return written


def _published(document: Document, *, named: bool) -> tuple[str, Document]:
    """The hub's name of the split, and the document without what is not published."""
    meta: Mapping[str, Any] = document.meta
    split = SPLITS.get(str(meta.get("split", "none")), SPLITS["none"])
    left_out = {"split"} if named else {"split", *_PERSONAL}
    kept = {name: value for name, value in meta.items() if name not in left_out}
    return split, Document(document.id, document.text, document.spans, kept)


class _Lines:
    """A file of JSON lines."""

    def __init__(self, path: Path, labels: list[str]) -> None:
        self._number = {name: place for place, name in enumerate(tag_names(labels))}
        self._file = path.open("x", encoding="utf-8", newline="")

    def write(self, document: Document) -> None:
        """Add a line."""
        self._file.write(dump(row_of(document, self._number)))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _Table:
    """A Parquet file."""

    def __init__(self, path: Path, labels: list[str]) -> None:
        self._labels, self._schema = labels, schema_for(labels)
        self._writer = pyarrow("pyarrow.parquet").ParquetWriter(path, self._schema)
        self._waiting: list[Document] = []

    def write(self, document: Document) -> None:
        """Add a row."""
        self._waiting.append(document)
        if len(self._waiting) == CHUNK:
            self._flush()

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        for batch in self._batches():
            self._writer.write_batch(batch)
        self._waiting = []

    def _batches(self) -> Iterator[Any]:
        return batches_of(self._waiting, self._schema, self._labels)
