"""Markdown as data: what a guideline may hold, and what hostile text may not do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.markdown import markdown_parts

SAFE_TAGS = {
    "p", "br", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "table", "thead",
    "tbody", "tr", "th", "td", "em", "strong", "del", "a", "i",
}  # fmt: skip


def part(tag, *children, **more):
    return {"tag": tag, "children": list(children), **more}


def elements(parts):
    for each in parts:
        if not isinstance(each, str):
            yield each
            yield from elements(each["children"])


def test_a_guideline_is_headings_paragraphs_and_lists_with_a_list_inside_an_item():
    text = "# 人名 #\n说明\n第二行\n\n- 姓\n  1. 单姓\n  2. 复姓\n- 名\n\n2、甲\n3、乙\n\n•丙"
    assert markdown_parts(text) == [
        part("h4", "人名"),
        part("p", "说明", part("br"), "第二行"),
        part("ul", part("li", "姓", part("ol", part("li", "单姓"), part("li", "复姓"))), part("li", "名")),
        part("ol", part("li", "甲"), part("li", "乙"), start=2),
        part("ul", part("li", "丙")),
    ]


def test_quotes_code_tables_and_rules_are_blocks_of_their_own():
    text = "> a\n\n```py\n# no *heading*\n```\n\n| A | B |\n|---|:-:|\n| 1 | **2** |\n\n---\n"
    quote, code, table, rule = markdown_parts(text)
    assert quote == part("blockquote", part("p", "a"))
    assert code == part("pre", part("code", "# no *heading*"))
    assert table["children"][1] == part("tbody", part("tr", part("td", "1"), part("td", part("strong", "2"))))
    assert rule == part("hr")


def test_emphasis_beside_chinese_characters():
    (line,) = markdown_parts("标注*人名*和**地名**，不标`代码`与~~旧名~~。")
    assert line == part(
        "p", "标注", part("em", "人名"), "和", part("strong", "地名"), "，不标", part("code", "代码"), "与",
        part("del", "旧名"), "。",
    )  # fmt: skip


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "//evil.example", "file:///etc", "a"],
)
def test_only_web_and_mail_addresses_are_links(address):
    assert all(each["tag"] != "a" for each in elements(markdown_parts(f"[x]({address})")))
    (line,) = markdown_parts("[a **b**](https://x.example/a?b=1)")
    assert line["children"] == [part("a", "a ", part("strong", "b"), href="https://x.example/a?b=1")]


def test_html_stays_text_and_an_image_is_its_description():
    text = '<script>alert(1)</script>\n\n<img src=x onerror="x">\n\n![cat](https://evil.example/cat.png)'
    assert markdown_parts(text) == [
        part("p", "<script>alert(1)</script>"),
        part("p", '<img src=x onerror="x">'),
        part("p", part("i", "[cat]")),
    ]


@given(st.text(alphabet="ab*_~`[]()<>!#-+>|\\ \n1.、•", max_size=80))
def test_nothing_but_known_elements_come_of_any_text(text):
    for each in elements(markdown_parts(text)):
        assert each["tag"] in SAFE_TAGS
        assert set(each) <= {"tag", "children", "href", "start"}
