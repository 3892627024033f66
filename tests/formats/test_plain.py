"""Plain text: a line or a block is a document, and no character of it changes."""

from core.formats import WriteOptions, by_name
from core.text import Document, Span


def test_every_line_that_is_not_blank_is_a_document_as_it_stands(read):
    result = read("  第一句。\n\n \t\n第二句\u3000。 \r\n\u2028三", "notes.txt")
    assert (result.format, [d.text for d in result.documents]) == (
        "plain",
        ["  第一句。", "第二句\u3000。 ", "\u2028三"],
    )
    assert [document.id for document in result.documents] == ["notes-1", "notes-2", "notes-3"]


def test_blocks_end_at_blank_lines_and_keep_their_line_breaks(read):
    result = read("标题\r\n正文。\r\n \r\n\r\n第二篇", "notes.txt", "plain", unit="paragraph")
    assert [document.text for document in result.documents] == ["标题\n正文。", "第二篇"]


def test_a_whole_file_is_one_document_without_the_blank_lines_around_it(read):
    result = read("\n \n标题\r\n\r\n  正文。\n\n", "notes.txt", "plain", unit="file")
    assert [(document.id, document.text) for document in result.documents] == [("notes", "标题\n\n  正文。")]


def test_a_line_with_broken_bytes_is_refused_with_its_bytes(read, tmp_path):
    good = "完整的一行中文。\n".encode()
    result = read(good * 20 + b"broken \xe4\xb8\n" + good, "a.txt")
    assert len(result.documents) == 21
    (refusal,) = result.refusals
    assert refusal.line == 21
    assert "byte 0xE4 is not UTF-8" in refusal.reason
    result.write_refused(tmp_path / "mend.txt")
    assert (tmp_path / "mend.txt").read_bytes() == b"broken \xe4\xb8\n"


def test_what_a_line_cannot_hold_is_replaced_one_for_one_and_counted():
    plain, text = by_name("plain"), "a\nb\r\nc\0"
    assert plain.render(Document("1", text), WriteOptions()) == ("a b  c \n", {"ids": 1, "texts": 1})
    block, lost = plain.render(Document("1", "\na\n \nb\nc\n", (Span(1, 2, "X"),)), WriteOptions(blocks=True))
    assert block == " a  \nb\nc \n\n"
    assert lost == {"ids": 1, "spans": 1, "texts": 1}
    assert plain.losses([Document("1", " \n"), Document("2", "")]) == {"documents": 2, "ids": 2}
