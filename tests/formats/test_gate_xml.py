"""GATE XML: nodes in the text, annotations of every set, structure left out with a note."""

import time
from xml.etree import ElementTree

import pytest

from core.formats import FormatError, read_file, write_file
from core.formats.framework.registry import available, writable
from core.text import Document, Span
from tests.formats.samples import GATE, SAMPLES


def test_annotations_features_and_sets_are_read(read):
    result = read(GATE, "doc.xml")
    assert result.format == "gate_xml"
    (document,) = result.documents
    assert (document.id, document.text) == ("doc", "😀 拜登在北京\nmet & spoke")
    assert document.spans == (Span(2, 4, "Person"), Span(5, 7, "Location"))
    assert document.meta == {
        "topic": "news",
        "attributes": [{"name": "gender", "value": "male", "span": [2, 4, "Person"]}],
    }
    structure, sets = result.notes
    assert "left out: 1 Token, 1 Original markups" in structure
    assert "became one: the default set, Key" in sets


def test_offsets_are_those_of_utf16_that_gate_counts(read):
    """GATE's node ids are offsets themselves, which tells apart what we derive from their places."""
    (document,) = read(GATE, "doc.xml").documents
    units = document.text.encode("utf-16-le")
    found = []
    for annotation in ElementTree.fromstring(GATE.partition("\n")[2]).iter("Annotation"):
        if annotation.get("Type") in ("Person", "Location"):
            start, end = int(annotation.get("StartNode")), int(annotation.get("EndNode"))
            found.append(units[2 * start : 2 * end].decode("utf-16-le"))
    assert [document.surface(span) for span in document.spans] == found


def test_a_folder_of_files_is_read_and_other_xml_in_it_is_not(tmp_path):
    (tmp_path / "a.xml").write_text(GATE, encoding="utf-8")
    (tmp_path / "b.xml").write_text(GATE.replace('"3" EndNode', '"77" EndNode'), encoding="utf-8")
    (tmp_path / "c.xml").write_text("<other/>", encoding="utf-8")
    latin = '<?xml version="1.0" encoding="ISO-8859-1"?><GateDocument><TextWithNodes>é</TextWithNodes>'
    (tmp_path / "d.xml").write_bytes((latin + "</GateDocument>").encode("latin-1"))
    result = read_file(tmp_path)
    assert [(one.id, one.text[-1]) for one in result.documents] == [("a", "e"), ("d", "é")]
    (refusal,) = result.refusals
    assert "b.xml: the annotation '2' names the node '77', which is not in the text" in refusal.reason


def test_what_has_no_characters_or_comes_twice_is_no_span_of_its_own(read):
    again = GATE.replace(
        'Type="Location" StartNode="6" EndNode="8"', 'Type="Person" StartNode="3" EndNode="5"'
    )
    empty = again.replace('Type="Token" StartNode="3" EndNode="5"', 'Type="Person" StartNode="3" EndNode="3"')
    result = read(empty, "doc.xml")
    assert result.documents[0].spans == (Span(2, 4, "Person"),)
    assert any("without characters" in note for note in result.notes)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<GateDocument/>", "there is no element TextWithNodes"),
        ("<GateDocument><TextWithNodes>a &amp; b", "cut off"),
        ("<GateDocument><TextWithNodes>a & b</TextWithNodes></GateDocument>", "bare &"),
        ('<?xml version="1.0" encoding="gbk"?><GateDocument/>', "its encoding is not known"),
        ('<?xml version="1.0" encoding="x-none"?><GateDocument/>', "its encoding is not known"),
        (
            '<?xml version="1.0" encoding="utf-8"?><GateDocument/>'.encode("utf-16"),
            "not the one that it decl",
        ),
        ("<!DOCTYPE x SYSTEM 'y'><GateDocument/>", "declares a document type"),
        ("<GateDocument>" + "<a>" * 300, "deep"),
        ("<other/>", "the outermost element should be GateDocument"),
    ],
)
def test_a_bad_file_is_refused(read, content, reason):
    with pytest.raises(FormatError, match=rf"a\.xml: .*{reason}"):
        read(content, "a.xml", "gate_xml")


def test_formats_that_are_only_read_are_not_written(tmp_path):
    assert set(available()) - set(writable()) == {"gate_xml", "webanno_old", "label_studio_csv"}
    for name in set(available()) - set(writable()):
        with pytest.raises(FormatError, match="is only read; choose another format"):
            write_file([Document("1", "x")], tmp_path / "a.xml", name)
        assert name in SAMPLES
    assert not (tmp_path / "a.xml").exists()


def test_a_large_file_takes_a_second(read):
    nodes = "".join(f'<Node id="{at}"/>字' for at in range(40_000))
    spans = "".join(
        f'<Annotation Id="{at}" Type="X" StartNode="{at}" EndNode="{at + 1}"/>' for at in range(39_999)
    )
    content = f"<TextWithNodes>{nodes}</TextWithNodes><AnnotationSet>{spans}</AnnotationSet>"
    content = f"<GateDocument>{content}</GateDocument>"
    begun = time.process_time()
    assert len(read(content, "a.xml").documents[0].spans) == 39_999
    assert time.process_time() - begun < 10
