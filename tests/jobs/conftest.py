"""Run folders with a small FLAT, trained by real worker processes."""

import time
from collections.abc import Callable

import pytest

from core.corpus.snapshot import Snapshot, write_snapshot
from core.jobs import JobQueue, RunFolder, RunRequest
from core.text import Document, Span

SMALL = {"hidden": 16, "heads": 2, "ffn": 16, "char_dim": 8, "bigram_dim": 0, "word_dim": 8}
PATIENCE = 240  # seconds; a busy machine loads torch slowly


@pytest.fixture
def queue(tmp_path):
    jobs = JobQueue(tmp_path / "runs")
    yield jobs
    for state in jobs.states():
        if state.active:
            jobs.cancel(state.run)
    wait_until(lambda: not any(state.active for state in jobs.states()))


@pytest.fixture
def prepare(queue: JobQueue) -> Callable[..., RunFolder]:
    """Write a run that is ready to be submitted."""

    def write(name: str, *, epochs: int = 1, **request: object) -> RunFolder:
        folder = queue.folder(name)
        documents = tuple(
            Document(f"d{number}", f"{who}今天在{where}工作", (Span(0, 2, "PER"), Span(5, 7, "LOC")))
            for number, (who, where) in enumerate([("林晓", "青岛"), ("周平", "兰州"), ("孙悦", "大理")] * 10)
        )
        parts = {"train": documents[:24], "dev": documents[24:], "test": documents[27:]}
        write_snapshot(folder.snapshot, Snapshot(parts))
        (folder.snapshot / "words.txt").write_text("青岛\n今天\n", encoding="utf-8")
        settings = {"epochs": epochs, "threads": 1, "learning_rate": 0.01, "batch_size": 4}
        folder.write_request(
            RunRequest(**{"config": SMALL, "settings": settings, "lexicon": "words.txt", **request})
        )
        return folder

    return write


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"nothing happened for {seconds} s"
        time.sleep(0.05)


@pytest.fixture(name="wait_until")
def wait_until_fixture() -> Callable[..., None]:
    return wait_until
