"""An exported graph gives the tagger's scores and spans, without torch."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch

from core.export.errors import ExportError
from core.export.onnx.comparison import differences, query_differences
from core.export.onnx.export import export
from core.export.onnx.graphs.choice import check_exportable
from core.export.onnx.runner import OnnxTagger
from core.layers.evaluating import evaluating
from core.lexicon import Lexicon
from core.taggers.base.calibration import Calibration, Scaling
from core.taggers.base.registry import available, by_name
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.ensemble.tagger import Ensemble
from core.text import Document, Span
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger

pytest.importorskip("onnxruntime")
ROOT = Path(__file__).resolve().parents[3]
EXPORTED = tuple(name for name in OPTIONS if name != "dictionary")
TEXTS = (
    *(document.text for document in DOCUMENTS),
    "清河大学昨天下雨" * 30,
    "林晚晴在清河大学。她教书！" * 30,
    "x",
    " \n ",
    "e\u0301\ud800林晚晴😀",
    "Lin hired of 大学",
)
SPACED = (
    Document("1", "Lin hired 3 people in New York.", (Span(0, 3, "PER"), Span(22, 30, "LOC"))),
    Document("2", "In York Lin met Chen's cat.", (Span(3, 7, "LOC"), Span(8, 11, "PER"))),
    Document("3", "It rained.", ()),
)
MORE = tuple(Document(str(number), text) for number, text in enumerate(TEXTS))


@functools.cache
def exported(name):
    """A tagger that knows `WITH_TEXT`, with a calibration, and the folder of its graph."""
    tagger = learned_tagger(name)
    tagger.calibration = Calibration(Scaling(1.5, 0.25), {"PER": Scaling(0.5, -1.0)}, 60)
    tagger.usual_length = 12
    folder = Path(tempfile.mkdtemp()) / name
    export(tagger, folder)
    return tagger, folder


def assert_same(tagger, runner, documents):
    expected, found = tag(tagger, documents), runner.tag(documents)
    assert [d.text for d in found] == [d.text for d in documents]
    for before, after in zip(expected, found, strict=True):
        assert [s.key for s in after.spans] == [s.key for s in before.spans]
        assert [s.score for s in after.spans] == pytest.approx([s.score for s in before.spans], abs=1e-3)


@pytest.mark.parametrize(
    "name", sweep(EXPORTED, [name for name in EXPORTED if name not in ("flat", "lr_cnn", "soft_lexicon")])
)
def test_scores_and_spans_are_those_of_the_tagger(name):
    tagger, folder = exported(name)
    runner = OnnxTagger(folder)
    with torch.inference_mode(), evaluating(tagger):
        for documents in (WITH_TEXT, WITH_TEXT[:1], WITH_TEXT[3:4], MORE[-5:-4]):
            batch = tagger.collate(documents)
            if name == "mrc":
                found = query_differences(tagger, batch, runner.session)
            else:
                found = differences(tagger, batch, runner.session.run(documents).scores)
            assert found.max() < 1e-4
    assert_same(tagger, runner, MORE)
    assert any(document.spans for document in runner.tag(MORE))
    assert runner.tag([]) == []
    assert runner.labels == tagger.labels


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "options"),  # what has nothing to do with each other is tried together: an export takes seconds
    [
        ("flat", {"layers": 1, "use_lexicon": False}),
        ("flat", {"four_distances": False, "scale": True, "project_output": True, "residual": False}),
        ("flat", {"project_key": False, "longest_word": 2}),
        ("soft_lexicon", {"lexicon_features": "softword", "sequence_layer": "transformer", "heads": 2}),
        ("soft_lexicon", {"lexicon_features": "exsoftword"}),
        ("soft_lexicon", {"sequence_layer": "cnn", "use_lexicon": False}),
        ("lattice_lstm", {"coupled": True, "bigram_dim": 0}),
        ("lattice_lstm", {"longest_word": 2}),
        ("lattice_lstm", {"use_lexicon": False}),
        ("lr_cnn", {"both_sides": False, "rethinking": 0}),
        ("lr_cnn", {"use_lexicon": False, "rethinking": 2}),
        ("bilstm_crf", {"cell": "gru", "layers": 2, "bigram_dim": 0}),
        ("bilstm_crf", {"head": "softmax", "constrained": False}),
        ("bilstm_crf", {"unit": "word", "char_view": "lstm"}),
        ("bilstm_crf", {"unit": "word", "char_view": "none", "shape_dim": 0}),
        ("soft_lexicon", {"unit": "word", "char_view": "none"}),
        ("soft_lexicon", {"unit": "word", "lexicon_features": "softword"}),
        ("flat", {"unit": "word", "layers": 1}),
        ("bert", {"layer_mix": "scalar_mix", "head": "crf", "scheme": "BIOES", "unit": "word"}),
        ("bert", {"layer_mix": "dynamic", "top": "bilstm", "top_hidden": 8}),
        ("bert", {"unit": "word", "piece_pooling": "mean"}),
        ("bert", {"top": "transformer", "top_hidden": 8, "top_heads": 2}),
        ("elmo_crf", {"place": "input", "top_hidden": 0, "tokens": "word", "normalise": True}),
        ("elmo_crf", {"place": "output", "layers": "last", "bigram_dim": 0}),
        ("mrc", {"threshold": 0.01, "longest_span": 3, "layer_mix": "scalar_mix", "query_style": "keyword"}),
        ("pu", {"unit": "characters", "bigram_dim": 0}),
        (
            "pu",
            {
                "over": "flat",
                "over_options": '{"hidden": 12, "heads": 3, "ffn": 16}',
                "filters": 30,
                "kind_dim": 8,
                "hidden": 200,
            },
        ),
        ("span", {"scorer": "biaffine", "inside": False, "longest_span": 3, "decoding": "flat"}),
        ("span", {"rotary": False, "decoding": "no_crossing", "threshold": 0.3}),
        ("span", {"over": "lattice_lstm", "over_options": '{"hidden": 6, "word_dim": 6}'}),
        ("span", {"over": "elmo_crf", "over_options": '{"hidden": 6, "elmo_cells": 8}', "threshold": 0.5}),
        ("span", {"over": "flat", "over_options": '{"hidden": 12, "heads": 3, "ffn": 16}', "threshold": 0.5}),
    ],
)
def test_every_variant_leaves(name, options, tmp_path):
    tagger = small_tagger(name, **options).eval()
    assert export(tagger, tmp_path / "out") < 1e-4
    assert_same(tagger, OnnxTagger(tmp_path / "out"), MORE)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "options"), [("flat", {"layers": 1}), ("span", {"threshold": 0.001})])
def test_a_transformer_under_characters_leaves_with_them(name, options, tmp_path):
    tagger = small_tagger(name, encoder=OPTIONS["bert"]["encoder"](), **options).eval()
    export(tagger, tmp_path / "out")
    runner = OnnxTagger(tmp_path / "out")
    assert_same(tagger, runner, MORE)
    assert name == "flat" or any(document.spans for document in runner.tag(MORE))


@pytest.mark.parametrize("name", sweep(("bilstm_crf", "soft_lexicon", "flat"), ["bilstm_crf"]))
def test_words_are_tagged_as_by_the_tagger(name, tmp_path):
    tagger = small_tagger(name, unit="word", documents=SPACED, word_dim=6, char_view_dim=4, shape_dim=3)
    train(tagger, SPACED, 150).eval()
    assert export(tagger, tmp_path / "out") < 1e-4
    runner = OnnxTagger(tmp_path / "out")
    long = Document("long", "Lin hired Chen's cat in New York. " * 40)
    whole = Document("whole", "x" * 40 + " Lin")
    came = Document("tokens", "Lin-Chen hired", (), {"tokens": [[0, 8], [9, 14]]})
    assert_same(tagger, runner, [*SPACED, *MORE, long, whole, came])
    assert any(document.spans for document in runner.tag(SPACED))


def test_words_that_overlap_everywhere_are_those_of_the_lattice(tmp_path):
    text = "林晚晴没去清河大学教书"
    words = {text[at : at + size] for size in range(2, 7) for at in range(len(text) - size + 1)}
    tagger = small_tagger("lattice_lstm", lexicon=Lexicon(sorted(words))).eval()
    export(tagger, tmp_path / "out")
    runner = OnnxTagger(tmp_path / "out")
    texts = [text, text[::-1], text[3:] * 9, "去" + text * 2, text[:2], "x" * 30]
    documents = [Document(str(number), each) for number, each in enumerate(texts)]
    with torch.inference_mode():
        for batch in (documents, documents[2:3], documents[3:]):
            scores = runner.session.run(batch).scores
            assert differences(tagger, tagger.collate(batch), scores).max() < 1e-4


def half_trained(*options):
    """An ensemble of taggers that know `WITH_TEXT` in part, each with a calibration, as has the ensemble."""
    members = []
    for seed, (name, given) in enumerate(options, start=1):
        member = train(small_tagger(name, seed, **given), WITH_TEXT, 20)
        member.usual_length = 20 + seed
        member.calibration = Calibration(Scaling(1 + seed / 2, 0.25 * seed), {"PER": Scaling(0.8, -0.4)}, 60)
        members.append(member)
    ensemble = Ensemble(members).eval()
    ensemble.calibration = Calibration(Scaling(1.2, -0.1), {"LOC": Scaling(0.9, 0.2)}, 60)
    return ensemble


@pytest.mark.parametrize(
    "members",
    [
        (("bilstm_crf", {}), ("bilstm_crf", {"head": "softmax", "constrained": False}), ("bert", {})),
        (("span", {"decoding": "no_crossing"}), ("span", {"decoding": "no_crossing", "threshold": 0.3})),
        (("span", {}), ("span", {"scorer": "biaffine", "longest_span": 3, "inside": False})),
    ],
    ids=["tags", "spans", "spans as seen"],
)
def test_an_ensemble_leaves_as_the_graphs_of_its_members(members, tmp_path):
    ensemble = half_trained(*members)
    assert export(ensemble, tmp_path / "out") < 1e-4
    runner = OnnxTagger(tmp_path / "out")
    assert (runner.name, runner.labels) == ("ensemble", ensemble.labels)
    assert runner.usual_length == ensemble.usual_length == 21
    assert runner.supports_nested == ensemble.supports_nested
    assert_same(ensemble, runner, MORE)
    assert any(document.spans for document in runner.tag(MORE))


def test_members_whose_labels_have_another_order_are_averaged_by_label(tmp_path):
    torch.manual_seed(3)
    kind = by_name("bilstm_crf")
    other = kind.build(
        kind.Config(**OPTIONS["bilstm_crf"]), tuple(reversed(LABELS)), Resources(DOCUMENTS, LEXICON)
    )
    ensemble = Ensemble([learned_tagger("bilstm_crf"), train(other, WITH_TEXT, 20)]).eval()
    export(ensemble, tmp_path / "out")
    assert_same(ensemble, OnnxTagger(tmp_path / "out"), MORE)


def test_an_ensemble_with_a_member_of_another_kind_is_refused(tmp_path):
    export(half_trained(("bilstm_crf", {}), ("bilstm_crf", {})), tmp_path / "out")
    shutil.rmtree(tmp_path / "out/members/2")
    with pytest.raises(ExportError, match=r"onnx\.json"):
        OnnxTagger(tmp_path / "out")
    shutil.copytree(exported("span")[1], tmp_path / "out/members/2")
    with pytest.raises(ExportError, match=r"onnx\.json is malformed"):
        OnnxTagger(tmp_path / "out")


def test_spans_may_overlap_as_those_of_the_tagger():
    tagger, folder = exported("span")
    assert OnnxTagger(folder).supports_nested == tagger.supports_nested
    assert not OnnxTagger(exported("bilstm_crf")[1]).supports_nested


@pytest.mark.parametrize("name", ["bert", "elmo_crf", "lattice_lstm", "mrc", "pu"])
def test_no_torch_is_loaded(name):
    _, folder = exported(name)
    code = (
        "import sys\n"
        "from core.export.onnx.runner import OnnxTagger\n"
        "from core.text import Document\n"
        f"found = OnnxTagger({str(folder)!r}).tag([Document('1', '林晚晴在清河大学教书')])\n"
        "heavy = [name for name in ('torch', 'transformers', 'numba', 'onnx') if name in sys.modules]\n"
        "assert found[0].spans and not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in EXPORTED])
def test_a_tagger_without_a_graph_is_refused_by_name(name, tmp_path):
    tagger = small_tagger(name)
    with pytest.raises(ExportError, match=r"has no ONNX graph: \w") as refused:
        export(tagger, tmp_path / "out")
    assert str(refused.value).startswith(tagger.title)
    assert not (tmp_path / "out").exists()


def test_every_tagger_is_exported_or_refused_with_its_own_reason():
    known = set(EXPORTED) | {name for name in OPTIONS if name not in EXPORTED} | {"ensemble"}
    assert set(available()) <= known


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("bilstm_crf", {"cell": "hm_lstm", "layers": 2}, "hm_lstm"),
        ("bert", {"neighbours": 1}, "neighbours"),
    ],
)
def test_what_a_graph_lacks_is_said(name, options, reason):
    with pytest.raises(ExportError, match=reason):
        check_exportable(small_tagger(name, **options))


def test_pairs_matched_in_parts_are_those_matched_at_once(monkeypatch):
    tagger, folder = exported("mrc")
    monkeypatch.setattr("core.export.onnx.queries.CHUNK", 3)
    with torch.inference_mode():
        found = query_differences(tagger, tagger.collate(WITH_TEXT), OnnxTagger(folder).session)
    assert len(found) > 100
    assert found.max() < 1e-4


@pytest.mark.parametrize("queries", [None, [], ["Who?"], [1, 2, 3], "abc"])
def test_each_label_needs_its_query(queries, tmp_path):
    _, folder = exported("mrc")
    header = {**json.loads((folder / "onnx.json").read_text()), "queries": queries}
    with pytest.raises(ExportError, match=r"onnx\.json is malformed"):
        OnnxTagger(damaged(folder, tmp_path, "onnx.json", json.dumps(header).encode()))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("bert", {"reader": "mrc"}),
        ("mrc", {"reader": "bert"}),
        ("mrc", {"unit": "word"}),
        ("pu", {"unit": "word"}),
        ("elmo_crf", {"elmo": None}),
        ("elmo_crf", {"elmo": {"unit": "word", "longest": 2, "widest": 1}}),
    ],
)
def test_a_header_of_another_tagger_is_refused(name, changed, tmp_path):
    _, folder = exported(name)
    header = {**json.loads((folder / "onnx.json").read_text()), **changed}
    with pytest.raises(ExportError, match=r"onnx\.json is malformed"):
        OnnxTagger(damaged(folder, tmp_path, "onnx.json", json.dumps(header).encode()))


def test_a_graph_without_states_to_match_is_refused(tmp_path):
    _, folder = exported("mrc")
    _, other = exported("bert")
    copy = damaged(folder, tmp_path, "model.onnx", (other / "model.onnx").read_bytes())
    with pytest.raises(ExportError, match="does not fit"):
        OnnxTagger(copy).tag(WITH_TEXT)


def test_a_folder_from_before_there_were_queries_is_read(tmp_path):
    _, folder = exported("bert")
    header = json.loads((folder / "onnx.json").read_text())
    del header["queries"]
    copy = damaged(folder, tmp_path, "onnx.json", json.dumps(header).encode())
    assert OnnxTagger(copy).tag(WITH_TEXT) == OnnxTagger(folder).tag(WITH_TEXT)


def damaged(folder, tmp_path, file, content):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    if content is None:
        (copy / file).unlink()
    else:
        (copy / file).write_bytes(content)
    return copy


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"{", b"[]", b"null", b"7"])
@pytest.mark.parametrize(
    ("name", "file"),
    [
        *(("bert", file) for file in ("onnx.json", "vocabulary.json", "tag_decoding.json", "tokenizer.json")),
        ("bert", "model.onnx"),
        ("span", "span_decoding.json"),
        ("pu", "run_decoding.json"),
        *(("mrc", file) for file in ("query_decoding.json", "match.onnx")),
    ],
)
def test_a_damaged_folder_is_refused_and_names_the_file(name, file, content, tmp_path):
    _, folder = exported(name)
    # Which of those that turn scores into spans is missing nobody knows.
    told = "tag_decoding.json" if file.endswith("_decoding.json") and content is None else file
    with pytest.raises(ExportError, match=told.replace(".", r"\.")):
        OnnxTagger(damaged(folder, tmp_path, file, content))


def test_a_graph_of_another_model_is_refused(tmp_path):
    _, folder = exported("bert")
    _, other = exported("bilstm_crf")
    copy = damaged(folder, tmp_path, "model.onnx", (other / "model.onnx").read_bytes())
    with pytest.raises(ExportError, match="does not fit"):
        OnnxTagger(copy).tag(WITH_TEXT)


def test_tags_of_another_model_are_refused(tmp_path):
    _, folder = exported("bert")
    decoding = json.loads((folder / "tag_decoding.json").read_text())
    few = {
        "tags": decoding["tags"][:1], "transitions": [[0]], "start": [0], "end": [0], "scalings": {},
    }  # fmt: skip
    copy = damaged(folder, tmp_path, "tag_decoding.json", json.dumps(few).encode())
    with pytest.raises(ExportError, match="other labels"):
        OnnxTagger(copy).tag(WITH_TEXT)
