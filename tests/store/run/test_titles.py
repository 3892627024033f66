"""Titles and notes of runs."""

import pytest

from core.store.db.errors import NameTaken, NotFound, PayloadError
from core.store.project import projects
from core.store.run import runs
from core.store.run.runs import LONGEST_NOTE, LONGEST_TITLE


@pytest.fixture
def pair(workspace, project):
    return [runs.create(workspace, project.id, "flat").name for _ in range(2)]


def test_a_run_is_called_by_its_name_until_it_has_a_title(workspace, project, pair):
    assert runs.titles(workspace, project.id) == {pair[0]: pair[0], pair[1]: pair[1]}
    run = runs.describe(workspace, pair[0], title="  Baseline\n of  May ", note=" one \n\n two ")
    assert (run.name, run.title, run.note) == (pair[0], "Baseline of May", "one\n\n two")
    assert runs.titles(workspace, project.id)[pair[0]] == "Baseline of May"
    back = runs.describe(workspace, pair[0], title="", note="")
    assert (back.title, back.note) == (pair[0], "")


@pytest.mark.parametrize("taken", ["Baseline", "flat-0001"])
def test_two_runs_of_a_project_are_never_called_alike(workspace, project, pair, taken):
    runs.describe(workspace, pair[0], title="Baseline", note="")
    with pytest.raises(NameTaken, match=taken):
        runs.describe(workspace, pair[1], title=taken, note="")
    runs.describe(workspace, pair[0], title="Baseline", note="once more")
    other = runs.create(workspace, projects.create(workspace, "other").id, "flat")
    assert runs.describe(workspace, other.name, title="Baseline", note="").title == "Baseline"


@pytest.mark.parametrize(
    ("title", "note"),
    [
        ("x" * (LONGEST_TITLE + 1), ""),
        ("", "x" * (LONGEST_NOTE + 1)),
        ("a\u202eb", ""),
        ("a\x00b", ""),
        ("", "\ud800"),
        (7, ""),
        ("", None),
    ],
)
def test_what_cannot_be_shown_in_a_line_is_refused(workspace, pair, title, note):
    with pytest.raises(PayloadError):
        runs.describe(workspace, pair[0], title=title, note=note)
    assert runs.get(workspace, pair[0]).title == pair[0]


@pytest.mark.parametrize(
    "title", ["<img src=x onerror=alert(1)>", "`$$x$$`", "基线 👩\u200d👧", "'; DROP TABLE runs; --"]
)
def test_any_other_text_is_kept_as_it_is(workspace, pair, title):
    assert runs.describe(workspace, pair[0], title=title, note=title).title == title


def test_a_run_that_is_none_has_no_title(workspace):
    with pytest.raises(NotFound):
        runs.describe(workspace, "flat-0099", title="x", note="")
