"""Every string exists in both languages, and components change language in place."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module

import gradio as gr
import pytest

import app.i18n as i18n
from app.i18n import DuplicateKeyError, catalogue, language_of, text
from app.i18n.binding import Texts

PLACEHOLDER = re.compile(r"\{(\w+)")


def test_a_key_has_both_languages_with_the_same_placeholders():
    assert [
        key
        for key, (english, chinese) in catalogue().items()
        if not (english.strip() and chinese.strip())
        or set(PLACEHOLDER.findall(english)) != set(PLACEHOLDER.findall(chinese))
    ] == []


def test_a_key_begins_with_the_name_of_its_module():
    for module in pkgutil.iter_modules(i18n.__path__):
        strings = getattr(import_module(f"app.i18n.{module.name}"), "STRINGS", {})
        assert {key.split(".")[0] for key in strings} <= {module.name}


def test_no_string_shouts():
    assert [key for key, pair in catalogue().items() if any(mark in "".join(pair) for mark in "!！")] == []


def test_two_modules_may_not_define_one_key(monkeypatch):
    catalogue.cache_clear()
    monkeypatch.setattr(import_module("app.i18n.tag"), "STRINGS", {"data.import": ("a", "b")})
    with pytest.raises(DuplicateKeyError, match=r"data\.import"):
        catalogue()
    monkeypatch.undo()
    catalogue.cache_clear()
    assert "tag.go" in catalogue()


def test_values_are_put_into_the_text():
    assert text("frame.status.left", "en", time="0:21") == "0:21 left"
    assert text("frame.status.left", "zh", time="0:21") == "剩余 0:21"


CHOICE = re.compile(r"\{(\w+):([^{}|]*)\|([^{}|]*)\}")
COUNTS = {name for english, _ in catalogue().values() for name, _, _ in CHOICE.findall(english)}
BARE_PLURAL = re.compile(r"\{(\w+)\}\*{0,2} (?:(?!of|with|about|and)[a-z-]+ )?([a-z]+[^s\W]s)\b")
# Always many, a measure with a fraction, or an adjective.
NEVER_ONE = {"resamples", "swaps", "bins", "bits", "discontinuous"}


def test_an_english_count_has_a_singular():
    bare = [
        (key, word)
        for key, (english, _) in catalogue().items()
        for name, word in BARE_PLURAL.findall(english)
        if (name in COUNTS or name.endswith("s")) and word not in NEVER_ONE
    ]
    assert bare == [], "write {count} {count:document|documents}, so that 1 reads well"
    assert [
        key
        for key, (english, chinese) in catalogue().items()
        if any(not one or not more or one == more for _, one, more in CHOICE.findall(english))
        or CHOICE.findall(chinese)
    ] == []


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0 spans in 2 documents, by x."),
        (1, "1 span in 2 documents, by x."),
        ("1", "1 span in 2 documents, by x."),
        ("1,001", "1,001 spans in 2 documents, by x."),
    ],
)
def test_the_word_goes_with_its_count(count, told):
    assert text("tag.found", spans=count, documents=2, run="x") == told


def test_a_count_without_a_value_is_an_error():
    with pytest.raises(KeyError, match="documents"):
        text("tag.found", spans=1, run="x")


def test_an_unknown_key_is_an_error():
    with pytest.raises(KeyError):
        text("frame.no_such_key")


@pytest.mark.parametrize(
    ("tag", "language"),
    [("zh-CN", "zh"), ("ZH", "zh"), ("en-GB", "en"), ("de", "en"), ("", "en"), (None, "en")],
)
def test_the_browser_says_which_language_to_begin_with(tag, language):
    assert language_of(tag) == language


def test_a_bound_component_shows_its_text_and_is_updated_with_the_language():
    texts = Texts("en")
    with gr.Blocks(analytics_enabled=False):
        button = texts.bind(gr.Button(), value="data.confirm")
        choice = texts.bind(
            gr.Radio(),
            chosen="dev",
            label="data.split",
            choices=[("data.split.dev", "dev"), ("BMES", "bmes")],
        )
    assert button.value == "Import these documents"
    assert (choice.value, choice.choices) == ("dev", [("dev", "dev"), ("BMES", "bmes")])
    assert texts.components == [button, choice]
    first, second = texts.updates("zh")
    assert first["value"] == "导入这些文档"
    assert (second["label"], second["choices"]) == ("用途", [("开发", "dev"), ("BMES", "bmes")])


def test_a_page_that_is_opened_in_another_language_is_given_its_texts_by_component():
    texts = Texts("en")
    with gr.Blocks(analytics_enabled=False) as demo:
        button = texts.bind(gr.Button(), value="data.confirm")
        note = texts.bind(gr.Markdown(), value="data.split")
        choice = texts.bind(gr.Radio(), label="data.split", choices=[("data.split.dev", "dev")])
    given = texts.by_component("zh")
    assert given == {
        button._id: {"value": "导入这些文档"},
        note._id: {"value": "用途"},
        choice._id: {"label": "用途", "choices": [("开发", "dev")]},
    }
    sent = {block["id"]: block["props"] for block in demo.get_config_file()["components"]}
    assert all(set(properties) <= set(sent[number]) for number, properties in given.items())


def test_a_sessions_copy_of_a_bound_choice_knows_the_choices():
    choice = Texts("en").bind(gr.Radio(render=False), choices=[("data.split.dev", "dev")])
    copy = gr.Radio(**choice.constructor_args)
    assert copy.preprocess("dev") == "dev"
