"""A file from a string, and the column file all its readers share."""

import pytest

from core.formats import ReadOptions, read_file


@pytest.fixture
def read(tmp_path):
    """Read a string (or bytes) as a file of this name: ``read(content, name, format, **options)``."""

    def reader(content, name="corpus.txt", format=None, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_file(path, format, ReadOptions(**options))

    return reader


@pytest.fixture
def one(read):
    """The spans of the only document, as ``(surface, label)`` pairs, after its text."""

    def reader(content, name="corpus.txt", format=None, **options):
        (document,) = read(content, name, format, **options).documents
        return document.text, [(document.surface(span), span.label) for span in document.spans]

    return reader
