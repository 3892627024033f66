"""BioC in XML and JSON: passages joined so that offsets hold; what can come back comes back."""

import json
import time
from copy import deepcopy
from xml.etree import ElementTree

import pytest

from core.formats import WriteOptions, by_name, read_file, write_file
from core.text import Document, EntityLink, Span
from tests.formats.samples import BIOC_JSON, BIOC_XML, SAMPLES

META = {
    "license": "CC0",
    "passages": [
        {"start": 0, "end": 7, "infons": {"type": "title"}},
        {"start": 9, "end": 21, "infons": {"type": "abstract"}},
    ],
    "discontinuous": [{"parts": [[9, 11], [16, 21]], "label": "DIS"}],
    "relations": [{"type": "in", "from": [2, 4, "PER"], "to": [5, 7, "LOC"]}],
}
BIDEN = EntityLink("Q6279")
NAMES = ("bioc_xml", "bioc_json")


def moved(unit):
    """The JSON sample with offsets counted in another unit."""
    text = "😀 拜登在北京 \n会见 the press"
    width = {"utf16": lambda s: len(s.encode("utf-16-le")) // 2, "utf8": lambda s: len(s.encode())}[unit]
    value = deepcopy(BIOC_JSON)
    for passage in value["documents"][0]["passages"]:
        passage["offset"] = width(text[: passage["offset"]])
        for annotation in passage["annotations"]:
            for place in annotation["locations"]:
                start, end = place["offset"], place["offset"] + place["length"]
                place["offset"] = width(text[:start])
                place["length"] = width(text[start:end])
    return value


def to_xml(value):
    """The JSON form as XML, written naively."""

    def build(parent, item):
        for key, text in item.get("infons", {}).items():
            ElementTree.SubElement(parent, "infon", key=key).text = text
        for name in ("offset", "text"):
            if name in item:
                ElementTree.SubElement(parent, name).text = str(item[name])
        for place in item.get("locations", ()):
            ElementTree.SubElement(parent, "location", {key: str(place[key]) for key in place})
        for node in item.get("nodes", ()):
            ElementTree.SubElement(parent, "node", node)
        for name in ("passages", "sentences", "annotations", "relations"):
            for child in item.get(name, ()):
                given = {"id": child["id"]} if name in ("annotations", "relations") else {}
                build(ElementTree.SubElement(parent, name[:-1], given), child)

    root = ElementTree.Element("collection")
    ElementTree.SubElement(root, "source")
    for document in value["documents"]:
        element = ElementTree.SubElement(root, "document")
        ElementTree.SubElement(element, "id").text = document["id"]
        build(element, document)
    return ElementTree.tostring(root, encoding="unicode")


def as_file(value, name):
    return json.dumps(value, ensure_ascii=False) if name == "bioc_json" else to_xml(value)


@pytest.mark.parametrize("name", NAMES)
def test_passages_annotations_relations_and_infons_are_read(read, name):
    result = read(SAMPLES[name], "corpus.data")
    assert (result.format, result.notes) == (name, ())
    (document,) = result.documents
    assert (document.id, document.text) == ("d1", "😀 拜登在北京 \n会见 the press")
    assert document.spans == (Span(2, 4, "PER", link=BIDEN), Span(5, 7, "LOC"))
    assert document.meta == META


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_what_was_read_is_written_whole_and_into_the_other(read, tmp_path, name, other):
    (document,) = read(SAMPLES[name]).documents
    scored = document.with_spans([Span(2, 4, "PER", 0.25), document.spans[1]])
    assert write_file([scored], tmp_path / "out.data", other) == {}
    (again,) = read_file(tmp_path / "out.data").documents
    assert again == scored


def test_the_xml_is_what_a_plain_parser_expects(tmp_path):
    spans = (Span(0, 2, "A<b>&\"'"), Span(0, 5, "B", 0.5))
    document = Document("x<y", "甲\r乙]]>\n<丙>", spans, {'k"\n<': "v\r\n"})
    assert write_file([document], tmp_path / "a.xml", "bioc_xml") == {}
    root = ElementTree.parse(tmp_path / "a.xml").getroot()
    passage = root.find("document/passage")
    text = passage.findtext("text")
    assert (root.findtext("document/id"), text) == ("x<y", document.text)
    found = [
        (place["offset"], place["length"], one.findtext("infon"), one.findtext("text"))
        for one in passage.iter("annotation")
        for place in [one.find("location").attrib]
    ]
    assert found == [("0", "2", "A<b>&\"'", text[:2]), ("0", "5", "B", text[:5])]
    assert read_file(tmp_path / "a.xml").documents == (document,)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("unit", "title"), [("utf16", "UTF-16 units"), ("utf8", "UTF-8 bytes")])
def test_offsets_that_count_other_units_are_found_by_the_texts(read, name, unit, title):
    result = read(as_file(moved(unit), name))
    assert result.documents[0].spans == (Span(2, 4, "PER", link=BIDEN), Span(5, 7, "LOC"))
    assert result.documents[0].meta["discontinuous"] == META["discontinuous"]
    assert title in result.notes[0]
    named = read(as_file(moved(unit), name), offsets=unit)
    assert named.documents == result.documents


def test_sentences_stand_for_the_text_of_their_passage(read):
    sentences = [
        {"offset": 3, "text": "甲乙。", "annotations": [
            {"id": "1", "infons": {"type": "A"}, "text": "乙", "locations": [{"offset": 4, "length": 1}]}]},
        {"offset": 7, "text": "丙丁。", "annotations": [
            {"id": "2", "infons": {"type": "B"}, "text": "丙", "locations": [{"offset": 7, "length": 1}]}]},
    ]  # fmt: skip
    value = {"documents": [{"id": "1", "passages": [{"offset": 3, "infons": {}, "sentences": sentences}]}]}
    for name in NAMES:
        (document,) = read(as_file(value, name)).documents
        assert document.text == "   甲乙。\n丙丁。"
        assert [document.surface(span) for span in document.spans] == ["乙", "丙"]


def test_all_shapes_of_json_are_read(read):
    document = BIOC_JSON["documents"][0]
    shapes = (
        json.dumps([BIOC_JSON, BIOC_JSON | {"documents": [document | {"id": "d2"}]}]),
        json.dumps(document) + "\n" + json.dumps(document | {"id": "d2"}) + "\n",
        json.dumps({"PubTator3": [document, document | {"id": "d2"}]}),
        json.dumps({"documents": [document, document | {"id": "d2"}], "infons": {}, "key": "x"}, indent=2),
    )
    for content in shapes:
        result = read(content, "a.json")
        assert (result.format, [one.id for one in result.documents]) == ("bioc_json", ["d1", "d2"])


def changed(path, to):
    value = deepcopy(BIOC_JSON)
    place = value["documents"][0]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    good = {"id": "good", "passages": [{"offset": 0, "text": "x"}]}
    return value | {"documents": [*value["documents"], good]}


_ANNOTATION = ("passages", 0, "annotations", 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("path", "to", "reason"),
    [
        ((*_ANNOTATION, "text"), "北京", "should read '北京' but the text there is '拜登'"),
        ((*_ANNOTATION, "infons"), {"x": "y"}, "the annotation 'A' has no infon with its type"),
        ((*_ANNOTATION, "locations", 0, "length"), "x", "a length should be a whole number"),
        ((*_ANNOTATION, "locations", 0, "offset"), 99, "does not lie in the text"),
        (("passages", 1, "offset"), 3, "a passage begins at 3, but the text before it ends at 7"),
        (("passages", 1, "offset"), 10**9, "a passage begins at 1000000000"),
        (("passages", 1, "annotations", 0, "text"), "会见 the", "should read '会见 the'"),
        (("passages", 1, "annotations", 0, "locations", 1, "offset"), 10, "DIS overlap"),
        (("passages",), [], "the document has no passages"),
    ],
)
def test_a_bad_document_is_refused_and_the_others_come_in(read, tmp_path, name, path, to, reason):
    result = read(as_file(changed(path, to), name))
    assert [document.id for document in result.documents] == ["good"]
    (refusal,) = result.refusals
    assert reason in refusal.reason
    result.write_refused(tmp_path / "mend.data")
    again = read_file(tmp_path / "mend.data", name)
    assert [one.reason for one in again.refusals] == [refusal.reason]


def test_the_line_of_a_refused_document_is_told(read):
    bad = "<document><id>2</id><passage><offset>0</offset><text>x</text><annotation/></passage></document>"
    good = "<document><id>1</id><passage><offset>0</offset><text>x</text></passage></document>"
    result = read(f"<collection><source/>\n{good}\n\n{bad}\n{good}</collection>", "a.xml")
    assert [(one.line, one.raw) for one in result.refusals] == [(4, bad + "\n")]
    assert len(result.documents) == 2
    whole = '{"id": "1", "passages": [{"infons": {}, "offset": 0, "text": "x"}]}'
    result = read(f'{{"documents": [\n{whole},\n{{"passages": 3}},\n{{"id\n]}}', "a.json")
    assert [one.line for one in result.refusals] == [3, 4]


def test_what_cannot_be_kept_is_told(read):
    value = deepcopy(BIOC_JSON)
    first = value["documents"][0]["passages"][0]
    first["annotations"].append(
        {"id": "E", "infons": {"type": "X"}, "text": "", "locations": [{"offset": 3, "length": 0}]}
    )
    first["relations"] = [
        {"id": "R1", "infons": {"type": "CID", "Chemical": "D1"}, "nodes": []},
        {
            "id": "R2",
            "infons": {"type": "t"},
            "nodes": [{"refid": "A", "role": "who"}, {"refid": "B", "role": ""}],
        },
    ]
    for name in NAMES:
        result = read(as_file(value, name))
        assert len(result.documents[0].spans) == 2
        notes = ("'E' has no characters", "'R1' does not join two annotations", "'R2' lost its roles")
        for words in notes:
            assert any(words in note for note in result.notes), words


def test_losses_are_counted():
    keys = [[0, 1, "A"]]
    document = Document(
        "1", "甲乙\x01", (Span(0, 1, "A"),),
        {"attributes": [{"name": "type", "value": "x", "span": keys[0]}], "chains": [
            {"links": [[0, 1, "", ""]]}], "n": 1},
    )  # fmt: skip
    assert by_name("bioc_xml").losses([document]) == {"chains": 1, "meta": 1, "texts": 1}
    assert by_name("bioc_json").losses([document]) == {"chains": 1, "meta": 1}
    for passages in (
        [{"start": 1, "end": 2, "infons": {}}],
        [{"start": 0, "end": 9, "infons": {}}],
        [{}],
        [1],
    ):
        _, lost = by_name("bioc_json").render(
            Document("1", "甲乙", (), {"passages": passages}), WriteOptions()
        )
        assert lost == {"meta": 1}


def test_a_file_that_breaks_off_keeps_what_is_whole(read):
    second = "<document><id>2</id><passage><offset>0</offset><text>x & y</text></passage></document>"
    result = read(BIOC_XML.replace("</collection>\n", second), "a.xml")
    assert [one.id for one in result.documents] == ["d1"]
    assert "not XML" in result.refusals[0].reason
    assert result.refusals[0].raw.startswith("<document><id>2")


@pytest.mark.parametrize("name", NAMES)
def test_thousands_of_documents_take_seconds(read, name):
    annotations = [
        {"id": str(at), "infons": {"type": "X", "identifier": "D1"}, "text": "字" * 4,
         "locations": [{"offset": at, "length": 4}]}
        for at in (0, 20, 50, 90)
    ]  # fmt: skip
    passage = {"offset": 0, "infons": {"type": "title"}, "text": "字" * 200, "annotations": annotations}
    documents = [{"id": str(at), "infons": {}, "passages": [passage]} for at in range(2000)]
    content = as_file({"documents": documents}, name)
    begun = time.process_time()
    assert len(read(content).documents) == 2000
    assert time.process_time() - begun < 5


def test_a_span_whose_label_has_no_character_for_xml_is_counted_as_a_span():
    pieces = {"discontinuous": [{"parts": [[0, 1], [2, 3]], "label": "\x01"}]}
    document = Document("a", "拜登在北京", (Span(0, 2, "\x01"), Span(3, 5, "\x02")), pieces)
    assert by_name("bioc_xml").losses([document]) == {"spans": 2, "discontinuous": 1}
