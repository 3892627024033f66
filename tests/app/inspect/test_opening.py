"""What the Inspect page looks into unasked: what its address names, else the least certain sentence."""

import pytest

from app.inspect import looking, opening
from app.inspect import page as inspect_page
from core.store.document import documents, trash
from core.store.run import predictions
from core.taggers.flat.tagger import Flat
from core.text import Document, Span
from tests.store.by_hand import number_of

TEXT = "陈禾在岭南市工作"


def add(session, name, text, *spans):
    (number,) = documents.add(session.workspace, session.project_id, [Document(name, text)]).ids
    predictions.put_one(session.workspace, "flat-0001", number, spans)
    return number


@pytest.fixture
def opened(session, page):
    """Open the page at an address; gives what the first answer fills and what the second one draws."""

    def at(written="", **address):
        filled = inspect_page.show(
            session,
            address.get("run"),
            *(address.get(name, "") for name in ("document", "sentence", "span")),
            written,
        )
        choices = [component.value for _, view in page.panels for component in view.choices]
        sentence = filled.get("sentence", written)
        drawn = inspect_page.take_up(session, page.panels, filled["run"]["value"], sentence, *choices)
        return filled, drawn

    return at


def test_at_first_it_is_the_least_certain_sentence_of_the_project(session, opened):
    add(session, "b", "岭南市下雨。", Span(0, 3, "LOC", 0.9))
    least = add(session, "c", "去岭南市。", Span(1, 4, "LOC", 0.2))
    filled, drawn = opened()
    assert filled["opening"]
    assert drawn["sentence"] == "去岭南市。"
    assert drawn["document"]["value"] == least
    assert "inner" not in filled, "whoever left another tab in front finds it there"
    assert drawn["board"]["visible"]
    assert drawn["at_document"] == str(least)
    assert session.memory["inspect"].trace.text == "去岭南市。"


def test_before_anything_is_predicted_it_is_the_first_document(session, opened):
    assert opened()[1]["sentence"] == TEXT


def test_what_is_written_while_the_page_is_filled_stays(session, page):
    filled = inspect_page.show(session, None, "", "", "", "")
    choices = [component.value for _, view in page.panels for component in view.choices]
    assert filled["opening"]
    assert "sentence" not in filled
    assert inspect_page.take_up(session, page.panels, filled["run"]["value"], "周敏", *choices) == {}


def test_a_project_without_documents_or_runs_waits_for_a_sentence(session, opened):
    number = number_of(session.workspace, session.project_id, "a")
    trash.trash_documents(session.workspace, session.project_id, [number])
    filled, drawn = opened()
    assert "opening" not in filled
    assert drawn == {}


def test_of_a_long_text_the_sentences_of_its_least_certain_span_are_taken(session, opened):
    text = "今天下雨。" * 100 + "去岭南市。"
    number = add(session, "long", text, Span(501, 504, "LOC", 0.1))
    _, drawn = opened()
    assert drawn["sentence"].endswith("去岭南市。")
    look = session.memory["inspect"]
    assert (look.document, text[look.start :]) == (number, drawn["sentence"])
    if look.focus is not None:
        start, end = map(int, drawn["at_span"].split("-"))
        assert text[start:end] == drawn["sentence"][look.focus.start : look.focus.end]


def test_an_address_names_run_document_and_span(session, opened):
    number = number_of(session.workspace, session.project_id, "a")
    filled, drawn = opened(run="flat-0001", document=str(number), span="3-6")
    assert (filled["sentence"], filled["document"]["value"]) == (TEXT, number)
    assert filled["inner"]["selected"] == "sentence"
    assert session.memory["inspect"].focus.key == (3, 6, "LOC")
    assert (drawn["at_document"], drawn["at_sentence"], drawn["at_span"]) == (str(number), "", "3-6")


def test_an_address_names_a_sentence_of_no_document(session, opened):
    filled, drawn = opened(sentence=TEXT, span="3-6")
    assert filled["sentence"] == TEXT
    assert (drawn["at_document"], drawn["at_sentence"], drawn["at_span"]) == ("", TEXT, "3-6")


def test_what_is_in_view_is_not_looked_into_again(session, opened):
    number = str(number_of(session.workspace, session.project_id, "a"))
    opened(document=number, span="3-6")
    seen = session.memory["inspect"]
    filled, drawn = opened(TEXT, document=number, span="3-6")
    assert "opening" not in filled
    assert drawn == {}
    assert session.memory["inspect"] is seen
    assert filled["document"]["value"] == int(number), "and the document stays chosen"
    assert "opening" in opened("", document=number, span="3-6")[0], "a reloaded page shows nothing yet"


def test_what_a_person_writes_meanwhile_is_left_alone(session, page):
    number = str(number_of(session.workspace, session.project_id, "a"))
    inspect_page.show(session, None, number)
    choices = [component.value for _, view in page.panels for component in view.choices]
    assert inspect_page.take_up(session, page.panels, "flat-0001", "我写的", *choices) == {}
    assert "inspect" not in session.memory


def test_a_tab_that_is_selected_before_it_is_filled_takes_no_request_away(session, page):
    inspect_page.show(session, None)
    choices = [component.value for _, view in page.panels for component in view.choices]
    assert inspect_page.take_up(session, page.panels, None, "", *choices) == {}
    assert inspect_page.take_up(session, page.panels, "flat-0001", "", *choices)["board"]["visible"]
    assert inspect_page.take_up(session, page.panels, "flat-0001", "", *choices) == {}


def test_an_answer_that_was_overtaken_is_dropped(session, monkeypatch):
    trace = Flat.trace

    def while_another_is_asked(self, batch):
        if batch.documents[0].text == "慢":
            looking.take(session, "flat-0001", TEXT, None)
        return trace(self, batch)

    monkeypatch.setattr(Flat, "trace", while_another_is_asked)
    assert looking.take(session, "flat-0001", "慢", None) is None
    assert session.memory["inspect"].trace.text == TEXT


@pytest.mark.parametrize(
    ("document", "sentence", "span"),
    [
        ("99", "", ""), ("-1", "", ""), ("1e3", "", ""), ("x" * 999, "", ""), ("", "  ", "0-1"),
        ("", TEXT, "5-999"), ("", TEXT, "6-3"), ("9" * 15, "", "0-1"),
    ],
)  # fmt: skip
def test_an_address_that_names_nothing_is_no_request(session, document, sentence, span):
    assert opening.by_address(session, "flat-0001", document, sentence, span) is None


def test_of_a_long_document_it_looks_into_what_the_tagger_reads_at_once(session, monkeypatch):
    number = add(session, "long", f"{TEXT}。" * 6)
    assert opening.in_document(session, number, (12, 14)).sentence == f"{TEXT}。" * 6
    monkeypatch.setattr(session.workbench.taggers, "usual_length", lambda project, run: len(TEXT) + 1)
    asked = opening.in_document(session, number, (12, 14), explains=True)
    assert (asked.start, asked.sentence, asked.extent) == (9, f"{TEXT}。", (3, 5))
    trash.trash_documents(session.workspace, session.project_id, [number])


def test_where_the_span_is_not_predicted_the_one_over_it_is_explained():
    asked = opening.Asked(1, 0, TEXT, (3, 5))
    over, beside = Span(3, 6, "LOC", 0.9), Span(0, 2, "LOC", 0.1)
    assert asked.focus([beside, over]) == over
    assert asked.focus([beside]) == beside
    assert asked.focus([]) is None
