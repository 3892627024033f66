"""Formats with a file (or two) for every document: read from a folder or archive, written as an archive."""

from __future__ import annotations

import zipfile
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable
from typing import BinaryIO, ClassVar

from core.formats.framework.archive import file_name_of, id_of_file_name
from core.formats.framework.format import Format, Losses, WriteOptions, in_order
from core.text import Document

_FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # so that equal documents give equal archives


class Configuration:
    """Files of an archive that say what its documents hold; here none."""

    def add(self, contents: list[str]) -> None:
        """Take note of the files of one document."""

    def files(self) -> dict[str, bytes]:
        """The files by name, once every document is noted."""
        return {}


class FilePerDocument(Format):
    """A format with separate files for every document, named after its id.

    Attributes:
        endings: of the files of one document.
    """

    reads = "folder"
    binary = True
    extensions = (".zip",)
    endings: ClassVar[tuple[str, ...]]

    @abstractmethod
    def files(self, document: Document, options: WriteOptions) -> tuple[list[str], Losses]:
        """The contents of a document's files, one for each of ``endings``, and the losses."""

    def configuration(self) -> Configuration:
        """What collects, from the files of every document, the files that describe them all."""
        return Configuration()

    def common_files(self) -> dict[str, bytes]:
        """Files that occur once per archive."""
        return {}

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The content of the last file, which holds the spans."""
        contents, _, lost = self._named(document, options)
        return contents[-1], lost

    def write_binary(
        self, documents: Iterable[Document], target: BinaryIO, options: WriteOptions | None = None
    ) -> Losses:
        """An archive of all documents."""
        options = options or WriteOptions()
        lost: Counter[str] = Counter()
        taken: set[str] = set()
        configuration = self.configuration()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.common_files().items():
                archive.writestr(archive_item(name), content)
            for document in documents:
                contents, name, losses = self._named(document, options)
                lost.update(losses)
                configuration.add(contents)
                name = _unused_name(name, taken)
                for ending, written in zip(self.endings, contents, strict=True):
                    archive.writestr(archive_item(name + ending), written.encode("utf-8", "replace"))
            for name, content in configuration.files().items():
                archive.writestr(archive_item(name), content)
        return in_order(lost)

    def _named(self, document: Document, options: WriteOptions) -> tuple[list[str], str, Losses]:
        """The contents of a document's files, their common name, and the losses."""
        contents, lost = self.files(document, options)
        name = file_name_of(document.id)
        return contents, name, lost if id_of_file_name(name) == document.id else lost | {"ids": 1}


def archive_item(name: str) -> zipfile.ZipInfo:
    """An archive member with a constant date, for reproducible archives."""
    item = zipfile.ZipInfo(name, _FIXED_DATE)
    item.compress_type = zipfile.ZIP_DEFLATED
    item.external_attr = 0o644 << 16
    return item


def _unused_name(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free
