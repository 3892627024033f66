"""The model card of a run says what is true of it, and nothing of its texts."""

from __future__ import annotations

import json

import pytest
from huggingface_hub import ModelCard

from core.corpus.document_json import write_documents
from core.corpus.snapshot import Snapshot, write_snapshot
from core.export.bundle import write_bundle
from core.export.errors import ExportError
from core.export.model_card import RunFacts, check_licence, model_card, plain
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.text import Document, LabelSet, Span
from core.text.labels import Label
from core.training.run.run_folder import RunFolder
from tests.sweep import sweep
from tests.taggers.small_flat import LABELS, WITH_TEXT
from tests.taggers.small_taggers import learned_tagger, small_tagger

HOSTILE = "a person <script>alert(1)</script>\n## Not a heading | `x` [here](http://x)"


@pytest.fixture
def run(tmp_path):
    """A finished run: two of its three test spans are found."""
    folder = RunFolder(tmp_path / "runs" / "first")
    labels = LabelSet(Label(name, description=HOSTILE if name == "PER" else "") for name in LABELS)
    test = (
        Document("t1", "林晚晴在清河", (Span(0, 3, "PER"), Span(4, 6, "LOC"))),
        Document("t2", "清河大学", (Span(0, 4, "ORG"),)),
    )
    parts = {"train": WITH_TEXT, "test": test, "corrections": test[:1]}
    write_snapshot(folder.snapshot, Snapshot(parts, labels))
    predicted = [test[0], test[1].with_spans((Span(0, 2, "LOC"),))]
    write_documents(folder.predictions_file, [*WITH_TEXT, *predicted])
    learned_tagger("bilstm_crf").save(folder.model)
    return folder


def test_the_card_of_a_run(run, tmp_path):
    card = model_card(run.model, "onnx", facts=RunFacts.of(run), licence="cc-by-4.0", name="people/first")
    data = ModelCard(card).data
    assert (data.license, data.pipeline_tag, data.language) == ("cc-by-4.0", "token-classification", "zh")
    scores = {(r.dataset_split, r.metric_type): r.metric_value for r in data.eval_results}
    assert scores == {("test", m): pytest.approx(2 / 3, abs=1e-4) for m in ("precision", "recall", "f1")}
    assert "| train | 4 | 6 | " in card
    assert "| test | 0.6667 [0.0000, 1.0000] |" in card
    assert "it finds 2 of the 2 spans" in card
    assert "hf download people/first --local-dir model" in card
    assert not any(document.text in card for document in WITH_TEXT if len(document.text) > 3)


def test_what_people_typed_is_no_markup(run):
    card = model_card(run.model, "transformers", facts=RunFacts.of(run), name="people/first")
    assert "<script>" not in card
    assert "\n## Not a heading" not in card
    assert plain("a|b") == r"a\|b"
    assert card.splitlines().count("---") == 2


def test_a_ledger_replaces_what_the_folder_knows(run):
    ledger = {"fixed": 12, "still wrong": 3}
    card = model_card(run.model, "latticelens", facts=RunFacts.of(run), ledger=ledger)
    assert "| fixed | 12 |" in card
    assert "earlier runs, it finds" not in card


def test_a_model_folder_alone_says_that_it_knows_no_more(run):
    card = model_card(run.model, "latticelens")
    assert "data and scores of its run are unknown" in card
    assert "## Scores" not in card
    assert ModelCard(card).data.license == "other"


def test_unpredicted_documents_have_no_score(run):
    run.predictions_file.unlink()
    assert "## Scores" not in model_card(run.model, "latticelens", facts=RunFacts.of(run))


@pytest.mark.parametrize("licence", ["CC BY 4.0", "mit\nname: x", "", "a" * 61, "../x"])
def test_what_is_no_licence_is_refused(licence):
    with pytest.raises(ExportError, match=r"apache-2\.0"):
        check_licence(licence)


def test_damaged_predictions_are_refused_by_line(run):
    run.predictions_file.write_text('{"id": "t1", "text": "a", "spans": [3]}\n')
    with pytest.raises(ExportError, match=r"predictions\.jsonl, line 1"):
        RunFacts.of(run)


def test_a_copy_loads_and_names_no_folder_of_this_machine(tmp_path):
    tagger = small_tagger("bert").eval()
    tagger.save(tmp_path / "model")
    assert tagger.config.encoder.startswith("/")
    write_bundle(tmp_path / "model", tmp_path / "out", "latticelens")
    header = json.loads((tmp_path / "out" / "config.json").read_text())
    assert "/" not in header["config"]["encoder"]
    again = load_tagger(tmp_path / "out")
    assert tag(again, WITH_TEXT) == tag(tagger, WITH_TEXT)


@pytest.mark.parametrize("target", sweep(["transformers", "onnx"], ["transformers"]))
def test_no_folder_of_this_machine_leaves_with_an_export(target, tmp_path):
    tagger = small_tagger("bert").eval()
    tagger.save(tmp_path / "model")
    write_bundle(tmp_path / "model", tmp_path / "out", target)
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert tagger.config.encoder.encode() not in content, path
            assert str(tmp_path).encode() not in content, path
