"""Exports of hostile texts: an independent parser reads them and finds no element or formula of theirs."""

import csv
import io
import json
import zipfile
from pathlib import PurePath
from xml.etree import ElementTree

import pytest

from core.formats import read_file, writable, write_file
from core.runtime.message import Told
from core.text import Document, LabelSet, Span
from tests.browser.hostile_payloads import PAYLOADS

NAMES = [text for text in PAYLOADS if text.isprintable() and text.strip() == text and len(text) < 60]
ELEMENTS = {
    "script",
    "img",
    "svg",
    "iframe",
    "image",
    "style",
    "link",
    "a",
    "body",
    "base",
    "meta",
    "object",
    "math",
}


def hostile_documents():
    documents = []
    for at, text in enumerate(PAYLOADS):
        label = NAMES[at % 20]
        try:
            LabelSet().extended([label])
            documents.append(Document(f"{at}{text[:60]}", text, (Span(0, len(text), label),), {label: text}))
        except (Told, ValueError):
            continue
    assert len(documents) > 140
    return documents


@pytest.fixture(scope="module")
def hostile():
    return hostile_documents()


def pieces(path):
    """The files that were written, those inside an archive too, by name."""
    for file in sorted(path.parent.iterdir()):
        content = file.read_bytes()
        if not zipfile.is_zipfile(io.BytesIO(content)):
            yield file.name, content
            continue
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                assert not PurePath(name).is_absolute()
                assert ".." not in PurePath(name).parts
                yield name, archive.read(name)


@pytest.mark.parametrize(
    "name", [name for name in writable() if name not in ("docbin", "parquet", "datasets")]
)
def test_no_export_of_hostile_texts_is_more_than_data(hostile, tmp_path, name):
    target = tmp_path / "out" / "a.data"
    target.parent.mkdir()
    write_file(hostile, target, name)
    for file, content in pieces(target):
        text = content.decode("utf-8-sig")
        if text.startswith("<?xml") or file.endswith((".xml", ".xmi")):
            found = {str(one.tag).rpartition("}")[2].lower() for one in ElementTree.fromstring(text).iter()}
            assert not found & ELEMENTS, file
        elif name in ("csv", "tsv", "kaggle_ner"):
            rows = list(csv.reader(io.StringIO(text), delimiter="\t" if name == "tsv" else ","))
            formulas = [
                cell
                for row in rows
                for cell in row
                if cell[:1] in "=+-@\t\r＝＋－＠" and any(c in cell for c in "(|!")
            ]
            assert [cell for cell in formulas if cell] == [], file
        elif name != "brat" and text.lstrip()[:1] in "[{":
            try:
                json.loads(text)
            except ValueError:
                for line in text.split("\n"):
                    json.loads(line or "null")
    read = read_file(target, name)
    assert not [one for one in read.documents if any(span.end > len(one.text) for span in one.spans)]
    assert len(read.documents) > 100
