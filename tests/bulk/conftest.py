"""A tagger that knows one word, and workers and inputs for it."""

from __future__ import annotations

import json

import pytest

from core.bulk import worker as worker_module
from core.bulk.blocks import block_size, cut
from core.bulk.job_folder import JobFolder
from core.bulk.sources import find_sources
from core.bulk.worker import Worker, WorkerOptions
from core.text import Span

POISON = "☠"


def predict(documents):
    """Marks every 张伟; breaks on any batch that holds `POISON`."""
    if any(POISON in document.text for document in documents):
        raise IndexError("index 7 is out of range")
    return [
        document.with_spans(
            Span(at, at + 2, "PER", 0.1234567)
            for at in range(len(document.text))
            if document.text.startswith("张伟", at)
        )
        for document in documents
    ]


class Bench:
    """A job without Ray: its blocks tagged one after the other by a worker, as an actor would."""

    def __init__(self, folder):
        self.out = folder / "out"

    def begin(self, *inputs, size=None, text_column="text"):
        sources = find_sources([str(path) for path in inputs])
        job = JobFolder(str(self.out))
        job.begin({"job": "j"}, cut(sources, size or block_size(sources, 1), text_column))
        return job.blocks()

    def worker(self, format="jsonl", id_column=None, text_column="text"):
        return Worker(
            WorkerOptions(str(self.out), "model", "first", text_column, id_column, format, "cpu", 1, "j")
        )

    def rows(self):
        return [row for path in sorted((self.out / "parts").iterdir()) for row in json_lines(path)]

    def refused(self):
        return [row for path in sorted((self.out / "refused").glob("*")) for row in json_lines(path)]


def json_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_module, "load_predict", lambda *_given: predict)
    return Bench(tmp_path)
