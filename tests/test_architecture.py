"""Imports only run downwards, as docs/architecture.md says; torch is not needed to show the first page."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What each room may import besides itself; docs/architecture.md is checked to say the same.
ALLOWED: dict[str, set[str]] = {
    "text": set(),
    "layers": set(),
    "lexicon": {"text"},
    "formats": {"text"},
    "store": {"text"},
    "encoders": {"lexicon", "layers", "text"},
    "taggers": {"encoders", "lexicon", "layers", "text"},
    "training": {"taggers", "lexicon", "text", "formats"},
    "inspection": {"taggers", "lexicon", "text"},
    "jobs": {"training", "inspection", "taggers", "store", "formats", "lexicon", "text"},
}
TORCH_FREE = ("core.text", "core.formats", "core.store", "core.lexicon", "core.jobs", "core.cli", "app.main")


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively; rooms are named in full"
            module = node.module or ""
            yield node.lineno, module
            if module == "core":
                for alias in node.names:
                    yield node.lineno, f"core.{alias.name}"


def _sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    wrong = []
    for path in _sources(f"core/{room}"):
        for line, module in _imports(path):
            parts = module.split(".")
            if parts[0] == "core" and len(parts) > 1 and parts[1] not in ALLOWED[room] | {room}:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_core_never_imports_the_app_or_gradio() -> None:
    for path in _sources("core"):
        for line, module in _imports(path):
            assert module.split(".")[0] not in {"app", "gradio"}, f"{path}:{line} imports {module}"


def test_the_app_writes_no_sql_and_builds_no_layers() -> None:
    for path in _sources("app"):
        for line, module in _imports(path):
            where = f"{path.relative_to(ROOT)}:{line}"
            assert module.split(".")[0] not in {"sqlite3", "sqlite_utils"}, f"{where}: SQL is core/store's"
            assert module not in {"torch.nn", "torchcrf"}, f"{where}: model mathematics is core's"


def test_every_room_is_known() -> None:
    rooms = {path.name for path in (ROOT / "core").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(ALLOWED) | {"commands"}


def test_the_architecture_page_lists_the_same_imports() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for room, allowed in ALLOWED.items():
        row = re.search(rf"^\| `core/{room}` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
        assert row is not None, f"docs/architecture.md has no row for core/{room}"
        named = set() if row[1] == "(nothing)" else {name.strip() for name in row[1].split(",")}
        assert named == allowed, f"core/{room}: the page says {sorted(named)}"


def test_no_module_is_a_drawer_of_odds_and_ends() -> None:
    for path in _sources("core") + _sources("app"):
        assert path.stem not in {"utils", "helpers", "common", "misc"}, path


@pytest.mark.parametrize("module", TORCH_FREE)
def test_the_first_page_needs_no_torch(module: str) -> None:
    code = f"import sys, {module}; print([m for m in ('torch', 'transformers') if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().endswith("[]"), f"{module} imports {result.stdout.strip()}"
