"""What lists are read from says what the spans say, whoever wrote them."""

import sqlite3

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.store import Filter, Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.queue import queue
from core.text import Document, LabelSet, Span
from tests.workspaces import new_workspace

NAMES = ["A", "AA", "B", "a b", "组织", "\\", '"']
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "take", "other", "status", "rename", "merge", "delete document"]),
        st.integers(0, 3), st.integers(0, 2), st.sampled_from(NAMES), st.sampled_from(NAMES),
    ),
    max_size=25,
)  # fmt: skip


def said(db: sqlite3.Connection) -> dict[int, set[int]]:
    """What ``documents.labels`` says, each label once."""
    found = {}
    for number, text in db.execute("SELECT id, labels FROM documents"):
        ids = [int(id_) for id_ in text[1:-1].split(",,")] if text else []
        assert len(ids) == len(set(ids)), text
        found[number] = set(ids)
    return found


def stands(db: sqlite3.Connection) -> dict[int, set[int]]:
    """What the gold spans say."""
    found: dict[int, set[int]] = {row[0]: set() for row in db.execute("SELECT id FROM documents")}
    for number, label in db.execute("SELECT document_id, label FROM spans WHERE annotator = ''"):
        found[number].add(label)
    return found


def label_names(db: sqlite3.Connection, document: int) -> set[str]:
    """What the labels of the document's gold spans are called."""
    rows = db.execute(
        "SELECT r.name FROM spans s JOIN labels l ON l.id = s.label JOIN labels r ON r.id = l.reads_as "
        "WHERE s.document_id = ? AND s.annotator = ''",
        (document,),
    )
    return {row[0] for row in rows}


def change(workspace: Workspace, number: int, what: str, span: Span) -> None:
    """Put a gold span there or take it away, save a version of somebody else, or set the status."""
    if what == "status":
        annotations.set_status(workspace, number, "to_check", user="lin")
        return
    annotator = "bo" if what == "other" else ""
    now = annotations.current(workspace, number, annotator)
    spans = [one for one in now.document.spans if one.key != span.key]
    spans += [span] if what != "take" else []
    annotations.save(workspace, number, now.revision, spans, user="lin", annotator=annotator)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_the_labels_of_a_document_are_those_of_its_spans_after_any_writing(tmp_path_factory, walk):
    with Workspace.open(new_workspace(tmp_path_factory.mktemp("labels"))) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet().extended(NAMES))
        members.put(workspace, project, "bo", "annotator", by="lin")
        numbers = documents.add(
            workspace,
            project,
            [Document(str(at), "青禾大学", [Span(0, 2, "A"), Span(1, 3, NAMES[at])]) for at in range(4)],
        ).ids
        assignments.set_plan(workspace, project, "separate", 1, by="lin")
        assignments.hand_out(workspace, project, ["bo"], by="lin")
        for what, which, place, one, other in walk:
            number = numbers[which]
            with workspace.writing() as db:
                there = db.execute("SELECT 1 FROM documents WHERE id = ?", (number,)).fetchone()
                if what == "delete document":
                    db.execute("DELETE FROM documents WHERE id = ?", (number,))
            names = labels.get(workspace, project).names
            if there and what in ("put", "take", "other", "status") and one in names:
                change(workspace, number, what, Span(place, place + 1, one))
            if what == "merge" and one != other and {one, other} <= set(names) and len(names) > 3:
                label_changes.merge(workspace, project, one, other, user="lin")
            if what == "rename" and one in names and f"{one}x" not in names:
                label_changes.rename(workspace, project, one, f"{one}x", user="lin")
            with workspace.reading() as db:
                assert said(db) == stands(db), what
        with workspace.reading() as db:
            wanted = {number: label_names(db, number) for number in stands(db)}
        for name in [*NAMES, "", "x", "\n", "A\n\nB", "%"]:
            found = queue.matching(workspace, project, Filter(label=name))
            assert found == sorted(number for number, own in wanted.items() if name in own)
