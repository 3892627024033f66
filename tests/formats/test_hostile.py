"""Whatever a file holds, reading it gives documents and refusals or one FormatError, and no other error."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.formats import FormatError, ReadOptions, ReadResult, available, by_name, read_file
from core.text import LabelSet
from tests.formats.documents import CHARACTERS, JSON
from tests.formats.samples import SAMPLES

# Each example writes or reads a file.
HALF = settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.too_slow])

_FIELDS = ["id", "text", "data", "label", "labels", "spans", "entities", "relations", "meta", "offsets"]
_OFFSETS = st.integers(-3, 12) | st.sampled_from([1e300, float("nan"), 10**30, "2", None, True])
_SPANS = st.fixed_dictionaries(
    {"start": _OFFSETS, "end": _OFFSETS, "label": JSON},
    optional={"text": JSON, "score": JSON | _OFFSETS, "start_offset": _OFFSETS, "end_offset": _OFFSETS},
)
_VALUES = st.one_of(
    JSON,
    st.lists(_SPANS, max_size=2),
    st.lists(st.tuples(_OFFSETS, _OFFSETS, JSON), max_size=2),
    st.dictionaries(
        st.text(max_size=2), st.dictionaries(st.text(max_size=2), st.lists(st.tuples(_OFFSETS, _OFFSETS)))
    ),
    st.just("拜登😀在北京"),
)
RECORDS = st.lists(st.dictionaries(st.sampled_from(_FIELDS), _VALUES), max_size=3).map(
    lambda records: "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
)
ROWS = st.lists(
    st.sampled_from(
        [
            "拜 B-PER",
            "登\tI-PER",
            "在 O",
            "x",
            " O",
            "\tO",
            "",
            "-DOCSTART- O",
            "a b c",
            "北 E-",
            "E-X E-X",
            "😀 S-é",
        ]
    )
).map("\n".join)
TEXTS = st.one_of(RECORDS, ROWS, st.text(CHARACTERS, max_size=60), st.text('",\n\r\tab', max_size=40))
CONTENTS = st.one_of(st.binary(max_size=80), TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))


def _read(content: bytes, name: str | None, options: ReadOptions) -> ReadResult | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.data"
        path.write_bytes(content)
        try:
            return read_file(path, name, options)
        except FormatError:
            return None


@pytest.mark.parametrize("name", [None, *available()])
@HALF
@given(
    content=CONTENTS,
    unit=st.sampled_from(["line", "paragraph", "file"]),
    offsets=st.sampled_from(["auto", "utf16"]),
)
def test_any_bytes_are_read_or_refused(name, content, unit, offsets):
    result = _read(content, name, ReadOptions(unit=unit, offsets=offsets))
    if result is None:
        return
    assert len({document.id for document in result.documents}) == len(result.documents)
    for document in result.documents:
        document.text.encode("utf-8")
        assert document.id
        assert all(span.end <= len(document.text) for span in document.spans)
    # Every label that comes in can be a label of a project.
    assert set(LabelSet().extended(result.counts["labels"]).names) == set(result.counts["labels"])
    for refusal in result.refusals:
        assert refusal.line >= 1
        assert refusal.reason
        assert refusal.raw


@pytest.mark.parametrize("name", sorted(SAMPLES))
@HALF
@given(data=st.data())
def test_a_sample_with_a_hole_in_it_is_read_or_refused(name, data):
    sample = SAMPLES[name]
    start = data.draw(st.integers(0, len(sample) - 1))
    end = data.draw(st.integers(start, min(len(sample), start + 6)) | st.just(len(sample)))
    patch = data.draw(
        st.sampled_from(["", "\t", "\n", '"', "<", "&", "|", "9" * 20, "-1", "{", "]", "null", "😀"])
    )
    content = sample[:start] + patch + sample[end:]
    result = _read(content.encode(), name, ReadOptions())
    for document in result.documents if result is not None else ():
        assert all(span.end <= len(document.text) for span in document.spans)
    for refusal in result.refusals if result is not None else ():
        assert refusal.line >= 1
        assert refusal.reason
        assert refusal.raw


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_beginning_of_a_sample_again_and_again_is_told_in_no_time(name):
    """A pattern that tries every way to cut such a file up would never end."""
    sample = SAMPLES[name].lstrip("\ufeff")
    for beginning in {sample[:end] for end in (1, 4, 12, 40, 120, 360)} | {
        "<!---->",
        "[a](",
        "# a\n",
        '{"a": ',
    }:
        head = beginning * (4096 // len(beginning))
        for other in available():
            by_name(other).sniff(head)


@HALF
@given(text=TEXTS)
def test_lines_are_counted_as_an_editor_counts_them(text):
    result = _read(text.encode(), "jsonl", ReadOptions())
    if result is not None and result.refusals:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for refusal in result.refusals:
            assert refusal.raw.rstrip("\n").lstrip("\ufeff") == lines[refusal.line - 1].lstrip("\ufeff")
