"""Components change language in place, and every message says the same in every language."""

import gradio as gr
import pytest

from app.i18n import _, language_of, ngettext, text
from app.i18n.binding import Texts
from app.i18n.terms import SPLIT_NAMES


def test_values_are_put_into_the_text():
    assert text("{time} left", time="0:21") == "0:21 left"
    assert text("{time} left", "zh", time="0:21") == "剩余 0:21"


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0 words were added."),
        (1, "1 word was added."),
        (2, "2 words were added."),
        (1001, "1,001 words were added."),
        (1.5, "1.5 words were added."),
    ],
)
def test_the_words_go_with_their_count(count, told):
    message = ngettext("{count} word was added.", "{count} words were added.")
    assert text(message, count=count) == told


def test_a_value_that_is_missing_is_an_error():
    with pytest.raises(KeyError, match="time"):
        text("{time} left")


@pytest.mark.parametrize(
    ("tag", "language"),
    [("zh-CN", "zh"), ("ZH", "zh"), ("en-GB", "en"), ("de", "en"), ("", "en"), (None, "en")],
)
def test_the_browser_says_which_language_to_begin_with(tag, language):
    assert language_of(tag) == language


def test_a_bound_component_shows_its_text_and_is_updated_with_the_language():
    texts = Texts("en")
    with gr.Blocks(analytics_enabled=False):
        button = texts.bind(gr.Button(), value=_("Import these documents"))
        choice = texts.bind(
            gr.Radio(),
            chosen="dev",
            label=_("Split"),
            choices=[(SPLIT_NAMES["dev"], "dev"), ("BMES", "bmes")],
        )
    assert button.value == "Import these documents"
    assert (choice.value, choice.choices) == ("dev", [("dev", "dev"), ("BMES", "bmes")])
    assert texts.components == [button, choice]
    first, second = texts.updates("zh").values()
    assert first["value"] == "导入这些文档"
    assert (second["label"], second["choices"]) == ("数据划分", [("验证集", "dev"), ("BMES", "bmes")])


def test_a_page_that_is_opened_in_another_language_is_given_its_texts_by_component():
    texts = Texts("en")
    with gr.Blocks(analytics_enabled=False) as demo:
        button = texts.bind(gr.Button(), value=_("Import these documents"))
        note = texts.bind(gr.Markdown(), value=_("Split"))
        choice = texts.bind(gr.Radio(), label=_("Split"), choices=[(SPLIT_NAMES["dev"], "dev")])
    given = texts.by_component("zh")
    assert given == {
        button._id: {"value": "导入这些文档"},
        note._id: {"value": "数据划分"},
        choice._id: {"label": "数据划分", "choices": [("验证集", "dev")]},
    }
    sent = {block["id"]: block["props"] for block in demo.get_config_file()["components"]}
    assert all(set(properties) <= set(sent[number]) for number, properties in given.items())


def test_a_sessions_copy_of_a_bound_choice_knows_the_choices():
    choice = Texts("en").bind(gr.Radio(render=False), choices=[(SPLIT_NAMES["dev"], "dev")])
    copy = gr.Radio(**choice.constructor_args)
    assert copy.preprocess("dev") == "dev"
