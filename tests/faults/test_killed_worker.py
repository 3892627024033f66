"""A worker killed after any of its events goes on to what an uninterrupted one comes to, to the bit."""

from pathlib import Path

import pytest

from core.corpus.snapshot import Snapshot, write_snapshot
from core.text import Document, Span
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from tests.faults.children import acknowledged, start
from tests.faults.trainings import train

SMALL = {"hidden": 16, "heads": 2, "ffn": 16, "char_dim": 8, "bigram_dim": 0, "word_dim": 8}


def prepared(path: Path) -> RunFolder:
    folder = RunFolder(path)
    names = [("林晓", "青岛"), ("周平", "兰州"), ("孙悦", "大理")] * 6
    documents = tuple(
        Document(f"d{at}", f"{who}今天在{where}工作", (Span(0, 2, "PER"), Span(5, 7, "LOC")))
        for at, (who, where) in enumerate(names)
    )
    write_snapshot(
        folder.snapshot, Snapshot({"train": documents[:12], "dev": documents[12:], "test": documents[15:]})
    )
    settings = {"epochs": 3, "threads": 1, "learning_rate": 0.01, "batch_size": 4}
    folder.write_request(RunRequest(config=SMALL, settings=settings))
    return folder


def worked(folder: RunFolder, events: int | None) -> str:
    """The last event before the kill, or the state it came to."""
    child, connection = start(train, folder.path, events)
    child.join(240)
    assert child.exitcode is not None
    with connection:
        (last,) = acknowledged(connection)
    return str(last)


@pytest.mark.exhaustive
def test_killed_after_every_event_in_turn_it_comes_to_the_same(tmp_path):
    whole, killed = prepared(tmp_path / "whole"), prepared(tmp_path / "killed")
    assert worked(whole, None) == "finished"
    after: list[str] = []
    while (last := worked(killed, len(after) + 1)) != "finished":
        after.append(last)
        assert not killed.scores_file.exists() or killed.state().status != "finished"
        assert len(after) < 200
    assert {"started", "step", "epoch", "answer"} <= set(after), after
    assert killed.scores()["losses"] == whole.scores()["losses"]
    assert killed.scores()["test"] == whole.scores()["test"]
    assert killed.predictions_file.read_bytes() == whole.predictions_file.read_bytes()
    print(f"killed after {len(after)} events: {sorted(set(after))}")
