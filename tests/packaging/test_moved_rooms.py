"""setup.py: rooms below ``latticelens`` import each other there, and what it cannot move it refuses."""

import ast
import importlib.util
import io
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[2]


def _load():
    spec = importlib.util.spec_from_file_location("latticelens_setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = _load()


@pytest.mark.parametrize(
    ("source", "moved"),
    [
        ("from core.text import Span\n", "from latticelens.core.text import Span\n"),
        ("from core import cli\n", "from latticelens.core import cli\n"),
        ("import core\n", "from latticelens import core\n"),
        ("import core.text as text\n", "import latticelens.core.text as text\n"),
        ("def f():\n    from app.ui import frame\n", "def f():\n    from latticelens.app.ui import frame\n"),
        ("中 = 1; from core import cli\n", "中 = 1; from latticelens.core import cli\n"),
        ("from core.text import (\n    Span,\n)\n", "from latticelens.core.text import (\n    Span,\n)\n"),
        ("from corelib import x\nimport application\n", "from corelib import x\nimport application\n"),
        ("import latticelens\n", "import latticelens\n"),
        ('x = "from core.text import Span"\n', 'x = "from core.text import Span"\n'),
        ('x = "app.css"\n', 'x = "app.css"\n'),
        ('x = "run python -m core tag"\n', 'x = "run latticelens tag"\n'),
        ('"""``python -m core.jobs.worker``"""\n', '"""``python -m latticelens.core.jobs.worker``"""\n'),
        ('x = "python -m corelib"\n', 'x = "python -m corelib"\n'),
    ],
)
def test_what_names_a_room_is_moved_and_nothing_else(source, moved):
    assert build.moved(source, "x.py") == moved
    ast.parse(moved)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import core.text\n", "x.py:1: import core.text binds core"),
        ("import os, core\n", "x.py:1: imports several modules"),
        ("\nfrom . import y\n", "x.py:2: a relative import"),
        ('import_module("core.taggers")\n', "x.py:1: 'core.taggers' names a module"),
        ('import_module(f"core.commands.{name}")\n', "x.py:1: 'core.commands.' names a module"),
        ('Popen([python, "-m", "core", "tag"])\n', "x.py:1: 'core' names a module"),
        ('Popen([python, "-m", "core.cli"])\n', r"'core.cli' names a module, .* __name__ or __package__"),
    ],
)
def test_what_cannot_be_moved_is_refused_with_its_line(source, said):
    with pytest.raises(build.CannotMove, match=said):
        build.moved(source, "x.py")


@pytest.mark.exhaustive
def test_every_module_of_the_repository_can_be_moved():
    for room in build.ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            moved = build.moved(source, str(path))
            assert len(moved.splitlines()) == len(source.splitlines())
            for node in ast.walk(ast.parse(moved)):
                if isinstance(node, ast.ImportFrom):
                    assert (node.module or "").split(".")[0] not in build.ROOMS, f"{path}:{node.lineno}"
                elif isinstance(node, ast.Import):
                    assert not {alias.name.split(".")[0] for alias in node.names} & set(build.ROOMS)
            assert "python -m core" not in moved, f"{path} tells people to type what is not there"


@pytest.mark.parametrize(
    "catalogue", sorted((ROOT / "app/i18n/locale").rglob("*.po")), ids=lambda path: path.parents[1].name
)
def test_translations_are_found_by_the_moved_sentences(catalogue):
    text = catalogue.read_text(encoding="utf-8")
    before = read_po(io.BytesIO(text.encode()), locale="zh")
    after = read_po(io.BytesIO(build.with_command(text).encode()), locale="zh")
    named = 0
    for entry in before:
        if not entry.id:
            continue  # the head of the catalogue
        ids = entry.id if isinstance(entry.id, tuple) else (entry.id,)
        moved = tuple(build.with_command(text) for text in ids)
        found = after.get(moved[0], entry.context)
        assert found is not None, f"{moved[0]!r} has lost its translation"
        assert "python -m core" not in str(found.string)
        named += moved != ids
    assert named >= 3  # some sentences do name the command


@pytest.mark.exhaustive
def test_the_assets_come_without_the_programs_that_made_them(tmp_path):
    build.move_rooms(tmp_path)
    assert (tmp_path / "assets/demo_tagger/model.safetensors").is_file()
    assert (tmp_path / "assets/app.js").is_file()
    assert (tmp_path / "app/i18n/locale/zh/LC_MESSAGES/latticelens.po").is_file()
    assert not list((tmp_path / "assets").rglob("*.py"))
    assert not list(tmp_path.rglob("__pycache__"))
    here = {path.relative_to(ROOT) for path in (ROOT / "core").rglob("*.py")}
    assert {path.relative_to(tmp_path) for path in (tmp_path / "core").rglob("*.py")} == here
