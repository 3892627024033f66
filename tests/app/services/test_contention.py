"""Twenty people save during a training run and an import: no edit is refused, lost or out of order."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from app.services.device import DeviceProbe
from app.services.training.training_runs import Plan, begin
from app.services.workbench import Workbench
from core.store.annotation import annotations
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs
from core.text import Document, LabelSet, Span
from tests.store.by_hand import number_of
from tests.workspaces import new_workspace

ROOT = Path(__file__).resolve().parents[3]
PEOPLE, SAVES, IMPORTED = 20, 25, 3_000
SMALL = {"char_dim": 8, "bigram_dim": 0, "hidden": 8}
SETTINGS = {"epochs": 2, "threads": 1, "batch_size": 8}


@pytest.fixture
def workbench(tmp_path):
    bench = Workbench(new_workspace(tmp_path / "workspace"), DeviceProbe("cpu"))
    project = projects.create(bench.workspace, "busy").id
    labels.put(bench.workspace, project, LabelSet().extended(["PER", "LOC"]))
    corpus = [
        Document(f"d{at}", f"{who}今天在{where}工作", (Span(0, 2, "PER"), Span(5, 7, "LOC")))
        for at, (who, where) in enumerate([("林晓", "青岛"), ("周平", "兰州")] * (PEOPLE // 2))
    ]
    documents.add(bench.workspace, project, corpus)
    yield bench, project
    bench.abandon()


def importing(workspace: Workspace, folder: Path) -> subprocess.Popen[str]:
    """Another program that imports into the same workspace."""
    file = folder / "more.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for at in range(IMPORTED):
            value = {"id": f"more-{at}", "text": f"第{at}号文件寄往大理"}
            lines.write(json.dumps(value, ensure_ascii=False) + "\n")
    command = [sys.executable, "-m", "core", "workspace", "--workspace", str(workspace.folder)]
    return subprocess.Popen(
        [*command, "import", str(file), "--project", "busy"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.exhaustive
def test_contention_causes_no_lock_error_and_loses_no_edit(workbench, tmp_path):
    bench, project = workbench
    numbers = [number_of(bench.workspace, project, f"d{at}") for at in range(PEOPLE)]
    run = begin(bench, project, Plan("bilstm_crf", SMALL, SETTINGS, "cpu"))
    other = importing(bench.workspace, tmp_path)
    errors: list[str] = []
    waits: list[float] = []

    def annotate(person: int) -> None:
        own = numbers[person]
        try:
            for at in range(SAVES):
                start = time.perf_counter()
                stands = annotations.current(bench.workspace, own)
                spans = [Span(at % 5, at % 5 + 1 + at % 2, "PER")]
                edit = f"p{person}-{at}"
                annotations.save(
                    bench.workspace, own, stands.revision, spans, user=f"p{person}", client_edit=edit
                )
                waits.append(time.perf_counter() - start)
                time.sleep(0.02)  # a person pauses; the import and the run get their turns
        except Exception as error:
            errors.append(f"p{person}: {type(error).__name__}: {error}")

    people = [threading.Thread(target=annotate, args=(person,)) for person in range(PEOPLE)]
    for thread in people:
        thread.start()
    for thread in people:
        thread.join(timeout=240)
    printed, complaints = other.communicate(timeout=240)
    assert other.returncode == 0, complaints
    assert errors == []
    assert len(waits) == PEOPLE * SAVES

    for person, number in enumerate(numbers):
        saved = [event for event in annotations.history(bench.workspace, number) if event.action == "edit"]
        assert [event.added for event in saved] == [
            (Span(at % 5, at % 5 + 1 + at % 2, "PER"),) for at in range(SAVES)
        ], f"the edits of p{person}, in their order"
        assert {event.user for event in saved} == {f"p{person}"}
    assert json.loads(printed)["added"] == IMPORTED
    assert documents.count(bench.workspace, project)["all"] == PEOPLE + IMPORTED

    until = time.monotonic() + 240
    while (state := bench.jobs.state(run.name)).active:
        assert time.monotonic() < until
        time.sleep(0.2)
    assert state.status == "finished", state.error
    bench.supervisor.look()
    assert runs.get(bench.workspace, run.name).status == "finished"
