"""The What if panel over a real store and a real, tiny FLAT: what changes, what is kept, what stays."""

from types import SimpleNamespace

import pytest

from app.i18n import pgettext
from app.inspect.panel import Look
from app.inspect.what_if import case as what_if_case
from app.inspect.what_if import panel as what_if
from app.inspect.what_if import variants as what_if_variants
from app.inspect.what_if.trial import MEMORY
from app.services.errors import AppError
from app.services.limits.table import ALONE, Limits
from app.ui.window.navigation import AskedDocument
from core.inspection.what_if.variants import VARIANTS
from core.lexicon import LexiconError
from core.store.annotation import annotations
from core.store.db.errors import PayloadError
from core.store.document import documents
from core.store.run import ledger, predictions, runs
from core.text import Document, Span
from tests.store.by_hand import number_of

TEXT = "陈禾在岭南市工作"
PLACE = (3, 6, "LOC")


@pytest.fixture
def at_work(session, look):
    """The session once somebody looks into TEXT, with one document and no limits."""
    session.workbench.limits = ALONE
    look(TEXT, number_of(session.workspace, session.project_id, "a"))
    assert [span.key for span in session.memory["inspect"].trace.spans] == [PLACE]
    return session


def kinds(values):
    return [row["kind"] for row in values["effects"]["rows"]]


def ticked(values):
    return values["expected"]["value"]


def test_another_sentence_shuts_the_panel_and_a_look_makes_nothing_of_it(at_work, look):
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    shown = look("工作")["what_if"]
    assert {name: value["visible"] for name, value in shown.items()} == {
        "group": True, "begin": True, "board": False,
    }  # fmt: skip
    assert MEMORY not in at_work.memory


def test_after_a_switch_of_language_what_is_drawn_is_said_in_it(at_work):
    look = at_work.memory["inspect"]
    what_if.open_panel(at_work)
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    same = what_if.draw(at_work, look, "昨天" + TEXT, [], [])
    assert "text" not in same, "nothing has changed: nothing is drawn again"
    at_work.language = "zh"
    drawn = what_if.draw(at_work, look, "昨天" + TEXT, [], [])
    assert drawn["text"] == "昨天" + TEXT
    sentences = drawn["sentences"]["sentences"]
    assert [row["note"] for row in sentences] == [
        at_work._("as it is"), at_work._(pgettext("sentence", "changed")),
    ]  # fmt: skip
    assert "text" not in what_if.draw(at_work, look, "昨天" + TEXT, [], [])


def test_at_first_nothing_is_changed_and_both_sentences_are_the_same(at_work, look):
    look()
    shown = result = what_if.open_panel(at_work)
    assert (shown["begin"]["visible"], shown["board"]["visible"]) == (False, True)
    assert shown["text"] == TEXT
    assert (shown["dictionary"]["visible"], shown["asking"]["visible"]) == (True, False)
    assert [row["text"] for row in result["sentences"]["sentences"]] == [TEXT, TEXT]
    assert result["removed"]["choices"] == ["岭南", "岭南市", "工作"]
    assert "No changes yet" in result["effects"]["empty"]
    assert not result["lattice_group"]["visible"]


def test_an_edit_is_drawn_under_the_original_which_stays(at_work):
    before = at_work.memory["inspect"]
    result = what_if.edit(at_work, "昨天" + TEXT, [], [])
    original, changed = result["sentences"]["sentences"]
    assert (original["text"], changed["text"]) == (TEXT, "昨天" + TEXT)
    assert [(s["start"], s["end"]) for s in original["spans"]] == [(3, 6)]
    assert at_work.memory["inspect"] is before
    assert result["lattice_group"]["visible"]
    assert result["lattice"]["text"] == "昨天" + TEXT
    assert what_if.edit(at_work, "昨天" + TEXT, [], []) == {}, "asked once"


def test_what_changed_is_told_across_the_edit(at_work):
    gone = what_if.edit(at_work, "陈禾在工作", [], [])["effects"]["rows"]
    assert [(row["kind"], row["before"]["surface"]) for row in gone if row["kind"] != "words"] == [
        ("deleted", "岭南市")
    ]
    assert gone[-1]["note"] == "− 岭南 岭南市"
    assert ticked(what_if.edit(at_work, "", [], [])) == []


def test_words_act_on_this_trial_only(at_work):
    result = what_if.edit(at_work, TEXT, [" 在岭 "], ["岭南市"])
    assert result["effects"]["rows"][-1]["note"] == "+ 在岭  − 岭南市"
    assert "在岭" in result["lattice"]["nodes"]
    assert result["removed"] == {
        "choices": ["岭南市", "在岭", "岭南", "工作"], "value": ["岭南市"], "__type__": "update",
    }  # fmt: skip
    assert result["variants"]["rows"] == []
    with at_work.workbench.taggers.tagger(at_work.project_id, "flat-0001") as tagger:
        assert "岭南市" in tagger.lexicon
        assert "在岭" not in tagger.lexicon


@pytest.mark.parametrize("words", [[None, 3, {}], "岭南", None])
def test_words_that_no_browser_of_ours_sends_are_left_out(at_work, words):
    what_if.edit(at_work, TEXT, words, words)


def test_what_is_no_word_is_named(at_work):
    with pytest.raises(LexiconError, match="tab"):
        what_if.edit(at_work, TEXT, ["a\tb"], [])


def test_starting_over_puts_everything_back(at_work):
    what_if.edit(at_work, "昨天" + TEXT, ["在岭"], ["岭南"])
    shown = what_if.start_over(at_work)
    assert (shown["text"], shown["added"], shown["removed"]["value"]) == (TEXT, [], [])
    assert at_work.memory["what_if"].changed is at_work.memory["inspect"].trace


def test_another_focus_keeps_what_was_written(at_work):
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    look = at_work.memory["inspect"]
    drawn = what_if.draw(at_work, Look(look.run, look.trace, None, Span(0, 2, "LOC")), "昨天" + TEXT, [], [])
    assert "begin" not in drawn
    assert "陈禾 LOC" in drawn["variants"]["line"]
    assert at_work.memory["what_if"].text == "昨天" + TEXT


def test_another_run_reads_the_same_change(at_work):
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    look = at_work.memory["inspect"]
    again = Look("flat-0001", type(look.trace)(TEXT, tuple(TEXT), (), "flat"), None, None)
    at_work.memory["inspect"] = again
    assert what_if.draw(at_work, again, "昨天" + TEXT, ["在岭"], [])["text"] == "昨天" + TEXT
    assert at_work.memory["what_if"].added == ("在岭",)


def test_the_page_knows_every_variant_and_says_why_some_are_not_there(at_work):
    assert what_if_variants.VARIANTS == VARIANTS
    table = what_if.start_over(at_work)["variants"]
    assert table["line"] == "Not tried yet: 3 variants apply to 岭南市 LOC."
    assert "no other LOC is annotated in this project" in table["note"]
    assert "no final punctuation to delete" in table["note"]


def test_a_button_writes_its_variant(at_work):
    shown = what_if.applying("emoji")(at_work, [], [])
    assert shown["text"] == "陈禾在🙂岭南市工作"
    assert shown["sentences"]["sentences"][1]["text"] == shown["text"]
    assert what_if.applying("unpunctuated")(at_work, [], []) == {}


def test_names_are_swapped_with_those_the_project_annotated_one_after_the_other(at_work):
    places = [Document(str(n), f"去{name}", (Span(1, 3, "LOC"),)) for n, name in enumerate(("青州", "云川"))]
    documents.add(at_work.workspace, at_work.project_id, places)
    swap = what_if.applying("swapped")
    assert {swap(at_work, [], [])["text"] for _ in range(2)} == {"陈禾在青州工作", "陈禾在云川工作"}


def test_all_variants_are_tried_at_once_and_counted(at_work):
    table = what_if.try_all(at_work)
    assert [row["variant"] for row in table["rows"]] == ["traditional", "spaced", "emoji"]
    kept = sum(row["kind"] == "held" for row in table["rows"])
    assert table["line"] == f"{kept} of 3 variants kept 岭南市 LOC."
    for row in table["rows"]:
        alone = at_work.workbench.taggers.tag(at_work.project_id, [Document("x", row["text"])], "flat-0001")
        assert [(m["start"], m["end"]) for m in row["marks"]] == [(s.start, s.end) for s in alone[0].spans]
        surfaces = [row["text"][s.start : s.end] for s in alone[0].spans]
        was_kept = {"traditional": "嶺南市", "spaced": "岭 南 市", "emoji": "岭南市"}[
            row["variant"]
        ] in surfaces
        assert (row["kind"] == "held") == was_kept
    text = what_if.use(at_work, SimpleNamespace(text=table["rows"][1]["text"]), [], [])["text"]
    assert text == "陈禾在岭 南 市工作"
    assert what_if.use(at_work, SimpleNamespace(text=["x"]), [], [])["text"] == text


def test_without_an_entity_in_focus_the_variants_say_so(at_work, look):
    look("。。。")
    at_work.memory["inspect"] = Look("flat-0001", at_work.memory["inspect"].trace)
    assert what_if.try_all(at_work)["line"].startswith("No entity is in focus.")


def test_before_any_sentence_the_panel_asks_for_one(session):
    with pytest.raises(AppError, match="sentence first"):
        what_if.use(session, SimpleNamespace(text="x"), [], [])


def test_a_box_emptied_with_its_sentence_predicts_nothing(session):
    assert what_if.edit(session, "", [], []) == {}
    assert what_if.ask(session, "", [], [], None, "") == {}


def test_a_kept_case_is_in_the_ledger_and_a_later_runs_verdict_counts_it(at_work):
    workspace, project = at_work.workspace, at_work.project_id
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    own = at_work.workbench.taggers.tag(project, [Document("x", "昨天" + TEXT)], "flat-0001")[0].spans
    kept = what_if_case.keep(at_work, "昨天" + TEXT, ["5-8-LOC"])
    assert "Saved as `what-if-" in kept["message"]["value"]
    assert kept["open"]["visible"]
    (row,) = [
        r for r in ledger.page(workspace, project).rows if r.correction.claim.after == Span(5, 8, "LOC")
    ]
    number = row.correction.document_id
    stands = annotations.current(workspace, number)
    assert (stands.document.text, stands.status) == ("昨天" + TEXT, "done")
    assert dict(stands.document.meta) == {"source": "what-if", "run": "flat-0001", "from": "a"}
    assert [s.key for s in predictions.get(workspace, "flat-0001", number)] == [s.key for s in own]
    later = runs.create(workspace, project, "flat", parent="flat-0001").name
    count = ledger.page(workspace, project).total
    assert ledger.verdict(workspace, later, "flat-0001").unknown == count
    predictions.put_one(workspace, later, number, [Span(5, 8, "LOC", 0.7)])
    verdict = ledger.verdict(workspace, later, "flat-0001")
    assert verdict.holds + verdict.fixed == count
    predictions.put_one(workspace, later, number, [])
    assert (
        ledger.verdict(workspace, later, "flat-0001").newly_broken
        + (ledger.verdict(workspace, later, "flat-0001").still_wrong)
        >= 1
    )
    assert what_if_case.open_kept(at_work)["selected"] == "annotate"
    assert at_work.memory["annotate"] == AskedDocument(number)


def test_what_was_found_before_the_change_can_be_expected_still(at_work):
    spaced = "陈禾在岭 南 市工作"
    choices = dict(what_if.edit(at_work, spaced, [], [])["expected"]["choices"])
    found = [s.key for s in at_work.memory["what_if"].changed.spans]
    if (3, 8, "LOC") not in found:
        assert choices["岭 南 市 LOC (found before the change)"] == "3-8-LOC"
    what_if_case.keep(at_work, spaced, ["3-8-LOC"])
    claims = [row.correction.claim for row in ledger.page(at_work.workspace, at_work.project_id).rows]
    assert Span(3, 8, "LOC") in [claim.after for claim in claims]


def test_a_case_is_judged_by_the_runs_own_answer_not_by_one_under_other_words(at_work):
    text = "昨天" + TEXT
    what_if.edit(at_work, text, [], ["岭南", "岭南市", "工作"])
    what_if_case.keep(at_work, text, ["5-8-LOC"])
    number = at_work.memory["what_if"].kept
    own = at_work.workbench.taggers.tag(at_work.project_id, [Document("x", text)], "flat-0001")[0]
    assert predictions.get(at_work.workspace, "flat-0001", number) == own.spans


def test_a_text_that_is_there_already_is_left_alone(at_work):
    kept, number = what_if_case.keep(at_work, TEXT, ["0-2-LOC"]), 1
    assert "already" in kept["message"]["value"]
    assert kept["open"]["visible"]
    assert annotations.current(at_work.workspace, number).document.spans == ()
    what_if_case.open_kept(at_work)
    assert at_work.memory["annotate"] == AskedDocument(number_of(at_work.workspace, at_work.project_id, "a"))


@pytest.mark.parametrize(
    ("boxes", "error"),
    [(["x"], AppError), ([None], AppError), (["5-2-LOC"], AppError), (["0-99-LOC"], PayloadError)],
)
def test_boxes_that_are_none_store_nothing(at_work, boxes, error):
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    with pytest.raises(error):
        what_if_case.keep(at_work, "昨天" + TEXT, boxes)
    assert documents.count(at_work.workspace, at_work.project_id)["all"] == 1


def test_the_case_must_be_the_one_whose_spans_are_shown(at_work):
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    with pytest.raises(AppError, match="changed since"):
        what_if_case.keep(at_work, "今天" + TEXT, ["5-8-LOC"])
    what_if.edit(at_work, "  ", [], [])
    with pytest.raises(AppError, match="Nothing to save"):
        what_if_case.keep(at_work, "  ", [])


def test_a_demo_holds_to_its_limits(at_work):
    what_if.edit(at_work, "昨天" + TEXT, [], [])
    at_work.workbench.limits = Limits(documents=1)
    with pytest.raises(AppError):
        what_if_case.keep(at_work, "昨天" + TEXT, ["5-8-LOC"])
    at_work.workbench.limits = Limits(characters=5)
    with pytest.raises(AppError):
        what_if_case.keep(at_work, "昨天" + TEXT, ["5-8-LOC"])
    assert documents.count(at_work.workspace, at_work.project_id)["all"] == 1


def test_a_longer_text_than_fits_is_cut_as_the_box_cuts_it(at_work):
    what_if.edit(at_work, "岭" * 1000, [], [])
    assert len(at_work.memory["what_if"].text) == 400
