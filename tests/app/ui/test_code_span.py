"""A name in Markdown stays text, and every sentence of a page that holds one treats it so."""

import ast
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.ui.code_span import code_span, code_spans

APP = Path(__file__).parents[3] / "app"
# What the rest says is drawn as text nodes, or escaped.
PAGES = sorted(
    path
    for path in APP.rglob("*.py")
    if not {"i18n", "reasons", "server", "services", "status_bar.py", "widgets", "widget", "figures"}
    & set(path.relative_to(APP).parts)
)
# What people, files and models bring into a sentence: never a number of ours.
BROUGHT = {
    "base", "characters", "curve", "document", "file", "files", "folder", "folders", "gold", "label",
    "labels", "loads", "name", "names", "new", "old", "other", "predicted", "project", "reason", "run",
    "serving",
    "surface", "tagger", "user", "what", "word", "words",
}  # fmt: skip
# Sentences that are not read as Markdown, and where they stand.
ELSEWHERE = {
    "{run} is tagging": "its bar, which escapes",
    "{run} (base)": "rows of tables and sentences; above the traces as code",
    "{count} word was added to the list": "escaped HTML",
    "TARGET_NAMES": "choices of a dropdown",
    "STRONGEST_NAMES": "escaped HTML",
    "Predict the missing documents with {run}": "a button",
    "{labels}, {count} of {total}": "the widget of error rows",
    "Query of {label}": "the label of a text field",
    "{curve}: ": "its bar, which escapes",
    "STEPS[doing]": "its bar, which escapes",
    "{run}: {f1}": "escaped HTML",
    "Not tried yet": "the widget of variants",
    "{kept} of {count} variant": "the widget of variants",
    "This tagger looks texts up": "the widgets of reasons and effects",
    "without the word": "the widgets of reasons and effects",
    "with {characters} covered": "the widgets of reasons and effects",
    "word {word}": "the widgets of reasons and effects",
    "becomes {surface}": "the widgets of reasons and effects",
    "LatticeLens {version}": "a text field",
    "{tagger}, dev F1": "choices of a dropdown",
    "DID_NAMES": "choices of a dropdown, and code",
    "The label {label} no longer exists": "the annotator, which draws with textContent",
    "{run} predicts this span": "the drawer that answers why, drawn with textContent",
    "{run} does not know the label": "the drawer that answers why, drawn with textContent",
    "{run} does not predict this span": "the drawer that answers why, drawn with textContent",
    "place": "the annotator's patterns, drawn with textContent",
}


def signs_of(text: str) -> str:
    return "".join(sign for sign in text if unicodedata.category(sign) not in ("Cc", "Cs", "Cf", "Zl", "Zp"))


@given(st.text(st.characters(codec=None), max_size=60))
@example("`![x](http://192.0.2.1/a.png)`")
@example("``` `` `")
@example("`")
@example("```\n![x](http://192.0.2.1/a.png)\n```")
@example("<img src=http://192.0.2.1/a.png>")
@example("a\n\n# b")
@example("\\`![x](http://192.0.2.1/a.png)")
def test_whatever_a_name_holds_it_is_one_code_span_in_one_paragraph(name):
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(f"Project {code_span(name)} is open.")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    parts = tokens[1].children
    assert [part.type for part in parts] == ["text", "code_inline", "text"]
    wanted = "".join(signs_of(name).split())
    if wanted:
        shown = "".join(signs_of(parts[1].content).split()).replace("\ufffd", "").replace("\uff04", "$")
        assert shown == wanted.replace("\ufffd", "").replace("\uff04", "$")


@given(st.text(max_size=40))
@example("a | ![x](http://192.0.2.1/a.png)")
@example("a \\| `b`")
def test_a_name_in_a_table_stays_in_its_cell(name):
    table = f"| a | b |\n|---|---|\n| {code_span(name, in_table=True)} | 2 |"
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(table)
    cells = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "td_open"]
    assert [part.type for part in cells[0].children] == ["code_inline"]
    assert [cell.content for cell in cells[1:]] == ["2"]


def test_marks_that_turn_the_direction_are_seen():
    assert code_span("a\u202eb") == "`a\ufffdb`"
    assert code_span("") == "`–`"
    assert code_spans(["a", "b`"]) == "`a`, `` b` ``"


@given(st.text("$`a", max_size=20))
def test_no_name_begins_or_ends_a_formula(name):
    assert "$$" not in code_span(name)


def sentences() -> Iterator[tuple[str, str, str, ast.expr]]:
    """Every name put into a sentence: where, the sentence, the place in it, and what comes there."""
    for path in PAGES:
        module = ast.parse(path.read_text(encoding="utf-8"))
        made = {
            target.id: node.value
            for node in ast.walk(module)
            if isinstance(node, ast.Assign) and is_safe(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(module):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("_", "ngettext"):
                continue
            for keyword in node.keywords:
                if keyword.arg in BROUGHT:
                    place = f"{path.name}:{node.lineno}"
                    for key in keys_of(node.args[0]):
                        value = keyword.value
                        yield place, key, keyword.arg, made.get(ast.unparse(value), value)


def keys_of(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.IfExp):
        return [*keys_of(node.body), *keys_of(node.orelse)]
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        return [str(node.values[0].value)]
    return [ast.unparse(node)]


def is_safe(value: ast.expr) -> bool:
    """Code spans, sentences of ours, and numbers written out."""
    if isinstance(value, ast.IfExp):
        return is_safe(value.body) and is_safe(value.orelse)
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr == "join":
            (parts,) = value.args
            return isinstance(parts, ast.GeneratorExp) and is_safe(parts.elt)
        if isinstance(value.func, ast.Name):
            return value.func.id in ("code_span", "code_spans", "title", "len", "sum", "_rate")
        if not isinstance(value.func, ast.Attribute):
            return False
        return value.func.attr in ("_", "ngettext") or ast.unparse(value.func.value) == "counted"
    if isinstance(value, ast.JoinedStr):
        formatted = [part for part in value.values if isinstance(part, ast.FormattedValue)]
        return all(part.format_spec is not None for part in formatted)
    return isinstance(value, ast.Attribute) and value.attr in ("documents", "labelled")


def test_every_sentence_of_a_page_holds_names_as_code():
    open_ = [
        f"{place}: {key} {{{name}}}"
        for place, key, name, value in sentences()
        if not is_safe(value) and not key.startswith(tuple(ELSEWHERE))
    ]
    assert open_ == []
    assert sum(is_safe(value) for *_, value in sentences()) > 40


def test_a_sentence_that_is_left_out_is_one_of_the_pages():
    source = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert [key for key in ELSEWHERE if key not in source] == []
