"""docs/coming-from: each page's import does what it says, and the keys it names are those of the app."""

import json
import re
import shlex
from pathlib import Path

import pytest

import latticelens as ll
from core.cli import main

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted((DOCS / "coming-from").glob("*.md"))
SECTIONS = ("What is called what", "Keys", "What is missing", "An import")


@pytest.fixture(params=PAGES, ids=lambda path: path.stem)
def text(request) -> str:
    return request.param.read_text(encoding="utf-8")


def test_there_is_a_page_for_each_tool():
    assert {path.stem for path in PAGES} == {"label-studio", "doccano", "prodigy", "inception", "brat"}


def test_the_import_of_the_page_prints_what_the_page_says(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    section = text[text.index("## An import") :]
    files = re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert files
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    found = re.search(
        r"^```\n(python -m core [^\n]+)\n```\n\nprints\n\n```json\n(.*?)^```$", section, re.M | re.S
    )
    assert found is not None
    assert main(shlex.split(found[1])[3:]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(found[2])
    with ll.open_workspace("work") as workspace:
        project = workspace.project("people")
        documents = list(project.documents())
        empty = {project.annotation(document.id).status for document in documents if not document.spans}
    spans = [(span.label, document.surface(span)) for document in documents for span in document.spans]
    assert spans == [("PER", "Ada Lovelace"), ("LOC", "London")]
    assert empty == ({"done"} if "counts as done" in text else set())


def test_the_page_has_the_four_parts_and_names_only_keys_that_exist(text):
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == SECTIONS
    keys = text[text.index("## Keys") : text.index("## What is missing")]
    here = [row.rpartition("| ")[2] for row in re.findall(r"^\| (.*\`) \|$", keys, re.MULTILINE)]
    assert len(here) >= 4
    annotating = (DOCS / "annotating.md").read_text(encoding="utf-8")
    for key in here:
        assert f"| {key} |" in annotating, f"the app has no key {key}"


@pytest.mark.parametrize(
    ("page", "kind"), [("brat", "relations"), ("brat", "comments"), ("label-studio", "relations")]
)
def test_what_the_page_says_is_kept_is_kept(page, kind, tmp_path):
    text = (DOCS / "coming-from" / f"{page}.md").read_text(encoding="utf-8")
    files = re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for name, content in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    source = tmp_path / files[0][0]
    read = ll.read(source.parent if source.parent != tmp_path else source)
    assert len(read.documents[0].meta[kind]) == 1
