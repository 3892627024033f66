"""Label Studio's calls, as its `MLApi` sends them, are answered as it reads them."""

import pytest

from app.api.label_studio.backend import LARGEST_BODY, PREFIX
from app.services.training import training_runs
from core.store.document import documents
from core.store.project import projects, tokens
from core.store.run import runs
from core.text import Document, Span
from tests.app.api.label_studio.test_labelling_config import NER

PROJECT = "7.1690000000"  # id and time of the project there
CALLS = ("setup", "validate", "predict", "train", "webhook", "job_status")


@pytest.fixture
def ask(client, filled):
    """``ask(path, body)`` with a token as the password of basic authentication, as Label Studio sends it."""

    def call(path, body=None, role="annotator", auth=None, **options):
        if auth is None:
            auth = ("anybody", tokens.make(filled.workspace, filled.project_id, role, role, user="lin")[1])
        method = "GET" if body is None and "content" not in options else "POST"
        return client.request(method, f"{PREFIX}/{path}", json=body, auth=auth or None, **options)

    return call


def predict_body(*texts, config=NER):
    """As ``MLApi.make_predictions`` sends it."""
    tasks = [
        {
            "id": number, "data": {"text": text}, "annotations": [], "predictions": [], "meta": {},
            "created_at": "2024-05-01T10:00:00Z", "project": 7, "is_labeled": False, "overlap": 1,
        }
        for number, text in enumerate(texts, start=1)
    ]  # fmt: skip
    return {
        "tasks": tasks, "model_version": None, "project": PROJECT, "label_config": config,
        "params": {"login": None, "password": None, "context": None},
    }  # fmt: skip


def setup_body(config=NER):
    """As ``MLApi.setup`` sends it."""
    return {
        "project": PROJECT, "schema": config, "hostname": "http://localhost:8080", "access_token": "abc",
        "extra_params": None,
    }  # fmt: skip


def annotated(number, text, start, end, label):
    """A task as its ``ExportDataSerializer`` writes it."""
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    result = {"id": "a", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
    annotation = {
        "id": 5, "completed_by": {"id": 1, "email": "ana@example.org"}, "result": [result],
        "was_cancelled": False, "ground_truth": False, "created_at": "2024-05-01T10:00:00Z",
    }  # fmt: skip
    return {"id": number, "data": {"text": text}, "annotations": [annotation], "predictions": []}


def test_health_needs_no_token(ask):
    for path in ("health", ""):
        assert ask(path, auth=False).json()["status"] == "UP"


def test_a_project_is_connected_to_the_active_run(ask, served):
    assert ask("setup", setup_body()).json() == {"model_version": "demo"}
    assert ask("validate", {"config": NER}).json() == {"status": "OK"}
    assert ask("versions").json() == {"versions": ["demo"]}
    assert ask("versions", auth=False).status_code == 401


def test_every_task_has_a_prediction_with_offsets_in_code_points(ask, served):
    text = "😀𠮷田在北京"
    answer = ask("predict", predict_body(text, "今天", "")).json()
    (first, *others) = answer["results"]
    assert answer["model_version"] == first["model_version"] == "demo"
    assert first["result"] == [
        {
            "id": "ll-0",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": 4, "end": 6, "text": "北京", "labels": ["place"]},
            "score": 0.75,
        }
    ]
    assert first["score"] == 0.75
    assert others == [{"result": [], "model_version": "demo"}] * 2


def test_the_score_is_the_lowest_and_unknown_labels_are_left_out(ask, served, monkeypatch):
    spans = [Span(0, 1, "PER", 0.9), Span(1, 2, "PER", 0.4), Span(2, 3, "ORG", 0.1), Span(3, 4, "PER")]

    def tag(project_id, asked, run=None):
        return [Document(item.id, item.text, spans) for item in asked]

    monkeypatch.setattr(served.workbench.taggers, "tag", tag)
    (found,) = ask("predict", predict_body("abcdef")).json()["results"]
    assert [result["value"]["start"] for result in found["result"]] == [0, 1, 3]
    assert found["score"] == 0.4
    assert "score" not in found["result"][2]


def test_a_label_goes_to_the_control_that_has_it(ask, served):
    config = (
        '<View><Labels name="who" toName="t"><Label value="PER"/></Labels>'
        '<Labels name="where" toName="t"><Label value="LOC"/></Labels><Text name="t" value="$text"/></View>'
    )
    (found,) = ask("predict", predict_body("在北京", config=config)).json()["results"]
    assert (found["result"][0]["from_name"], found["result"][0]["to_name"]) == ("where", "t")


@pytest.mark.parametrize("data", [{}, {"text": 7}, {"other": "北京"}, None])
def test_a_task_without_the_text_is_named(ask, served, data):
    body = predict_body("北京")
    body["tasks"].append({"id": 2, "data": data})
    answer = ask("predict", body)
    assert answer.status_code == 422
    assert "tasks[1]" in answer.json()["error"]["message"]


def test_annotated_tasks_are_imported_and_trained_on(ask, served, no_worker):
    runs_before = runs.all_runs(served.workspace, served.project_id)
    _train_like(served)
    tasks = [annotated(1, "😀北京大学", 1, 3, "LOC"), annotated(2, "李四在此", 0, 2, "PER")]
    body = {
        "annotations": tasks, "project": PROJECT, "label_config": NER,
        "params": {"login": None, "password": None},
    }  # fmt: skip
    answer = ask("train", body, role="manager")
    assert answer.status_code == 201, answer.text
    run = runs.get(served.workspace, answer.json()["job"])
    assert len(runs.all_runs(served.workspace, served.project_id)) > len(runs_before)
    found = {each.text: each.spans for each in documents.iterate(served.workspace, served.project_id)}
    assert found["😀北京大学"] == (Span(1, 3, "LOC"),)
    state = ask("job_status", {"job": run.name}, role="manager").json()
    assert state == {"job_status": "started", "error": None}


def _train_like(session):
    """Make a run with a request the active one, so that a training knows what to be like."""
    plan = training_runs.plan_from_form("flat", {"epochs": 1}, "cpu")
    name = training_runs.begin(session.workbench, session.project_id, plan, submit=False).name
    projects.set_active(session.workspace, session.project_id, name)


def test_the_button_trains_and_other_actions_change_nothing(ask, served, no_worker):
    _train_like(served)
    before = len(runs.all_runs(served.workspace, served.project_id))
    project = {"id": 7, "label_config": NER}
    ignored = ask("webhook", {"action": "ANNOTATION_CREATED", "project": project}, role="manager")
    assert ignored.json() == {"status": "ignored"}
    assert len(runs.all_runs(served.workspace, served.project_id)) == before
    started = ask("webhook", {"action": "START_TRAINING", "project": project}, role="manager").json()
    assert runs.get(served.workspace, started["job"]).status in ("queued", "running")


@pytest.mark.parametrize("path", CALLS)
def test_without_a_token_that_stands_nothing_is_read(ask, client, served, path):
    made, text = tokens.make(served.workspace, served.project_id, "old", "manager", user="lin")
    tokens.revoke(served.workspace, served.project_id, made.id, user="lin")
    for auth in (False, ("anybody", ""), ("anybody", "ll_1_" + "A" * 43), (text, ""), ("anybody", text)):
        answer = ask(path, auth=auth, content=b"{")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Basic")
    broken = client.post(f"{PREFIX}/{path}", headers={"Authorization": "Basic ééé".encode("latin-1")})
    assert broken.status_code == 401


@pytest.mark.parametrize("path", ["train", "webhook", "job_status"])
@pytest.mark.parametrize("role", ["annotator", "reviewer"])
def test_only_managers_train(ask, served, path, role):
    body = {"annotations": [], "action": "START_TRAINING", "job": "demo"}
    answer = ask(path, body, role=role)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


def test_a_training_and_a_run_of_another_project_are_not_there(ask, served, tmp_path):
    other = projects.create(served.workspace, "other")
    runs.register(served.workspace, other.id, "theirs", "flat", tmp_path, {})
    assert ask("job_status", {"job": "theirs"}, role="manager").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("setup", {}, "schema"), ("setup", {"schema": 7}, "schema"),
        ("setup", {"schema": "<View/>"}, "Labels"),
        ("validate", {"config": 7}, "labelling configuration"), ("validate", [], "body"),
        ("predict", {"tasks": [], "label_config": None}, "label_config"),
        ("predict", {"tasks": "a"}, "tasks"),
        ("predict", {"tasks": [7], "label_config": NER}, "tasks[0]"),
        ("predict", {"tasks": [{"data": {"text": "a"}}] * 1001, "label_config": NER}, "tasks"),
        ("predict", {"tasks": [{"data": {"text": "a" * 200_001}}], "label_config": NER}, "tasks[0]"),
        ("train", {"annotations": "No annotations"}, "annotations"), ("train", {"annotations": []}, "train"),
        ("webhook", {}, "action"), ("job_status", {"job": 7}, "job"),
    ],
)  # fmt: skip
def test_a_wrong_body_is_refused_by_the_name_of_its_field(ask, served, path, body, field):
    answer = ask(path, body, role="manager")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid")
    assert field in answer.json()["error"]["message"]


def test_too_large_a_body_is_refused(ask, served):
    answer = ask("train", content=b"", role="manager", headers={"Content-Length": str(LARGEST_BODY + 1)})
    assert answer.status_code == 413


def test_without_a_tagger_the_connection_says_so(ask):
    answer = ask("setup", setup_body())
    assert answer.status_code == 409
    assert "no tagger yet" in answer.json()["error"]["message"]


def test_a_task_that_cannot_be_read_is_left_out(ask, served, no_worker):
    _train_like(served)
    good = annotated(1, "李四在此", 0, 2, "PER")
    bad = {**annotated(2, "短", 0, 1, "PER"), "data": {"text": 7}}
    assert ask("train", {"annotations": [good, bad]}, role="manager").status_code == 201
    texts = [each.text for each in documents.iterate(served.workspace, served.project_id)]
    assert "李四在此" in texts
