"""The commands and snippets of docs/runtimes.md do what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from core.cli import main
from core.export.bundle import write_bundle
from core.text import Document
from tests.export.stand_in_hub import TOKEN, hub
from tests.taggers.small_taggers import learned_tagger

__all__ = ["hub"]
PAGE = (Path(__file__).parents[2] / "docs" / "runtimes.md").read_text(encoding="utf-8")
TEXT = "林晚晴在清河大学教书"


def blocks(language):
    """The blocks of the page in this language; ``""`` for commands."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [content for name, content in fenced if name == language]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the run and the texts that the page names."""
    monkeypatch.chdir(tmp_path)
    learned_tagger("bert").save(tmp_path / "runs" / "first" / "model")
    (tmp_path / "texts.txt").write_text(f"{TEXT}\n", encoding="utf-8")
    return tmp_path


@pytest.mark.exhaustive
def test_every_command_of_the_page_runs(here, hub, capsys):
    commands = [line for block in blocks("") for line in block.splitlines()]
    assert [shlex.split(c.partition("-m core ")[2])[0] for c in commands] == ["export-model", "tag", "push"]
    for command in commands:
        assert main(shlex.split(command.partition("-m core ")[2])) == 0, capsys.readouterr().err
    assert (here / "onnx" / "model.onnx").is_file()
    assert "model.safetensors" in hub.files
    assert TOKEN not in capsys.readouterr().out


@pytest.mark.exhaustive
def test_every_snippet_of_the_page_runs(here):
    write_bundle(here / "runs/first/model", here / "exported", "transformers")
    write_bundle(here / "runs/first/model", here / "onnx", "onnx")
    plain, exact, onnx, spacy = blocks("python")
    names: dict = {}
    exec(plain, names)
    simple = names["ner"](TEXT)
    exec(exact, names)
    assert [(s["start"], s["end"]) for s in names["ner"](TEXT)] == [(s["start"], s["end"]) for s in simple]
    exec(onnx, names)
    assert isinstance(names["document"], Document)
    pytest.importorskip("spacy")
    exec("import core.export.spacy_component\n" + spacy, names)  # installed, the entry point does this
    assert [(e.start_char, e.end_char, e.label_) for e in names["doc"].ents] == [
        span.key for span in names["document"].spans
    ]


def test_the_page_lists_every_flag_of_its_commands():
    from core.cli import _parser

    choices = next(a for a in _parser()._actions if a.dest == "command").choices
    for name in ("export-model", "push"):
        flags = {flag for action in choices[name]._actions for flag in action.option_strings} - {
            "-h",
            "--help",
        }
        assert {flag for flag in flags if flag not in PAGE} == set()
