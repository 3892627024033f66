"""Documents of every kind, for property tests: hostile characters, nested spans, meta of any JSON."""

from hypothesis import strategies as st

from core.text import Document, Span

# Half surrogates (also two that would make a pair), line ends of every kind, astral and combining characters.
HOSTILE = '\ud83d\ude00\0\r\n\t\u0085\u2028\u2029\ufeff"\\{}𠮷👨\u200d👩e\u0301中a'
texts = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters(exclude_categories=())), max_size=30)
names = texts.filter(bool)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(texts)
    spans = []
    if text:
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            spans.append(Span(start, end, draw(names), draw(st.none() | st.floats(0, 1))))
    return Document(draw(names), text, tuple(spans), draw(st.dictionaries(texts, json_values, max_size=3)))


corpora = st.lists(documents(), max_size=6, unique_by=lambda document: document.id)
