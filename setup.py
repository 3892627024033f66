"""Builds the wheel: the rooms of the repository go below ``latticelens``; all metadata is in pyproject.toml.

The repository has ``core``, ``app`` and ``assets`` at its top; as top-level packages of an installation they
would meet those of other projects. So the wheel has ``latticelens.core``, ``latticelens.app`` and
``latticelens/assets``, and ``from core.text import Span`` becomes ``from latticelens.core.text import Span``.
Imports are found in the syntax tree and only their text is edited, so all else of a module stays, its line
numbers too. What cannot be moved this way is refused: a string that names a module must be made from
``__name__`` or ``__package__`` instead.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

ROOT = Path(__file__).resolve().parent
PACKAGE = "latticelens"
ROOMS = ("core", "app")
ASSETS = "assets"
# Bytecode, stubs that Gradio writes beside modules, and of the assets the programs that made them.
LEFT_OUT = ("__pycache__", "*.pyc", "*.pyi")
LEFT_OUT_OF_ASSETS = (*LEFT_OUT, "*.py")
# In messages for people and in their translations, where a long line of a catalogue breaks anywhere.
_BREAK = r'(?: |"\n"| "\n")'
_COMMAND = re.compile(rf"python{_BREAK}-m{_BREAK}core(?!\w)(\.)?")
_MODULE = re.compile(r"(core|app)(\.\w+)+\.?")


class CannotMove(ValueError):
    """A module that names another in a way that would not hold below ``latticelens``; says where."""


def moved(source: str, where: str) -> str:
    """The source of a module as it stands below ``latticelens``.

    Args:
        where: its path, for errors.

    Raises:
        CannotMove: ``import core.x`` without ``as``, a relative import, or a string that names a module.
    """
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    for node in sorted(_imports(tree), key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()
        before, statement = line[: node.col_offset], line[node.col_offset :].decode()
        lines[node.lineno - 1] = before.decode() + _moved_import(node, statement, f"{where}:{node.lineno}")
    for line_number, text in _module_strings(tree):
        raise CannotMove(
            f"{where}:{line_number}: {text!r} names a module, which has another name in the wheel; make it "
            "from __name__ or __package__"
        )
    return with_command("".join(lines))


def with_command(text: str) -> str:
    """The text with ``latticelens`` where it tells people to type ``python -m core``."""
    return _COMMAND.sub(lambda found: f"python -m {PACKAGE}.core." if found[1] else PACKAGE, text)


def _imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            if any(alias.name.split(".")[0] in ROOMS for alias in node.names):
                yield node
        elif isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] in ROOMS):
            yield node


def _moved_import(node: ast.Import | ast.ImportFrom, statement: str, where: str) -> str:
    if isinstance(node, ast.ImportFrom):
        if node.level:
            raise CannotMove(f"{where}: a relative import; name the module in full")
        return re.sub(r"^from\s+", f"from {PACKAGE}.", statement, count=1)
    if len(node.names) > 1:
        raise CannotMove(f"{where}: imports several modules in one statement; give each its own")
    (alias,) = node.names
    if alias.asname:
        return re.sub(r"^import\s+", f"import {PACKAGE}.", statement, count=1)
    if "." in alias.name:
        raise CannotMove(f"{where}: import {alias.name} binds {alias.name.split('.')[0]}; import from it")
    return re.sub(r"^import\s+", f"from {PACKAGE} import ", statement, count=1)


def _module_strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings, and the constant parts of f-strings, that are the name of a module or begin one; and the
    room after ``-m`` in a list of arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _MODULE.fullmatch(node.value) and _exists(node.value.rstrip(".")):
                yield node.lineno, node.value
        elif isinstance(node, ast.List):
            values = [item.value if isinstance(item, ast.Constant) else None for item in node.elts]
            for flag, name in pairwise(values):
                if flag == "-m" and name in ROOMS:
                    yield node.lineno, str(name)


def _exists(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def move_rooms(target: Path) -> None:
    """Write the rooms and the assets into ``target``, the folder of the package ``latticelens``.

    Raises:
        CannotMove: see ``moved``.
    """
    for room in ROOMS:
        shutil.copytree(ROOT / room, target / room, ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.copytree(ROOT / ASSETS, target / ASSETS, ignore=shutil.ignore_patterns(*LEFT_OUT_OF_ASSETS))
    for path in sorted(target.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        path.write_text(moved(source, str(path.relative_to(target))), encoding="utf-8")
    for path in sorted(target.rglob("*.po")):
        path.write_text(with_command(path.read_text(encoding="utf-8")), encoding="utf-8")


class BuildWithRooms(build_py):
    """Builds ``latticelens`` with the rooms in it; an editable installation leaves them where they are."""

    def run(self) -> None:
        """Build afresh: what an earlier build left would be packed too."""
        if self.editable_mode:
            super().run()
            return
        target = Path(self.build_lib) / PACKAGE
        shutil.rmtree(target, ignore_errors=True)
        super().run()
        move_rooms(target)


class EditableWithRooms(editable_wheel):
    """``pip install -e .``: the rooms are importable as they are in the repository."""

    def run(self) -> None:
        """Find the packages of the rooms too."""
        rooms = [pattern for room in ROOMS for pattern in (room, f"{room}.*")]
        self.distribution.packages = [
            *(self.distribution.packages or ()),
            *find_packages(str(ROOT), include=rooms),
        ]
        super().run()


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithRooms, "editable_wheel": EditableWithRooms})
