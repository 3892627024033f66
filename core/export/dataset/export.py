"""Writes the folder of a data set, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from core.corpus.atomic import full_disk_as_error
from core.export.card_text import check_licence
from core.export.dataset.card import FILE, dataset_card
from core.export.dataset.folder import Files, Written, write_data
from core.export.errors import ExportError
from core.text import Document, LabelSet


def write_dataset(
    documents: Iterable[Document],
    folder: Path,
    labels: LabelSet,
    *,
    title: str,
    repository: str = "",
    licence: str = "",
    files: Files = "jsonl",
    named: bool = False,
) -> Written:
    """Write a new folder with the data and its card.

    Args:
        labels: of the project. title: of the card. repository, licence: as of `dataset_card`.
        named: whether annotators, their times and their comments are in it.

    Raises:
        ExportError: the folder exists, there is no document, or the licence is no identifier.
        FormatError: a library is missing. DiskFullError: there is no room. Then the folder is not there.
    """
    check_licence(licence or "other")
    if folder.exists():
        raise ExportError("{folder} exists already; name a new folder", folder=folder)
    try:
        with full_disk_as_error(folder):
            folder.mkdir(parents=True)
            written = write_data(documents, folder, labels, files=files, named=named)
            card = dataset_card(written, labels, title=title, repository=repository, licence=licence)
            (folder / FILE).write_text(card, encoding="utf-8", newline="")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return written
