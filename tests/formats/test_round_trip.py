"""Whatever goes out through a format comes back, or the export said what was lost."""

import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.formats import FormatError, ReadOptions, WriteOptions, by_name, read_file, writable, write_file
from core.formats.framework.archive import file_name_of
from core.formats.framework.attachments import attachments_of
from core.formats.framework.format import flat_spans
from core.formats.shapes.file_per_document import FilePerDocument
from core.formats.shapes.tokens import join
from core.text import Document, Span
from core.text.tokens import TOKENS
from tests.formats.documents import documents, spans

# Each example writes or reads a file.
HALF = settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
WAYS = [(name, False, "\t") for name in writable()]
WAYS += [("plain", True, "\t"), ("bio", False, " "), ("bmes", False, " ")]


def _there_and_back(corpus, name, blocks=False, separator="\t"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("corpus.zip" if by_name(name).reads == "folder" else "corpus.data")
        lost = write_file(corpus, path, name, WriteOptions(separator=separator, blocks=blocks))
        assert lost == by_name(name).losses(corpus, WriteOptions(separator=separator, blocks=blocks))
        try:
            result = read_file(path, name, ReadOptions(unit="paragraph" if blocks else "line"))
        except FormatError:
            return lost, ()
        assert result.refusals == ()
        return lost, result.documents


@pytest.mark.parametrize(("name", "blocks", "separator"), WAYS)
@HALF
@given(corpus=documents())
def test_what_is_lost_is_exactly_what_was_counted_as_lost(name, blocks, separator, corpus):
    lost, found = _there_and_back(corpus, name, blocks, separator)
    options = WriteOptions(separator=separator, blocks=blocks)
    told = [by_name(name).losses([document], options) for document in corpus]
    assert lost == dict(sum((Counter(one) for one in told), Counter()))
    kept = [(one, losses) for one, losses in zip(corpus, told, strict=True) if "documents" not in losses]
    assert len(found) == len(kept)
    for (before, losses), after in zip(_paired(kept, by_name(name)), found, strict=True):
        assert (before.id != after.id) == ("ids" in losses)
        if before.text != after.text:
            assert "texts" in losses
        elif "texts" not in losses:  # with it, what spells the text is another, and so are its tokens
            _check_spans(before, after, losses)


def _paired(kept, one):
    """Documents in the order they come back: a folder's files come by name."""
    if not isinstance(one, FilePerDocument):
        return kept
    return sorted(kept, key=lambda pair: file_name_of(pair[0].id) + one.endings[0])


def _check_spans(before: Document, after: Document, losses: dict[str, int]) -> None:
    gone = Counter(_keys(before)) - Counter(_keys(after))
    mine, found = attachments_of(before), attachments_of(after)
    pieces = Counter(map(repr, mine.discontinuous)) - Counter(map(repr, found.discontinuous))
    # A discontinuous span that is kept under another label counts as a label, and is no span.
    renamed = losses.get("labels", 0) - max(0, pieces.total() - losses.get("discontinuous", 0))
    said = sum(losses.get(kind, 0) for kind in ("spans", "nested_spans", "crossing_spans", "joined_spans"))
    assert said <= gone.total() <= said + renamed
    assert gone.total() == said + renamed or renamed > 1 or _keys(before) != _keys(after)
    if said or losses.get("labels"):
        return  # what names these spans goes with them
    scores = Counter(span.score for span in before.spans if span.score is not None)
    scores -= Counter(span.score for span in after.spans if span.score is not None)
    assert scores.total() == losses.get("scores", 0)
    for kind in ("discontinuous", "relations", "chains", "comments"):
        missing = Counter(map(repr, getattr(mine, kind))) - Counter(map(repr, getattr(found, kind)))
        assert missing.total() == losses.get(kind, 0), kind
    who = (mine.annotator, mine.annotated_at) != (found.annotator, found.annotated_at)
    assert who == bool(losses.get("authors"))
    assert _rest(mine) == _rest(found) or losses.get("meta")
    assert mine.rest != found.rest or not losses.get("meta")


def _keys(document: Document) -> list[tuple[int, int, str]]:
    return sorted(span.key for span in document.spans)


def _rest(attached) -> dict:
    return {name: value for name, value in attached.rest.items() if name != TOKENS}


@HALF
@given(corpus=documents())
def test_native_jsonl_loses_nothing_at_all(corpus):
    lost, found = _there_and_back(corpus, "jsonl")
    assert lost == {}
    assert list(found) == corpus


@pytest.mark.parametrize("name", ["bio", "bioes", "bmes", "bilou"])
@HALF
@given(corpus=documents())
def test_a_column_file_keeps_exactly_the_flat_spans(name, corpus):
    lost, found = _there_and_back(corpus, name)
    written = [d for d in corpus if "documents" not in by_name(name).losses([d])]
    for before, after in zip(written, found, strict=True):
        kept, _ = flat_spans(before.spans)
        if "texts" not in by_name(name).losses([before]) and not lost.get("labels"):
            assert [span.key for span in after.spans] == [span.key for span in kept]


@HALF
@given(corpus=documents())
def test_a_column_file_written_again_is_the_same_file(corpus):
    _, once = _there_and_back(corpus, "bmes")
    lost, twice = _there_and_back(list(once), "bmes")
    assert [(d.text, _keys(d)) for d in twice] == [(d.text, _keys(d)) for d in once] or lost.get("texts")


def test_each_format_says_what_a_hard_document_loses_in_it():
    text = "拜登在北京\n会见记者"
    spans = (Span(0, 2, "PER", 0.5), Span(0, 5, "EVENT"), Span(3, 7, "LOC"))
    hard = [Document("a", text, spans, {"source": "news"})]
    assert by_name("jsonl").losses(hard) == {}
    assert by_name("doccano").losses(hard) == {"scores": 1}
    assert by_name("cluener").losses(hard) == {"scores": 1, "meta": 1}
    assert by_name("webanno").losses(hard) == by_name("brat").losses(hard) == {"scores": 1, "meta": 1}
    flat = {"nested_spans": 1, "crossing_spans": 1, "scores": 1, "ids": 1, "meta": 1, "texts": 1}
    assert by_name("bmes").losses(hard) == by_name("bio").losses(hard) == flat
    assert by_name("csv").losses(hard) == {"spans": 3, "scores": 1, "meta": 1}
    assert by_name("plain").losses(hard) == {"spans": 3, "scores": 1, "ids": 1, "meta": 1, "texts": 1}


@HALF
@given(
    words=st.lists(st.sampled_from(["New", "York", ",", "I", "9", "(", "北", "京", " "]), min_size=1),
    data=st.data(),
)
def test_imported_tokens_may_be_labelled_anew_at_any_character(words, data):
    text, extents = join(words)
    held = data.draw(st.lists(spans(text), max_size=3))
    document = Document("a", text, tuple(held), {TOKENS: [list(extent) for extent in extents]})
    lost, found = _there_and_back([document], "bmes")
    kept, _ = flat_spans(held)
    if not {"texts", "labels", "documents"} & set(lost):
        (back,) = found
        assert back.text == text
        assert [span.key for span in back.spans] == [span.key for span in kept]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["brat", "webanno", "doccano", "label_studio", "prodigy", "spert", "dygie"])
def test_thousands_of_relations_take_seconds(tmp_path, name):
    import time

    number = 12_000
    spans = tuple(Span(at, at + 1, "X") for at in range(number))
    keys = [list(span.key) for span in spans]
    ties = [{"type": "next", "from": one, "to": next_} for one, next_ in pairwise(keys)]
    document = Document("1", "a b " * (number // 2), spans, {"relations": ties})
    path = tmp_path / ("a.zip" if by_name(name).reads == "folder" else "a.json")
    begun = time.process_time()
    write_file([document], path, name)
    (again,) = read_file(path, name).documents
    assert time.process_time() - begun < 8  # every relation against every span takes longer
    assert len(again.meta["relations"]) == number - 1
