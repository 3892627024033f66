"""spaCy 2's training JSON: paragraphs, BILUO tags, tokens nobody annotated, what it cannot hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats import ReadOptions, WriteOptions, by_name, read_file, write_file
from core.text import Document, Span
from core.text.annotated_regions import annotated_regions
from tests.formats.samples import SAMPLES, SPANS, TEXT


def paragraph(*tokens, raw=None, **more):
    listed = [{"id": at, "orth": word, "ner": tag} for at, (word, tag) in enumerate(tokens)]
    return {**({} if raw is None else {"raw": raw}), "sentences": [{"tokens": listed}], **more}


@pytest.fixture
def read(tmp_path):
    def read(*paragraphs, **options):
        path = tmp_path / "train.json"
        content = json.dumps([{"id": 7, "paragraphs": list(paragraphs)}], ensure_ascii=False)
        path.write_text(content, encoding="utf-8")
        return read_file(path, options=ReadOptions(**options))

    return read


def test_it_is_found_out_and_every_paragraph_is_a_document(tmp_path):
    (tmp_path / "a.json").write_text(SAMPLES["spacy_paragraphs"], encoding="utf-8")
    result = read_file(tmp_path / "a.json")
    (document,) = result.documents
    assert (result.format, document.id, document.text) == ("spacy_paragraphs", "a-1", TEXT)
    assert document.spans == tuple(Span(*one) for one in SPANS)


def test_tokens_without_a_raw_text_are_joined_as_their_script_is_written(read):
    result = read(
        paragraph(("Joe", "B-PER"), ("Biden", "L-PER"), ("came", "O"), (".", "O")),
        paragraph(("拜登", "U-PER"), ("来了", "O")),
    )
    assert [document.text for document in result.documents] == ["Joe Biden came.", "拜登来了"]
    assert [document.spans for document in result.documents] == [(Span(0, 9, "PER"),), (Span(0, 2, "PER"),)]


def test_an_unannotated_token_is_not_learned_as_no_entity(read):
    (document,) = read(
        paragraph(("拜登", "U-PER"), ("在", "-"), ("北京", "O"), ("说", "O"), raw="拜登 在 北京 说")
    ).documents
    assert annotated_regions(document) == ((0, 2), (5, 9))
    assert read(paragraph(("a", "O"), ("b", "O"), raw="a b")).documents[0].meta == {}


def test_tags_that_spell_no_span_are_read_as_asked_and_told(read):
    tokens = (("甲", "I-ORG"), ("乙", "L-ORG"), ("丙", "O"))
    repaired = read(paragraph(*tokens, raw="甲乙丙"))
    assert repaired.documents[0].spans == (Span(0, 2, "ORG"),)
    assert any("no whole span" in note for note in repaired.notes)
    assert read(paragraph(*tokens, raw="甲乙丙"), malformed="discard").documents[0].spans == ()


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (paragraph(("北京", "O"), raw="上海"), "is not at character 0"),
        (paragraph(("甲", "O"), ("乙", "O"), raw="甲，乙"), "is not at character 1"),
        (paragraph(("甲", "X-PER"), raw="甲"), "not a BILUO tag"),
        (paragraph(("甲", 3), raw="甲"), "not a BILUO tag"),
        (paragraph(("", "O"), raw="甲"), "a token has an orth"),
        ({"raw": "甲", "sentences": ["x"]}, "a sentence has a list of tokens"),
        ({"raw": "甲", "sentences": 3}, "a list of sentences"),
        ({"sentences": []}, "neither a raw text nor tokens"),
        ("text", "a list of sentences"),
    ],
)
def test_a_bad_paragraph_is_refused_and_the_others_come(read, bad, reason):
    result = read(paragraph(("好", "O"), raw="好"), bad, paragraph(("完", "O"), raw="完"))
    assert [document.text for document in result.documents] == ["好", "完"]
    (refusal,) = result.refusals
    assert reason in refusal.reason
    assert json.loads(refusal.raw)


LABELS = st.sampled_from(["PER", "B-X", "地 名", "-"])


@st.composite
def flat_documents(draw):
    text = draw(st.text(st.sampled_from("ab 北京\n\t，😀𠮷\u0301\u00a0"), max_size=24))
    spans, at = [], 0
    while at < len(text) and draw(st.booleans()):
        start = draw(st.integers(at, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        spans.append(Span(start, end, draw(LABELS)))
        at = end
    return Document("a", text, tuple(spans))


@given(flat_documents())
def test_any_text_with_flat_spans_comes_back(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("spacy") / "a.json"
    lost = write_file([document], path, "spacy_paragraphs")
    assert lost == {"ids": 1}
    (again,) = read_file(path, "spacy_paragraphs").documents
    assert (again.text, again.spans) == (document.text, document.spans)


def test_what_nests_is_counted_before_writing():
    nested = Document("a", "青禾大学", (Span(0, 4, "ORG"), Span(0, 2, "LOC")), {"source": "x"})
    value, lost = by_name("spacy_paragraphs").element(nested, WriteOptions())
    assert lost == {"nested_spans": 1, "meta": 1, "ids": 1}
    tokens = value["paragraphs"][0]["sentences"][0]["tokens"]
    assert [token["ner"] for token in tokens] == ["B-ORG", "I-ORG", "I-ORG", "L-ORG"]
