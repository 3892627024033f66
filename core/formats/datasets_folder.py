"""Folders of Hugging Face ``datasets``, as ``save_to_disk`` writes and ``load_from_disk`` reads them.

Layout: Hugging Face's documentation, "Process: Save", and the files it writes: ``dataset_info.json``,
``state.json``, ``data-….arrow`` (an Arrow stream), and ``dataset_dict.json`` over several splits. pyarrow
reads the data; no loading script is executed and nothing is unpickled.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from core.formats.framework.errors import FormatError
from core.formats.framework.format import EVERYTHING, BinaryFormat, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import FolderSource, RawSource, Source
from core.formats.parquet import Parquet
from core.formats.shapes.arrow_table import (
    arrow_errors,
    columns_of,
    documents_of,
    names_of_feature,
    pyarrow,
    table_of,
)
from core.formats.shapes.file_per_document import archive_item
from core.text import Document

INFO, STATE, SPLITS = "dataset_info.json", "state.json", "dataset_dict.json"
_SPLIT_NAMES = {"train": "train", "validation": "dev", "dev": "dev", "test": "test"}
_DATA = "data-00000-of-00001.arrow"


class DatasetsFolder(BinaryFormat):
    """A folder (or an archive of one) with Arrow or parquet files; documents keep the name of their split."""

    name = "datasets"
    title = "Hugging Face datasets folder"
    extensions = (".zip",)
    holds = EVERYTHING
    reads = "folder"
    required_extensions = (".arrow", ".parquet")

    def recognises(self, source: Source) -> float:
        """Sure if there are Arrow files, less so for parquet files."""
        if not isinstance(source, FolderSource):
            return 0.0
        if source.files(".arrow"):
            return 0.96
        return 0.7 if source.files(".parquet") else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per row, one split after the other."""
        assert isinstance(source, FolderSource)  # matches ``reads``
        paths = source.files(".arrow") or source.files(".parquet")
        if not paths:
            raise FormatError("{name} holds no .arrow or .parquet file", name=source.path.name)
        for path in paths:
            split = _split_of(path, source.folder)
            prefix = options.id_prefix or (f"{source.name}-{split}" if split else source.name)
            reader = _arrow if path.suffix == ".arrow" else _parquet
            for item in reader(path, source, options, prefix):
                yield _with_split(item, split) if isinstance(item, Document) else item

    def write_binary(
        self, documents: Iterable[Document], target: BinaryIO, options: WriteOptions | None = None
    ) -> Losses:
        """An archive of the folder, for ``load_from_disk`` once unpacked."""
        ipc = pyarrow("pyarrow.ipc")
        schema, batches = table_of(documents)
        data = BytesIO()
        with ipc.new_stream(data, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, value in (
                (INFO, json.loads(schema.metadata[b"huggingface"])["info"]),
                (STATE, _state()),
            ):
                archive.writestr(archive_item(name), json.dumps(value, ensure_ascii=False, indent=1))
            archive.writestr(archive_item(_DATA), data.getvalue())
        return {}


def _state() -> dict[str, Any]:
    return {
        "_data_files": [{"filename": _DATA}],
        "_fingerprint": "latticelens",
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }


def _arrow(path: Path, source: Source, options: ReadOptions, prefix: str) -> Iterator[Document | Refusal]:
    pa, ipc = pyarrow(), pyarrow("pyarrow.ipc")
    try:
        with path.open("rb") as stream:
            try:
                batches: Any = ipc.open_stream(stream)
            except pa.ArrowInvalid:
                stream.seek(0)
                file = ipc.open_file(stream)
                batches = (file.get_batch(number) for number in range(file.num_record_batches))
                schema = file.schema
            else:
                schema = batches.schema
            columns = columns_of(schema, options.text_column)
            if columns.tags and not columns.tag_names:
                columns = columns._replace(tag_names=_names_beside(path, columns.tags))
            yield from documents_of(batches, columns, source, options.malformed, prefix)
    except arrow_errors():
        raise FormatError("{name} is damaged or not an Arrow file; write it again", name=path.name) from None


def _parquet(path: Path, source: Source, options: ReadOptions, prefix: str) -> Iterator[Document | Refusal]:
    inner = RawSource(path)
    inner.notes = source.notes
    return Parquet().read(inner, options if options.id_prefix else _with_prefix(options, prefix))


def _with_prefix(options: ReadOptions, prefix: str) -> ReadOptions:
    return replace(options, id_prefix=prefix)


def _names_beside(path: Path, tags: str) -> tuple[str, ...]:
    """The class names in ``dataset_info.json`` beside the data."""
    try:
        info = json.loads((path.parent / INFO).read_text(encoding="utf-8"))
        return names_of_feature(info["features"][tags])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def _split_of(path: Path, folder: Path) -> str:
    """The split of a file, from its folder's name under a ``dataset_dict.json``, or from its own prefix."""
    if (path.parent.parent / SPLITS).is_file() and path.parent != folder:
        return _SPLIT_NAMES.get(path.parent.name, "")
    return next((split for name, split in _SPLIT_NAMES.items() if path.stem.startswith(f"{name}-")), "")


def _with_split(document: Document, split: str) -> Document:
    if not split or "split" in document.meta:
        return document
    return Document(document.id, document.text, document.spans, {**document.meta, "split": split})
