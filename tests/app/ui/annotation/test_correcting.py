"""Correcting a tagged sentence where it stands: what is stored, for whom, and what of it the ledger has."""

from types import SimpleNamespace

import pytest

from app.i18n.binding import Texts
from app.services.errors import AppError
from app.services.session import Session
from app.ui.annotation import correcting
from app.ui.annotation.correcting import Source, Tagged
from app.ui.frame import Frame
from core.store.annotation import annotations
from core.store.document import documents
from core.store.project import assignments, members, projects
from core.store.run import ledger, predictions, runs
from core.text import Document, Span

TEXT = "张伟在北京工作"
WRONG = Span(3, 5, "PER", 0.6)
RIGHT = Span(3, 5, "LOC")


class Page:
    """A page with one sentence that "flat-0001" has tagged, and its server functions."""

    def __init__(self, session: Session, sentence: Document, document: int | None = None, start: int = 0):
        self.session = session
        self.tagged = Tagged("flat-0001", sentence, document, start)
        frame = Frame(Texts(), SimpleNamespace(find=lambda token: session))
        frame.page = "tag"
        source = Source(lambda session, row: self.tagged, self._adopt)
        self.functions = {fn.__name__: fn for fn in correcting.server_functions(frame, source)}

    def _adopt(self, session, row, number):
        self.tagged = Tagged("flat-0001", self.tagged.sentence, number)

    def ask(self, name, **fields):
        return self.functions[name]({"row": 0, "text": self.tagged.sentence.text, **fields})

    def read(self, **fields):
        reply = self.ask("read_tagged", **fields)
        assert reply["ok"], reply
        return reply

    def save(self, spans=(), rejected=(), base=0, action="relabel", edit="edit-0001", **fields):
        sent = {"spans": [plain(span) for span in spans], "rejected": [plain(span) for span in rejected]}
        return self.ask(
            "save_correction", base_revision=base, client_edit=edit, action=action, **sent, **fields
        )


def plain(span: Span) -> dict[str, object]:
    return {"start": span.start, "end": span.end, "label": span.label}


@pytest.fixture
def tagged(session, tmp_path):
    """The session, with a run that tags."""
    runs.register(session.workspace, session.project_id, "flat-0001", "flat", tmp_path, {})
    return session


@pytest.fixture
def stored(tagged):
    """The page on a document of the project."""
    number = documents.add(tagged.workspace, tagged.project_id, [Document("a", TEXT)]).ids[0]
    return Page(tagged, Document("a", TEXT, (WRONG,)), number)


def test_a_wrong_label_of_a_document_becomes_a_line_of_the_ledger(stored):
    told = stored.read()
    assert (told["document"]["revision"], told["start"], told["run"]) == (0, 0, "flat-0001")
    assert [label["name"] for label in told["labels"]] == ["PER", "LOC"]
    reply = stored.save([RIGHT])
    assert (reply["ok"], reply["revision"], reply["added"], reply["gold"]) == (True, 1, False, True)
    (claim,) = reply["claims"]
    assert (claim["kind"], claim["before"]["label"], claim["after"]["label"]) == ("type", "PER", "LOC")
    (row,) = ledger.page(stored.session.workspace, stored.session.project_id).rows
    assert (row.correction.run, row.correction.states) == ("flat-0001", {"flat-0001": "W"})


def test_a_span_that_is_none_and_one_that_is_right_are_told_from_each_other(stored):
    (refused,) = stored.save(rejected=[WRONG], action="reject")["claims"]
    assert (refused["kind"], refused["after"]) == ("spurious", None)
    (kept,) = stored.save([WRONG], base=1, action="accept", edit="edit-0002")["claims"]
    assert kept["kind"] == "confirmed"


def test_undo_is_saved_as_on_the_annotate_page_and_takes_the_line_back(stored):
    stored.save([RIGHT])
    reply = stored.save(base=1, action="undo", edit="edit-0002")
    assert (reply["revision"], reply["claims"]) == (2, [])
    history = annotations.history(stored.session.workspace, stored.tagged.document)
    assert [event.action for event in history] == ["relabel", "undo"]


def test_a_repeated_request_changes_nothing_more(stored):
    assert stored.save([RIGHT]) == stored.save([RIGHT])
    assert len(annotations.history(stored.session.workspace, stored.tagged.document)) == 1


def test_the_prediction_in_view_replaces_an_older_one_of_the_run(stored):
    session, number = stored.session, stored.tagged.document
    predictions.put_one(session.workspace, "flat-0001", number, [Span(0, 2, "PER")])
    stored.save([RIGHT])
    assert predictions.get(session.workspace, "flat-0001", number) == (WRONG,)


def test_of_a_part_of_a_long_document_the_whole_document_is_predicted(tagged, monkeypatch):
    number = documents.add(tagged.workspace, tagged.project_id, [Document("long", "。" + TEXT)]).ids[0]
    page = Page(tagged, Document("", TEXT, (WRONG,)), number, start=1)
    asked = []

    def predict(project_id, run, ids):
        asked.append((run, ids))
        predictions.put_one(tagged.workspace, run, number, [Span(4, 6, "PER")])

    monkeypatch.setattr(tagged.workbench.taggers, "predict", predict)
    assert page.read()["start"] == 1
    (claim,) = page.save([Span(4, 6, "LOC")])["claims"]
    assert claim["kind"] == "type"
    page.save([Span(4, 6, "LOC"), Span(1, 3, "PER")], base=1, action="label", edit="edit-0002")
    assert asked == [("flat-0001", [number])], "it was predicted by then"


def test_a_sentence_that_is_no_document_becomes_one_with_its_correction(tagged):
    page = Page(tagged, Document("pasted-1", TEXT, (WRONG,)))
    assert page.read()["document"] is None
    reply = page.save([RIGHT])
    assert (reply["added"], reply["document"]) == (True, page.tagged.document)
    assert documents.get(tagged.workspace, reply["document"]).text == TEXT
    assert page.read()["document"]["revision"] == 1
    assert page.save([], base=1, action="delete", edit="edit-0002")["added"] is False


def test_undo_of_what_added_it_takes_it_out_again_and_correcting_brings_it_back(tagged):
    page = Page(tagged, Document("pasted-1", TEXT, (WRONG,)))
    first = page.save([RIGHT])["document"]
    reply = page.save(base=1, action="undo", edit="edit-0002", discard=True)
    assert (reply["discarded"], page.tagged.document) == (True, None)
    assert documents.count(tagged.workspace, tagged.project_id)["all"] == 0
    again = page.save([RIGHT], edit="edit-0003")
    assert (again["ok"], again["document"], len(again["claims"])) == (True, first, 1)


def test_a_sentence_that_is_an_annotated_document_is_corrected_from_what_stands_there(tagged):
    """Whatever the document is called, and whoever annotated it."""
    stands = Span(0, 2, "PER")
    workspace, project_id = tagged.workspace, tagged.project_id
    raw, number = documents.add(workspace, project_id, [Document(name, TEXT) for name in ("raw", "b")]).ids
    annotations.save(workspace, number, 0, [stands], user="bo")
    page = Page(tagged, Document("pasted-1", TEXT, (WRONG,)))
    told = page.read()
    assert (told["document"]["id"], told["document"]["revision"]) == (number, 1)
    assert (told["standing"]["name"], told["standing"]["user"]) == ("b", "bo")
    assert told["standing"]["at"] == annotations.history(workspace, number)[-1].at
    assert page.tagged.document is None, "looking adopts nothing"
    reply = page.save([stands, RIGHT], base=1)
    assert (reply["ok"], reply["added"], reply["document"], reply["revision"]) == (True, False, number, 2)
    assert "type" in [claim["kind"] for claim in reply["claims"]]
    assert page.tagged.document == number
    assert page.read()["standing"] is None, "the page knows it now"
    assert page.save([stands], base=2, action="undo", edit="edit-0002")["discarded"] is False
    assert documents.get(workspace, number).spans == (stands,)
    assert documents.get(workspace, raw).spans == ()
    assert documents.count(workspace, project_id)["all"] == 2


def test_of_imported_spans_nobody_is_named_and_a_raw_document_is_taken_silently(tagged):
    given = [Document("gold", TEXT, (RIGHT,)), Document("raw", f"{TEXT}。")]
    gold, raw = documents.add(tagged.workspace, tagged.project_id, given).ids
    told = Page(tagged, Document("pasted-1", TEXT, (WRONG,))).read()
    assert (told["document"]["id"], told["standing"]) == (gold, {"name": "gold", "user": "", "at": 0})
    told = Page(tagged, Document("pasted-2", f"{TEXT}。", (WRONG,))).read()
    assert (told["document"]["id"], told["standing"]) == (raw, None)
    other = projects.create(tagged.workspace, "other").id
    documents.add(tagged.workspace, other, [Document("x", f"{TEXT}！", (RIGHT,))])
    assert Page(tagged, Document("pasted-3", f"{TEXT}！", (WRONG,))).read()["document"] is None


def test_a_correction_that_is_refused_leaves_no_sentence_behind(tagged):
    page = Page(tagged, Document("pasted-1", TEXT, (WRONG,)))
    reply = page.save([Span(3, 5, "GONE")])
    assert (reply["ok"], reply["code"]) == (False, "labels_gone")
    assert documents.count(tagged.workspace, tagged.project_id)["all"] == 0
    assert page.tagged.document is None


def test_who_may_remove_no_documents_saves_nothing_when_they_ask_for_it(stored):
    workspace, project_id = stored.session.workspace, stored.session.project_id
    members.put(workspace, project_id, "mia", "manager", by="mia")
    members.put(workspace, project_id, "lin", "annotator", by="mia")
    stored.session.user = "lin"
    reply = stored.save([RIGHT], discard=True)
    assert "removing documents" in reply["message"]
    assert annotations.history(workspace, stored.tagged.document) == []


def test_who_saves_on_an_older_revision_is_told_what_stands(stored):
    annotations.save(stored.session.workspace, stored.tagged.document, 0, [Span(0, 2, "PER")], user="bo")
    reply = stored.save([RIGHT])
    assert (reply["ok"], reply["code"], reply["current"]["user"]) == (False, "conflict", "bo")
    assert [span["start"] for span in reply["current"]["spans"]] == [0]


@pytest.mark.parametrize(
    ("role", "open_to"), [("annotator", (True, False)), ("manager", (True, True)), (None, (False, False))]
)
def test_who_may_correct_what(stored, role, open_to):
    session, document = stored.session, stored.tagged.document
    members.put(session.workspace, session.project_id, "mia", "manager", by="mia")
    if role is not None:
        members.put(session.workspace, session.project_id, "lin", role, by="mia")
    session.user = "lin"
    assert tuple(correcting.may_correct(session, number) for number in (document, None)) == open_to
    assert stored.save([RIGHT])["ok"] is open_to[0]
    assert Page(session, Document("pasted-1", "他在北京", ())).save([Span(2, 4, "LOC")])["ok"] is open_to[1]


def test_in_a_version_of_ones_own_it_is_saved_and_is_no_correction_yet(stored):
    session = stored.session
    members.put(session.workspace, session.project_id, "mia", "manager", by="mia")
    members.put(session.workspace, session.project_id, "lin", "annotator", by="mia")
    assignments.set_plan(session.workspace, session.project_id, "separate", 1, by="mia")
    assignments.hand_out(session.workspace, session.project_id, ["lin"], by="mia")
    reply = stored.save([RIGHT])
    assert (reply["ok"], reply["gold"], reply["claims"]) == (True, False, [])


def test_another_text_than_the_browser_shows_is_not_corrected(stored):
    reply = stored.ask("read_tagged", text="他在北京")
    assert reply["message"] == "The page now shows another text. Reload the page, and correct it there."


def test_documents_and_runs_of_other_projects_stay_closed(stored, tagged):
    other = projects.create(tagged.workspace, "other").id
    tagged.project_id = other
    assert not stored.ask("read_tagged")["ok"]


def test_a_source_without_a_sentence_says_so(tagged):
    page = Page(tagged, Document("a", TEXT))

    def gone(session, row):
        raise AppError("Tag something first.")

    frame = Frame(Texts(), SimpleNamespace(find=lambda token: tagged))
    read, _ = correcting.server_functions(frame, Source(gone, page._adopt))
    assert read({"row": 0, "text": TEXT})["message"] == "Tag something first."
