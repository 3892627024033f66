"""The questions of BERT-MRC: each style, what stands in for a missing guideline, and their file."""

import json

import pytest

from core.taggers.base.tagger import ModelFolderError
from core.taggers.mrc.label_words import label_words
from core.taggers.mrc.queries import LONGEST, STYLES, make_queries, read_queries, text_language, write_queries

GUIDELINES = {"ORG": "找出公司、学校\n和机关的名称", "PER": "  "}


@pytest.mark.parametrize(
    ("style", "language", "expected"),
    [
        ("guideline", "zh", ("找出公司、学校 和机关的名称", "文中提到了哪些人名？")),
        ("guideline", "en", ("找出公司、学校 和机关的名称", "Which person is mentioned in the text?")),
        ("keyword", "zh", ("机构", "人名")),
        ("keyword", "en", ("organization", "person")),
        ("synonyms", "zh", ("机构、组织、公司、单位", "人名、人物、姓名")),
        ("synonyms", "en", ("organization, company, agency, institution", "person, human name, individual")),
        (
            "template",
            "en",
            ("Which organization is mentioned in the text?", "Which person is mentioned in the text?"),
        ),
        ("name", "zh", ("ORG", "PER")),
        ("position", "zh", ("1", "2")),
    ],
)
def test_each_style_asks_in_its_way(style, language, expected):
    assert make_queries(("ORG", "PER"), GUIDELINES, style, language) == expected


def test_a_label_nobody_knows_is_asked_for_by_its_name():
    assert make_queries(("wine_grape-sort",), {}, "keyword", "en") == ("wine grape sort",)
    assert make_queries(("酒庄",), {}, "guideline", "zh") == ("文中提到了哪些酒庄？",)
    assert make_queries(("_",), {}, "synonyms", "zh") == ("_",)


@pytest.mark.parametrize("style", STYLES)
def test_no_style_asks_nothing(style):
    assert all(make_queries(("ORG", "_", "-", "葡萄"), {"_": "\n"}, style, "zh", 1))


def test_a_long_guideline_ends_with_a_sentence():
    text = "找出人的姓名。包括外国人。不包括称谓。"
    assert make_queries(("PER",), {"PER": text}, longest=14) == ("找出人的姓名。包括外国人。",)
    assert make_queries(("PER",), {"PER": text}, longest=4) == ("找出人的",)


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["林晚晴在清河大学教书"], "zh"),
        (["Lin teaches at Qinghe University."], "en"),
        (["IBM在北京设立了研究院", "AI and NLP"], "zh"),
        ([], "en"),
        (["123 😀"], "en"),
    ],
)
def test_the_language_is_that_of_most_words(texts, language):
    assert text_language(texts) == language


def test_labels_are_known_in_any_case():
    assert label_words("Location", "en") == label_words("LOC", "en")
    assert label_words("dis", "zh").keyword == "疾病"


def test_queries_come_back_in_the_order_of_the_labels(tmp_path):
    write_queries(tmp_path, ("B", "A"), ("第二？", "第一？"))
    assert read_queries(tmp_path, ("B", "A")) == ("第二？", "第一？")
    assert read_queries(tmp_path, ("A", "B")) == ("第一？", "第二？")


@pytest.mark.parametrize(
    "value",
    [[], None, {}, {"A": "x"}, {"A": "x", "C": "y"}, {"A": "x", "B": 3}, {"A": "x", "B": " "},
     {"A": "x", "B": "长" * (LONGEST + 1)}, {"A": "x", "B": ["y"]}],
)  # fmt: skip
def test_a_malformed_file_of_queries_is_refused_by_name(tmp_path, value):
    (tmp_path / "queries.json").write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(ModelFolderError, match=r"queries\.json.*again"):
        read_queries(tmp_path, ("A", "B"))
