"""Several processes on the Tag page: when they are offered, and that their predictions reach the store."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from app.services import bulk_tagging
from app.services.background.tasks import Stopped
from app.services.device import DeviceInfo, DeviceProbe
from app.services.errors import AppError
from app.tag import page
from core.bulk import job
from core.bulk.report import Tally
from core.runtime.message import _
from core.store.project import projects
from core.store.run import predictions, runs
from tests.bulk.conftest import json_lines


class Saved:
    """A tagger that can be saved."""

    def save(self, folder):
        folder.mkdir()
        (folder / "saved").touch()


@pytest.fixture
def large(filled, tmp_path, monkeypatch):
    """A project that counts as large, on a machine of two processors with Ray."""
    runs.register(filled.workspace, filled.project_id, "demo", "span", tmp_path, {})
    projects.set_active(filled.workspace, filled.project_id, "demo")
    monkeypatch.setattr(bulk_tagging, "MANY", 1)
    monkeypatch.setattr(bulk_tagging, "choices", lambda: [1, 2])
    monkeypatch.setattr(bulk_tagging, "installed", lambda: True)
    monkeypatch.setattr(filled.workbench.taggers, "tagger", lambda project, run: nullcontext(Saved()))
    monkeypatch.setattr(filled.workbench, "device", DeviceProbe(known=DeviceInfo("cpu", _("as asked"))))
    return filled


def offered(session):
    shown = page.show(session, None)
    return shown["processes"]["visible"], shown["lacking"]["visible"]


def test_processes_are_offered_where_they_help(large, monkeypatch):
    assert offered(large) == (True, False)
    monkeypatch.setattr(bulk_tagging, "installed", lambda: False)
    assert offered(large) == (False, True)  # how to get them
    monkeypatch.setattr(large.workbench, "device", DeviceProbe(known=DeviceInfo("cuda", _("as asked"))))
    assert offered(large) == (False, False)
    monkeypatch.undo()
    assert offered(large) == (False, False)  # five documents


class HereAlone:
    """Stands for ``run_job``: tags its input by hand, in blocks of two; fails with the last document."""

    def __init__(self, monkeypatch):
        self.requests = []
        monkeypatch.setattr(job, "run_job", self)

    def __call__(self, request, progress=None, should_stop=lambda: False, finished=lambda block: None):
        self.requests.append(request)
        given = json_lines(Path(request.inputs[0]))
        assert (request.model / "saved").is_file()
        out = job.JobFolder(request.out)
        tally = Tally({})
        for block in range(0, len(given) - 1, 2):
            should_stop()
            rows = [
                {"id": row["id"], "text": row["text"], "spans": [{"start": 0, "end": 1, "label": "LOC"}]}
                for row in given[block : block + 2]
            ]
            part = "".join(json.dumps(row) + "\n" for row in rows).encode()
            out.finish(block, part, "jsonl", b"", {"block": block})
            finished(block)
        return {**tally.report(), "refused": len(given) % 2}


def test_blocks_become_predictions_as_they_come(large, monkeypatch):
    jobs = HereAlone(monkeypatch)
    reports = []
    last = page.go_documents(large, lambda *done: reports.append(done), None, "missing", processes=2)
    (request,) = jobs.requests
    assert (request.workers, request.format, request.run) == (2, "jsonl", "demo")
    assert len(predictions.missing(large.workspace, "demo")) == 1
    assert last["message"].startswith("`demo` has predicted 4 documents.")
    assert last["message"].endswith("With 1 document the tagger fails; it has no prediction.")
    assert reports[-1] == (2, 5)
    assert not request.model.exists()  # the scratch folder is gone


def test_a_cancelled_job_keeps_its_blocks_and_the_next_one_may_begin(large, monkeypatch):
    HereAlone(monkeypatch)

    def cancel(done, total):
        if done:
            raise Stopped

    with pytest.raises(Stopped):
        page.go_documents(large, cancel, None, "missing", processes=2)
    assert len(predictions.missing(large.workspace, "demo")) == 3
    page.go_documents(large, lambda *done: None, None, "missing", processes=2)
    assert len(predictions.missing(large.workspace, "demo")) == 1


def test_two_such_works_at_once_are_refused(large):
    with bulk_tagging._alone, pytest.raises(AppError, match="several processes already"):
        page.go_documents(large, lambda *done: None, None, "missing", processes=2)
