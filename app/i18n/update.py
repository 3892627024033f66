"""Update every language's ``.po`` from the code: ``python -m app.i18n.update [NEW …]``.

Messages stand in ``_("…")``, ``ngettext``, ``pgettext`` and errors (`Told`) in Python, in ``mark`` and
``plural`` in the scripts, and the names and help of the settings that forms show.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from app.i18n.catalogue import LANGUAGES, source
from core.learning.pretraining.pretraining import CONFIGS
from core.learning.self_training.settings import SelfTrainingSettings
from core.taggers.base.config_fields import ConfigField, config_fields
from core.taggers.base.registry import available, by_name
from core.training.settings import TrainingSettings

ROOT = Path(__file__).resolve().parents[2]
# How many of a call's first arguments are messages; with a context, it comes first.
PYTHON = {"_": 1, "ngettext": 2, "pgettext": 2}
SCRIPTS = {"mark": None, "plural": (1, 2), "inContext": ((1, "c"), 2)}
WIDTH = 110

Found = tuple[str, str | tuple[str, ...], str]  # room, message or both forms, context


def messages() -> Catalog:
    """All messages of the code, with their packages; files move too often to be named."""
    template = Catalog(fuzzy=False)
    for room, message, context in sorted({*of_python(), *of_scripts(), *of_settings()}, key=repr):
        template.add(message, locations=[(room, 0)], context=context or None)
    return template


def of_python() -> Iterator[Found]:
    """The messages in the modules of core and app."""
    for path, call, count in calls():
        for message, context in _message(call, count):
            yield _room(path), message, context


@cache
def calls() -> list[tuple[Path, ast.Call, int]]:
    """The calls of core and app that begin with a message, and how many arguments make it."""
    found = []
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in _files("core", "app", suffix="py")}
    errors = _errors(trees.values())
    for path, tree in trees.items():
        constructors = _constructors(tree, errors)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                last = _last(node.func)
                is_error = errors.get(last) or (
                    node in constructors and ast.unparse(node.func) == "super().__init__"
                )
                if count := PYTHON.get(last, int(bool(is_error))):
                    found.append((path, node, count))
    return found


def of_scripts() -> Iterator[Found]:
    """The messages in the scripts of the browser."""
    for path in _files("assets", suffix="js"):
        with path.open("rb") as file:
            for _line, message, _comments, context in extract("javascript", file, SCRIPTS):
                yield _room(path), message, context or ""


def of_settings() -> Iterator[Found]:
    """Name and help of every setting that a form of the app shows."""
    for field in _settings():
        yield "core/taggers", field.title.template, field.help
        yield "core/taggers", field.help, ""


def update(content: bytes, language: str, template: Catalog) -> bytes:
    """A ``.po`` with the messages of ``template``: new ones empty, or fuzzy if like an old one."""
    catalogue = (
        read_po(io.BytesIO(content), locale=language) if content else Catalog(language, project="LatticeLens")
    )
    template.creation_date = catalogue.creation_date
    catalogue.update(template)
    catalogue.fuzzy = False
    catalogue.obsolete.clear()
    written = io.BytesIO()
    write_po(written, catalogue, width=WIDTH, sort_output=True, include_lineno=False)
    return re.sub(rb'"Generated-By: .*\n', b"", written.getvalue())  # independent of Babel's version


def main(arguments: Sequence[str] | None = None) -> None:
    """Update the files; a language that has none yet is begun, if it is named."""
    parser = argparse.ArgumentParser(prog="python -m app.i18n.update", description="Update every .po file.")
    parser.add_argument("new", nargs="*", type=_locale, help="a language to begin, such as de or pt_BR")
    new = parser.parse_args(arguments).new
    template = messages()
    for language in dict.fromkeys((*LANGUAGES[1:], *new)):
        path = source(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(update(path.read_bytes() if path.exists() else b"", language, template))
        entries = [entry for entry in read_po(io.BytesIO(path.read_bytes()), locale=language) if entry.id]
        missing = sum(not is_translated(entry) for entry in entries)
        sys.stdout.write(f"{path.relative_to(ROOT)}: {len(entries)} messages, {missing} to translate\n")


def _locale(name: str) -> str:
    try:
        return str(Locale.parse(name))
    except (ValueError, UnknownLocaleError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def is_translated(entry: Message) -> bool:
    """Whether all forms are translated and not fuzzy."""
    forms = [entry.string] if isinstance(entry.string, str) else list(entry.string or ())
    return not entry.fuzzy and bool(forms) and all(forms)


def _settings() -> Iterator[ConfigField]:
    configs = [by_name(tagger).Config for tagger in available()]
    for config in (*configs, TrainingSettings, SelfTrainingSettings, *chain.from_iterable(CONFIGS.values())):
        yield from config_fields(config)


def _room(path: Path) -> str:
    return "/".join(path.relative_to(ROOT).parts[:-1][:2])


def _files(*rooms: str, suffix: str) -> list[Path]:
    return sorted(path for room in rooms for path in (ROOT / room).rglob(f"*.{suffix}"))


def _errors(trees: Iterable[ast.AST]) -> dict[str, bool]:
    """The classes that derive from `Told` by name, and whether they are given their template."""
    made = {node.name: node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    bases = {name: {_last(base) for base in node.bases} for name, node in made.items()}
    found = {"Told": True}
    while derived := [name for name in made if name not in found and bases[name] & found.keys()]:
        for name in derived:
            inherited = all(found[base] for base in bases[name] & found.keys())
            found[name] = _is_given_template(made[name], inherited)
    return found


def _last(name: ast.expr) -> str:
    """The last part of a dotted name."""
    return name.attr if isinstance(name, ast.Attribute) else ast.unparse(name)


def _is_given_template(error: ast.ClassDef, inherited: bool) -> bool:
    """Whether the constructor begins with a template; one that words the error itself begins otherwise."""
    for node in error.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            first = node.args.args[1:2]
            return bool(first and first[0].annotation and "Message" in ast.unparse(first[0].annotation))
    return inherited


def _constructors(tree: ast.AST, errors: Collection[str]) -> set[ast.AST]:
    """What is called in the classes of errors, where ``super().__init__`` is given a message."""
    return {
        node
        for made in ast.walk(tree)
        if isinstance(made, ast.ClassDef) and made.name in errors
        for node in ast.walk(made)
    }


def _message(call: ast.Call, count: int) -> Iterator[tuple[str | tuple[str, str], str]]:
    given = [
        arg.value for arg in call.args[:count] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
    ]
    if len(given) != count:
        return
    if _last(call.func) == "pgettext":
        yield given[1], given[0]
    else:
        yield (given[0], given[1]) if count == 2 else given[0], ""


if __name__ == "__main__":
    main()
