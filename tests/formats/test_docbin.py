"""DocBin, judged by spaCy itself."""

import pytest

from core.formats import docbin, read_file, write_file
from core.formats.framework.errors import FormatError
from core.formats.framework.format import ReadOptions
from core.formats.framework.source import RawSource
from core.text import Document, Span

spacy = pytest.importorskip("spacy")
from spacy.tokens import Doc, DocBin  # noqa: E402


def test_spacy_finds_text_entities_and_what_nests(tmp_path):
    spans = (Span(0, 9, "PER"), Span(4, 9, "NAME"), Span(10, 12, "VERB"))
    corpus = [
        Document("1", "Joe Biden came  😀\n好.", spans),
        Document("2", "北京 ", (Span(1, 3, "X"),)),
        Document("3", ""),
    ]
    assert write_file(corpus, tmp_path / "a.spacy") == {"ids": 3}
    first, second, third = DocBin().from_disk(tmp_path / "a.spacy").get_docs(spacy.vocab.Vocab())
    assert [doc.text for doc in (first, second, third)] == [document.text for document in corpus]
    assert [(e.text, e.label_) for e in first.ents] == [("Joe Biden", "PER"), ("ca", "VERB")]
    assert [(e.text, e.label_) for e in first.spans["sc"]] == [
        ("Joe Biden", "PER"),
        ("Biden", "NAME"),
        ("ca", "VERB"),
    ]
    assert [(e.text, e.label_) for e in second.ents] == [("京 ", "X")]
    assert [(e.text, e.label_) for e in second.spans["sc"]] == [("京 ", "X")]
    assert list(third.spans["sc"]) == []  # spaCy's span categoriser asks every document for the group


def test_entities_and_every_span_group_are_read_once(tmp_path):
    doc = Doc(spacy.vocab.Vocab(), words=["Joe", "Biden", "came"], spaces=[True, True, False])
    doc.ents = [doc.char_span(0, 9, label="PER")]
    doc.spans["sc"] = [doc.char_span(0, 9, label="PER"), doc.char_span(4, 9, label="NAME")]
    doc.spans["more"] = [doc.char_span(10, 14, label="V")]
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    (document,) = read_file(tmp_path / "a.spacy").documents
    assert (document.text, [span.key for span in document.spans]) == (
        "Joe Biden came", [(0, 9, "PER"), (4, 9, "NAME"), (10, 14, "V")],
    )  # fmt: skip


def test_a_file_is_unpacked_once_and_as_spacy_reads_it(tmp_path, monkeypatch):
    corpus = [Document("1", "Joe came.", (Span(0, 3, "PER"),)), Document("2", ""), Document("3", "北京 好")]
    path = tmp_path / "a.spacy"
    write_file(corpus, path)
    theirs = list(DocBin().from_disk(path).get_docs(spacy.vocab.Vocab()))
    unpacked = []

    def once(*given):
        unpacked.append(given)
        return ours()

    ours = docbin.zlib.decompressobj
    monkeypatch.setattr(docbin.zlib, "decompress", lambda *given: pytest.fail("unpacked by spaCy too"))
    monkeypatch.setattr(docbin.zlib, "decompressobj", once)
    reading = docbin.DocBin().read(RawSource(path), ReadOptions())
    assert [(one.text, [span.key for span in one.spans]) for one in reading] == [
        (doc.text, [(e.start_char, e.end_char, e.label_) for e in doc.ents]) for doc in theirs
    ]
    assert len(unpacked) == 1


def test_a_bin_that_was_cut_off_or_is_too_large_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.spacy"
    write_file([Document("1", "Joe came.", (Span(0, 3, "PER"),))], path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-8])
    with pytest.raises(FormatError, match="copy it again"):
        list(docbin.DocBin().read(RawSource(path), ReadOptions()))
    path.write_bytes(whole)
    monkeypatch.setattr(docbin, "_LARGEST", 20)
    with pytest.raises(FormatError, match="split it"):
        list(docbin.DocBin().read(RawSource(path), ReadOptions()))
