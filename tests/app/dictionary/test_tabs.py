"""The callbacks of the tabs that find words, measure the dictionary and label text with it."""

import threading
import weakref

import pytest

from app.annotate.suggestions import rule_suggestions
from app.dictionary import discovery, distant_labelling, find
from app.dictionary import labels as label
from app.dictionary import measure as measuring
from app.services.background.tasks import Tasks
from app.services.errors import AppError
from app.ui.payload import InvalidPayload
from core.learning.distant import typed_surfaces
from core.learning.segment_words import SegmentCounts
from core.lexicon import Lexicon
from core.lexicon.discovery import Thresholds
from core.store import StoreError
from core.store.annotation import annotations, working
from core.store.document import documents, raw_documents
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import rejected_candidates
from core.store.project import members, projects
from core.store.project import settings as project_settings
from core.store.project.members import NotAllowed
from core.store.run import predictions, runs
from core.store.suggest import distant
from core.text import Document, Span
from tests.app.asking import asked
from tests.store.by_hand import add_words, number_of
from tests.taggers.sequence.test_segments import uneven
from tests.taggers.small_taggers import small_tagger

LOOSE = {"count": 3, "cohesion": 1.0, "freedom": 0.5, "longest": 4}
EVERY = {"direction": "forward", "ambiguous": "skip", "types": ["LOC", "PER"]}


@pytest.fixture(autouse=True)
def small_base(monkeypatch):
    base = Lexicon(["工作"])
    monkeypatch.setattr(Lexicon, "jieba", classmethod(lambda cls: base))


@pytest.fixture
def raw(filled):
    """The filled project, and twelve raw documents in which 区块链 stands among changing characters."""
    made = [Document(f"r-{a}{b}", f"{a}{b}区块链{b}{a}") for a in "天地人和" for b in "风雨山"]
    documents.add(filled.workspace, filled.project_id, made)
    return filled


class Text(str):
    """A text that tells whether it is still held."""


def _search(session, **more):
    asked(find.find_start, session, LOOSE | more)
    assert discovery.DISCOVERY.of(session).wait(60)
    return asked(find.find_state, session)


def _listed(session, source, **more):
    answer = asked(find.find_list, session, {"source": source, **more})
    return [row["surface"] for row in answer["rows"]]


def _measure(session, **choice):
    asked(measuring.measure_start, session, choice)
    assert measuring.MEASURING.of(session).wait(60)
    return asked(measuring.measure_state, session, choice)


def _preview(session, **more):
    asked(label.labels_preview, session, EVERY | more)
    assert distant_labelling.LABELLING.of(session).wait(60)
    return asked(label.labels_state, session)


def _apply(session, mode, **more):
    asked(label.labels_apply, session, EVERY | {"mode": mode} | more)
    assert distant_labelling.LABELLING.of(session).wait(60)
    return asked(label.labels_state, session)


def test_a_project_without_documents_says_so(session):
    state = asked(find.find_state, session)
    assert (state["documents"], state["result"], state["work"]) == (0, None, None)
    with pytest.raises(AppError, match="no documents"):
        asked(find.find_start, session, LOOSE)
    with pytest.raises(AppError, match="nothing to measure"):
        asked(measuring.measure_start, session)
    assert asked(label.labels_state, session)["types"] == []
    with pytest.raises(AppError, match="at least one type"):
        asked(label.labels_preview, session, EVERY | {"types": []})


def test_a_search_finds_words_in_text_and_labels_with_their_contexts(raw):
    state = _search(raw)
    assert state["work"]["error"] == ""
    assert (state["result"]["documents"], state["result"]["open"]["labels"]) == (17, 2)
    rows = {row["surface"]: row for row in asked(find.find_list, raw, {"source": "text"})["rows"]}
    assert rows["区块链"]["documents"] == 12
    assert rows["区块链"]["contexts"][0][:2] == ["天风", "风天"]
    labelled = {row["surface"]: row for row in asked(find.find_list, raw, {"source": "labels"})["rows"]}
    assert (labelled["张伟"]["type"], labelled["张伟"]["count"], labelled["张伟"]["share"]) == ("PER", 4, 1.0)
    assert asked(find.find_list, raw, {"source": "labels", "search": "北"})["total"] == 1


def test_words_of_the_base_are_left_out_unless_they_are_asked_for(raw, monkeypatch):
    base = Lexicon(["区块链"])
    monkeypatch.setattr(Lexicon, "jieba", classmethod(lambda cls: base))
    _search(raw)
    assert "区块链" not in _listed(raw, "text")
    _search(raw, beyond_base=False)
    assert "区块链" in _listed(raw, "text")


def test_segments_of_the_active_taggers_boundaries_are_candidates(raw):
    state = _search(raw)
    assert (state["result"]["cut"], _listed(raw, "segments")) == (False, []), "there is no tagger"
    tagger = uneven(small_tagger("bilstm_crf", cell="hm_lstm", layers=2))
    folder = raw.workspace.folder / "multiscale"
    tagger.save(folder)
    runs.register(raw.workspace, raw.project_id, "multiscale", "bilstm_crf", folder, {})
    projects.set_active(raw.workspace, raw.project_id, "multiscale")
    counts = SegmentCounts()
    counts.read(tagger, list(documents.iterate(raw.workspace, raw.project_id)))
    expected = {word.surface: word.count for word in counts.words(Thresholds(count=3, longest=4), {"工作"})}
    assert expected, "nothing to compare"
    state = _search(raw)
    assert (state["work"]["error"], state["result"]["cut"]) == ("", True)
    rows = asked(find.find_list, raw, {"source": "segments", "order": "count"})["rows"]
    assert {row["surface"]: row["count"] for row in rows} == expected
    assert all(row["documents"] >= 1 and row["contexts"] for row in rows)
    asked(find.find_accept, raw, {"words": [{"word": rows[0]["surface"], "type": ""}]})
    assert rows[0]["surface"] not in _listed(raw, "segments")


def test_frequent_consistent_predictions_are_candidates(raw):
    run = runs.create(raw.workspace, raw.project_id, "flat")
    for number, document in raw_documents.each(raw.workspace, raw.project_id):
        at = document.text.find("区块链")
        if at >= 0:
            predictions.put_one(raw.workspace, run.name, number, [Span(at, at + 3, "LOC", 0.9)])
    runs.set_status(raw.workspace, run.name, "finished")
    projects.set_active(raw.workspace, raw.project_id, run.name)
    state = _search(raw)
    assert state["active_run"] is True
    (row,) = asked(find.find_list, raw, {"source": "tagger"})["rows"]
    assert (row["surface"], row["type"], row["count"], row["share"]) == ("区块链", "LOC", 12, 1.0)
    assert {r["surface"]: r["type"] for r in asked(find.find_list, raw, {"source": "text"})["rows"]}[
        "区块链"
    ] == "LOC"


def test_accepting_and_rejecting_take_a_candidate_away_and_undo_brings_it_back(raw):
    _search(raw)
    asked(find.find_accept, raw, {"words": [{"word": "区块链", "type": "LOC"}]})
    assert lexicon_changes.current(raw.workspace, raw.project_id).added == {"区块链": "LOC"}
    assert "区块链" not in _listed(raw, "text")
    state = asked(find.find_reject, raw, {"words": ["张伟"]})
    assert state["last"] == {"kind": "rejected", "count": 1, "word": "张伟"}
    assert "张伟" not in _listed(raw, "labels")
    _search(raw)
    assert "张伟" not in _listed(raw, "labels")
    raw.memory.clear()  # as after a reload or a restart
    assert asked(find.find_undo, raw)["last"]["kind"] == "accepted"
    asked(find.find_undo, raw)
    assert lexicon_changes.current(raw.workspace, raw.project_id).added == {}
    assert rejected_candidates.rejected(raw.workspace, raw.project_id) == frozenset()
    _search(raw)
    assert "区块链" in _listed(raw, "text")
    assert "张伟" in _listed(raw, "labels")
    with pytest.raises(AppError, match="nothing left to undo"):
        asked(find.find_undo, raw)


def test_all_above_a_value_are_shown_first_and_accepted_in_one_step(raw):
    _search(raw)
    wanted = {"source": "labels", "order": "count", "least": 4}
    seen = asked(find.find_above, raw, wanted)
    assert (seen["count"], seen["untyped"]) == (2, 0)
    assert lexicon_changes.current(raw.workspace, raw.project_id).added == {}
    state = asked(find.find_above, raw, wanted | {"apply": True})
    assert state["last"]["count"] == 2
    assert lexicon_changes.current(raw.workspace, raw.project_id).added == {"北京": "LOC", "张伟": "PER"}
    asked(find.find_undo, raw)
    assert lexicon_changes.current(raw.workspace, raw.project_id).added == {}
    with pytest.raises(AppError, match="No candidate reaches"):
        asked(find.find_above, raw, wanted | {"least": 99, "apply": True})


def test_a_second_search_waits_for_the_first(raw, monkeypatch):
    gate = threading.Event()

    def waits(*args, **named):
        gate.wait(60)
        return []

    monkeypatch.setattr(discovery, "new_words", waits)
    asked(find.find_start, raw, LOOSE)
    with pytest.raises(AppError, match="already being searched for"):
        asked(find.find_start, raw, LOOSE)
    state = asked(find.find_stop, raw)
    gate.set()
    assert discovery.DISCOVERY.of(raw).wait(60)
    state = asked(find.find_state, raw)
    assert (state["work"]["stopped"], state["result"]) == (True, None)


def test_the_dictionary_is_measured_on_annotated_documents(raw):
    add_words(raw.workspace, raw.project_id, {"北京": "LOC", "张伟": "LOC", "工作": "PER"}, user="lin")
    state = _measure(raw)
    assert (state["documents"], state["of"]) == (4, 17)
    result = state["result"]
    assert (result["documents"], result["stale"]) == (4, "")
    rows = {row["name"]: row for row in result["rows"]}
    assert rows["LOC"]["coverage"] == [4, 4, 1, 1]
    assert rows["LOC"]["matches"] == [4, 4, 0]
    assert rows["PER"]["coverage"] == [4, 0, 1, 0]
    assert rows["PER"]["matches"] == [0, 0, 4]
    assert result["micro"]["bidirectional"] == [4 / 12, 4 / 8, 8 / 20]
    assert [row[0] for row in result["worst"]] == ["工作", "张伟"] or [r[0] for r in result["worst"]] == [
        "张伟",
        "工作",
    ]
    assert result["missing"] == [["张伟", "PER", 4]]
    drawn = measuring.draw(raw)
    assert list(drawn["coverage"].data[0].customdata) == [4, 0]
    assert sum(sum(trace.customdata) for trace in drawn["matches"].data) == 12


def test_results_outlast_the_app_and_say_when_they_are_stale(raw):
    add_words(raw.workspace, raw.project_id, {"北京": "LOC"}, user="lin")
    found, measured = _search(raw), _measure(raw, direction="forward")
    listed = asked(find.find_list, raw, {"source": "text"})
    assert (found["result"]["stale"], measured["result"]["stale"]) == (False, "")
    assert found["result"]["version"] == measured["result"]["version"] > 0
    figures = [figure.to_json() for figure in measuring.draw(raw).values()]
    raw.workbench.tasks = Tasks()  # as after a restart
    again = asked(find.find_state, raw)
    assert (again["result"], again["thresholds"], again["work"]) == (
        found["result"],
        found["thresholds"],
        None,
    )
    assert asked(find.find_list, raw, {"source": "text"}) == listed
    assert asked(measuring.measure_state, raw, {"direction": "forward"})["result"] == measured["result"]
    assert [figure.to_json() for figure in measuring.draw(raw).values()] == figures
    number = number_of(raw.workspace, raw.project_id, "r-天风")
    annotations.save(raw.workspace, number, 0, [Span(0, 1, "PER")], user="lin")
    assert asked(measuring.measure_state, raw)["result"]["stale"] == "labels"
    documents.add(raw.workspace, raw.project_id, [Document("late", "区块链")])
    assert asked(find.find_state, raw)["result"]["stale"] is True


def test_a_result_of_another_version_or_too_long_to_keep_is_none_after_a_restart(raw, monkeypatch):
    _search(raw)
    monkeypatch.setattr("app.services.background.project_tasks.LONGEST", 100)
    state = _measure(raw)
    assert (state["result"] is not None, state["work"]["error"]) == (True, "")
    project_settings.write(raw.workspace, raw.project_id, "words_found", {"candidates": {"text": [{"x": 1}]}})
    raw.workbench.tasks = Tasks()
    assert asked(find.find_state, raw)["result"] is None
    assert asked(measuring.measure_state, raw)["result"] is None
    assert measuring.draw(raw) == {"coverage": None, "matches": None}


def test_bad_words_are_removed_and_missing_ones_added_by_one_click(raw):
    add_words(raw.workspace, raw.project_id, {"工作": "PER"}, user="lin")
    _measure(raw)
    assert asked(measuring.measure_remove, raw, {"words": ["工作"]})["result"]["stale"] == "words"
    asked(measuring.measure_add, raw, {"word": "张伟", "type": "PER"})
    changes = lexicon_changes.current(raw.workspace, raw.project_id)
    assert (changes.added, changes.removed) == ({"张伟": "PER"}, ("工作",))
    asked(measuring.measure_undo, raw)
    asked(measuring.measure_undo, raw)
    assert lexicon_changes.current(raw.workspace, raw.project_id).added == {"工作": "PER"}


def test_a_second_type_of_a_word_is_added_to_the_first(raw):
    add_words(raw.workspace, raw.project_id, {"张伟": "LOC"}, user="lin")
    asked(measuring.measure_add, raw, {"word": "张伟", "type": "PER"})
    entries, _ = distant.typed_entries(raw.workspace, raw.project_id)
    assert {(entry.word, entry.type) for entry in entries} == {("张伟", "LOC"), ("张伟", "PER")}
    asked(measuring.measure_undo, raw)
    entries, _ = distant.typed_entries(raw.workspace, raw.project_id)
    assert [(entry.word, entry.type) for entry in entries] == [("张伟", "LOC")]


def test_distant_labels_are_previewed_applied_and_undone(raw):
    batch = add_words(raw.workspace, raw.project_id, {"区块链": "LOC"}, user="lin")
    state = _preview(raw)
    assert (state["raw"], state["types"]) == (13, [["LOC", 1, True]])
    preview = state["preview"]
    assert (preview["raw"], preview["documents"], preview["spans"]) == (13, 12, 12)
    assert preview["by_label"] == [("LOC", 12)]
    assert len(preview["examples"]) == 10
    assert preview["examples"][0]["marks"] == [{"start": 2, "end": 5, "label": "LOC", "source": "dictionary"}]
    assert raw_documents.count(raw.workspace, raw.project_id) == 13
    state = _apply(raw, "in_progress")
    (made,) = state["batches"]
    assert (made["documents"], made["spans"], made["undone"], state["raw"]) == (12, 12, None, 1)
    shown = asked(label.labels_show, raw, {"batch": made["id"]})
    assert (shown["total"], len(shown["rows"])) == (12, 12)
    first = shown["rows"][0]["document"]
    assert distant.sources(raw.workspace, first)[2, 5, "LOC"] == (made["id"], made["version"], batch)
    state = asked(label.labels_take_back, raw, {"batch": made["id"]})
    assert (state["taken"], state["raw"], state["batches"][0]["undone"] is not None) == (12, 13, True)


def test_suggestions_of_a_batch_are_what_the_annotator_offers(raw):
    add_words(raw.workspace, raw.project_id, {"区块链": "LOC"}, user="lin")
    _apply(raw, "suggest")
    lexicon_changes.remove(raw.workspace, raw.project_id, ["区块链"], user="lin")
    number, _ = next(
        one for one in raw_documents.each(raw.workspace, raw.project_id) if "区块链" in one[1].text
    )
    annotation = working.current(raw.workspace, number, raw.user)
    offered = rule_suggestions(raw, annotation).spans["dictionary"]
    assert [span.key for span in offered] == [(2, 5, "LOC")]


def test_types_that_were_not_chosen_guard_their_text_and_are_not_labelled(raw):
    add_words(raw.workspace, raw.project_id, {"区块链": "X", "块链": "LOC"}, user="lin")
    assert _preview(raw, types=["LOC"])["preview"]["documents"] == 0
    state = _apply(raw, "done", types=["LOC"])
    assert "No word of the chosen types" in state["work"]["error"]
    assert state["batches"] == []


def test_a_persons_document_is_left_alone(raw):
    add_words(raw.workspace, raw.project_id, {"区块链": "LOC"}, user="lin")
    number = next(raw_documents.each(raw.workspace, raw.project_id))[0]
    annotations.set_status(raw.workspace, number, "done", user="lin")
    _apply(raw, "done")
    assert annotations.current(raw.workspace, number).document.spans == ()


def test_who_may_not_see_or_change_is_refused(raw):
    members.put(raw.workspace, raw.project_id, "boss", "manager", by="boss")
    members.put(raw.workspace, raw.project_id, "lin", "annotator", by="boss")
    for refused in (
        lambda: asked(find.find_accept, raw, {"words": [{"word": "a", "type": ""}]}),
        lambda: asked(find.find_reject, raw, {"words": ["a"]}),
        lambda: asked(find.find_above, raw, {"source": "text", "least": 1}),
        lambda: asked(find.find_undo, raw),
        lambda: asked(measuring.measure_remove, raw, {"words": ["a"]}),
        lambda: asked(measuring.measure_add, raw, {"word": "a", "type": "PER"}),
        lambda: asked(label.labels_apply, raw, EVERY | {"mode": "done"}),
        lambda: asked(label.labels_take_back, raw, {"batch": 1}),
    ):
        with pytest.raises(NotAllowed):
            refused()
    assert asked(find.find_state, raw)["may_change"] is False
    assert asked(label.labels_state, raw)["may_change"] is False


@pytest.mark.parametrize(
    ("call", "payload", "error"),
    [
        (find.find_start, {}, InvalidPayload),
        (find.find_start, LOOSE | {"longest": 99}, ValueError),
        (find.find_start, LOOSE | {"count": "3"}, InvalidPayload),
        (find.find_start, LOOSE | {"cohesion": float("nan")}, InvalidPayload),
        (find.find_list, {"source": "elsewhere"}, AppError),
        (find.find_list, {"source": "text", "offset": -1}, InvalidPayload),
        (find.find_accept, {"words": []}, AppError),
        (find.find_accept, {"words": ["x"]}, InvalidPayload),
        (find.find_accept, {"words": [{"word": "x" * 101, "type": ""}]}, StoreError),
        (find.find_reject, {"words": ["x"] * 31}, InvalidPayload),
        (find.find_above, {"source": "text", "least": "1"}, InvalidPayload),
        (measuring.measure_remove, {"words": "x"}, InvalidPayload),
        (measuring.measure_add, {"word": ""}, InvalidPayload),
        (label.labels_preview, EVERY | {"types": "LOC"}, AppError),
        (label.labels_preview, EVERY | {"types": [1]}, InvalidPayload),
        (label.labels_apply, EVERY | {"mode": "everything"}, AppError),
        (label.labels_take_back, {"batch": 99}, StoreError),
        (label.labels_show, {"batch": 99}, StoreError),
    ],
)
def test_what_a_browser_should_not_send_is_refused(raw, call, payload, error):
    with pytest.raises(error):
        asked(call, raw, payload)


def test_a_search_holds_no_documents_and_finds_what_those_held_at_once_would_give(raw, monkeypatch):
    run = runs.create(raw.workspace, raw.project_id, "flat")
    runs.set_status(raw.workspace, run.name, "finished")
    projects.set_active(raw.workspace, raw.project_id, run.name)
    held, most = weakref.WeakSet(), []

    def documents_of(*_):
        for number in range(200):
            most.append(len(held))
            text = Text("林知远在青禾大学" + "甲乙丙丁"[number % 4])
            held.add(text)
            yield Document(str(number), text, (Span(0, 3, "PER"), Span(4, 8, "LOC"))[: 1 + number % 2])
            del text

    monkeypatch.setattr(discovery.judged_documents, "iterate", documents_of)
    monkeypatch.setattr(discovery.predictions, "tagged", documents_of)
    _search(raw)
    found = discovery.DISCOVERY.last(raw)
    assert len(most) == 2 * 3 * 200
    assert max(most) < 5
    often = {"least": discovery.OFTEN, "share": discovery.ALWAYS}
    for source, thresholds in (("labels", {}), ("tagger", often)):
        at_once = typed_surfaces(list(documents_of()), **thresholds)
        told = [(one.surface, one.type, one.count, one.share) for one in found.candidates[source]]
        assert told == [(one.surface, one.type, one.count, one.share) for one in at_once], source
