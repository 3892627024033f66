"""The Tag page's callbacks, with a tagger that marks 北京."""

from pathlib import Path

import pytest

from app.services import loaded_taggers
from app.services.background.tasks import Stopped
from app.services.errors import AppError
from app.services.limits.table import Limits
from app.tag import page, result
from app.ui.window.navigation import AskedDocument
from core.store.db.errors import NotFound
from core.store.document import documents, splits
from core.store.queue import queue, work_sets
from core.store.queue.filter import Filter
from core.store.run import predictions
from core.text import Document, Span
from tests.store.by_hand import number_of


class Reports(list):
    """What the work reports: (done, total, fraction); stopped at the given report."""

    def __init__(self, stop_at=None):
        self.stop_at = stop_at

    def __call__(self, done, total, what="", fraction=None):
        if len(self) == self.stop_at:
            raise Stopped
        self.append((done, total, done / total if fraction is None else fraction))


def go(session, text="", file=None, report=None):
    return page.go(session, Reports() if report is None else report, None, text, file)


def test_without_a_tagger_the_page_sends_to_train(session):
    shown = page.show(session, None)
    assert (shown["empty"]["visible"], shown["page"]["visible"]) == (True, False)
    assert shown["run"]["value"] is None
    assert page.to_train(session)["selected"] == "train"


def test_the_active_tagger_is_chosen(served):
    assert page.show(served, None)["run"]["value"] == "demo"
    assert page.show(served, "gone")["run"]["value"] == "demo"


def test_each_line_is_a_document_with_its_spans_and_their_confidence(served):
    last = go(served, "我在北京\r\n\n 下雨了 ")
    assert last["summary"] == "1 span in 2 documents, by `demo`."
    assert last["table"]["value"]["data"] == [["pasted-1", "北京", "LOC", "2", "4", "0.750"]]
    assert len(last["sentences"]["sentences"]) == 2


def test_a_file_is_read_without_its_own_spans(served, tmp_path):
    file = tmp_path / "a.bmes"
    file.write_text("北 B-ORG\n京 E-ORG\n", encoding="utf-8")
    assert go(served, "ignored", str(file))["table"]["value"]["data"][0][2] == "LOC"


def test_a_missing_confidence_stays_missing():
    assert result.table_rows([Document("a", "北京", (Span(0, 2, "LOC"),))])[0][-1] == ""


def test_an_empty_input_is_reported(served):
    with pytest.raises(AppError, match="Paste some text"):
        go(served, " \n ")


def test_the_demo_refuses_a_long_text(served):
    served.workbench.limits = Limits(characters=3)
    with pytest.raises(AppError, match="at most 3"):
        go(served, "我在北京")


def test_many_documents_show_progress_and_only_the_first_are_drawn(served, monkeypatch):
    monkeypatch.setattr(loaded_taggers, "MOST_WINDOWS", 2)
    monkeypatch.setattr(result, "DRAWN", 3)
    reports = Reports()
    shown = go(served, "\n".join(["北京"] * 5), report=reports)
    assert reports == [(0, 5, 0), (2, 5, 0.4), (4, 5, 0.8), (5, 5, 1)]
    assert len(shown["sentences"]["sentences"]) == 3
    assert "first 3 of 5" in shown["summary"]


def test_a_text_of_any_length_is_tagged_by_parts_can_be_stopped_and_is_drawn_in_part(served):
    text = "今天下雨了。" * 2000 + "我在北京。" + "今天下雨了。" * 2000
    at = text.index("北京")
    reports = Reports()
    shown = go(served, text, report=reports)
    shares = [share for *_, share in reports]
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert 0 < shares[1] < 0.5 < shares[-1] == 1
    rows = shown["table"]["value"]["data"]
    assert rows == [["pasted-1", "北京", "LOC", str(at), str(at + 2), "0.750"]]
    (drawn,) = shown["sentences"]["sentences"]
    assert drawn["text"] == text[: result.DRAWN_CHARACTERS]
    assert "20000 of 24005 characters" in drawn["note"].replace(",", "")
    assert [span["start"] for span in drawn["spans"]] == [at]


def test_stopping_in_the_middle_of_a_text_leaves_the_tagger_to_others(served, monkeypatch):
    asked, tag = [], served.workbench.taggers.tag
    monkeypatch.setattr(served.workbench.taggers, "tag", lambda *given: asked.append(given) or tag(*given))
    with pytest.raises(Stopped):
        go(served, "今天下雨了。" * 10_000, report=Reports(stop_at=2))
    assert len(asked) == 2
    assert all(sum(len(item.text) for item in given[1]) < 2 * loaded_taggers.PART for given in asked)


def test_the_result_is_written_in_any_format_and_says_what_it_loses(served):
    go(served, "我在北京")
    made = page.write(served, "bmes")["value"]
    assert Path(made).read_text(encoding="utf-8").splitlines()[2] == "北\tB-LOC"
    assert "1 confidence;" in page.show_losses(served, "bmes")


def test_writing_before_tagging_is_refused(served):
    with pytest.raises(AppError, match="Tag something first"):
        page.write(served, "jsonl")


def test_tagged_texts_go_to_the_project_as_suggestions_not_as_annotations(served):
    go(served, "我在北京\n下雨了")
    turned = page.annotate(served)
    assert turned["tabs"]["selected"] == "annotate"
    assert turned["message"].startswith("2 documents are in the project now")
    id_ = number_of(served.workspace, served.project_id, "pasted-1")
    assert documents.get(served.workspace, id_).spans == ()
    assert predictions.get(served.workspace, "demo", id_) == (Span(2, 4, "LOC", 0.75),)
    asked = served.memory["annotate"]
    assert asked.document == id_
    which = Filter(imported_at=asked.imported_at)
    assert len(queue.matching(served.workspace, served.project_id, which)) == 2
    page.annotate(served)  # nothing is new the second time
    assert served.memory["annotate"] == AskedDocument(id_)


def test_predictions_of_project_documents_are_stored(served):
    last = page.go_documents(served, Reports(), None, "missing")
    assert last["message"].startswith("`demo` has predicted 5 documents.")
    assert predictions.missing(served.workspace, "demo") == []
    assert (
        page.go_documents(served, Reports(), None, "missing")["message"]
        == "`demo` has predicted every document already."
    )
    assert page.go_documents(served, Reports(), None, "all")["message"].startswith("`demo` has predicted 5 d")


def test_predictions_made_before_a_stop_are_kept(served, monkeypatch):
    monkeypatch.setattr(page, "CHUNK", 2)
    with pytest.raises(Stopped):
        page.go_documents(served, Reports(stop_at=2), None, "missing")
    assert len(predictions.missing(served.workspace, "demo")) == 3


def test_a_work_set_is_tagged_alone(served):
    rows = queue.page(served.workspace, served.project_id).rows
    splits.set_split(served.workspace, served.project_id, [rows[0].id, rows[1].id], "dev")
    made = work_sets.add(served.workspace, served.project_id, "dev", Filter(split="dev"), user="lin")
    choices = page.show(served, None, str(made.id))["work_set"]
    assert (choices["value"], choices["visible"]) == (str(made.id), True)
    assert [name for name, _ in choices["choices"]] == ["all documents", "dev"]
    last = page.go_documents(served, Reports(), None, "missing", str(made.id))
    assert last["message"].startswith("`demo` has predicted 3 documents.")
    last = page.go_documents(served, Reports(), None, "all", str(made.id))
    assert last["message"].startswith("`demo` has predicted 3 documents.")
    assert len(predictions.missing(served.workspace, "demo")) == 2
    work_sets.remove(served.workspace, served.project_id, made.id, user="lin")
    with pytest.raises(NotFound):
        page.go_documents(served, Reports(), None, "missing", str(made.id))
