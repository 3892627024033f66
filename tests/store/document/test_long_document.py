"""A document of a million characters: imported, listed, found, saved and written."""

from __future__ import annotations

from core.formats import read_file, write_file
from core.store import Filter
from core.store.annotation import annotations
from core.store.document import documents
from core.store.queue import queue
from core.text import Document, Span

LENGTH = 1_000_000
SENTENCE = "沈知微先生在青岛海川能源公司担任总经理，负责东部地区的业务。"


def test_a_document_of_a_million_characters_is_found_saved_and_comes_back(workspace, project, tmp_path):
    text = (SENTENCE * (LENGTH // len(SENTENCE) + 1))[: LENGTH - 4] + "末尾𠀀。"
    spans = [Span(at, at + 3, "PER") for at in range(0, LENGTH - 100, 100 * len(SENTENCE))]
    number = documents.add(workspace, project.id, [Document("long", text, tuple(spans[1:]))]).ids[0]
    (row,) = queue.page(workspace, project.id, Filter(search="末尾𠀀")).rows
    assert (row.id, row.length, row.spans) == (number, LENGTH, len(spans) - 1)
    assert row.excerpt.endswith("末尾𠀀。")
    assert queue.page(workspace, project.id, Filter(search="海川东部")).total == 0
    current = annotations.current(workspace, number)
    annotations.save(workspace, number, current.revision, spans, user="lin")
    written = tmp_path / "long.jsonl"
    write_file(documents.iterate(workspace, project.id), written)
    (again,) = read_file(written, "jsonl").documents
    assert (again.text, [span.key for span in again.spans]) == (text, [span.key for span in spans])
