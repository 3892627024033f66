"""The run folder: never torn, never misleading, readable by whoever comes later."""

import errno
from pathlib import Path

import pytest

from core.corpus import atomic
from core.corpus.errors import DiskFullError
from core.runtime.message import Message
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    run = RunFolder(tmp_path / "flat-0001")
    run.write_request(RunRequest(settings={"epochs": 2}))
    return run


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_request_comes_back_as_it_was_written(folder):
    request = RunRequest(kind="tag", model="m", device="cpu", project=3, parent="flat-0001")
    folder.write_request(request)
    assert folder.read_request() == request
    folder.write_request({"kind": "train", "tagger": "flat", "from_a_newer_version": 1})
    assert folder.read_request().tagger == "flat"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"kind": "delete"}, "kind"),
        ({"device": "abacus"}, "device"),
        ({"kind": "tag"}, "model"),
        ({"settings": ["epochs"]}, "settings"),
        ({"lexicon": "../../etc/passwd"}, "lexicon"),
    ],
)
def test_a_request_that_does_not_fit_names_the_field(fields, named):
    with pytest.raises(TrainingError, match=named):
        RunRequest.from_json(fields)


def test_a_missing_or_damaged_request_is_a_plain_error(folder):
    folder.request_file.write_text('{"kind": "tra')
    with pytest.raises(TrainingError, match=r"request\.json is damaged"):
        folder.read_request()
    with pytest.raises(TrainingError, match="not a run folder"):
        RunFolder(folder.path / "nowhere").read_request()


def test_a_state_keeps_what_was_not_changed(folder):
    assert folder.state().status == "queued"
    folder.set_state(
        status="running", pid=7, message=Message("Working on {what}", values={"what": Message("it")})
    )
    state = folder.set_state(fraction=0.5)
    assert (state.status, state.pid, state.fraction) == ("running", 7, 0.5)
    assert RunFolder(folder.path).state() == state


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"status": "dreaming"}', '{"status": "running", "fraction": "half"}']
)
def test_a_damaged_state_reads_as_failed_and_resumable(folder, content):
    folder.state_file.write_text(content)
    state = folder.state()
    assert (state.status, state.resumable) == ("failed", True)
    assert "state.json is damaged" in str(state.error)
    assert folder.set_state(status="queued", error=None).status == "queued"


def test_events_come_back_in_order_and_only_once(folder):
    for number in range(5):
        folder.append_event("step", number=number)
    assert [event["number"] for event in folder.events()] == [0, 1, 2, 3, 4]
    assert [event["number"] for event in folder.events(after=3)] == [3, 4]
    folder.append_event("step", number=5)
    assert [event["number"] for event in folder.events(after=5)] == [5]
    assert [event["number"] for event in folder.events(after=1)] == [1, 2, 3, 4, 5]
    assert RunFolder(folder.path.parent / "other").events() == []


def test_half_an_event_of_a_killed_worker_is_left_out_and_nothing_is_glued_to_it(folder):
    folder.append_event("step", number=0)
    with folder.events_file.open("ab") as file:
        file.write('{"event": "step", "text": "半'.encode()[:-1])
    assert [event["number"] for event in folder.events()] == [0]
    folder.append_event("step", number=1)
    assert [event["number"] for event in folder.events()] == [0, 1]


def test_an_epoch_done_again_after_a_kill_counts_once(folder):
    for epoch, loss in [(1, 3.0), (2, 2.0), (2, 2.0), (3, 1.0)]:
        folder.append_event("epoch", epoch=epoch, loss=loss)
    assert [(event["epoch"], event["loss"]) for event in folder.history()] == [(1, 3.0), (2, 2.0), (3, 1.0)]


def test_a_full_disk_is_named_and_leaves_the_file_before_intact(folder, monkeypatch):
    folder.set_state(status="running")
    before = sorted(path.name for path in folder.path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(atomic.os, "fsync", full_disk)
        with pytest.raises(DiskFullError, match=r"disk is full.*state\.json.*Free some space"):
            folder.set_state(status="finished")
    assert folder.state().status == "running"
    assert sorted(path.name for path in folder.path.iterdir()) == before


def test_what_a_killed_process_was_writing_is_swept(folder):
    folder.set_state(status="running")
    folder.checkpoint.mkdir()
    (folder.path / ".model.new").mkdir()
    for path in (
        folder.path / ".predictions.jsonl.4711.new",
        folder.checkpoint / "state-0003.new",
        folder.path / ".model.new" / "weights",
        folder.checkpoint / "best-0002.safetensors",
    ):
        path.write_text("half")
    folder.sweep()
    names = sorted(path.name for path in folder.path.rglob("*"))
    assert names == ["best-0002.safetensors", "checkpoint", "request.json", "state.json"]
