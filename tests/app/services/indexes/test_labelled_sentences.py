"""Labelled sentences beside a document: which may be shown, and that they follow the store."""

import threading
from types import SimpleNamespace

import pytest

from app.services.indexes import labelled_sentences
from app.services.indexes.labelled_sentences import LabelledSentences
from app.services.indexes.workspace_indexes import SentenceIndexes
from app.services.session import Session
from core.store.annotation import annotations
from core.store.document import documents, trash
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.text import Document, LabelSet, Span
from tests.app.asking import Asking
from tests.store.by_hand import save_own

SENTENCE = "林晚晴在清河大学教书。"
ORG = Span(4, 8, "ORG")


@pytest.fixture
def project(workbench):
    id_ = projects.create(workbench.workspace, "news").id
    labels.put(workbench.workspace, id_, LabelSet().extended(["ORG", "NAME"]))
    return id_


def add(workbench, project, *texts, spans=(ORG,), split=None):
    found = [Document(text[:12], text, spans) for text in texts]
    return documents.add(workbench.workspace, project, found, split=split).ids


def index_of(workbench, project, user=None):
    index = LabelledSentences(workbench.workspace, project, user)
    index.update()
    return index


def names(index, sentence=SENTENCE, but=0, split="none"):
    return {row.document for row in index.find(sentence, 5, but=but, split=split)}


def test_a_sentence_comes_with_its_spans_counted_from_its_own_beginning(workbench, project):
    text = f"昨天下雨。 {SENTENCE}后来在清河。"
    spans = (Span(10, 14, "ORG"), Span(4, 10, "NAME"), Span(20, 22, "ORG"))
    (id_,) = add(workbench, project, text, spans=spans)
    (found,) = index_of(workbench, project).find(SENTENCE, 1, but=0, split="train")
    assert (found.document, found.start, found.text) == (id_, 6, SENTENCE)
    assert found.spans == (Span(4, 8, "ORG"),), "one that leaves the sentence is left out"


def test_a_document_is_never_beside_itself_and_equal_sentences_are_shown_once(workbench, project):
    ids = [*add(workbench, project, SENTENCE), *add(workbench, project, f"{SENTENCE}再见。")]
    index = index_of(workbench, project)
    assert len(index.find(SENTENCE, 5, but=0, split="none")) == 1
    assert names(index, but=ids[1]) == {ids[0]}
    assert names(index, but=ids[0]) == {ids[1]}


@pytest.mark.parametrize(
    ("of", "seen"),
    [
        ("train", {"train", "none"}),
        ("none", {"train", "none"}),
        ("dev", {"dev"}),
        ("test", {"test"}),
        ("odd", set()),
    ],
)
def test_training_and_test_sentences_are_never_compared(workbench, project, of, seen):
    ids = {}
    for split in ("train", "none", "dev", "test"):
        (ids[split],) = add(workbench, project, f"{split}{SENTENCE}", spans=(), split=split)
        annotations.save(workbench.workspace, ids[split], 0, [], user="lin", status="done")
    assert names(index_of(workbench, project), split=of) == {ids[split] for split in seen}


def test_it_follows_done_reopened_trashed_and_restored_documents(workbench, project):
    workspace = workbench.workspace
    (id_,) = add(workbench, project, SENTENCE, spans=())
    index = index_of(workbench, project)
    assert names(index) == set()
    annotations.save(workspace, id_, 0, [ORG], user="lin", status="done")
    assert index.update() == 1
    assert names(index) == {id_}
    trash.trash_documents(workspace, project, [id_])
    assert names(index) == set(), "before the index knows"
    index.update()
    trash.restore_documents(workspace, project, [id_])
    assert names(index) == set()
    index.update()
    assert names(index) == {id_}
    annotations.set_status(workspace, id_, "in_progress", user="lin")
    assert names(index) == set()
    assert index.update() == 1
    assert index.update() == 0


def test_a_document_moved_to_test_disappears_at_once(workbench, project):
    from core.store.document import splits

    (id_,) = add(workbench, project, SENTENCE)
    index = index_of(workbench, project)
    splits.set_split(workbench.workspace, project, [id_], "test")
    assert names(index) == set()
    index.update()
    assert names(index, split="test") == {id_}


def test_an_index_is_bounded_and_the_newest_documents_are_kept(workbench, project, monkeypatch):
    monkeypatch.setattr(labelled_sentences, "MOST_SENTENCES", 3)
    ids = add(workbench, project, *(f"清河大学第{n}年。" for n in range(6)))
    index = index_of(workbench, project)
    assert names(index, "清河大学") == set(ids[3:])
    trash.trash_documents(workbench.workspace, project, ids[4:])
    index.update()
    assert names(index, "清河大学") == set(ids[1:4])


@pytest.mark.parametrize(
    "sentence", ["", "，", "鑫", "😀", "\ud800", "鑫" * 100_000, "<img src=x onerror=alert(1)>"]
)
def test_nothing_is_like_a_text_that_shares_nothing(workbench, project, sentence):
    add(workbench, project, SENTENCE)
    assert names(index_of(workbench, project), sentence) == set()
    assert names(index_of(workbench, projects.create(workbench.workspace, "empty").id), sentence) == set()


def test_documents_may_be_trashed_while_it_is_asked(workbench, project):
    ids = add(workbench, project, *(f"清河大学第{n}年。" for n in range(60)))
    index = index_of(workbench, project)
    wrong = []

    def ask():
        for _ in range(40):
            try:
                index.find("清河大学", 5, but=0, split="none")
            except Exception as error:
                wrong.append(error)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    for id_ in ids:
        trash.trash_documents(workbench.workspace, project, [id_])
        if id_ % 10 == 0:
            index.update()
    for thread in asking:
        thread.join()
    index.update()
    assert not wrong
    assert names(index, "清河大学") == set()


# ---------------------------------------------------------------- as the annotator asks


def asking(workbench, project, user="lin"):
    session = Session("a-token", user, workbench, project)
    return Asking(SimpleNamespace(find=lambda token: session))


def test_the_sentence_at_the_caret_is_compared(workbench, project):
    add(workbench, project, SENTENCE, "星野在青岚市划船。")
    (id_,) = add(workbench, project, "清河大学。青岚市划船。", spans=())
    ask = asking(workbench, project)
    first = ask.told("find_similar", document=id_, at=2)
    assert (first["start"], first["end"]) == (0, 5)
    assert [row["text"] for row in first["rows"]] == [SENTENCE]
    assert first["rows"][0]["spans"] == [{"start": 4, "end": 8, "label": "ORG"}]
    assert first["rows"][0]["shared"] == [[4, 8]]
    second = ask.told("find_similar", document=id_, at=5)
    assert [row["text"] for row in second["rows"]] == ["星野在青岚市划船。"]
    assert ask.told("find_similar", document=id_, at=10_000)["start"] == 5


def test_an_empty_document_has_no_sentence(workbench, project):
    (id_,) = documents.add(workbench.workspace, project, [Document("e", "")]).ids
    assert asking(workbench, project).told("find_similar", document=id_, at=0) == {
        "start": 0, "end": 0, "rows": [], "pending": False,
    }  # fmt: skip
    assert asking(workbench, project).told("list_key_sentences", document=id_) == {"rows": []}


def test_the_result_is_pending_until_the_index_is_built(workbench, project, monkeypatch):
    (id_,) = add(workbench, project, SENTENCE)
    reading = threading.Event()
    update = LabelledSentences.update
    monkeypatch.setattr(LabelledSentences, "update", lambda self: reading.wait(60) and update(self))
    ask = asking(workbench, project)
    assert ask.told("find_similar", document=id_, at=0) == {"start": 0, "end": len(SENTENCE), "pending": True}
    reading.set()
    workbench.labelled_sentences.at((project, None), wait=10)
    assert ask.told("find_similar", document=id_, at=0)["pending"] is False


def test_with_individual_versions_only_ones_own_finished_ones_are_shown(workbench, project):
    workspace = workbench.workspace
    ids = add(workbench, project, *(f"林晚晴在清河大学第{n}年。" for n in range(3)), spans=())
    for user, role in (("mia", "manager"), ("ana", "annotator"), ("bo", "annotator")):
        members.put(workspace, project, user, role, by="mia")
    assignments.set_plan(workspace, project, "separate", 2, by="mia")
    assignments.hand_out(workspace, project, ["ana", "bo"], by="mia")
    save_own(workspace, ids[0], 0, [ORG], user="ana", status="done")
    save_own(workspace, ids[1], 0, [ORG], user="bo", status="done")

    def seen(user):
        answer = asking(workbench, project, user).told("find_similar", document=ids[2], at=0)
        return [row["document"] for row in answer["rows"]]

    assert seen("ana") == [ids[0]]
    assert seen("bo") == [ids[1]]
    assert seen("mia") == [], "nothing is merged yet"
    annotations.save(workspace, ids[0], 0, [ORG], user="mia", status="done")
    assert seen("mia") == [ids[0]]
    assert seen("bo") == [ids[1]]
    stranger = asking(workbench, project, "stranger")
    assert stranger.refused("find_similar", document=ids[2], at=0)[0] == "invalid"


def test_key_sentences_are_those_of_the_text(workbench, project):
    parts = [
        f"林晚晴在清河大学教书第{n}年。"
        if n % 3 == 0
        else "".join(chr(0x5000 + 8 * n + k) for k in range(6)) + "。"
        for n in range(15)
    ]
    (id_,) = add(workbench, project, "".join(parts), spans=())
    rows = asking(workbench, project).told("list_key_sentences", document=id_)["rows"]
    text = "".join(parts)
    assert len(rows) == 3
    assert {text[row["start"] : row["end"]] for row in rows} <= set(parts[::3])
    assert all(row["rank"] > 1 for row in rows)


def test_only_a_few_indexes_are_kept(workbench):
    indexes = SentenceIndexes(workbench.workspace)
    made = [projects.create(workbench.workspace, f"p{n}").id for n in range(5)]
    first = indexes.at((made[0], None), wait=5)
    for id_ in made[1:]:
        indexes.at((id_, None), wait=5)
    assert indexes.at((made[0], None), wait=5) is not first
