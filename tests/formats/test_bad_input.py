"""Bad input that no format escapes: CRLF, a byte order mark, a line of a megabyte, nothing, a program."""

import pytest

from core.formats import FormatError, available, by_name, read_file, writable, write_file
from core.text import Document, Span
from tests.sweep import sweep

CORPUS = [
    Document("1", "拜登在北京会见了记者", (Span(0, 2, "PER"), Span(3, 5, "LOC"))),
    Document("2", "上海浦东发展银行行长出席会议", (Span(0, 8, "ORG"), Span(8, 10, "TITLE"))),
]
MEGABYTE = 350_000  # Han characters of three bytes each: a little over 1 MiB
# Formats that are one text, where line ends, a mark and long lines mean something.
TEXTS = [name for name in writable() if not by_name(name).binary]
# Formats with a row for each token, with a short and a long token in two sentences.
_ROWS = "{long}\tO\n拜\tO\n\n拜\tO\n"
COLUMNS = dict.fromkeys(
    ("bmes", "bio", "bioes", "bilou", "conll2003", "conll2002", "stanford_ner"), _ROWS
) | {
    "lexicon_ner": _ROWS.replace("O\n", "O\t0\n"),
    "hipe": "TOKEN\tNE-COARSE-LIT\n# document_id = 1\n{long}\tO\n拜\tO\n# document_id = 2\n拜\tO\n",
    "conll2012": (
        "#begin document (a); part 000\na 0 0 {long} - * - - - - * -\na 0 1 拜 - * - - - - * -\n"
        "#begin document (b); part 000\nb 0 0 拜 - * - - - - * -\n"
    ),
    "kaggle_ner": "Sentence #,Word,POS,Tag\nSentence: 1,{long},_,O\n,拜,_,O\nSentence: 2,拜,_,O\n",
}

of_texts = pytest.mark.parametrize("name", TEXTS)
of_all = pytest.mark.parametrize("name", available())


@pytest.fixture
def path(tmp_path, name):
    return tmp_path / f"corpus{by_name(name).extensions[0]}"


def found(path, name=None):
    result = read_file(path, name)
    assert result.refusals == ()
    return [(document.text, document.spans) for document in result.documents]


@of_texts
def test_windows_line_ends_change_nothing(path, name):
    write_file(CORPUS, path, name)
    as_written = found(path)
    unix = path.read_bytes().replace(b"\r\n", b"\n")
    for content in (unix, unix.replace(b"\n", b"\r\n")):
        path.write_bytes(content)
        assert found(path) == as_written
    assert len(as_written) == 2


@of_texts
def test_a_byte_order_mark_changes_nothing(path, name):
    write_file(CORPUS, path, name)
    as_written = found(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_file(path).format == name
    assert found(path) == as_written


@pytest.mark.parametrize("name", sweep(TEXTS, ["bmes", "jsonl"]))
def test_a_line_of_a_megabyte_is_read_whole(path, name):
    text = "字" * MEGABYTE
    if name in COLUMNS:  # one row is one token
        path.write_text(COLUMNS[name].format(long=text), encoding="utf-8")
        long, short = read_file(path, name).documents
        assert long.text.startswith(text)
        assert short.text == "拜"
        return
    spans = (Span(0, 2, "LOC"), Span(MEGABYTE - 2, MEGABYTE, "PER")) if by_name(name).holds.spans else ()
    write_file([Document("long", text, spans), CORPUS[0]], path, name)
    assert max(map(len, path.read_bytes().split(b"\n"))) > 1 << 20
    long, short = read_file(path, name).documents
    assert (long.text == text, long.spans) == (True, spans)
    assert short.text == CORPUS[0].text


@of_all
@pytest.mark.parametrize(
    "content", [b"", b"\n\r\n", b"\xef\xbb\xbf"], ids=["nothing", "blank lines", "a mark"]
)
def test_an_empty_file_is_refused_by_name(path, name, content):
    path.write_bytes(content)
    with pytest.raises(FormatError, match=path.name):
        read_file(path, name)


@of_all
def test_a_binary_file_is_refused_by_name(path, name):
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8)
    with pytest.raises(FormatError, match=path.name):
        read_file(path, name)
