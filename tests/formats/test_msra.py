"""MSRA's two variants: lines of characters and tags, and JSONL with an entity list."""

import json

from core.formats import WriteOptions, by_name
from core.text import Document, Span


def test_a_line_is_characters_and_as_many_tags(one, read):
    content = "拜 登 在 北 京\tB-NR E-NR O B-NS E-NS\n\n李 来\tS-NR O\r\n"
    result = read(content)
    assert result.format == "msra"
    assert [(d.text, [(d.surface(s), s.label) for s in d.spans]) for d in result.documents] == [
        ("拜登在北京", [("拜登", "NR"), ("北京", "NS")]),
        ("李来", [("李", "NR")]),
    ]


def test_a_line_with_other_numbers_is_refused_and_malformed_tags_name_its_line(read):
    result = read("拜 登\tB-NR\n在 北\tO M-NS\n李\tS-NR\n", format="msra")
    assert [(one.line, one.reason[:22]) for one in result.refusals] == [(1, "2 characters and 1 tag")]
    assert result.refusals[0].raw == "拜 登\tB-NR\n"
    assert result.counts["repaired"] > 0
    assert any(note.startswith("line 2: M-NS") for note in result.notes)


def test_a_blank_is_written_as_an_ideographic_one_and_counted():
    document = Document("1", "拜登 在", (Span(0, 3, "NR"),))
    assert by_name("msra").render(document, WriteOptions()) == (
        "拜 登 \u3000 在\tB-NR M-NR E-NR O\n",
        {"ids": 1, "texts": 1},
    )


def test_the_entity_list_has_exclusive_ends_and_is_checked(read):
    entity = {"entity_index": {"begin": 3, "end": 4}, "entity_type": "LOC", "entity": "日"}
    good = {"text": "今天是日本", "entity_list": [entity]}
    bad = {"text": "今天是日本", "entity_list": [entity | {"entity": "本"}]}
    worse = {"text": "今天", "entity_list": [{"entity_type": "LOC"}]}
    content = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (good, bad, worse))
    result = read(content, "a.json")
    assert (result.format, result.documents[0].spans) == ("msra_jsonl", (Span(3, 4, "LOC"),))
    assert [one.line for one in result.refusals] == [2, 3]
    assert json.loads(by_name("msra_jsonl").render(result.documents[0], WriteOptions())[0]) == good
