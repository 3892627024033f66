"""The tokens of an import in a part of its document: those there, found without reading all for each part."""

from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import Document
from core.text.overlap import document_windows, in_windows
from core.text.tokens import cut_tokens, document_tokens

PARTS = st.lists(st.sampled_from(["Lin", "of", " ", "x" * 31, "。", "  "]), max_size=60)


def tokenized(parts, kind=list):
    """A document of these parts, those that are not blank its tokens."""
    places, at = kind(), 0
    for part in parts:
        if part.strip():
            places.append([at, at + len(part)])
        at += len(part)
    return Document("1", "".join(parts), (), {"tokens": places})


@given(PARTS, st.data())
def test_a_part_has_the_tokens_that_share_a_character_with_it(parts, data):
    document = tokenized(parts)
    if not document.text:
        return
    start = data.draw(st.integers(0, len(document.text) - 1))
    end = data.draw(st.integers(start + 1, len(document.text)))
    expected = [
        [max(a, start) - start, min(b, end) - start]
        for a, b in document.meta["tokens"]
        if set(range(a, b)) & set(range(start, end))
    ]
    found = cut_tokens(document_tokens(document), start, end)
    assert found == ({"tokens": expected} if expected else {})


@given(PARTS, st.integers(1, 90))
@settings(deadline=None)
def test_windows_have_their_text_and_tokens_that_fit_it(parts, limit):
    document = tokenized(parts)
    windows = document_windows(document, limit)
    for window, part in zip(windows, in_windows(document, windows), strict=True):
        assert part.text == document.text[window.start : window.end]
        assert "tokens" not in part.meta or document_tokens(part) is not None
    assert windows or not document.text


class Counted(list):
    """A list that counts how often it is read from end to end."""

    reads = 0

    def __iter__(self):
        self.reads += 1
        return super().__iter__()


def test_a_long_document_is_not_read_again_for_each_of_its_windows():
    document = tokenized(["word", " "] * 5000, Counted)
    windows = document_windows(document)
    assert len(in_windows(document, windows)) == len(windows) > 50
    assert document.meta["tokens"].reads <= 3
