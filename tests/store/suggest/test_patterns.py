"""A project's patterns: kept, switched, deleted and brought back; bad ones never come in."""

import pytest

from core.store.db.errors import NotFound, PayloadError
from core.store.label import labels
from core.store.project import projects
from core.store.suggest import patterns
from core.text import LabelSet, UnknownLabelError
from core.text.pattern import PatternError


def add(workspace, project, pattern=r"\d+", label="PER"):
    return patterns.add(workspace, project.id, pattern, label, user="lin")


def known(workspace, project, **options):
    return [pattern.pattern for pattern in patterns.all_patterns(workspace, project.id, **options)]


def test_patterns_are_listed_in_the_order_they_were_added(workspace, project):
    first = add(workspace, project, "a")
    add(workspace, project, "b", "LOC")
    assert known(workspace, project) == ["a", "b"]
    assert (first.enabled, first.trashed, first.user, first.label) == (True, None, "lin", "PER")


def test_a_pattern_is_switched_off_and_on(workspace, project):
    made = add(workspace, project)
    assert not patterns.set_enabled(workspace, project.id, made.id, False).enabled
    assert not patterns.all_patterns(workspace, project.id)[0].enabled
    assert patterns.set_enabled(workspace, project.id, made.id, True).enabled


def test_a_deleted_pattern_comes_back_as_it_was(workspace, project):
    made = add(workspace, project)
    patterns.set_enabled(workspace, project.id, made.id, False)
    patterns.trash(workspace, project.id, made.id)
    assert known(workspace, project) == []
    assert known(workspace, project, trashed=True) == [r"\d+"]
    assert not patterns.restore(workspace, project.id, made.id).enabled
    assert known(workspace, project) == [r"\d+"]


def test_the_same_pattern_is_not_added_twice_and_a_deleted_one_is_brought_back(workspace, project):
    made = add(workspace, project)
    patterns.trash(workspace, project.id, made.id)
    assert add(workspace, project).id == made.id
    assert add(workspace, project).id == made.id
    assert add(workspace, project, label="LOC").id != made.id
    assert len(known(workspace, project)) == 2


def test_a_bad_pattern_or_label_is_refused_and_nothing_is_kept(workspace, project):
    with pytest.raises(PatternError, match="character 2"):
        add(workspace, project, "(")
    with pytest.raises(UnknownLabelError):
        add(workspace, project, label="NOPE")
    with pytest.raises(PayloadError):
        patterns.add(workspace, project.id, "a", "PER", user="")
    assert known(workspace, project) == []


def test_there_is_a_most(workspace, project, monkeypatch):
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 2)
    add(workspace, project, "a")
    made = add(workspace, project, "b")
    with pytest.raises(PayloadError, match="at most 2"):
        add(workspace, project, "c")
    patterns.trash(workspace, project.id, made.id)
    add(workspace, project, "c")


def test_a_pattern_of_another_project_is_not_touched(workspace, project):
    made = add(workspace, project)
    other = projects.create(workspace, "other")
    labels.put(workspace, other.id, LabelSet().extended(["PER"]))
    for change in (patterns.trash, patterns.restore):
        with pytest.raises(NotFound):
            change(workspace, other.id, made.id)
    with pytest.raises(NotFound):
        patterns.set_enabled(workspace, other.id, made.id, False)
    assert known(workspace, other) == []
    assert known(workspace, project) == [r"\d+"]
