"""Legal documents for hypothesis: any text, any spans, any ids, any meta of JSON values."""

from hypothesis import strategies as st

from core.formats.framework.attachments import one_line
from core.text import Document, Label, Span

# Han, Latin, blanks of many kinds, marks that cling, astral characters, quotes and separators of the formats.
CHARACTERS = st.one_of(
    st.sampled_from(
        "拜登在北京会见 \t\n\r\u3000\u00a0\u2028\u0085abcX09.,;:!?()[]“”‘’'\"#|-_/%$😀𠮷한글กขéя\ufeff"
    ),
    st.characters(exclude_categories=("Cs",)),
)
TEXTS = st.text(CHARACTERS, max_size=30)
LABELS = st.one_of(
    st.sampled_from(["PER", "LOC", "product name", "产品", "a-b"]),
    st.text(CHARACTERS, min_size=1, max_size=5).filter(lambda name: _is_name(name)),
)
SCORES = st.one_of(st.none(), st.floats(0, 1))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
NAMES = st.one_of(
    st.sampled_from(["tokens", "id", "text", "label", "spans", "meta", "Comments", "source"]), TEXTS
)
METAS = st.dictionaries(NAMES, JSON, max_size=3)


def _is_name(name: str) -> bool:
    """Whether the name may be a label of a project."""
    try:
        Label(name)
    except ValueError:
        return False
    return True


@st.composite
def spans(draw: st.DrawFn, text: str, labels: st.SearchStrategy[str] = LABELS) -> Span:
    start = draw(st.integers(0, len(text) - 1))
    return Span(start, draw(st.integers(start + 1, len(text))), draw(labels), draw(SCORES))


@st.composite
def links(draw: st.DrawFn, text: str) -> list:
    start = draw(st.integers(0, len(text) - 1))
    words = st.one_of(st.sampled_from(["", "name", "->", "*", "_", "a|b[1]"]), LABELS.map(one_line))
    return [start, draw(st.integers(start + 1, len(text))), draw(words), draw(words)]


@st.composite
def attached(draw: st.DrawFn, text: str, held: list[Span]) -> dict:
    """Well-formed discontinuous spans, relations, chains, comments, and who and when."""
    meta: dict = {}
    if len(text) >= 3 and draw(st.booleans()):
        places = (
            sorted(draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4, unique=True)))
            if (len(text) > 3)
            else [0, 1, 2, 3]
        )
        parts = [places[:2], places[2:]]
        meta["discontinuous"] = [{"parts": parts, "label": draw(LABELS)}]
    if held and draw(st.booleans()):
        ends = [list(draw(st.sampled_from(held)).key) for _ in range(2)]
        meta["relations"] = [{"type": draw(LABELS), "from": ends[0], "to": ends[1]}]
    if text and draw(st.booleans()):
        meta["chains"] = [
            {"links": draw(st.lists(links(text), min_size=1, max_size=3))}
            for _ in range(draw(st.integers(1, 2)))
        ]
    if draw(st.booleans()):
        comment: dict = {"text": draw(st.sampled_from(["sure?", "再看", "a\nb", " x"]))}
        if held and draw(st.booleans()):
            comment |= dict(zip(("start", "end", "label"), draw(st.sampled_from(held)).key, strict=True))
        if draw(st.booleans()):
            comment |= {"user": "lin", "at": 1700000000}
        meta["comments"] = [comment]
    if draw(st.booleans()):
        meta["annotator"] = draw(st.sampled_from(["lin", "7", "007", "a@b.cn"]))
    if draw(st.booleans()):
        meta["annotated_at"] = draw(st.sampled_from(["2026-11-22T01:00:00Z", "1700000000"]))
    return meta


@st.composite
def documents(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS) -> list[Document]:
    """Some documents with distinct ids."""
    identifiers = draw(
        st.lists(
            st.one_of(st.sampled_from(["1", "01", "7"]), st.text(CHARACTERS, min_size=1, max_size=4)),
            max_size=4,
            unique=True,
        )
    )
    found = []
    for identifier in identifiers:
        text = draw(TEXTS)
        held = draw(st.lists(spans(text, labels), max_size=4)) if text else []
        meta = {**draw(METAS), **draw(attached(text, held))}
        found.append(Document(identifier, text, tuple(held), meta))
    return found
