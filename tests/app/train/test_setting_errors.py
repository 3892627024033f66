"""Errors of the form name a field as its label does; on the command line it has its option's name."""

import re

import pytest

from app.i18n import text
from app.services.errors import sentence
from app.services.training.training_runs import plan_from_form
from app.train.form import fields_of
from core.runtime.message import Message, Told, message_of

# Tagger, what is typed, and the fields that the error names.
WRONG = [
    ("flat", {"epochs": 0}, ["epochs"]),
    ("flat", {"learning_rate": "fast"}, ["learning_rate"]),
    ("flat", {"epochs": None}, ["epochs"]),
    ("flat", {"hidden": 130, "heads": 4}, ["hidden"]),
    ("flat", {"heads": 0}, ["heads"]),
    ("flat", {"swa_start": 9, "swa_cycle": 4, "epochs": 10}, ["swa_start"]),
    ("soft_lexicon", {"kernel": 4}, ["kernel"]),
    ("bert", {"top": "cnn", "residual_attention": True}, ["residual_attention", "top"]),
    ("bert", {"top": "transformer", "top_layers": 1, "residual_attention": True}, ["top_layers"]),
    ("bert", {"fgm": 1.0, "frozen_epochs": 3, "epochs": 3}, ["fgm", "frozen_epochs"]),
    ("bert", {"top": "hm_lstm", "top_layers": 1}, ["top", "top_layers"]),
    ("bilstm_crf", {"cell": "gated_feedback_lstm", "layers": 1}, ["cell", "layers"]),
    ("mrc", {"start_weight": 0, "end_weight": 0, "match_weight": 0}, ["start_weight", "match_weight"]),
    ("pu", {"prior": "many"}, ["prior"]),
    ("pu", {"over_options": "layers=2"}, ["over_options", "over"]),
    ("pu", {"over": "bert", "hidden": 60}, ["hidden", "over"]),
    ("span", {"over": "bert", "char_dim": 9}, ["char_dim", "over"]),
    ("span", {"over": "flat", "over_options": "layers"}, ["over_options"]),
    ("span", {"over": "flat", "over_options": "head=crf"}, ["over_options"]),
    ("span", {"over": "bert", "over_options": "top=tower"}, ["over_options"]),
]
VALUES = {"r_transformer", "grid_lstm", "gated_feedback_lstm", "hm_lstm"}
# What a person typed, names of taggers and values, and the field's own abbreviations.
WRITTEN_ALIKE = {
    "SWA", "FGM", "JSON", "fast", "many", "layers", "head", "top", "tower",
    "bert", "flat", "none", "cnn", "bilstm", "bigru", "transformer", *VALUES,
}  # fmt: skip


def labels(tagger, names, language):
    fields = {field.name: field for group in fields_of(tagger).values() for field in group}
    return [text(fields[name].title, language) for name in names]


@pytest.mark.parametrize(("tagger", "values", "names"), WRONG)
def test_a_field_is_named_by_its_label_on_a_page_and_by_its_option_elsewhere(tagger, values, names):
    with pytest.raises(Told) as refused:
        plan_from_form(tagger, values, "auto")
    on_page = {language: sentence(refused.value, language) for language in ("en", "zh")}
    for language, said in on_page.items():
        for label in labels(tagger, names, language):
            assert label in said
        assert not re.search(r"[a-z]_[a-z]", re.sub("|".join(VALUES), "", said)), "no name of an option"
    for word in re.findall(r"[A-Za-z_]{3,}", on_page["zh"]):
        assert word in WRITTEN_ALIKE
    for name in names:
        assert name in str(refused.value)


def test_an_emptied_number_is_said_to_be_empty():
    with pytest.raises(Told) as refused:
        plan_from_form("flat", {"epochs": None}, "auto")
    assert sentence(refused.value, "zh").endswith("轮数：未填写，应为 1 到 1000 的整数")
    assert "None" not in str(refused.value)


def test_the_label_survives_the_way_from_the_process_of_a_run():
    with pytest.raises(Told) as refused:
        plan_from_form("flat", {"hidden": 130, "heads": 4}, "auto")
    message = message_of(refused.value)
    again = Message.from_json(message.to_json())
    assert (str(again), text(again, "zh")) == (str(message), text(message, "zh"))
