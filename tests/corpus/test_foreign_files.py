"""What is no text is told by its content, whatever its name."""

import zipfile

import pytest

from core.corpus.encodings import reads_as_chinese
from core.corpus.foreign_files import foreign_file
from core.formats import FormatError, read_file
from core.lexicon import read_word_list


def office(path, part):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(part, "<x/>")


def open_document(path, mime):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", mime)
        archive.writestr("content.xml", "<x/>")


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("word/document.xml", "a Word document"),
        ("xl/workbook.xml", "an Excel workbook"),
        ("ppt/presentation.xml", "a presentation"),
    ],
)
def test_office_documents_are_told_from_archives_of_texts(tmp_path, part, kind):
    path = tmp_path / "bring.txt"
    office(path, part)
    assert str(foreign_file(path).kind) == kind
    with pytest.raises(FormatError, match=rf"bring\.txt is {kind}, not text: save .* and try again"):
        read_file(path)
    with pytest.raises(ValueError, match=rf"is {kind}, not a word list: save"):
        read_word_list(path)


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("application/vnd.oasis.opendocument.text", "an OpenDocument text"),
        ("application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument sheet"),
        ("application/epub+zip", "an e-book (EPUB)"),
    ],
)
def test_open_documents_and_books_are_told_by_their_type(tmp_path, mime, kind):
    path = tmp_path / "a.zip"
    open_document(path, mime)
    assert str(foreign_file(path).kind) == kind


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"%PDF-1.7", "a PDF"),
        (b"{\\rtf1\\ansi", "an RTF document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
        (b"\x89PNG\r\n", "an image"),
        (b"\xff\xd8\xff\xe0", "an image"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (b"Rar!\x1a\x07\x00", "a RAR archive"),
    ],
)
def test_other_files_are_told_by_their_beginning(tmp_path, start, kind):
    path = tmp_path / "a.txt"
    path.write_bytes(start + bytes(20))
    assert str(foreign_file(path).kind) == kind
    with pytest.raises(FormatError, match=kind):
        read_file(path)


def test_texts_other_archives_damaged_ones_and_folders_are_none_of_these(tmp_path):
    text, damaged, plain = tmp_path / "a.txt", tmp_path / "b.zip", tmp_path / "c.zip"
    text.write_text("北京", encoding="utf-8")
    damaged.write_bytes(b"PK\x03\x04" + bytes(30))
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("word/notes.txt", "a folder of that name does not make it Word's")
    assert [foreign_file(path) for path in (text, damaged, plain, tmp_path)] == [None] * 4


def test_gb18030_is_believed_only_where_it_reads_as_chinese():
    assert reads_as_chinese("北京大学，在海淀")
    assert not reads_as_chinese("plain ASCII")
    assert not reads_as_chinese("Müller, Gérard")


@pytest.mark.parametrize("text", ["Müller\nGérard\n", "Zürich grüßt Köln", "El niño comió jamón"])
def test_latin_1_is_not_read_as_chinese(text):
    misread = text.encode("latin-1").decode("gb18030", "ignore")
    assert not reads_as_chinese(misread)


@pytest.mark.parametrize("text", ["人\n大\n", "T恤和B超", "他用Python写的", "在A座3层"])
def test_chinese_with_latin_letters_is(text):
    assert reads_as_chinese(text.encode("gb18030").decode("gb18030"))
