"""Every message is translated, says the same things, and is one that the code has."""

import ast
import io
import re
from functools import cache
from string import Formatter

import pytest
from babel.messages.pofile import read_po

from app.i18n import LANGUAGES
from app.i18n.catalogue import catalogue, script_messages, source
from app.i18n.update import ROOT, calls, is_translated, main, messages, update
from core.runtime.message import Message

OTHERS = [language for language in LANGUAGES if language != "en"]
COUNTED = re.compile(r"\{count\}\*{0,2} (?:(?!of|with|about|and)[a-z-]+ )?([a-z]+[^s\W]s)\b")
NEVER_ONE = {"resamples", "swaps", "bins", "discontinuous"}  # always many, or an adjective


@pytest.fixture(scope="module", params=OTHERS)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def entries(language):
    return [
        entry for entry in read_po(io.BytesIO(source(language).read_bytes()), locale=language) if entry.id
    ]


@pytest.fixture(scope="module")
def template():
    return messages()


def forms(text):
    return (text,) if isinstance(text, str) else tuple(text)


def places(template):
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_the_po_holds_what_the_code_says(language, template):
    content = source(language).read_bytes()
    assert update(content, language, template) == content, "run python -m app.i18n.update, then translate"


def test_every_message_is_translated(entries):
    assert [entry.id for entry in entries if not is_translated(entry)] == []


def test_a_translation_has_the_places_of_the_english(entries):
    differing = [
        entry.id
        for entry in entries
        for translated in forms(entry.string)
        if places(translated) != set().union(*(places(english) for english in forms(entry.id)))
        # Where the count chooses between forms, one of them may leave it out.
        and places(translated) | {"count"} != places(forms(entry.id)[-1]) | {"count"}
    ]
    assert differing == []


def test_a_place_is_a_plain_name(entries):
    strange = [
        template
        for entry in entries
        for template in (*forms(entry.id), *forms(entry.string))
        if any(not re.fullmatch(r"\w+", name) for name in places(template))
    ]
    assert strange == [], "what fills a place in must not be looked into"


def test_an_error_of_core_is_given_a_template_or_a_message():
    """What a value holds would else be read as a template, and no translator would see the sentence."""
    strange = [
        f"{path.relative_to(ROOT)}:{call.lineno} {ast.unparse(part)}"
        for path, call, count in calls()
        if path.is_relative_to(ROOT / "core") and path != ROOT / "core/runtime/message.py"
        if ast.unparse(call.func)
        not in ("pgettext", "super().__init__")  # names of settings; a base's template
        for part in call.args[:count]
        if not is_message(part, path)
    ]
    assert strange == [], "write the template out"


def is_message(part, path):
    """Whether an expression is a template that stands there, or a `Message` already."""
    match part:
        case ast.Constant(value=str()):
            return True
        case ast.IfExp():
            return is_message(part.body, path) and is_message(part.orelse, path)
        case ast.Attribute():
            return part.attr == "message"
        case ast.Call(func=ast.Name(id=name)) | ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return name in messages_in(path)
    return False


@cache
def messages_in(path):
    """What makes messages in a module: functions, and names of messages and of tables of them."""
    found = {"_", "ngettext", "pgettext", "message_of", "Message"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name, returns=kind) | ast.arg(arg=name, annotation=kind):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=kind)):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.IfExp(body=ast.Call(func=kind))):
                pass
            case _:
                continue
        made = "" if kind is None else ast.unparse(kind)
        if made in found or re.search(r"\bMessage\b", made):
            found.add(name)
    return found


def test_no_message_shouts(entries):
    assert [entry.id for entry in entries if re.search("[!！]", f"{entry.id}{entry.string}")] == []


def test_an_english_count_has_a_singular(entries):
    bare = [
        (entry.id, found)
        for entry in entries
        if isinstance(entry.id, str)
        for found in COUNTED.findall(entry.id)
        if found not in NEVER_ONE
    ]
    assert bare == [], "write it with ngettext, so that 1 reads well"


def test_a_value_is_never_a_template():
    told = Message("{name} is empty", values={"name": "{0.__class__} {name!r}"})
    assert told.translated(catalogue("zh")).count("{0.__class__} {name!r}") == 1


def test_a_message_in_a_message_is_translated_with_it():
    told = Message("{time} left", values={"time": Message("the workspace")})
    assert told.translated(catalogue("zh")) == "剩余 工作区"


def test_the_browser_gets_the_messages_of_the_scripts_and_no_others():
    sent = script_messages("zh")
    assert sent["messages"]["Undo"] == "撤销"
    assert "Import these documents" not in sent["messages"]
    assert sent["forms"] == "0" * 200


@pytest.mark.parametrize("arguments", [["--help"], ["--new"], ["nowhere"], ["../de"], [""]])
def test_what_names_no_language_begins_none(arguments, capsys):
    before = sorted(source("zh").parents[2].iterdir())
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == (0 if arguments == ["--help"] else 2)
    assert sorted(source("zh").parents[2].iterdir()) == before
