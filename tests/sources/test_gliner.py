"""A folder of GLiNER as a source: what the package itself says, and which folders are refused."""

import json
import shutil
from pathlib import Path

import pytest

from core.sources import Context, SourceError, SourceSettings, open_source
from core.sources.gliner_model import prompts
from core.text import Label, LabelSet

LABELS = LabelSet([Label("PER", description="person."), Label("LOC", description="a\nlong guideline")])
CONTEXT = Context(LABELS)
TEXT = "🙂 Lin works in Qinghe.\nLin rows; 李明 在 Qinghe"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights, made by the package from a config."""
    gliner = pytest.importorskip("gliner")
    import torch
    from gliner.config import GLiNERConfig
    from transformers import BertConfig, BertTokenizerFast

    encoder = tmp_path_factory.mktemp("encoder")
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "lin",
        "works",
        "in",
        "qinghe",
        "person",
        ".",
        "李",
    ]
    (encoder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    BertTokenizerFast(str(encoder / "vocab.txt")).save_pretrained(encoder)
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16,
    )  # fmt: skip
    config.save_pretrained(encoder)
    torch.manual_seed(1)
    whole = GLiNERConfig(
        model_name=str(encoder), encoder_config=config.to_dict(), hidden_size=16, max_width=3, dropout=0.0,
        max_len=48,
    )  # fmt: skip
    model = gliner.GLiNER.from_config(whole, backbone_from_pretrained=False)
    saved = tmp_path_factory.mktemp("gliner")
    model.save_pretrained(saved, safe_serialization=True)
    return saved


def settings(folder: Path) -> SourceSettings:
    return SourceSettings("gliner", "GLiNER", target=str(folder))


def test_its_spans_are_those_of_the_package(folder: Path) -> None:
    import gliner

    source = open_source(settings(folder), CONTEXT)
    assert source.labels == ("PER", "LOC")
    (answer, nothing, blank) = source.suggest([TEXT, "", " \n"])
    package = gliner.GLiNER.from_pretrained(str(folder), local_files_only=True)
    said = package.predict_entities(TEXT, ["person", "LOC"], threshold=0.5)
    names = {"person": "PER", "LOC": "LOC"}
    expected = [(e["start"], e["end"], names[e["label"]], pytest.approx(e["score"], abs=1e-5)) for e in said]
    assert expected, "random weights find something"
    assert [(s.start, s.end, s.label, s.score) for s in answer.spans] == expected
    assert [TEXT[s.start : s.end] for s in answer.spans] == [e["text"] for e in said]
    assert nothing.spans == blank.spans == ()
    (long,) = source.suggest([TEXT * 60])
    assert max(span.end for span in long.spans) > 59 * len(TEXT)
    assert all(a.end <= b.start for a, b in zip(long.spans, long.spans[1:], strict=False))


def test_prompts_are_short_guidelines_or_names() -> None:
    assert prompts(LABELS) == {"person": "PER", "LOC": "LOC"}
    twice = LabelSet([Label("A", description="thing"), Label("B", description="thing")])
    assert prompts(twice) == {"thing": "A", "B": "B"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"encoder_config": {"auto_map": {"AutoModel": "evil.Model"}}}, "names code of its own"),
        ({"encoder_config": None, "model_name": "/etc"}, "outside itself"),
        ({"encoder_config": None, "model_name": "../else"}, "outside itself"),
        ({"labels_decoder": "gpt2"}, "generated labels"),
        (None, "no folder of a GLiNER model"),
        ("weights", "safe_serialization=True"),
    ],
)
def test_a_folder_that_could_run_code_or_is_none_is_refused(
    tmp_path: Path, change: object, says: str
) -> None:
    if change is not None:
        described = {"model_name": "x/y", "encoder_config": {"model_type": "bert"}}
        described |= change if isinstance(change, dict) else {}
        (tmp_path / "gliner_config.json").write_text(json.dumps(described))
        (tmp_path / ("pytorch_model.bin" if change == "weights" else "model.safetensors")).write_bytes(b"")
    with pytest.raises(SourceError, match=says):
        open_source(settings(tmp_path), CONTEXT)


def test_a_damaged_model_and_a_project_without_labels_say_what_to_do(folder: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"half")
    with pytest.raises(SourceError, match="cannot be opened"):
        open_source(settings(broken), CONTEXT)
    with pytest.raises(SourceError, match="Add labels first"):
        open_source(settings(folder), Context())
    with pytest.raises(SourceError, match="choose the kind GLiNER"):
        open_source(SourceSettings("transformers", "x", target=str(folder)), CONTEXT)
