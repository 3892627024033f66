"""Words as units: what they are, and that offsets and spans survive them, whatever the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import Document, Span
from core.text.units import (
    LONGEST_WORD,
    boundaries,
    characters,
    in_units,
    preferred_unit,
    units_of,
    words,
    words_of,
)

# Whatever may stand side by side in a text.
PIECES = st.sampled_from(
    [
        "Lin", "O'Neill", "Microsoft's", "l’Oréal", "Jean-Claude", "U.S.", "3.14", "10,000", "foo_bar", "a:b",
        "https://example.com/a?b=1", "@user", "#tag", "e\u0301", "n\u0303o", "😀", "👨‍👩‍👧‍👦",
        "🇨🇳", "🇫🇷", "林晚晴", "在",
        "カタカナ", "ひら", "สวัสดี", "한국어", "שלום", "צה\"ל", "مرحبا",
        " ", "  ", "\r\n", "\n", "\t", "\u3000", "\u200b",
        ".", ",", "'", "’", "-", "…", "“", "x" * 40, "\ud800",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=40))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \r\n\t\u3000", []),
        ("Microsoft's Tim", ["Microsoft", "'s", "Tim"]),
        ("They’re O'Neill's", ["They", "’re", "O'Neill", "'s"]),
        ("l'Oréal, d’Artagnan, qu'Anne", ["l'", "Oréal", ",", "d’", "Artagnan", ",", "qu'", "Anne"]),
        (
            "Jean-Claude is 3.14, not 10,000.",
            ["Jean", "-", "Claude", "is", "3.14", ",", "not", "10,000", "."],
        ),
        ("U.S. Army", ["U.S", ".", "Army"]),
        ("name:John", ["name", ":", "John"]),
        ("@user_1 #tag", ["@", "user_1", "#", "tag"]),
        ("see https://a.b/c", ["see", "https", ":", "/", "/", "a.b", "/", "c"]),
        ("他在Apple公司", ["他", "在", "Apple", "公", "司"]),
        ("cafe\u0301s 👨‍👩‍👧‍👦🇨🇳🇫🇷", ["cafe\u0301s", "👨‍👩‍👧‍👦", "🇨🇳", "🇫🇷"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("a\r\nb", ["a", "b"]),
        ("x" * (LONGEST_WORD + 1), ["x"] * (LONGEST_WORD + 1)),
    ],
)
def test_the_words_of_a_text(text, expected):
    assert list(words(text).surfaces(text)) == expected


@given(TEXTS)
@settings(deadline=None)
def test_words_cover_all_but_blanks_in_order(text):
    units = words(text)
    covered = [False] * len(text)
    before = 0
    for start, end in zip(units.starts, units.ends, strict=True):
        assert before <= start < end <= len(text)
        covered[start:end] = [True] * (end - start)
        before = end
    assert all(inside or text[at].isspace() for at, inside in enumerate(covered))
    assert not any(surface.isspace() for surface in units.surfaces(text))
    assert "".join(units.surfaces(text)) == "".join(
        c for c, inside in zip(text, covered, strict=True) if inside
    )


@given(TEXTS)
@settings(deadline=None)
def test_owners_by_a_loop(text):
    for units in (words(text), characters(text)):
        expected = [
            next((u for u in range(len(units)) if units.starts[u] <= at < units.ends[u]), -1)
            for at in range(len(text))
        ]
        assert units.owners() == expected


@given(TEXTS, st.data())
@settings(deadline=None)
def test_a_span_touches_the_units_that_share_a_character_with_it(text, data):
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))), "X", 0.5)
    for name in ("word", "character"):
        units = units_of(Document("1", text), name)
        shared = [u for u in range(len(units)) if units.starts[u] < span.end and span.start < units.ends[u]]
        found = units.touched(span)
        assert (found is None) == (not shared)
        if found is None:
            assert not text[span.start : span.end].strip()
            continue
        assert (found.start, found.end, found.label, found.score) == (shared[0], shared[-1] + 1, "X", 0.5)
        widened = units.in_text(found)
        assert (widened.start, widened.end) == (units.starts[shared[0]], units.ends[shared[-1]])
        assert units.exactly(span) == (found if widened == span else None)
        assert units.exactly(widened) == found


@given(TEXTS, st.data())
@settings(deadline=None)
def test_a_part_cut_at_boundaries_has_the_words_of_the_whole(text, data):
    edges = boundaries(text)
    low, high = sorted(data.draw(st.sampled_from(edges)) for _ in range(2))
    units, part = words(text), words(text[low:high])
    inside = [
        (start - low, end - low)
        for start, end in zip(units.starts, units.ends, strict=True)
        if low <= start and end <= high
    ]
    assert list(zip(part.starts, part.ends, strict=True)) == inside


def test_spans_inside_words_are_widened_and_counted():
    text = "Newyorkers in Paris  now"
    units = words(text)
    spans = [
        Span(0, 7, "LOC"),
        Span(3, 7, "GPE"),
        Span(14, 20, "LOC"),
        Span(19, 20, "LOC"),
        Span(21, 24, "T"),
    ]
    kept, moved, lost = in_units(units, spans)
    # The second lies inside the first, the fourth holds no word.
    assert [units.in_text(span).key for span in kept] == [(0, 10, "LOC"), (14, 19, "LOC"), (21, 24, "T")]
    assert (moved, lost) == (2, 2)
    # Side by side in one word: the longer one gets it.
    kept, moved, lost = in_units(units, [Span(0, 3, "A"), Span(3, 7, "B")])
    assert ([span.key for span in kept], moved, lost) == ([(0, 1, "B")], 1, 1)


@pytest.mark.parametrize(
    ("documents", "unit"),
    [
        ([], "character"),
        ([Document("1", "123 …")], "character"),
        ([Document("1", "Lin hired Qinghe.", (Span(0, 3, "PER"),))], "word"),
        ([Document("1", "Лин живёт в Москве")], "word"),
        ([Document("1", "林晚晴在清河大学教书，用 GPT。")], "character"),
        # More letters are English, and more of what is tagged is Chinese.
        ([Document("1", "林晚晴在清河大学教书，用 Python 和 TypeScript。")], "character"),
        ([Document("1", "東京へ行くカタカナ")], "character"),
        ([Document("1", "สวัสดีชาวโลก")], "character"),
        ([Document("1", "김은 서울에서 산다")], "character"),
        # Hebrew in which most entities follow a prefix: words would cut them.
        ([Document("1", "בתל אביב", (Span(1, 8, "LOC"),))], "character"),
    ],
)
def test_the_unit_follows_the_script_and_the_spans(documents, unit):
    assert preferred_unit(documents) == unit


def tokens(text, *surfaces):
    """A document with these tokens, one after the other."""
    places, at = [], 0
    for surface in surfaces:
        at = text.index(surface, at)
        places.append([at, at + len(surface)])
        at += len(surface)
    return Document("1", text, (), {"tokens": places})


def test_the_tokens_of_an_import_are_its_words():
    document = tokens("A.B.C in non-U.S. hands", "A.B.C", "in", "non-U.S.", "hands")
    assert words_of(document).surfaces(document.text) == ("A.B.C", "in", "non-U.S.", "hands")
    assert units_of(document, "character") == characters(document.text)
    edited = Document("1", document.text + "!", (), document.meta)
    assert words_of(edited) == words(edited.text), "tokens that no longer fit the text are no words"
    blank = tokens("a b", "a", " ", "b")
    assert words_of(blank).surfaces("a b") == ("a", "b")


def test_spans_that_fit_the_tokens_of_an_import_speak_for_words():
    inside = [Span(6, 11, "LOC")]
    text = "the non-U.S. side"
    assert preferred_unit([Document("1", text, inside)]) == "character"
    kept = tokens(text, "the", "no", "n-U.S", ".", "side")
    assert preferred_unit([kept.with_spans(inside)]) == "word"
