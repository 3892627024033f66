"""The guided tour: what it asks for, how far somebody is, and a training that is really begun."""

import pytest

from app.server.first_run import prepare
from app.services.errors import AppError
from app.services.session import Session
from app.services.workbench import Workbench
from app.tour import tour
from core.store import Workspace
from core.store.annotation import annotations as store_annotations
from core.store.demo_history import ACTIVE
from core.store.document import trash
from core.store.project import members, projects
from core.store.project.members import NotAllowed
from core.store.run import predictions, runs
from core.text import Span
from core.training.run.run_folder import RunFolder
from tests.app.asking import asked

NEVER = 2**53


@pytest.fixture
def demo(tmp_path, probe):
    with Workspace.open(tmp_path / "workspace") as workspace:
        prepare(workspace)
    bench = Workbench(tmp_path / "workspace", probe)
    yield Session("token", "me", bench, bench.first_project())
    bench.close()


def state(session, since):
    return asked(tour.tour_state, session, {"since": since})


def right_span(document, error):
    start = document.text.index(error["right"])
    return Span(start, start + len(error["right"]), error["label"])


def correct(session, error):
    """Set the right span in a document, as the annotator saves it."""
    now = store_annotations.current(session.workspace, error["document"])
    store_annotations.save(
        session.workspace, error["document"], now.revision, [right_span(now.document, error)],
        user=session.user, run=ACTIVE,
    )  # fmt: skip


def test_it_asks_for_three_errors_the_active_run_really_makes(demo):
    told = state(demo, NEVER)
    assert told["offered"]
    assert [error["right"] for error in told["errors"]] == ["总经理", "肺炎", "Northmere Capital"]
    assert [error["wrong"] and error["wrong"]["surface"] for error in told["errors"]] == [
        None, "肺炎病人", None,
    ]  # fmt: skip
    for error in told["errors"]:
        document = store_annotations.current(demo.workspace, error["document"]).document
        predicted = predictions.get(demo.workspace, ACTIVE, error["document"])
        assert right_span(document, error).key not in {span.key for span in predicted}
        assert not error["done"]


@pytest.mark.exhaustive
def test_what_others_corrected_earlier_does_not_count_and_what_one_corrects_does(demo):
    begun = state(demo, NEVER)
    assert (begun["corrected"], begun["run"]) == (0, None)
    for number, error in enumerate(begun["errors"], start=1):
        correct(demo, error)
        told = state(demo, begun["now"])
        assert told["corrected"] == number
        assert [one["done"] for one in told["errors"]].count(True) == number


def test_a_small_training_is_queued_and_its_verdict_is_that_of_the_ledger(demo, monkeypatch):
    begun = state(demo, NEVER)
    for error in begun["errors"]:
        correct(demo, error)
    submitted = []
    monkeypatch.setattr(demo.workbench.jobs, "submit", submitted.append)
    run = asked(tour.tour_train, demo)["run"]
    assert submitted == [run]
    request = RunFolder(runs.get(demo.workspace, run).folder).read_request()
    assert (request.tagger, request.settings["epochs"], request.parent) == ("bilstm_crf", 4, ACTIVE)
    assert state(demo, begun["now"])["run"]["status"] == "queued"
    # It finds two of the three.
    for error in begun["errors"][:2]:
        document = store_annotations.current(demo.workspace, error["document"]).document
        predictions.put_one(demo.workspace, run, error["document"], [right_span(document, error)])
    predictions.put_one(demo.workspace, run, begun["errors"][2]["document"], [])
    told = state(demo, begun["now"])["run"]
    assert (told["fixed"], told["asked"], told["decided"]) == (2, 3, "")
    runs.decline(demo.workspace, run)
    assert state(demo, begun["now"])["run"]["decided"] == "kept"
    projects.set_active(demo.workspace, demo.project_id, run)
    assert state(demo, begun["now"])["run"]["decided"] == "active"


def test_another_project_and_somebody_who_may_not_train_have_no_tour(demo):
    members.put(demo.workspace, demo.project_id, "ana", "annotator", by="me")
    demo.user = "ana"
    assert state(demo, NEVER) == {"offered": False}
    with pytest.raises(NotAllowed):
        asked(tour.tour_train, demo)
    demo.project_id = projects.create(demo.workspace, "mine").id
    assert state(demo, NEVER) == {"offered": False}
    with pytest.raises(AppError, match="demo project"):
        asked(tour.tour_train, demo)


def test_a_document_in_the_trash_is_not_asked_for(demo):
    first = state(demo, NEVER)["errors"][0]["document"]
    trash.trash_documents(demo.workspace, demo.project_id, [first])
    assert [error["right"] for error in state(demo, NEVER)["errors"]] == ["肺炎", "Northmere Capital"]
