"""The distinct spellings of what was labelled."""

from core.store.annotation import batches
from core.store.annotation.scope import Scope
from core.store.annotation.surfaces import Labelled, surfaces
from core.store.annotation.surfaces import labelled as labelled_surfaces
from core.store.document import documents, trash
from core.store.knowledge.earlier_links import on_surface
from core.store.project import projects
from core.text import Document, EntityLink, Span


def everything(project):
    return Scope(project.id, "lin", "together")


def labelled(name, text, *words, label="PER"):
    spans = [Span(text.index(word), text.index(word) + len(word), label) for word in words]
    return Document(name, text, tuple(spans))


def test_surfaces_of_a_label_are_counted_over_the_project_and_the_frequent_come_first(workspace, project):
    documents.add(
        workspace,
        project.id,
        [
            labelled("1", "林知远见周若水", "林知远", "周若水"),
            labelled("2", "😀周若水在岭南", "周若水"),
            labelled("3", "岭南", "岭南", label="LOC"),
        ],
    )
    elsewhere = projects.create(workspace, "other").id
    documents.add(workspace, elsewhere, [labelled("9", "欧阳山", "欧阳山")])
    assert surfaces(workspace, project.id, "PER") == [("周若水", 2), ("林知远", 1)]
    assert surfaces(workspace, project.id, "PER", limit=1) == [("周若水", 2)]
    assert surfaces(workspace, project.id, "ORG") == []


def test_what_lies_in_the_trash_does_not_count(workspace, project):
    (number,) = documents.add(workspace, project.id, [labelled("1", "林知远来", "林知远")]).ids
    trash.trash_documents(workspace, project.id, [number])
    assert surfaces(workspace, project.id, "PER") == []


def test_each_surface_of_a_label_comes_with_the_first_of_its_places(workspace, project):
    texts = [labelled("1", "😀周若水在岭南", "周若水"), labelled("2", "林知远见周若水。", "林知远", "周若水")]
    first, second = documents.add(workspace, project.id, texts).ids
    assert labelled_surfaces(workspace, everything(project), "PER") == [
        Labelled("周若水", 2, 2, "1", "😀", "在岭南"),
        Labelled("林知远", 1, 1, "2", "", "见周若水。"),
    ]
    assert labelled_surfaces(workspace, everything(project), "PER", but=first) == [
        Labelled("周若水", 1, 1, "2", "林知远见", "。"),
        Labelled("林知远", 1, 1, "2", "", "见周若水。"),
    ]
    assert labelled_surfaces(workspace, everything(project), "PER", but=second, limit=1)[0].name == "1"


def test_the_context_of_a_surface_is_cut_to_a_few_characters(workspace, project):
    text = "前" * 40 + "周若水" + "后" * 40
    documents.add(workspace, project.id, [labelled("1", text, "周若水")])
    (row,) = labelled_surfaces(workspace, everything(project), "PER")
    assert (row.before, row.after) == ("前" * 24, "后" * 24)


def test_a_text_is_read_once_however_many_spans_are_cut_out_of_it(workspace, project):
    texts = ["😀林知远见周若水，" * 200, "周若水来"]
    spans = [Span(at, at + 3, "PER") for at in range(1, 9 * 200, 9)]
    spans += [Span(at, at + 3, "PER") for at in range(5, 9 * 200, 9)]
    long = Document("1", texts[0], tuple(spans))
    documents.add(workspace, project.id, [long, Document("2", texts[1], (Span(0, 3, "PER"),))])
    link = EntityLink("Q1")
    linked = [Document("3", texts[0], tuple(Span(*span.key, link=link) for span in spans))]
    documents.add(workspace, project.id, linked)
    scope = everything(project)
    asked = []
    with workspace.reading() as db:
        db.set_trace_callback(asked.append)
    assert surfaces(workspace, project.id, "PER") == [("周若水", 401), ("林知远", 400)]
    first, second = labelled_surfaces(workspace, scope, "PER")
    assert first == Labelled("周若水", 401, 3, "1", "😀林知远见", texts[0][8:32])
    assert (second.surface, second.documents, second.before) == ("林知远", 2, "😀")
    assert on_surface(workspace, project.id, "周若水") == {link: 200}
    done = batches.replace(workspace, scope, "PER", None, ["周若水"], batch="b")
    assert done.removed == 401
    of_texts = [sql for sql in asked if "text FROM documents" in sql]
    assert len(of_texts) == 4, "one a question, for all three documents"
    assert not [sql for sql in asked if "substr(" in sql and "FROM spans" in sql]
