"""Every format is told from all others by its content."""

import pytest

from core.formats import FormatError, available, by_name, read_file, writable, write_file
from core.formats.framework.registry import opened
from core.text import Document, Span
from tests.formats.samples import SAMPLES

# Nothing in the content tells these from each other; the ending does.
_BY_ENDING = {"csv": ".csv", "tsv": ".tsv"}
_BINARY = ("docbin", "parquet", "datasets")


def test_there_is_a_sample_of_every_format_that_is_text():
    assert set(SAMPLES) == set(available()) - set(_BINARY)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_detected_as_itself_whatever_it_is_called(tmp_path, name):
    for ending in (_BY_ENDING.get(name, ".data"), by_name(name).extensions[0].replace(".zip", ".txt")):
        path = tmp_path / f"sample{ending}"
        path.write_text(SAMPLES[name], encoding="utf-8")
        assert opened(path)[0].name == name, ending


@pytest.mark.parametrize("name", writable())
def test_what_a_format_writes_is_read_again_by_the_format_it_is(tmp_path, name):
    spans = (Span(0, 3, "PER"), Span(3, 5, "LOC"))
    corpus = [Document(str(n), f"拜登在北京会见了{n}位记者", spans) for n in range(9)]
    path = tmp_path / f"corpus{by_name(name).extensions[0]}"
    write_file(corpus, path, name)
    result = read_file(path)
    assert result.format == name
    assert [document.text for document in result.documents] == [document.text for document in corpus]


def test_a_pattern_file_is_sent_to_where_word_lists_go(tmp_path):
    path = tmp_path / "patterns.jsonl"
    path.write_text('{"label": "LOC", "pattern": "北京"}\n{"label": "LOC", "pattern": [{"lower": "x"}]}\n')
    with pytest.raises(FormatError, match="belong to a word list"):
        read_file(path, "jsonl")


def test_a_folder_of_files_that_do_not_belong_together_says_what_it_holds(tmp_path):
    (tmp_path / "a.jsonl").write_text("{}")
    with pytest.raises(FormatError, match=r"a\.jsonl"):
        read_file(tmp_path)
    with pytest.raises(FormatError, match="is a folder"):
        read_file(tmp_path, "jsonl")
    with pytest.raises(FormatError, match="no such file"):
        read_file(tmp_path / "missing")
