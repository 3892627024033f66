"""Distant labels are what a naive maximum matching finds, each with its type's rule and its source."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.learning.distant import TypedWords, distant_corpus, distant_labels, span_sources
from core.lexicon import Entry, LexiconError
from core.text import Document, Span
from core.text.annotated_regions import labelled_characters


def _found(text: str, words: TypedWords, **options: object) -> list[tuple[str, str]]:
    document = distant_labels(Document("d", text), words, **options)  # type: ignore[arg-type]
    return [(document.surface(span), span.label) for span in document.spans]


def _naive_forward(text: str, types: dict[str, str]) -> list[tuple[int, int, str]]:
    at, found = 0, []
    while at < len(text):
        end = next((end for end in range(len(text), at, -1) if text[at:end] in types), at + 1)
        if text[at:end] in types:
            found.append((at, end, types[text[at:end]]))
        at = end
    return found


def _naive_backward(text: str, types: dict[str, str]) -> list[tuple[int, int, str]]:
    end, found = len(text), []
    while end:
        at = next((at for at in range(end) if text[at:end] in types), end - 1)
        if text[at:end] in types:
            found.append((at, end, types[text[at:end]]))
        end = at
    return found[::-1]


_words = st.dictionaries(st.text("甲乙丙丁", min_size=1, max_size=4), st.sampled_from("AB"), max_size=8)


@given(st.text("甲乙丙丁戊𠮷😀", max_size=30), _words)
def test_forward_and_backward_labels_are_those_of_a_naive_matcher(text: str, types: dict[str, str]) -> None:
    words, document = TypedWords.of(types), Document("d", text)
    forward = distant_labels(document, words, "forward")
    backward = distant_labels(document, words, "backward")
    assert [span.key for span in forward.spans] == _naive_forward(text, types)
    assert [span.key for span in backward.spans] == _naive_backward(text, types)
    both = [span.key for span in distant_labels(document, words).spans]
    assert both in (_naive_forward(text, types), _naive_backward(text, types))


def test_the_directions_differ_where_words_overlap() -> None:
    words = TypedWords.of({"南京市": "LOC", "市长江": "PER", "长江大桥": "LOC"})
    text = "南京市长江大桥"
    assert _found(text, words, direction="forward") == [("南京市", "LOC"), ("长江大桥", "LOC")]
    assert _found("市长江大桥", words, direction="forward") == [("市长江", "PER")]
    assert _found("市长江大桥", words, direction="backward") == [("长江大桥", "LOC")]


def test_a_surface_of_two_types_follows_the_rule_that_was_chosen() -> None:
    words = TypedWords([Entry("苹果", 2, "FRUIT"), Entry("苹果", 9, "BRAND"), Entry("香蕉", 1, "FRUIT")])
    assert words.conflicts == {"苹果": ("BRAND", "FRUIT")}
    assert _found("苹果和香蕉", words, ambiguous="skip") == [("香蕉", "FRUIT")]
    assert _found("苹果", words, ambiguous="most frequent") == [("苹果", "BRAND")]
    assert _found("苹果", words, ambiguous="keep both") == [("苹果", "BRAND"), ("苹果", "FRUIT")]


def test_two_types_as_frequent_are_decided_by_name() -> None:
    words = TypedWords([Entry("a", 1, "Z"), Entry("a", 1, "M")])
    assert _found("a", words, ambiguous="most frequent") == [("a", "M")]


def test_a_word_without_a_type_guards_its_text_and_gives_no_label() -> None:
    words = TypedWords([Entry("长江大桥"), Entry("长江", 1, "LOC")])
    assert _found("长江大桥和长江", words) == [("长江", "LOC")]


def test_every_label_names_its_source() -> None:
    entries = [Entry("长江", 1, "LOC"), Entry("黄河", 1, "LOC")]
    words = TypedWords(entries, source="version 3", sources={("黄河", "LOC"): "accepted candidate"})
    document = distant_labels(Document("d", "长江黄河", meta={"from": "a file"}), words)
    assert span_sources(document) == {(0, 2, "LOC"): "version 3", (2, 4, "LOC"): "accepted candidate"}
    assert document.meta["from"] == "a file"


def test_unmatched_text_is_unknown_unless_the_person_says_otherwise() -> None:
    words = TypedWords.of({"长江": "LOC"})
    partial = distant_labels(Document("d", "看长江"), words)
    assert labelled_characters(partial) == [False, True, True]
    assert labelled_characters(distant_labels(partial, words, partial=False)) is None


def test_earlier_labels_are_replaced() -> None:
    given = Document("d", "看长江", (Span(0, 1, "X"),))
    assert [span.label for span in distant_labels(given, TypedWords.of({"长江": "LOC"})).spans] == ["LOC"]


def test_latin_words_are_matched_whole() -> None:
    assert _found("party art", TypedWords.of({"art": "X"})) == [("art", "X")]


@pytest.mark.parametrize(
    ("text", "types", "expected"),
    [
        ("", {"长江": "LOC"}, []),
        ("长江", {}, []),
        ("𠮷野家😀", {"𠮷野家": "ORG", "😀": "EMO"}, [("𠮷野家", "ORG"), ("😀", "EMO")]),
        ("长江\r\n黄河", {"长江": "LOC", "黄河": "LOC"}, [("长江", "LOC"), ("黄河", "LOC")]),
        ("קפה בתל אביב", {"תל אביב": "LOC"}, []),  # part of בתל: a word is matched whole
        ("תל אביב", {"תל אביב": "LOC"}, [("תל אביב", "LOC")]),
        ("林 晓平和林晓平", {"林 晓平": "PER"}, [("林 晓平", "PER")]),  # a blank must stand in the text
        ("甲乙", {"甲": "A", "乙": "B"}, [("甲", "A"), ("乙", "B")]),
        ("half \ud800 pair 长江", {"长江": "LOC"}, [("长江", "LOC")]),
    ],
)
def test_texts_and_dictionaries_at_the_edge(
    text: str, types: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert _found(text, TypedWords.of(types)) == expected


def test_a_dictionary_of_every_character_labels_every_character() -> None:
    text = "".join(map(chr, range(0x4E00, 0x9FA6)))
    document = distant_labels(Document("d", text), TypedWords.of(dict.fromkeys(text, "C")))
    assert len(document.spans) == len(text)


def test_a_word_of_ten_thousand_characters_is_refused_by_name() -> None:
    with pytest.raises(LexiconError, match="10000 characters"):
        TypedWords.of({"长" * 10_000: "LOC"})


def test_a_corpus_is_labelled_one_document_at_a_time() -> None:
    taken = []

    def source() -> Iterator[Document]:
        for number in range(3):
            taken.append(number)
            yield Document(str(number), "长江")

    ticks: list[int] = []
    labelled = distant_corpus(source(), TypedWords.of({"长江": "LOC"}), progress=ticks.append)
    assert next(labelled).id == "0"
    assert taken == [0]
    assert [document.id for document in labelled] == ["1", "2"]
    assert ticks == [1, 2, 3]


def test_the_room_starts_without_torch() -> None:
    check = "import sys, core.learning.distant, core.lexicon.discovery; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], timeout=60, check=False).returncode == 0
