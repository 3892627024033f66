"""The Ledger page's callbacks: what they say, what they decide, what reaches the browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.ledger import page
from app.ledger import verdict as ledger_verdict
from app.ledger.rows import row_object, words
from app.services.errors import AppError
from app.services.session import Session
from app.ui.window.navigation import AskedDocument
from core.store import NotFound, StoreError, Workspace
from core.store.annotation.corrections import Claim
from core.store.project import projects
from core.store.run import ledger, runs
from core.store.run.ledger import Correction, Row
from core.text import Document, Span
from tests.browser.ledger_server import HOSTILE, Bench, EchoTagger, fill
from tests.workspaces import new_workspace

ALL = (page.ANY, page.ANY, page.ANY)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Workspace.open(new_workspace(tmp_path)) as workspace:
        fill(workspace)
        yield Session("token", "lin", Bench(workspace), 1)  # type: ignore[arg-type]


def rows_of(outputs):
    return outputs["rows"]["rows"]


def kinds(outputs):
    return [row["kind"] for row in rows_of(outputs)]


def test_the_summary_says_how_many_of_each(session):
    shown = ledger_verdict.show(session, "flat-0002")
    assert (
        shown["summary"] == "**3 corrections and 2 confirmations: "
        "1 fixed, 1 still wrong, 1 newly broken, 1 holds, 1 not predicted**"
    )
    serves = "`flat-0002`, compared with `flat-0001`. `flat-0001` is the active run of this project."
    assert shown["active"] == serves


def test_the_summary_names_the_three_verdicts_even_at_zero_and_leaves_the_others_out(session):
    verdict = ledger.Verdict("b", "a", fixed=24, still_wrong=5, newly_broken=0)
    assert (
        ledger_verdict.summary_line(session, verdict)
        == "29 corrections: 24 fixed, 5 still wrong, 0 newly broken"
    )


def test_the_summary_speaks_chinese(session):
    session.language = "zh"
    assert ledger_verdict.show(session, "flat-0002")["summary"].startswith(
        "**3 条纠正和 2 条确认：1 条已改正、1 条仍错、1 条新出错"
    )


def test_the_page_compares_the_newest_run_with_predictions(session):
    shown = page.show(session, None, page.ANY, None, page.ANY)
    assert (shown["empty"]["visible"], shown["board"]["visible"], shown["message"]) == (False, True, "")
    assert shown["candidate"]["value"] == "flat-0002"
    assert shown["candidate"]["choices"] == [("flat-0001", "flat-0001"), ("flat-0002", "flat-0002")]
    assert shown["label"]["choices"] == [("all", "any"), ("PER", "PER"), ("ORG", "ORG"), ("TITLE", "TITLE")]


def test_an_empty_ledger_says_what_it_is_for(session):
    session.project_id = projects.create(session.workspace, "other").id
    shown = page.show(session, None, *ALL)
    assert (shown["empty"]["visible"], shown["board"]["visible"]) == (True, False)
    assert shown["candidate"]["value"] is None


def test_rows_are_filtered_by_kind_label_and_state(session):
    assert kinds(page.show_rows(session, "flat-0002", *ALL, 0)) == [
        "spurious", "confirmed", "confirmed", "type", "boundary",
    ]  # fmt: skip
    assert kinds(page.first_rows(session, "flat-0002", "type", page.ANY, page.ANY)) == ["type"]
    assert kinds(page.first_rows(session, "flat-0002", page.ANY, "PER", page.ANY)) == [
        "confirmed",
        "confirmed",
        "type",
    ]
    assert kinds(page.first_rows(session, "flat-0002", page.ANY, page.ANY, "B")) == ["confirmed"]
    assert kinds(page.first_rows(session, "flat-0001", page.ANY, page.ANY, "W")) == [
        "spurious",
        "type",
        "boundary",
    ]


def test_a_filter_that_lets_nothing_through_says_so(session):
    shown = page.first_rows(session, "flat-0002", "missed", page.ANY, page.ANY)
    assert (shown["nothing"]["visible"], shown["range"]) == (True, "")
    assert shown["nothing"]["value"] == "No correction matches this filter."


def test_pages_step_back_and_on_and_never_past_the_end(session, monkeypatch):
    monkeypatch.setattr(page, "PAGE", 2)
    shown = page.step_on(session, "flat-0002", *ALL, 0)
    assert (shown["range"], shown["offset"]) == ("3–4 of 5", 2)
    assert (shown["previous"]["interactive"], shown["next"]["interactive"]) == (True, True)
    assert page.step_on(session, "flat-0002", *ALL, 4)["range"] == "5–5 of 5"
    assert page.step_back(session, "flat-0002", *ALL, 1)["offset"] == 0


def test_an_older_run_can_be_chosen_and_has_a_column(session, monkeypatch):
    monkeypatch.setattr(ledger, "COLUMNS", 1)
    table = page.show_rows(session, "flat-0001", *ALL, 0)["rows"]
    assert [run["name"] for run in table["runs"]] == ["flat-0001"]
    assert table["runs"][0] == {
        "name": "flat-0001", "title": "flat-0001", "judged": True, "active": True,
    }  # fmt: skip


def test_the_button_shows_what_activation_would_change(session):
    shown = ledger_verdict.show(session, "flat-0002")
    changes = shown["changes"]
    assert changes.startswith("This retraining changes 2 spans in 2 documents of the 4 that both predicted")
    assert "(`flat-0001` → `flat-0002`)" in changes
    assert "0 new, 0 lost, 2 with the boundary moved, 0 with another label." in changes
    assert changes.endswith("(#compare?project=1&runs=flat-0001%2Cflat-0002)")


def test_the_active_run_changes_nothing_and_is_not_compared_with_itself(session):
    shown = ledger_verdict.show(session, "flat-0001")
    assert shown["changes"] == ""


def test_activating_the_run_and_rolling_back(session):
    activated = ledger_verdict.activate(session, "flat-0002")
    assert activated == {"message": "`flat-0002` is the active run now.", "candidate": "flat-0002"}
    verdict = ledger_verdict.show(session, "flat-0002")
    assert [verdict[name]["interactive"] for name in ("activate", "keep", "roll_back")] == [
        False,
        False,
        True,
    ]
    rolled = ledger_verdict.roll_back(session)
    assert rolled["message"] == "Rolled back: `flat-0001` is the active run again."
    assert rolled["candidate"] == "flat-0001"
    assert projects.get(session.workspace, 1).active_run == "flat-0001"


def test_keeping_the_old_one_changes_no_run_and_turns_back_to_it(session):
    kept = ledger_verdict.keep(session, "flat-0002")
    assert kept["message"].startswith("`flat-0001` stays the active run; `flat-0002` is marked")
    assert "`flat-0002` was declined on" in ledger_verdict.show(session, "flat-0002")["active"]
    ledger_verdict.activate(session, "flat-0002")
    assert "declined" not in ledger_verdict.show(session, "flat-0002")["active"], "activated: taken back"
    ledger_verdict.roll_back(session)
    turned_to = ledger_verdict.keep(session, "flat-0002")["candidate"]
    assert projects.get(session.workspace, 1).active_run == "flat-0001"
    assert page.show_again(session, turned_to, *ALL)["candidate"]["value"] == "flat-0001"


def test_a_decision_without_a_run_says_what_to_do(session):
    with pytest.raises(AppError, match="Choose a candidate"):
        ledger_verdict.activate(session, None)


def test_rolling_back_with_nothing_before_is_a_sentence(session):
    with pytest.raises(StoreError, match="no earlier active run"):
        ledger_verdict.roll_back(session)


def test_missing_predictions_are_computed(session):
    quiet = lambda *_, **__: None  # noqa: E731 - stands for the progress bar
    assert ledger_verdict.show(session, "flat-0002")["answer"]["visible"]
    assert ledger_verdict.answer(session, quiet, "flat-0002") == "Predicted with `flat-0002`: 1."
    shown = ledger_verdict.show(session, "flat-0002")
    assert shown["summary"].endswith("2 fixed, 1 still wrong, 1 newly broken, 1 holds**")
    assert not shown["answer"]["visible"]


def test_a_run_that_has_not_finished_is_not_offered(session):
    runs.create(session.workspace, 1, "flat")
    assert "flat-0003" not in [name for _, name in page.show(session, None, *ALL)["candidate"]["choices"]]


def test_clicking_a_row_opens_its_document(session):
    update = page.open_correction(session, SimpleNamespace(document=3))
    assert update["selected"] == "annotate"
    assert session.memory["annotate"] == AskedDocument(3)


@pytest.mark.parametrize("document", ["3", True, None, 2.5])
def test_a_click_with_something_else_opens_nothing(session, document):
    page.open_correction(session, SimpleNamespace(document=document))
    assert "annotate" not in session.memory


def test_a_click_on_a_document_that_is_gone_is_a_sentence(session):
    with pytest.raises(NotFound, match="reload the page"):
        page.open_correction(session, SimpleNamespace(document=99))


def row(text: str, before: Span | None, after: Span | None) -> Row:
    claim = Claim("boundary", before, after)
    return Row(
        Correction(1, 7, claim, "flat-0001", "lin", 0, "train", {"a": "F", "b": "·"}), Document("d", text)
    )


def test_an_excerpt_keeps_the_marks_on_their_letters():
    text = "甲" * 100 + "𠮷野家😀" + "乙" * 100
    made = row_object(row(text, Span(100, 102, "ORG"), Span(100, 103, "ORG")), ["b", "a"], {})
    assert made["text"] == "…" + "甲" * 40 + "𠮷野家😀" + "乙" * 39 + "…"
    surfaces = [(made["text"][mark["start"] : mark["end"]], mark["source"]) for mark in made["marks"]]
    assert surfaces == [("𠮷野家", "person"), ("𠮷野", "tagger")]
    assert made["states"] == ["·", "F"]


def test_a_short_sentence_is_shown_whole():
    made = row_object(row("青禾市下雨", None, Span(0, 3, "LOC")), ["a"], {})
    assert (made["text"], made["before"], made["after"]["surface"]) == ("青禾市下雨", None, "青禾市")


def test_what_reaches_the_browser_is_plain_json_with_the_text_untouched(session):
    table = page.show_rows(session, "flat-0002", *ALL, 0)["rows"]
    sent = json.loads(json.dumps(table))
    assert sent["rows"][0]["text"] == HOSTILE[:44] + "…"


def test_every_word_of_the_table_is_there_in_both_languages():
    assert words("en").keys() == words("zh").keys()
    assert words("en")["state.B"] == "newly broken"


def test_the_fake_tagger_has_the_signature_of_the_real_one(session):
    (answered,) = EchoTagger(session.workspace).tag(1, [Document("x", "周敏")], "flat-0002")
    assert answered.spans[0].key == (0, 2, "PER")


def test_the_address_chooses_run_and_filters_and_what_it_gets_wrong_is_left_out(session):
    shown = page.show(session, "flat-0001", "type", "PER", "W")
    assert (shown["candidate"]["value"], shown["kind"], shown["state"]) == ("flat-0001", "type", "W")
    assert kinds(shown) == ["type"]
    shown = page.show(session, "flat-0009", "nonsense", "nobody", "<b>")
    assert (shown["candidate"]["value"], shown["kind"], shown["state"]) == ("flat-0002", "any", "any")
    assert shown["label"]["value"] == "any"


def test_a_run_with_a_name_is_called_so(session):
    runs.describe(session.workspace, "flat-0001", title="Baseline", note="")
    shown = page.show(session, None, *ALL)
    assert shown["candidate"]["choices"][0] == ("Baseline", "flat-0001")
    assert shown["active"].endswith("`Baseline` is the active run of this project.")
    assert shown["rows"]["runs"][0]["title"] == "Baseline"
    assert {row["run"] for row in rows_of(shown)} == {"Baseline"}
