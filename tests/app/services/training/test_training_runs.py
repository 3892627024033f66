"""Starting a run from the form: what is checked, what is written."""

from dataclasses import replace

import pytest

from app.services.errors import AppError, sentence
from app.services.limits.table import Limits
from app.services.training import workers
from app.services.training.training_runs import (
    Plan,
    plan_from_form,
    plan_of,
    sentence_of,
    start,
    state_of,
    told_of,
)
from core.cluster.options import WorkerGroup
from core.runtime.message import Message
from core.store.document import documents
from core.store.run import runs
from core.taggers.base.config_fields import ConfigError
from core.text import Document
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_state import RunState

PLAN = Plan("flat", {"layers": 2}, {"epochs": 1}, "cpu")


@pytest.fixture
def submitted(filled, monkeypatch):
    """Names of the runs given to the queue, which starts none."""
    names = []
    monkeypatch.setattr(filled.workbench.jobs, "submit", names.append)
    return names


def test_a_plan_keeps_only_what_differs_from_the_defaults():
    values = {
        "layers": 2.0,
        "heads": 8,
        "use_lexicon": False,
        "epochs": 3.0,
        "learning_rate": 0.001,
        "bigram_vectors": None,
    }
    plan = plan_from_form("flat", values, "cpu")
    assert plan == Plan("flat", {"layers": 2, "use_lexicon": False}, {"epochs": 3}, "cpu")
    assert isinstance(plan.config["layers"], int)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"layers": 99}, "layers"),
        ({"layers": None}, "layers"),
        ({"layers": 1.5}, "layers"),
        ({"hidden": 161}, "161 is not a multiple"),
        ({"epochs": 0}, "epochs"),
        ({"learning_rate": "fast"}, "learning_rate"),
        ({"optimiser": "magic"}, "optimiser"),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_field(values, reason):
    with pytest.raises((ConfigError, TrainingError), match=reason):
        plan_from_form("flat", values, "cpu")


def test_an_attack_that_would_do_nothing_is_refused_with_the_way_out_in_both_languages():
    values = {"pgd_steps": 2.0, "frozen_epochs": 3.0, "epochs": 3.0}
    with pytest.raises(TrainingError, match=r"^pgd_steps: there is nothing to disturb") as refused:
        plan_from_form("bert", values, "cpu")
    assert sentence(refused.value, "zh").startswith("PGD 步数：没有可扰动的嵌入")
    plan = plan_from_form("bert", {**values, "epochs": 4.0}, "cpu")
    assert plan.settings == {"pgd_steps": 2, "epochs": 4}
    over = {"over": "bert", "over_options": "frozen_epochs=-1", "fgm": 1.0}
    with pytest.raises(TrainingError, match=r"^fgm: there is nothing to disturb"):
        plan_from_form("pu", over, "cpu")


def test_a_demo_visitor_cannot_name_a_file_of_the_server(filled, submitted):
    filled.workbench.limits = Limits()

    def begun(tagger, values):
        run = start(filled, plan_from_form(tagger, values, "cpu"))
        return RunFolder(run.folder).read_request().config

    with pytest.raises(AppError, match="cannot read vectors"):
        begun("flat", {"word_vectors": "/etc/passwd"})
    with pytest.raises(AppError, match="cannot read vectors"):
        begun("pu", {"over": "flat", "over_options": "word_vectors=/etc/passwd"})
    assert submitted == []
    assert begun("flat", {"char_vectors": "jieba"}) == {"char_vectors": "jieba"}
    chosen = {"over": "flat", "over_options": "layers=2"}
    assert begun("pu", chosen) == chosen
    assert begun("pu", {"prior": "PER=0.1"}) == {"prior": "PER=0.1"}


@pytest.mark.parametrize(
    ("tagger", "values"),
    [
        ("flat", {"encoder": "/srv/models/private"}),
        ("elmo_crf", {"encoder": "/srv/bilm"}),
        ("mrc", {"encoder": "somebody/enormous"}),
        ("bert", {}),
        ("pu", {"over": "bert"}),
        ("pu", {"over": "flat", "over_options": "encoder=/srv/models/private"}),
        ("pu", {"over": "soft_lexicon", "over_options": '{"encoder": "somebody/enormous"}'}),
    ],
)
def test_a_demo_visitor_cannot_make_the_server_fetch_or_open_a_model(filled, tagger, values):
    plan = plan_from_form(tagger, values, "cpu")
    filled.workbench.limits = Limits()
    with pytest.raises(AppError, match="pretrained models"):
        start(filled, plan)


def test_a_started_run_has_its_request_and_a_snapshot_of_now(filled, submitted):
    run = start(filled, PLAN)
    assert submitted == [run.name]
    request = RunFolder(run.folder).read_request()
    assert (request.tagger, request.config, request.settings) == ("flat", {"layers": 2}, {"epochs": 1})
    assert (request.project, request.parent, request.device) == (filled.project_id, None, "cpu")
    lines = (run.folder / "snapshot" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert plan_of(RunFolder(run.folder), "cpu") == PLAN


def test_a_project_without_labels_cannot_train(session):
    documents.add(session.workspace, session.project_id, [Document("raw", "今天下雨。")])
    with pytest.raises(AppError, match="nothing to learn from"):
        start(session, PLAN)
    assert runs.all_runs(session.workspace, session.project_id) == []


def test_a_run_that_cannot_be_queued_is_called_failed(filled, monkeypatch):
    def refuse(name):
        raise TrainingError("the queue is closed")

    monkeypatch.setattr(filled.workbench.jobs, "submit", refuse)
    with pytest.raises(TrainingError, match="closed"):
        start(filled, PLAN)
    (run,) = runs.all_runs(filled.workspace, filled.project_id)
    assert run.status == "failed"


def test_a_busy_demo_asks_to_wait(filled, submitted, monkeypatch):
    filled.workbench.limits = Limits(trainings=1)
    monkeypatch.setattr(filled.workbench, "trainings_elsewhere", lambda: 1)
    with pytest.raises(AppError, match="Other visitors are training"):
        start(filled, PLAN)
    assert submitted == []


def test_a_tagger_without_a_request_is_described_by_the_store(session, tmp_path):
    run = runs.register(session.workspace, session.project_id, "demo", "flat", tmp_path, {})
    assert state_of(session, run).status == "finished"


def test_a_message_is_read_in_the_sessions_language(session):
    message = Message("Finished")
    assert (sentence_of(message, session), sentence_of(None, session)) == ("Finished", "")
    session.language = "zh"
    assert sentence_of(message, session) == "已完成"


@pytest.mark.parametrize(
    ("status", "message", "told"),
    [
        ("running", "Epoch 2 of 5", "ours: running. Epoch 2 of 5"),
        ("cancelled", "Cancelled; it can be resumed", "ours: Cancelled; it can be resumed"),
        ("interrupted", "Interrupted; it can be resumed", "ours: Interrupted; it can be resumed"),
        ("cancelled", "", "ours: cancelled"),
        ("failed", "The disk is full", "ours: failed. The disk is full"),
    ],
)
def test_the_state_of_a_run_is_said_once(filled, status, message, told):
    assert told_of(filled, "ours", RunState("flat-0001", status), message) == told


@pytest.fixture
def on_sixteen_cores(monkeypatch):
    monkeypatch.setattr(workers, "is_installed", lambda package: True)
    monkeypatch.setattr("os.cpu_count", lambda: 16)


@pytest.mark.usefixtures("on_sixteen_cores")
def test_workers_are_in_the_request_and_in_that_of_a_retraining(filled, submitted):
    plan = replace(PLAN, workers=4, settings={"epochs": 1, "threads": 3}, device="auto")
    request = RunFolder(start(filled, plan).folder).read_request()
    assert WorkerGroup.from_json(request.cluster) == WorkerGroup(4, threads=3)
    assert request.device == "cpu"  # of which each worker has three
    again = plan_of(RunFolder(runs.get(filled.workspace, submitted[0]).folder), "cpu")
    assert again.workers == 4
    assert RunFolder(start(filled, PLAN).folder).read_request().cluster == {}


@pytest.mark.usefixtures("on_sixteen_cores")
@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"workers": 17}, "17 workers (threads of each: 1) need 17 processors, and this machine has 16"),
        ({"workers": 6, "settings": {"threads": 3}}, "6 workers (threads of each: 3) need 18"),
        ({"workers": -1}, "-1 workers"),
        ({"workers": 2, "self_training": {"self_training_rounds": 1}}, "Self-training has one worker"),
        ({"workers": 2, "device": "cuda"}, "need a GPU each, and this machine has 0"),
    ],
)
def test_workers_for_which_there_is_no_room_are_refused_before_there_is_a_run(filled, submitted, plan, told):
    with pytest.raises(AppError) as refused:
        start(filled, replace(PLAN, **plan))
    assert told in sentence(refused.value, "en")
    assert (submitted, runs.all_runs(filled.workspace, filled.project_id)) == ([], [])


def test_without_ray_and_on_a_demo_a_training_has_one_worker(filled, submitted, monkeypatch):
    monkeypatch.setattr(workers, "is_installed", lambda package: False)
    assert workers.most_workers(filled.workbench) == 1
    with pytest.raises(AppError, match="Several workers need Ray"):
        start(filled, replace(PLAN, workers=2))
    monkeypatch.setattr(filled.workbench, "limits", Limits(demo=True))
    with pytest.raises(AppError, match="On the demo"):
        start(filled, replace(PLAN, workers=2))
    assert submitted == []
