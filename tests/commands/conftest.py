"""Files and a small trained FLAT for the command line."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.cli import main
from tests.export.stand_in_hub import hub

__all__ = ["hub"]

SMALL = ["hidden=16", "heads=2", "ffn=16", "char_dim=8", "bigram_dim=0", "word_dim=8", "threads=1"]


@dataclass
class Answer:
    """What a command came to."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def reason(self) -> str:
        """The one line a refused command says."""
        lines = self.err.strip().splitlines()
        assert self.status == 2, self.err
        assert len(lines) == 1, self.err
        assert self.out == ""
        return lines[0]


@pytest.fixture
def core(capsys) -> Callable[..., Answer]:
    """Run ``python -m core`` in this process."""

    def call(*arguments: object) -> Answer:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        return Answer(status, captured.out, captured.err)

    return call


def write_corpus(folder: Path) -> dict[str, Path]:
    people, places = ("林晓", "周平", "孙悦"), ("青岛", "兰州", "大理")
    rows = []
    for number in range(30):
        person, place = people[number % 3], places[number // 3 % 3]
        tags = ["B-PER", "E-PER", "O", "O", "O", "B-LOC", "E-LOC", "O", "O"]
        rows.append("".join(f"{c} {t}\n" for c, t in zip(f"{person}今天在{place}工作", tags, strict=True)))
    paths = {}
    for part, start, end in (("train", 0, 21), ("dev", 21, 26), ("test", 26, 30)):
        paths[part] = folder / f"{part}.bmes"
        paths[part].write_text("\n".join(rows[start:end]), encoding="utf-8")
    paths["words"] = folder / "words.txt"
    paths["words"].write_text("青岛\n今天\n工作\n", encoding="utf-8")
    return paths


@pytest.fixture
def corpus(tmp_path) -> dict[str, Path]:
    return write_corpus(tmp_path)


def train_arguments(paths: dict[str, Path], out: Path, **options: object) -> list[object]:
    arguments: list[object] = ["train", "--tagger", "flat", "--out", out, "--lexicon", paths["words"]]
    for part in ("train", "dev", "test"):
        arguments += [f"--{part}", paths[part]]
    for name, value in {"epochs": 2, "seed": 3, "device": "cpu", **options}.items():
        arguments += [f"--{name}", value]
    for assignment in [*SMALL, "learning_rate=0.02"]:
        arguments += ["--set", assignment]
    return arguments


@pytest.fixture
def training(corpus, tmp_path) -> Callable[..., list[object]]:
    """The arguments of a small training; options replace the defaults."""
    return lambda **options: train_arguments(corpus, options.pop("out", tmp_path / "run"), **options)


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> Path:
    """A finished run folder."""
    folder = tmp_path_factory.mktemp("cli")
    out = folder / "run"
    arguments = train_arguments(write_corpus(folder), out, epochs=30)
    assert main([str(argument) for argument in arguments]) == 0
    return out
