"""The demo tagger as it is committed: its licence, its size, and that it is as good as its scores say."""

import json
from pathlib import Path

import pytest

from core.formats import read_file
from core.taggers.base.model_folder import load_tagger
from core.training.evaluation import evaluate

ASSETS = Path(__file__).resolve().parents[2] / "assets"
TAGGER = ASSETS / "demo_tagger"
SCORES = json.loads((TAGGER / "scores.json").read_text(encoding="utf-8"))


def test_the_licence_of_its_transformer_lies_beside_it() -> None:
    assert "simbert-tiny-zh" in (TAGGER / "NOTICE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in (TAGGER / "LICENSE-APACHE").read_text(encoding="utf-8")


def test_it_is_small_and_knows_every_label() -> None:
    names = ("predictions.jsonl",)  # of the history, not of the model
    size = sum(path.stat().st_size for path in TAGGER.rglob("*") if path.is_file() and path.name not in names)
    assert size <= 20_000_000
    assert min(label["f1"] for label in SCORES["test"]["per_label"].values()) >= 0.55
    config = json.loads((TAGGER / "config.json").read_text(encoding="utf-8"))["config"]
    assert config["encoder"] == "simbert-tiny-zh", "no path of the machine that trained it"


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", ["dev", "test"])
def test_it_finds_what_its_scores_say(part: str) -> None:
    documents = [
        each for each in read_file(ASSETS / "demo" / "corpus.jsonl").documents if each.meta["split"] == part
    ]
    found = evaluate(load_tagger(TAGGER), documents)
    assert found.micro.f1 == pytest.approx(SCORES[part]["micro"]["f1"], abs=0.003), (
        "rounding differs by machine"
    )
