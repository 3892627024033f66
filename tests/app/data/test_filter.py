"""What the table of documents is narrowed by, and the export after it."""

import pytest

from app.data import documents as data_documents
from app.data import export as data_export
from app.data import filter as data_filter
from app.services.errors import AppError
from app.services.exporting.documents import chosen
from core.store.annotation import annotations, comments
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.queue import work_sets
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span

NOTHING = ("", "", "", "", "", None, None, False)


@pytest.fixture
def filled(session):
    """Four documents: corrected by lin, commented, unsure, untouched."""
    workspace, project = session.workspace, session.project_id
    labels.put(workspace, project, LabelSet().extended(["ORG"]))
    ids = documents.add(workspace, project, [Document(f"d{at}", "青禾市医院") for at in range(4)]).ids
    run = runs.create(workspace, project, "flat").name
    projects.set_active(workspace, project, run)
    for at, score in enumerate((0.9, 0.8, 0.2, 0.7)):
        predictions.put_one(workspace, run, ids[at], [Span(0, 3, "ORG", score)])
    annotations.save(workspace, ids[0], 0, [Span(0, 2, "ORG")], user="lin", run=run)
    comments.add(workspace, ids[1], "存疑", user="wu")
    return session, run


def shown(session, search="", which="all"):
    table = data_documents.show_page(session, search, which, 0)["table"]
    return [row["name"] for row in table["value"]["rows"]]


def narrow(session, **changes):
    names = ("status", "label", "person", "run", "error", "least", "most", "commented")
    data_filter.choose(session, *(dict(zip(names, NOTHING, strict=True)) | changes).values())


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, ["d0", "d1", "d2", "d3"]),
        ({"status": "in_progress"}, ["d0"]),
        ({"label": "ORG"}, ["d0"]),
        ({"person": "lin"}, ["d0"]),
        ({"person": "nobody"}, []),
        ({"error": "boundary"}, ["d0"]),
        ({"error": "missed"}, []),
        ({"least": 0.75}, ["d0", "d1"]),
        ({"most": 0.2}, ["d2"]),
        ({"commented": True}, ["d1"]),
        ({"least": 0.5, "status": "preannotated"}, ["d1", "d3"]),
        ({"status": "new"}, []),
    ],
)
def test_the_table_and_the_export_hold_what_was_chosen(filled, changes, wanted):
    session, _ = filled
    narrow(session, **changes)
    assert shown(session) == wanted
    choice = data_export.choice_of(session, data_export.AS_SHOWN, False, False, "", "all")
    assert [x.id for x in chosen(session.workspace, session.project_id, choice)] == wanted


def test_confidence_and_errors_are_those_of_the_run_that_was_chosen(filled):
    session, run = filled
    other = runs.create(session.workspace, session.project_id, "flat").name
    narrow(session, run=other, least=0.1)
    assert shown(session) == []
    narrow(session, run=run, least=0.1)
    assert len(shown(session)) == 4
    narrow(session, run="../../etc/passwd", least=0.1)
    assert len(shown(session)) == 4, "a run that is none of the project's stands for the active one"


def test_the_choices_come_back_with_the_page_and_go_with_the_project(filled):
    session, run = filled
    narrow(session, person="lin", run=run, most=0.95)
    choices = data_filter.show(session)
    assert [choices[name] for name in ("status", "error", "least", "most", "commented")] == [
        "",
        "",
        None,
        0.95,
        False,
    ]
    assert [choices[name]["value"] for name in ("person", "run", "label")] == ["lin", run, ""]
    assert [value for _, value in choices["person"]["choices"]] == ["", "lin"]
    assert data_filter.clear(session)["most"] is None
    assert len(shown(session)) == 4
    narrow(session, person="lin")
    session.turn_to(session.project_id)
    assert data_filter.narrowing(session) == data_filter.Narrowing()


def test_a_work_set_is_shown_as_chosen_with_its_search_and_its_split_only(filled):
    session, _ = filled
    narrow(session, person="lin")
    place = data_filter.choose(session, "", "", "lin", "", "", None, None, False)
    data_filter.save_set(session, "lin's", "青", "dev")
    number = str(work_sets.all_sets(session.workspace, session.project_id)[0].id)

    def set_shown(*asked):
        return data_filter.show_asked(session, *asked)["work_set"]["value"]

    assert set_shown(place, " 青 ", "dev") == number
    for other in ((place, "", "dev"), (place, "青", "all"), (place, "青", "trash"), ("", "青", "dev")):
        assert set_shown(*other) == ""


def test_bounds_that_exclude_everything_are_an_error_and_change_nothing(filled):
    session, _ = filled
    narrow(session, most=0.5)
    with pytest.raises(AppError):
        narrow(session, least=0.9, most=0.1)
    assert shown(session) == ["d2"]
