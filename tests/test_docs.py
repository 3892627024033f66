"""The pages tell the truth: what they name exists, and what exists is named."""

import argparse
import ast
import json
import re
from pathlib import Path

import pytest

from app.server import options as command_line
from core import formats
from core.formats.framework import registry
from core.formats.framework.overview import formats_table, losses_table
from core.taggers.base.config_fields import config_fields
from core.taggers.base.registry import available, by_name
from core.training.settings import TrainingSettings
from tests.test_architecture import STORE

ROOT = Path(__file__).resolve().parents[1]
SKIPPED = {".venv", "node_modules", ".pytest_cache"}
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(ROOT).parts[:-1])
)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def block(text: str, name: str) -> str:
    """What stands between the two comments called ``name``."""
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)\n<!-- {name}: end -->", text, re.DOTALL)
    assert found is not None, f"the page has no part {name}"
    return found[1]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as a forge makes them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def broken_links(path: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        inside = target.exists() and target.is_relative_to(ROOT)
        if not inside or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


def too_long(path: Path) -> list[str]:
    """Lines of prose that are longer than 120 characters; code, tables and addresses may be."""
    text = re.sub(
        r"```.*?```|<!-- ([\w ]+): written by .*?<!-- \1: end -->",
        "",
        path.read_text("utf-8"),
        flags=re.DOTALL,
    )
    prose = (re.sub(r"`[^`]*`|\([a-z]+:[^)]*\)", "", line) for line in text.splitlines() if line[:1] != "|")
    return [line for line in prose if len(line) > 120]


def test_prose_is_in_lines_of_120_characters():
    found = {str(path.relative_to(ROOT)): too_long(path) for path in PAGES}
    assert {page: lines for page, lines in found.items() if lines} == {}


def test_every_link_inside_the_project_leads_somewhere():
    found = {str(path.relative_to(ROOT)): broken_links(path) for path in PAGES}
    assert {page: links for page, links in found.items() if links} == {}


def test_readme_lists_every_flag_of_the_door_and_no_other(monkeypatch):
    parsers: list[argparse.ArgumentParser] = []
    real = argparse.ArgumentParser.parse_args

    def keep(self, arguments=None, namespace=None):
        parsers.append(self)
        return real(self, arguments, namespace)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", keep)
    command_line.parse([])
    flags = {flag for action in parsers[0]._actions for flag in action.option_strings} - {"-h", "--help"}
    section = re.search(r"^## Flags\n(.*?)^## ", page("README.md"), re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = [
        line.split("|")[1] for line in section[1].replace("\\|", "/").splitlines() if line.startswith("| `")
    ]
    assert set(re.findall(r"--[a-z-]+", " ".join(rows))) == flags


def test_every_tagger_is_told_of_by_its_title_and_its_name():
    everything = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    for name in available():
        assert re.search(rf"(`|--tagger ){name}\b", everything), f"no page names the tagger {name}"
        assert by_name(name).title in everything, f"no page tells of {by_name(name).title}"


def test_the_page_of_formats_is_what_the_formats_say():
    text = page("docs/formats.md")
    hint = "run python -m core.formats.framework.overview and put its tables into docs/formats.md"
    assert block(text, "formats") == formats_table(), hint
    assert block(text, "losses") == losses_table(), hint
    for name in (*formats.available(), *registry._ALIASES):
        assert f"`{name}`" in text


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("jsonl", "nothing"),
        ("doccano", "confidences, links"),
        (
            "cluener",
            "discontinuous spans, relations, chains of coreference, comments, annotator and time, "
            "confidences, links, further fields",
        ),
        ("brat", "chains of coreference, annotator and time, confidences, further fields"),
        ("parquet", "nothing"),
        ("csv", "spans, further fields"),
        ("plain", "spans, ids, further fields, line breaks, empty texts"),
        (
            "bmes",
            "spans inside others, crossing spans, discontinuous spans, relations, "
            "chains of coreference, comments, annotator and time, "
            "confidences, links, ids, further fields, line breaks, empty texts",
        ),
    ],
)
def test_the_table_says_of_a_format_what_it_does_not_hold(name, lost):
    (row,) = [line for line in formats_table().splitlines() if line.startswith(f"| `{name}` ")]
    assert row.endswith(f" | {lost} |")


def test_every_training_setting_is_told_of():
    text = page("docs/training.md")
    for field in config_fields(TrainingSettings):
        assert f"`{field.name}`" in text, f"docs/training.md does not tell of {field.name}"


def annotator_keys() -> list[tuple[str, str]]:
    """The annotator's own list of keys, as ``?`` shows it: what is pressed, and the name of what it does."""
    script = (ROOT / "assets" / "scripts" / "annotator" / "selecting" / "keys.js").read_text(encoding="utf-8")
    listed = re.search(r"const KEY_GROUPS = \[\n(.*?)\n\];", script, re.DOTALL)
    assert listed is not None
    return re.findall(r'\["([^"]+)", "([^"]+)"\]', listed[1])


def test_the_page_on_annotating_lists_every_key_with_what_it_does():
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", page("docs/annotating.md"), re.MULTILINE)
    keys = annotator_keys()
    assert len(keys) == len(rows) >= 30
    tables = sorted((ROOT / "assets" / "scripts" / "annotator").glob("*messages.js"))
    messages = "".join(path.read_text(encoding="utf-8") for path in tables)
    for (pressed, name), (told, does) in zip(keys, rows, strict=True):
        english = f'"annotate_keys.{name}": mark({json.dumps(does, ensure_ascii=False)}),'
        assert told == pressed
        assert english in messages, f"docs/annotating.md: {pressed}"


def test_every_key_the_annotator_listens_to_is_in_its_list():
    script = (ROOT / "assets" / "scripts" / "annotator" / "selecting" / "keys.js").read_text(encoding="utf-8")
    commands = re.search(r"const COMMANDS = \{ (.*?) \};", script)
    assert commands is not None
    known = annotator_keys()
    for pressed, name in re.findall(r'"?([^\s":,]+)"?: "(\w+)"', commands[1]):
        assert (pressed, name) in known


def names_of_tests(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_test_that_the_page_on_bad_input_names_exists():
    text = page("docs/bad-input.md")
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", text)
    assert len(named) == text.count("::test_")
    for file, test in named:
        assert test in names_of_tests(ROOT / file), f"docs/bad-input.md names {file}::{test}"
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 15
    for row in rows:
        assert "::test_" in row, f"no test for: {row.split('|')[1]}"


def test_the_architecture_is_short_and_every_path_it_names_exists():
    text = page("docs/architecture.md")
    assert len(text.splitlines()) <= 150
    paths = set(re.findall(r"`((?:core|app|tests|assets|docs)/[\w./]*[\w/])`", text))
    assert len(paths) > 20
    for path in paths:
        assert (ROOT / path).exists(), f"docs/architecture.md names {path}"


def test_the_architecture_lists_the_packages_of_the_store():
    text = page("docs/architecture.md")
    named = re.findall(r"^\| `(\w+)` \|", text.partition("### The store")[2], re.MULTILINE)
    assert named == list(STORE)
