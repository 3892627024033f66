"""The journal of steps that can be taken back: each once, by its number, in its own project."""

import pytest

from core.store import NotFound, PayloadError, Workspace, projects
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.lexicon import rejected_candidates
from core.store.lexicon import returning as lexicon_returning
from core.store.project import journal
from core.store.project.journal import AlreadyUndone
from core.store.project.projects import Project
from tests.store.by_hand import add_words


def test_steps_of_different_kinds_are_taken_back_alike(workspace: Workspace, project: Project) -> None:
    labels.put(workspace, project.id, labels.get(workspace, project.id).extended(["SITE"]))
    renamed = label_changes.rename(workspace, project.id, "SITE", "PLACE", user="lin")
    assert renamed is not None
    add_words(workspace, project.id, {"青禾": ""}, user="lin")
    rejected = rejected_candidates.reject(workspace, project.id, ["的人"], user="lin")
    words = journal.latest(workspace, project.id, ["words"], "lin")
    assert words is not None
    assert (words.detail["first"], words.detail["words"]) == ("青禾", 1)
    assert journal.latest(workspace, project.id, ["words"], "mei") is None
    for step in (renamed.id, words.id, rejected):
        journal.undo(workspace, project.id, step, user="mei")
        with pytest.raises(AlreadyUndone, match="undone already"):
            journal.undo(workspace, project.id, step, user="lin")
    assert "SITE" in labels.get(workspace, project.id).names
    assert journal.latest(workspace, project.id, ["words"], "lin") is None
    assert rejected_candidates.rejected(workspace, project.id) == frozenset()


def test_a_step_is_undone_in_its_project_and_as_its_kind_only(workspace: Workspace, project: Project) -> None:
    other = projects.create(workspace, "other")
    step = rejected_candidates.reject(workspace, project.id, ["的人"], user="lin")
    for where, kinds in ((other.id, ()), (project.id, ["rename"]), (project.id, ["no such kind"])):
        with pytest.raises(NotFound):
            journal.undo(workspace, where, step, user="lin", kinds=kinds)
    for user in ("", None):
        with pytest.raises(PayloadError):
            journal.undo(workspace, project.id, step, user=user)  # type: ignore[arg-type]
    assert rejected_candidates.rejected(workspace, project.id) == {"的人"}


def test_a_merge_of_labels_is_undone_as_a_whole_and_not_by_its_words(
    workspace: Workspace, project: Project
) -> None:
    labels.put(workspace, project.id, labels.get(workspace, project.id).extended(["SITE", "PLACE"]))
    add_words(workspace, project.id, {"青禾": "SITE"}, user="lin")
    merge = label_changes.merge(workspace, project.id, "SITE", "PLACE", user="lin")
    undone, _ = lexicon_returning.undo(workspace, project.id, user="lin")
    assert undone.kind == "add"
    journal.undo(workspace, project.id, merge.id, user="lin")
    assert "SITE" in labels.get(workspace, project.id).names
