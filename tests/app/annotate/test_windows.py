"""A long document in parts: the tagger says what it says of it at once, and keeps only a whole answer."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from app.annotate import windows
from app.annotate.windows import PART
from app.services.indexes.workspace_indexes import EarlierIndexes
from app.services.session import Sessions
from core.lexicon import Lexicon
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from core.text.overlap import WINDOW, reading_windows
from tests.app.asking import Asking
from tests.workspaces import new_workspace

WORDS = ["青岛", "海川", "总经理"]
LONG = "沈知微在青岛海川能源公司担任总经理，" * 7 + "负责。\n"
TEXT = LONG * 40  # over 5,000 characters
LEXICON = Lexicon(WORDS)


def found_in(text: str) -> list[Span]:
    return [Span(match.head, match.tail + 1, "TITLE", 0.5) for match in LEXICON.match(text)]


class WordTagger:
    """Takes every word for a TITLE; counts what it is given."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.given: list[str] = []
        self.usual: int | None = None

    def run_of(self, project_id: int) -> str:
        return projects.get(self.workspace, project_id).active_run or ""

    def allows_nested(self, project_id: int) -> bool:
        return False

    def usual_length(self, project_id: int) -> int | None:
        return self.usual

    def tag(self, project_id: int, found: list[Document]) -> list[Document]:
        self.given += [document.text for document in found]
        return [document.with_spans(found_in(document.text)) for document in found]

    @contextmanager
    def tagger(self, project_id: int):
        yield SimpleNamespace(lexicon=LEXICON)


RELATIONS = [{"type": "of", "from": [0, 3, "TITLE"], "to": [6, 8, "TITLE"]}]
CHAINS = [{"links": [[0, 3, "name", "coref"], [6, 8, "pronoun", ""]]}]


@pytest.fixture
def backend(tmp_path):
    workspace = Workspace.open(new_workspace(tmp_path / "workspace"))
    project = projects.create(workspace, "news")
    labels.put(workspace, project.id, LabelSet().extended(["TITLE"]))
    pieces = [{"parts": [[0, 3], [6, 8]], "label": "TITLE"}]
    meta = {"discontinuous": pieces, "chains": CHAINS, "relations": RELATIONS}
    odd = {"chains": ["odd"], "relations": [RELATIONS[0] | {"to": [0, 900, "TITLE"]}]}
    texts = [Document("a", TEXT, meta=meta), Document("b", "总经理", meta=odd)]
    documents.add(workspace, project.id, texts)
    run = runs.create(workspace, project.id, "flat")
    runs.set_status(workspace, run.name, "finished")
    LEXICON.save(run.folder / "model" / "lexicon")
    projects.set_active(workspace, project.id, run.name)
    taggers = WordTagger(workspace)
    workbench = SimpleNamespace(
        workspace=workspace,
        taggers=taggers,
        first_project=lambda user="", last=None: project.id,
        earlier=EarlierIndexes(workspace),
    )
    sessions = Sessions(lambda token: workbench)
    told = Asking(sessions, sessions.open("ana", "en").token).told
    yield SimpleNamespace(told=told, workspace=workspace, taggers=taggers, run=run.name)
    workspace.close()


def parts(backend, document: int = 1):
    """Every answer from the beginning to the end."""
    until, answers = 0, []
    while not answers or until < answers[-1]["length"]:
        answers.append(backend.told("tag_from", document=document, start=until, without=[]))
        until = answers[-1]["until"]
    return answers


def test_part_by_part_the_tagger_sees_the_pieces_it_would_see_at_once(backend):
    answers = parts(backend)
    assert len(answers) > 2
    assert backend.taggers.given == [TEXT[one.start : one.end] for one in reading_windows(TEXT)]
    found = [(s["start"], s["end"], s["label"]) for answer in answers for s in answer["spans"]]
    assert found == [span.key for span in found_in(TEXT)]


def test_the_text_is_cut_once_and_no_span_read_however_many_parts_are_asked_for(backend, monkeypatch):
    cut = []
    windows._windows_of.cache_clear()
    monkeypatch.setattr(
        windows,
        "reading_windows",
        lambda *given, **more: cut.append(1) or reading_windows(*given, **more),
    )
    read = []
    monkeypatch.setattr(documents, "built", lambda *given: read.append(1) or [])
    assert len(parts(backend)) > 2
    assert (cut, read) == ([1], [])


def test_the_prediction_is_kept_once_it_is_whole_and_not_before(backend):
    first = backend.told("tag_from", document=1, start=0, without=[])
    assert "active_run" not in first
    assert predictions.get(backend.workspace, backend.run, 1) is None
    answers = parts(backend)
    assert answers[-1]["active_run"] == {"name": backend.run, "answered": True}
    kept = predictions.get(backend.workspace, backend.run, 1)
    assert [span.key for span in kept] == [span.key for span in found_in(TEXT)]


def test_parts_out_of_order_store_no_prediction(backend):
    window = reading_windows(TEXT)[3]
    answer = backend.told("tag_from", document=1, start=window.first + 5, without=[])
    assert answer["from"] == window.first
    last = backend.told("tag_from", document=1, start=len(TEXT) - 1, without=[])
    assert last["until"] == len(TEXT)
    beyond = backend.told("tag_from", document=1, start=len(TEXT) + 7, without=[])
    assert beyond["spans"] == []
    assert predictions.get(backend.workspace, backend.run, 1) is None


def test_a_part_of_another_document_between_makes_no_prediction_of_either(backend):
    first = backend.told("tag_from", document=1, start=0, without=[])
    backend.told("tag_from", document=2, start=0, without=[])
    until = first["until"]
    while until < len(TEXT):
        until = backend.told("tag_from", document=1, start=until, without=[])["until"]
    assert predictions.get(backend.workspace, backend.run, 1) is None
    assert predictions.get(backend.workspace, backend.run, 2) is not None


def test_words_between_are_the_words_of_the_stretch(backend):
    start, end = TEXT.index("\n") + 1, TEXT.index("\n") + 300
    answer = backend.told("list_words_between", document=1, start=start, end=end)
    words = [TEXT[left:right] for left, right in answer["words"]]
    assert set(words) == set(WORDS)
    assert all(start <= left < right <= end for left, right in answer["words"])
    assert len(words) == len(found_in(TEXT[start:end]))


def test_a_request_for_too_many_words_is_cut(backend):
    answer = backend.told("list_words_between", document=1, start=0, end=10**15)
    assert answer["until"] <= len(TEXT)
    assert backend.told("list_words_between", document=1, start=10**12, end=5)["words"] == []


def test_the_cost_of_a_request_is_bounded(backend):
    backend.told("tag_from", document=1, start=0, without=[])
    assert PART <= sum(map(len, backend.taggers.given)) <= 1.2 * (PART + WINDOW)


def test_a_tagger_that_learned_from_sentences_reads_sentences(backend):
    backend.taggers.usual = len(LONG)
    answers = parts(backend)
    assert backend.taggers.given == [LONG] * 40
    assert len(answers) == -(-len(TEXT) // (len(LONG) * -(-PART // len(LONG))))
    found = [(s["start"], s["end"], s["label"]) for answer in answers for s in answer["spans"]]
    assert found == [span.key for span in found_in(TEXT)]


def test_spans_in_pieces_come_with_their_document(backend):
    shown = backend.told("open_document", document=1)["document"]["discontinuous"]
    assert shown == [{"parts": [[0, 3], [6, 8]], "label": "TITLE"}]
    assert backend.told("open_document", document=2)["document"]["discontinuous"] == []


def test_chains_come_with_their_document_and_odd_ones_do_not(backend):
    assert backend.told("open_document", document=1)["document"]["chains"] == CHAINS
    assert backend.told("open_document", document=2)["document"]["chains"] == []


def test_relations_come_with_their_document_and_odd_ones_do_not(backend):
    assert backend.told("open_document", document=1)["document"]["relations"] == RELATIONS
    assert backend.told("open_document", document=2)["document"]["relations"] == []
