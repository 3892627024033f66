"""Flat and nested projects: what is guessed from imported data, and a person's choice before any guess."""

import pytest

from core.store import NotFound
from core.store.project import nesting
from core.text import Document, Span

FLAT = Document("flat", "青禾大学附属医院", [Span(0, 8, "ORG")])
NESTED = Document("nested", "青禾大学附属医院", [Span(0, 8, "ORG"), Span(0, 4, "ORG")])


@pytest.fixture
def is_nested(workspace, project):
    return lambda: nesting.is_nested(workspace, project.id)


def test_a_project_is_flat_until_overlapping_spans_come(workspace, project, is_nested):
    assert not is_nested()
    assert not nesting.guess_from(workspace, project.id, [FLAT, Document("raw", "无标注")])
    assert not is_nested()
    assert nesting.guess_from(workspace, project.id, [FLAT, NESTED])
    assert is_nested()


def test_a_flat_import_leaves_a_nested_project_nested(workspace, project, is_nested):
    nesting.guess_from(workspace, project.id, [NESTED])
    nesting.guess_from(workspace, project.id, [FLAT] * 1_000)
    assert is_nested()


@pytest.mark.parametrize(("labelled", "overlapping", "nested"), [
    (1, 1, True), (100, 1, True), (101, 1, False), (1_000, 9, False), (0, 0, False),
])  # fmt: skip
def test_less_than_one_in_a_hundred_is_a_slip(workspace, project, is_nested, labelled, overlapping, nested):
    assert nesting.would_become_nested(workspace, project.id, labelled, overlapping) == nested
    assert nesting.guess(workspace, project.id, labelled, overlapping) == nested
    assert is_nested() == nested


@pytest.mark.parametrize("choice", [True, False])
def test_what_a_person_chose_no_import_changes(workspace, project, is_nested, choice):
    nesting.choose(workspace, project.id, choice)
    assert not nesting.would_become_nested(workspace, project.id, 10, 10)
    assert not nesting.guess_from(workspace, project.id, [NESTED])
    assert is_nested() == choice


def test_an_unknown_project_is_refused(workspace, project):
    with pytest.raises(NotFound):
        nesting.is_nested(workspace, 77)
    with pytest.raises(NotFound):
        nesting.choose(workspace, 77, True)
