"""Other occurrences of a surface: all of them, in order, once, whatever the page size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import NotFound, PayloadError
from core.store.annotation import annotations, occurrences
from core.store.annotation.scope import Scope
from core.store.document import documents, trash
from core.text import Document, Span

TEXTS = ["青岛在山东。青岛的海。", "没有。", "去青岛青岛看海", "Qingdao, Qing and Qingdaos"]


@pytest.fixture
def ids(workspace, project):
    found = [Document(str(at), text) for at, text in enumerate(TEXTS)]
    return documents.add(workspace, project.id, found).ids


def everything(workspace, project, surface, **more):
    rows, since = [], (0, 0)
    while since is not None:
        page = occurrences.page(workspace, Scope(project.id, "lin", "together"), surface, since=since, **more)
        assert page.rows or page.then is None
        rows, since = [*rows, *page.rows], page.then
    return rows


def test_every_occurrence_is_found_with_its_context_and_its_labels(workspace, project, ids):
    annotations.save(
        workspace, ids[2], 0, [Span(3, 5, "LOC"), Span(3, 5, "ORG"), Span(1, 5, "PER")], user="lin"
    )
    rows = everything(workspace, project, "青岛")
    assert [(row.document_id, row.start, row.end) for row in rows] == [
        (ids[0], 0, 2), (ids[0], 6, 8), (ids[2], 1, 3), (ids[2], 3, 5),
    ]  # fmt: skip
    assert [row.labels for row in rows] == [(), (), (), ("LOC", "ORG")]
    assert [row.overlapping for row in rows] == [(), (), (("青岛青岛", "PER"),), (("青岛青岛", "PER"),)]
    assert (rows[1].before, rows[1].after, rows[1].name) == ("青岛在山东。", "的海。", "0")
    assert occurrences.count(workspace, Scope(project.id, "lin", "together"), "青岛") == (4, 2)


def test_the_document_on_the_screen_and_the_trash_are_left_out(workspace, project, ids):
    assert {row.document_id for row in everything(workspace, project, "青岛", but=ids[0])} == {ids[2]}
    assert occurrences.count(workspace, Scope(project.id, "lin", "together"), "青岛", but=ids[0]) == (2, 1)
    trash.trash_documents(workspace, project.id, [ids[2]])
    assert everything(workspace, project, "青岛", but=ids[0]) == []


def test_part_of_a_longer_word_is_told_where_words_have_blanks_between_them(workspace, project, ids):
    inside = [row.inside_word for row in everything(workspace, project, "Qingdao")]
    assert inside == [False, True]
    assert [row.inside_word for row in everything(workspace, project, "Qing")] == [True, False, True]
    assert not any(row.inside_word for row in everything(workspace, project, "岛"))


@pytest.mark.parametrize("surface", ["%", "_", "'", '"; --', "(.*)", "\\"])
def test_a_surface_is_never_a_pattern(workspace, project, ids, surface):
    assert everything(workspace, project, surface) == []
    (id_,) = documents.add(workspace, project.id, [Document("p", f"a{surface}b")]).ids
    assert [(row.document_id, row.start) for row in everything(workspace, project, surface)] == [(id_, 1)]


@pytest.mark.parametrize("surface", ["", "长" * 201, None, 7, "a\0b"])
def test_what_is_no_surface_is_refused(workspace, project, surface):
    with pytest.raises(PayloadError):
        occurrences.page(workspace, Scope(project.id, "lin", "together"), surface)
    with pytest.raises(PayloadError):
        occurrences.count(workspace, Scope(project.id, "lin", "together"), surface)


def test_an_unknown_project_is_named(workspace):
    with pytest.raises(NotFound):
        occurrences.page(workspace, Scope(99, "lin", "together"), "青岛")


def test_pages_lie_end_to_end_also_across_many_documents(workspace, project, monkeypatch):
    monkeypatch.setattr(occurrences, "DOCUMENTS_AT_ONCE", 3)
    many = [Document(f"m{at}", "海" * (at % 4)) for at in range(23)]
    ids = documents.add(workspace, project.id, many).ids
    wanted = [(ids[at], start) for at, document in enumerate(many) for start in range(len(document.text))]
    for limit in (1, 2, 5, 100):
        assert [(r.document_id, r.start) for r in everything(workspace, project, "海", limit=limit)] == wanted


@given(
    text=st.text(alphabet="哈𠮷a👩\u200d\u0301", max_size=30),
    surface=st.text(alphabet="哈𠮷a👩", min_size=1, max_size=3),
)
def test_starts_are_those_of_a_walk_from_the_left(text, surface):
    wanted, at = [], 0
    while at < len(text):
        if text[at : at + len(surface)] == surface:
            wanted.append(at)
            at += len(surface)
        else:
            at += 1
    assert list(occurrences.starts(text, surface)) == wanted
    assert len(wanted) == text.count(surface)
