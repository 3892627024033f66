"""docs/python.md: every example runs, in the order of the page."""

import re
from pathlib import Path

import pytest

import latticelens

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_every_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    names: dict = {}
    for block in blocks:
        exec(compile(block, f"{PAGE.name}: {block.splitlines()[0]}", "exec"), names)
    printed = capsys.readouterr().out
    assert "北京大学" in printed  # the spans of the first example
    assert "jsonl 2 ()" in printed
    assert "there is no model folder no-such-folder" in printed
    assert (tmp_path / "runs/first/model/config.json").is_file()
    assert len(latticelens.read("news.jsonl").documents) == 5
    assert (tmp_path / "work-backup.sqlite").stat().st_size > 0


@pytest.mark.parametrize("name", sorted(set(latticelens.__all__) - {"__version__"}))
def test_everything_public_is_on_the_page_or_a_type_of_what_is(name):
    text = PAGE.read_text(encoding="utf-8")
    types = {"Label", "LabelSet", "Project", "ReadResult", "Refusal", "Run", "Tagger", "Workspace"}
    assert name in types or re.search(rf"\b{name}\b", text)
