"""The Compare page's callbacks over a real store."""

from types import SimpleNamespace

import gradio as gr
import pytest

from app.compare import changes as compare_changes
from app.compare import documents as compare_documents
from app.compare import missing, page, reading
from app.compare import scores as compare_scores
from app.services.background.tasks import Stopped
from app.services.errors import AppError
from app.services.evaluation.held_out import own_split
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Session
from app.ui.runs import changes as run_changes
from app.ui.runs.changed_documents import LONGEST
from app.ui.runs.changes import changes_between
from app.ui.window.navigation import AskedDocument
from core.corpus.document_json import write_documents
from core.store.annotation import annotations
from core.store.db.errors import NotFound, PayloadError
from core.store.db.workspace import Workspace
from core.store.document import documents, splits
from core.store.label import labels
from core.store.project import projects
from core.store.run import predicted, predictions, runs
from core.text import Document, LabelSet, Span
from core.training.run.run_folder import RunFolder
from tests.store.by_hand import number_of
from tests.workspaces import new_workspace

HELD_OUT = ["dev", "test"]
TEXT = "周敏出任岭南钢厂副厂长"
PER, ORG, TITLE, SHORT = Span(0, 2, "PER"), Span(4, 8, "ORG"), Span(8, 11, "TITLE"), Span(4, 6, "ORG")
LONG = "她说，" * 120 + "岭南钢厂昨日开工。"
DEEP = Span(360, 364, "ORG")
# name, split, gold (None: nobody labelled it), what the first run says, what the second does
STORIES = [
    ("same", "dev", [PER], [PER], [PER]),
    ("worse", "dev", [PER, ORG], [PER, ORG], [PER, SHORT]),
    ("better", "test", [PER, ORG], [PER, SHORT], [PER, ORG]),
    ("both", "test", [PER, ORG, TITLE], [PER, SHORT], [ORG]),
    ("raw", "none", None, [ORG], [SHORT]),
    ("unseen", "test", [TITLE], [TITLE], None),
    ("<b>long</b>", "dev", [DEEP], [], [DEEP]),
]


class Echo(LoadedTaggers):
    """Answers every document with one person."""

    def __init__(self, workspace):
        self._workspace = workspace

    def tag(self, project_id, batch, run=None):
        return [document.with_spans([PER]) for document in batch]


@pytest.fixture
def session(tmp_path):
    """Two finished FLAT runs, the first active, on the stories above."""
    with Workspace.open(new_workspace(tmp_path / "workspace")) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet().extended(["PER", "ORG", "TITLE"]))
        first, second = (runs.create(workspace, project, "flat").name for _ in range(2))
        for name, split, gold, *said in STORIES:
            text = LONG if "long" in name else TEXT + f"。{name}"
            documents.add(workspace, project, [Document(name, text, meta={"split": split})])
            number = number_of(workspace, project, name)
            if gold is not None:
                annotations.save(workspace, number, 0, gold, user="lin")
            for run, spans in zip((first, second), said, strict=True):
                if spans is not None:
                    predictions.put_one(workspace, run, number, spans)
        for run in (first, second):
            runs.set_status(workspace, run, "finished")
        projects.set_active(workspace, project, first)
        yield Session("token", "lin", SimpleNamespace(workspace=workspace, taggers=Echo(workspace)), project)


@pytest.fixture(scope="module")
def components(frame):
    made = page.layout(frame)
    frame.name(made)
    page.wire(made, frame)
    return made


@pytest.fixture
def shown(session, components):
    """``shown(...)``: what the page shows for some picks."""

    def compare(picked=("flat-0001", "flat-0002"), parts=HELD_OUT, other=None, picture="scores", by="text"):
        return filled(session, page.choose(session, picked, parts, other), picture, by)

    return compare


@pytest.fixture
def opened(session, components):
    """``opened(...)``: what the page shows once it is turned to, with what its address says."""

    def turn_to(picked=(), parts=HELD_OUT, other=None, *filters, by="text"):
        return filled(session, page.show(session, picked, parts, other, *filters), "scores", by)

    return turn_to


def filled(session, known, picture, by):
    """What is known at once, then what the work comes to."""
    comparison = page.compare(session, lambda *told: None)
    return {**known, **page.draw(session, comparison, picture, by)}


def name_of(session, number):
    return documents.get(session.workspace, number).id


def listed(session, outputs):
    """Names of the documents in the list, from outputs of ``show_rows``."""
    return [name_of(session, number) for _, number in outputs["document"]["choices"]]


def test_a_project_without_two_finished_runs_says_what_to_do(session, components):
    session.project_id = projects.create(session.workspace, "other").id
    found = page.show(session, [], HELD_OUT, None)
    assert (found["empty"]["visible"], found["board"]["visible"], found["runs"]["value"]) == (True, False, [])
    assert page.to_train_page(session)["selected"] == "train"


def test_the_page_opens_on_the_active_run_and_the_newest_other(session):
    runs.create(session.workspace, session.project_id, "flat")  # not finished
    picked = page.show(session, [], HELD_OUT, None)["runs"]
    assert [name for _, name in picked["choices"]] == ["flat-0001", "flat-0002"]
    assert picked["value"] == ["flat-0001", "flat-0002"]


def test_chosen_runs_and_filters_stay(opened):
    kept = opened(["flat-0002", "flat-0001"], ["dev", "none"], None, "lost", "no_gold", "ORG", by="label")
    assert kept["runs"]["value"] == ["flat-0002", "flat-0001"]
    assert (kept["parts"], kept["kind"]["value"]) == (["dev", "none"], "lost")
    assert (kept["filter"]["value"], kept["label"]["value"]) == ("no_gold", "ORG")


def test_what_an_address_gets_wrong_is_left_out(opened):
    shown = opened(["flat-0009", "<b>"], ["nowhere"], "x", "stolen", "nonsense", "nobody")
    assert shown["runs"]["value"] == ["flat-0001", "flat-0002"]
    assert (shown["parts"], shown["kind"]["value"]) == (["dev", "test"], "any")
    assert (shown["filter"]["value"], shown["label"]["value"]) == ("any", "any")


def test_runs_are_called_by_their_names(session, opened):
    runs.describe(session.workspace, "flat-0001", title="Baseline", note="x" * 50 + "\nmore")
    shown = opened()
    assert shown["runs"]["choices"] == [(f"Baseline – {'x' * 40}…", "flat-0001"), ("flat-0002", "flat-0002")]
    assert [row[0] for row in shown["table"]["data"]] == ["Baseline (base)", "flat-0002"]
    assert "`Baseline` → `flat-0002`" in shown["sentence"]
    assert "Baseline (base)" in shown["rows"]["sentences"][1]["note"]


def test_one_run_is_not_compared(shown, components):
    found = shown(["flat-0001"])
    assert found["nothing"]["value"] == "Choose two runs or more above."
    assert not found["results"]["visible"]


def test_without_common_documents_prediction_is_offered(session, shown, components):
    fresh = runs.create(session.workspace, session.project_id, "flat").name
    runs.set_status(session.workspace, fresh, "finished")
    found = shown(["flat-0001", fresh])
    assert found["nothing"]["visible"]
    button = found["predict"]
    assert (button["visible"], "the 6 missing documents" in button["value"]) == (True, True)


def test_the_status_counts_the_chosen_parts(shown, components):
    found = shown()
    said = "5 documents of these splits have predictions of all runs, 5 of them with labels."
    said += " Scored on 5 documents that all of these runs held out."
    assert found["status"] == said
    assert "the 1 missing document" in found["predict"]["value"]
    found = shown(parts=["none"])
    assert found["status"].startswith("1 document of these splits has predictions of all runs, 0")
    assert found["none"]["visible"], "nothing to score, and it says so"


@pytest.fixture
def split_itself(session):
    """``split_itself("flat-0001", ["a"], ["b"])``: a run that learned from "b" and held "a" out itself."""

    def split(run, held_out, trained_on):
        folder = RunFolder(runs.get(session.workspace, run).folder)
        folder.snapshot.mkdir()
        learned = [Document(name, TEXT) for name in (*held_out, *trained_on)]
        write_documents(folder.snapshot / "train.jsonl", learned)
        folder.write_held_out(held_out)
        own_split.cache_clear()
        session.memory.pop(reading.KEPT, None)  # made before the run was finished, as it seems here

    return split


def test_runs_of_one_file_are_scored_on_what_both_held_out(session, shown, split_itself):
    names = [name for name, *_ in STORIES]
    numbers = [number_of(session.workspace, session.project_id, name) for name in names]
    splits.set_split(session.workspace, session.project_id, numbers, "none")
    assert shown()["none"]["visible"]
    split_itself("flat-0001", ["same", "worse"], ["better", "both"])
    split_itself("flat-0002", ["same", "both"], ["better", "worse"])
    found = shown()
    assert found["status"].endswith("Scored on 1 document that all of these runs held out.")
    assert found["table"]["data"][0][1].startswith("100.0")
    assert "held out" not in shown(parts=["none"])["status"]


def test_a_dev_document_that_one_run_learned_from_is_not_held_out(shown, split_itself):
    split_itself("flat-0002", [], ["worse", "both"])
    assert shown()["status"].endswith("Scored on 3 documents that all of these runs held out.")
    assert "2 of them" in shown(parts=["train"])["status"]


def test_the_sentence_counts_all_documents_whatever_the_parts(shown, components):
    for parts in (HELD_OUT, ["train"]):
        found = shown(parts=parts)
        assert found["sentence"] == (
            "This retraining changes 6 spans in 5 documents of the 6 that both predicted "
            "(`flat-0001` → `flat-0002`)."
        )
    assert found["kinds"] == ("1 new, 1 lost, 4 with the boundary moved, 0 with another label.")


def test_runs_that_agree_are_said_to_change_nothing(session):
    changes = changes_between(session, "flat-0001", "flat-0001")
    assert run_changes.sentence(session, changes) == (
        "This retraining changes nothing in the 7 documents that both predicted (`flat-0001` → `flat-0001`)."
    )
    assert run_changes.by_kind(session, changes) == ""


def test_another_kind_of_tagger_is_not_called_a_retraining(session):
    other = runs.create(session.workspace, session.project_id, "soft_lexicon").name
    assert run_changes.promotion(session, "flat-0001", other).startswith(
        "No document has predictions of both"
    )
    predictions.put_one(session.workspace, other, number_of(session.workspace, 1, "same"), [])
    assert run_changes.promotion(session, "flat-0001", other).startswith(
        "Switching to this tagger changes 1 span in"
    )


def test_promotion_compares_a_candidate_with_the_active_run_and_with_nothing_else(session):
    assert run_changes.promotion(session, None, "flat-0001") == ""
    assert run_changes.promotion(session, "flat-0001", "flat-0001") == ""


def test_equal_changes_are_grouped_by_frequency(session, shown, components):
    found = shown()
    rows = found["groups"]["data"]
    assert [row[:4] for row in rows] == [
        ["boundary moved", "ORG", "岭南 → 岭南钢厂", "2"],
        ["boundary moved", "ORG", "岭南钢厂 → 岭南", "2"],
        ["new span", "ORG", "岭南钢厂", "1"],
        ["lost span", "PER", "周敏", "1"],
    ]
    assert rows[0][4] == "周敏出任「岭南钢厂」副厂长。better"
    kinds = {value: name for name, value in found["kind"]["choices"]}
    assert (kinds["any"], kinds["boundary"]) == ("every change (6)", "boundary moved (4)")


def test_groups_can_be_narrowed_to_a_kind_joined_by_label_and_cut(session, shown, monkeypatch):
    shown()
    joined = compare_changes.draw_groups(session, "boundary", "label")
    assert [row[:4] for row in joined["groups"]["data"]] == [["boundary moved", "ORG", "…", "4"]]
    assert joined["groups_cut"] == ""
    monkeypatch.setattr(compare_changes, "MOST_GROUPS", 1)
    few = compare_changes.draw_groups(session, "any", "text")
    assert (len(few["groups"]["data"]), few["groups_cut"]) == (1, "The first 1 of 4 groups.")


def test_a_click_on_a_group_lists_its_documents_in_all_parts(session, shown):
    shown()
    row = ["boundary moved", "ORG", "岭南钢厂 → 岭南", "2", ""]
    outputs = page.list_group(session, SimpleNamespace(row_value=row), "any", "text", "any", "any")
    assert listed(session, outputs) == ["worse", "raw"]
    assert outputs["chosen"]["visible"]
    assert "岭南钢厂 → 岭南" in outputs["what"]
    assert listed(session, compare_documents.first_rows(session, "any", "any")) == [
        "worse", "better", "both", "<b>long</b>",
    ]  # fmt: skip


def test_the_words_of_a_corpus_are_no_markdown(session, shown):
    shown()
    what = "<img src=x onerror=alert(1)> **fat** [a](b) $$x$$"
    outputs = compare_documents.show_chosen(session, compare_documents.Chosen(what, (1,)), "any", "any")
    assert outputs["what"] == "Only: `<img src=x onerror=alert(1)> **fat** [a](b) ＄＄x＄＄`"


@pytest.mark.parametrize("row", [None, "x", [], ["a", "b", "c"], {"0": 1}])
def test_a_click_on_no_group_changes_nothing(session, shown, row):
    shown()
    outputs = page.list_group(session, SimpleNamespace(row_value=row), "any", "text", "any", "any")
    assert outputs == {}


def test_sides_are_counted_by_label_and_a_click_lists_them(session, shown, components):
    found = shown()
    figure = found["sides"]
    assert figure.layout.yaxis.ticktext == ("ORG", "PER")
    assert [list(bar.x) for bar in figure.data] == [[1, 1], [3, 0], [0, 0]]
    outputs = page.list_side(session, SimpleNamespace(customdata=[0, "wrong_to_right"]), "any", "any")
    assert listed(session, outputs) == ["better", "both", "<b>long</b>"]


@pytest.mark.parametrize(
    "picked", [None, 3, [], [0], [-1, "wrong_to_right"], [True, "wrong_to_right"], [9, "x"], [0, ["x"]]]
)
def test_a_click_on_no_bar_changes_nothing(session, shown, picked):
    shown()
    outputs = page.list_side(session, SimpleNamespace(customdata=picked), "any", "any")
    assert outputs == {}


def test_the_scores_are_those_of_the_counts_with_intervals_around_them(session, shown, components):
    found = shown()
    base, other = found["table"]["data"]
    assert base[0] == "flat-0001 (base)"
    assert [cell.split(" ")[0] for cell in base[1:4]] == ["71.4", "55.6", "62.5"]
    assert [cell.split(" ")[0] for cell in other[1:5]] == ["85.7", "66.7", "75.0", "+12.5"]
    assert base[4:] == ["–", "–"]
    assert 0 < float(other[5]) <= 1
    low, high = (float(end.replace("−", "-")) for end in other[4].split("[")[1].rstrip("]").split(", "))
    assert low < 12.5 < high
    assert "10,000 bootstrap resamples of 5 labelled documents" in found["how"]
    labelled = found["labels"]["data"]
    assert [row[:2] for row in labelled[:2]] == [["ORG", "flat-0001 (base)"], ["ORG", "flat-0002"]]


def test_scores_on_documents_that_were_learned_carry_a_warning(shown, components):
    assert "flatter" not in shown()["how"]
    assert "too high" in shown(parts=["dev", "train"])["how"]


def test_the_figure_can_show_differences_instead(session, shown, components):
    assert len(shown()["figure"].data) == 2
    assert len(compare_scores.draw_picture(session, "differences").data) == 1


def test_documents_are_filtered_by_who_is_right_and_by_label(session, shown, components):
    found = shown()
    counted = {value: name for name, value in found["filter"]["choices"]}
    assert counted == {
        "any": "any disagreement (4)",
        "base_right": "base right, other wrong (1)",
        "other_right": "base wrong, other right (2)",
        "both_wrong": "both wrong, differently (1)",
        "no_gold": "no gold (0)",
    }
    for filter_, label, names in (
        ("base_right", "any", ["worse"]),
        ("other_right", "any", ["better", "<b>long</b>"]),
        ("both_wrong", "any", ["both"]),
        ("any", "PER", ["both"]),
    ):
        assert listed(session, compare_documents.first_rows(session, filter_, label)) == names
    nothing = compare_documents.first_rows(session, "no_gold", "any")
    assert (nothing["none_fits"]["visible"], nothing["range"]) == (True, "")


def test_gold_and_every_run_are_listed_below_each_other(session, shown):
    shown()
    rows = compare_documents.first_rows(session, "base_right", "any")["rows"]["sentences"]
    assert [row["note"] for row in rows] == [
        "worse · boundary moved · ORG · 岭南钢厂 → 岭南\ngold",
        "flat-0001 (base)",
        "flat-0002",
    ]
    assert [[(s["start"], s["end"], s["source"]) for s in row["spans"]] for row in rows] == [
        [(0, 2, "person"), (4, 8, "person")],
        [(0, 2, "tagger"), (4, 8, "tagger")],
        [(0, 2, "tagger"), (4, 6, "tagger")],
    ]


def test_a_long_document_shows_the_stretch_with_the_difference(session, shown):
    shown()
    *_, last = compare_documents.first_rows(session, "other_right", "any")["rows"]["sentences"]
    (mark,) = last["spans"]
    assert len(last["text"]) == LONGEST
    assert last["text"][mark["start"] : mark["end"]] == "岭南钢厂"


def test_pages_step_on_and_back_and_never_past_the_end(session, shown, monkeypatch):
    shown()
    monkeypatch.setattr(compare_documents, "PAGE", 3)
    last = compare_documents.step_on(session, "any", "any", 0)
    assert (listed(session, last), last["range"], last["offset"]) == (["<b>long</b>"], "4–4 of 4", 3)
    assert (last["previous"]["interactive"], last["next"]["interactive"]) == (True, False)
    assert compare_documents.step_on(session, "any", "any", 3)["offset"] == 3
    assert compare_documents.step_back(session, "any", "any", 3)["offset"] == 0


def test_a_clicked_sentence_takes_its_document_in_hand_and_it_opens_in_annotate(session, shown):
    shown()
    number = number_of(session.workspace, session.project_id, "both")
    assert compare_documents.take(session, SimpleNamespace(value={"id": str(number)})) == number
    assert compare_documents.open_in_annotate(session, number)["selected"] == "annotate"
    assert session.memory["annotate"] == AskedDocument(number)


@pytest.mark.parametrize("value", [None, {}, {"id": 3}, {"id": "-1"}, {"id": "x"}])
def test_a_click_that_names_no_document_takes_none(session, value):
    assert compare_documents.take(session, SimpleNamespace(value=value)) == gr.skip()


def test_documents_that_are_not_there_are_sentences(session, shown):
    with pytest.raises(NotFound):
        compare_documents.take(session, SimpleNamespace(value={"id": "999"}))
    with pytest.raises(AppError, match="Choose a document"):
        compare_documents.open_in_annotate(session, None)
    with pytest.raises(PayloadError):
        shown(parts=["nowhere"])


def test_missing_predictions_of_the_splits_are_computed(session, shown):
    told = []
    missing.answer(session, lambda *report: told.append(report), ["flat-0001", "flat-0002"], HELD_OUT)
    number = number_of(session.workspace, session.project_id, "unseen")
    assert predictions.get(session.workspace, "flat-0002", number)[0].key == PER.key
    assert told == [(0, 1, "flat-0002 is tagging", 0.5)], "half the runs are done"
    assert not shown()["predict"]["visible"]


def test_of_three_runs_one_is_compared_with_the_base_in_detail(session, shown, components):
    third = runs.create(session.workspace, session.project_id, "flat").name
    runs.set_status(session.workspace, third, "finished")
    for name, _, _, said, _ in STORIES[:2]:
        number = number_of(session.workspace, session.project_id, name)
        predictions.put_one(session.workspace, third, number, [] if name == "same" else said)
    found = shown(["flat-0001", "flat-0002", third], other=third)
    other = found["other"]
    assert ([name for _, name in other["choices"]], other["value"]) == (["flat-0002", third], third)
    assert other["visible"]
    assert "changes 1 span in 1 document of the 2" in found["sentence"]
    assert len(found["table"]["data"]) == 3
    rows = compare_documents.first_rows(session, "any", "any")["rows"]["sentences"]
    assert [row["note"].split("\n")[-1] for row in rows] == ["gold", "flat-0001 (base)", "flat-0002", third]


@pytest.fixture
def portions(monkeypatch):
    """Every document is reported on its own."""
    monkeypatch.setattr(predicted, "PORTION", 1)


def test_every_step_of_a_comparison_is_reported_with_its_units(session, shown, portions):
    page.choose(session, ["flat-0001", "flat-0002"], HELD_OUT, None)
    told = []
    page.compare(session, lambda *report: told.append(report))
    assert list(dict.fromkeys(what for _, _, what, _ in told)) == [str(step) for step in page.STEPS.values()]
    fractions = [fraction for *_, fraction in told]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 1
    scoring = [
        (done, total) for done, total, what, _ in told if what == "resampling for intervals and p-values"
    ]
    assert scoring[-1] == (80_000, 80_000), "bootstrap and test of all labels together and of each of three"


def test_a_comparison_is_computed_anew_only_once_something_has_changed(session, shown):
    told = []

    def compared():
        told.clear()
        return page.compare(session, lambda *report: told.append(report))

    shown()
    first = compared()
    assert not told, "it is known already"
    number = number_of(session.workspace, session.project_id, "raw")
    predictions.put_one(session.workspace, "flat-0002", number, [])
    second = compared()
    assert told
    assert (first.changes.spans, second.changes.spans) == (6, 6)
    assert (first.changes.groups, second.changes.groups)[0] != second.changes.groups
    for parts in (["dev"], ["test"], ["train"], ["none"]):
        shown(parts=parts)
    assert len(session.memory[reading.KEPT]) == reading.MOST_KEPT


def test_a_comparison_can_be_stopped_at_every_step(session, shown, portions):
    page.choose(session, ["flat-0001", "flat-0002"], HELD_OUT, None)
    for step in map(str, page.STEPS.values()):

        def report(done, total, what, fraction, step=step):
            if what == step:
                raise Stopped

        with pytest.raises(Stopped):
            page.compare(session, report)
    assert not session.memory[reading.KEPT]


def test_without_an_answer_the_former_comparison_is_hidden(session, shown):
    going_on, ended = page.unanswered(session, False), page.unanswered(session, True)
    assert not going_on["results"]["visible"]
    assert (going_on["again"]["visible"], ended["again"]["visible"]) == (False, True)
    assert not shown()["again"]["visible"]
