"""Any number of documents of any length go through, and come back in order with ids and texts untouched."""

import re
from dataclasses import dataclass, field

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.taggers.base.tagger import Batch
from core.taggers.base.tagging import tag
from core.text import Document, Span
from core.text.overlap import WINDOW
from tests.taggers.small_flat import DOCUMENTS, small_flat

TAGGER = small_flat().eval()
TEXTS = st.lists(st.text("林晚晴在清河大学。！\n a😀", max_size=40), max_size=8)


@given(TEXTS, st.integers(1, 60), st.integers(1, 200))
def test_documents_out_are_documents_in(texts, window, budget):
    documents = [Document(str(number), text, meta={"n": number}) for number, text in enumerate(texts)]
    tagged = tag(TAGGER, documents, window=window, budget=budget)
    assert [(d.id, d.text, d.meta) for d in tagged] == [(d.id, d.text, d.meta) for d in documents]
    assert all(span.score is not None and span.end <= len(d.text) for d in tagged for span in d.spans)


def keys(documents):
    return [[span.key for span in document.spans] for document in documents]


def test_neither_the_budget_nor_the_order_changes_a_prediction():
    documents = list(DOCUMENTS) * 3
    alone = keys(tag(TAGGER, documents, budget=1))
    assert keys(tag(TAGGER, documents)) == alone
    assert keys(tag(TAGGER, documents[::-1]))[::-1] == alone


@dataclass
class LocalTagger:
    """Finds what nobody needs to look far for; counts the characters it reads.

    Flat, an ``a``, some ``b`` and a ``c``, labelled with the two characters on either side. Nested, every
    pair of brackets that lie at most eight characters apart.
    """

    supports_nested: bool
    read: int = 0
    usual_length: int | None = None
    training: bool = False
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    def eval(self):
        self.training = False

    def train(self, training):
        self.training = training

    def cost(self, document):
        return len(document.text)

    def collate(self, documents):
        self.read += sum(len(document.text) for document in documents)
        return Batch(tuple(documents))

    def decode(self, batch):
        return [self.find(document.text) for document in batch.documents]

    def find(self, text):
        if not self.supports_nested:
            matches = re.finditer("ab{0,6}c", text)
            return [
                Span(m.start(), m.end(), repr((text[max(0, m.start() - 2) : m.start()], text[m.end() :][:2])))
                for m in matches
            ]
        return [
            Span(start, end + 1, "PAIR", 0.5)
            for start in range(len(text))
            for end in range(start, min(start + 9, len(text)))
            if (text[start], text[end]) == ("(", ")")
        ]


LOCAL_TEXTS = st.lists(
    st.sampled_from(["a", "ab", "b", "bbc", "c", "(", ")", "。", "\n", "，", "x" * 9]), max_size=400
)


@given(st.lists(LOCAL_TEXTS.map("".join), max_size=3), st.integers(84, 400), st.booleans())
def test_windows_change_nothing_for_a_tagger_that_decides_locally(texts, window, nested):
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    tagger = LocalTagger(nested)
    tagged = tag(tagger, documents, window=window)
    assert tagger.read <= 1.2 * sum(map(len, texts))
    whole = [
        [span.key for span in document.with_spans(tagger.find(document.text)).spans] for document in documents
    ]
    assert [sorted(own) for own in keys(tagged)] == [sorted(own) for own in whole]


class RestlessTagger(LocalTagger):
    """Says something else of the same characters wherever the window begins."""

    def find(self, text):
        return [Span(at, min(at + 7, len(text)), "X", 0.5) for at in range(0, len(text), 7)]


@given(st.lists(st.text("ab。\n", max_size=900), max_size=3), st.integers(20, 400))
def test_windows_that_contradict_each_other_leave_no_span_twice_and_no_overlap(texts, window):
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    for document in tag(RestlessTagger(supports_nested=False), documents, window=window):
        assert all(one.end <= two.start for one, two in zip(document.spans, document.spans[1:], strict=False))
        assert all(span.end <= len(document.text) for span in document.spans)
    for document in tag(RestlessTagger(supports_nested=True), documents, window=window):
        assert len({span.key for span in document.spans}) == len(document.spans)


@pytest.mark.parametrize("start", range(WINDOW - 60, WINDOW + 3))
def test_a_span_is_found_wherever_windows_of_that_length_are_cut(start):
    text = "x" * start + "abbbc" + "x" * WINDOW
    (document,) = tag(LocalTagger(supports_nested=False), [Document("x", text)])
    assert [document.surface(span) for span in document.spans] == ["abbbc"]


def test_a_long_text_is_tagged_as_its_sentences_are():
    sentence = "林晚晴在清河大学教书。"
    (one,) = tag(TAGGER, [Document("x", sentence)])
    (many,) = tag(TAGGER, [Document("x", sentence * 50)], window=len(sentence))
    expected = [
        (span.start + k * len(sentence), span.end + k * len(sentence), span.label)
        for k in range(50)
        for span in one.spans
    ]
    assert keys([many]) == [expected]
    assert all(many.surface(span) for span in many.spans)


def test_a_tagger_that_learned_from_sentences_reads_a_long_text_sentence_by_sentence():
    lines = ["林晚晴在清河大学教书。", "她住在清河。", "清河大学很远，但是她每天都去那里教书。"] * 20
    tagger = small_flat().eval()
    tagger.usual_length = max(map(len, lines)) // 2
    (whole,) = tag(tagger, [Document("x", "".join(lines))])
    expected, start = [], 0
    for line, tagged in zip(lines, tag(tagger, [Document("x", line) for line in lines]), strict=True):
        expected += [(span.start + start, span.end + start, span.label) for span in tagged.spans]
        start += len(line)
    assert keys([whole]) == [expected]
    tagger.usual_length = None
    assert keys(tag(tagger, [whole])) != [expected], "windows of 400 are read otherwise"


def test_old_spans_give_way_to_the_predicted():
    document = Document("x", "教", (Span(0, 1, "OLD"),))
    assert all(span.label != "OLD" for span in tag(TAGGER, [document])[0].spans)


def test_progress_ends_at_all_pieces():
    seen = []
    tag(TAGGER, DOCUMENTS, budget=20, progress=lambda done, total: seen.append((done, total)))
    assert [total for _, total in seen] == [4] * len(seen)  # the empty text needs no piece
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (4, 4)


def test_no_documents_give_none():
    assert tag(TAGGER, []) == []


@pytest.mark.parametrize("option", ["budget", "window"])
def test_a_limit_below_one_is_refused(option):
    with pytest.raises(ValueError, match="at least 1"):
        tag(TAGGER, DOCUMENTS, **{option: 0})


def test_a_tagger_in_training_stays_so_and_predicts_without_dropout():
    tagger = small_flat().train()
    assert tag(tagger, DOCUMENTS) == tag(tagger, DOCUMENTS)
    assert tagger.training
    assert all(parameter.grad is None for parameter in tagger.parameters())
