"""UIMA CAS as INCEpTION exports it, in XML and in JSON."""

import json
import zipfile

import pytest

from core.formats import FormatError, read_file, write_file
from core.formats.cas import types as cas_types
from core.text import Document, Span
from tests.formats.samples import CAS_JSON, CAS_XMI, ENTITY_LAYER, TEXT

cassis = pytest.importorskip("cassis")
FOUND = (Span(0, 2, "PER"), Span(3, 5, "LOC"))


@pytest.mark.parametrize(("name", "content"), [("a.xmi", CAS_XMI), ("a.json", json.dumps(CAS_JSON))])
def test_a_file_alone_is_read(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    (document,) = read_file(tmp_path / name).documents
    assert (document.id, document.text, document.spans) == ("a", TEXT, FOUND)


@pytest.mark.parametrize("name", ["cas_xmi", "cas_json"])
def test_the_library_reads_what_was_written_in_its_own_units(tmp_path, name):
    meta = {"relations": [{"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]}]}
    document = Document(
        "新闻/1", "😀登在北京\r\n会见", (Span(0, 2, "PER"), Span(3, 5, "LOC"), Span(0, 5, "E")), meta
    )
    assert write_file([document], tmp_path / "a.zip", name) == {}
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        (member,) = [one for one in archive.namelist() if one != "TypeSystem.xml"]
        content = archive.read(member)
        types = archive.read("TypeSystem.xml") if name == "cas_xmi" else None
    if types is None:
        assert [fs["begin"] for fs in json.loads(content)["%FEATURE_STRUCTURES"][1:3]] == [0, 4]  # UTF-16
        cas = cassis.load_cas_from_json(content.decode())
    else:
        assert b'begin="4" end="6" value="LOC"' in content
        cas = cassis.load_cas_from_xmi(content.decode(), cassis.load_typesystem(types.decode()))
    assert cas.sofa_string == document.text
    assert {(a.get_covered_text(), a.value) for a in cas.select(ENTITY_LAYER)} == {
        ("😀登", "PER"), ("北京", "LOC"), ("😀登在北京", "E"),
    }  # fmt: skip
    (again,) = read_file(tmp_path / "a.zip").documents
    assert (again.id, again.meta["relations"]) == (document.id, meta["relations"])


def test_a_type_system_that_changed_on_the_disk_is_read_again(tmp_path):
    def written(feature):
        types = cassis.TypeSystem()
        drug = types.create_type("webanno.custom.Drug", "uima.tcas.Annotation")
        types.create_feature(drug, feature, "uima.cas.String")
        cas = cassis.Cas(types)
        cas.sofa_string, cas.sofa_mime = "服用布洛芬", "text/plain"
        cas.add(drug(begin=2, end=5, **{feature: feature}))
        (tmp_path / "a.xmi").write_text(cas.to_xmi(), encoding="utf-8")
        (tmp_path / "TypeSystem.xml").write_text(types.to_xml(), encoding="utf-8")
        return read_file(tmp_path).documents[0].spans

    assert [written(feature) for feature in ("kind", "sort")] == [
        (Span(2, 5, "kind"),),
        (Span(2, 5, "sort"),),
    ]


CHAINS = [
    {"links": [[0, 2, "name", "coref"], [3, 5, "", ""], [6, 7, "pronoun", ""]]},
    {"links": [[3, 5, "one", ""]]},
]


@pytest.mark.parametrize("name", ["cas_xmi", "cas_json"])
def test_chains_of_links_go_out_and_come_back(tmp_path, name):
    document = Document("1", "😀登在北京说他", (Span(0, 2, "PER"),), {"chains": CHAINS})
    assert write_file([document], tmp_path / "a.zip", name) == {}
    (again,) = read_file(tmp_path / "a.zip").documents
    assert (again.spans, again.meta) == (document.spans, document.meta)


@pytest.mark.parametrize("ring", [False, True])
def test_links_of_an_own_layer_are_no_entities_and_a_ring_of_them_ends(tmp_path, ring):
    types = cassis.TypeSystem()
    link = types.create_type("webanno.custom.ThingLink", "uima.tcas.Annotation")
    types.create_feature(link, "next", "webanno.custom.ThingLink")
    for feature in ("referenceType", "referenceRelation"):
        types.create_feature(link, feature, "uima.cas.String")
    cas = cassis.Cas(types)
    cas.sofa_string, cas.sofa_mime = "拜登说他来了", "text/plain"
    last = link(begin=3, end=4, referenceType="a\tb")
    first = link(begin=0, end=2, next=last, referenceRelation="coref")
    last.next = first if ring else None
    cas.add_all([first, last])
    (tmp_path / "a.json").write_text(cas.to_json(), encoding="utf-8")
    result = read_file(tmp_path / "a.json")
    (document,) = result.documents
    assert document.spans == ()
    assert document.meta == (
        {} if ring else {"chains": [{"links": [[0, 2, "", "coref"], [3, 4, "a b", ""]]}]}
    )
    assert any("2 links of chains have no first one" in note for note in result.notes) is ring


def test_a_link_outside_the_text_is_refused(tmp_path):
    document = Document("1", "拜登说他", (), {"chains": [{"links": [[0, 2, "name", ""]]}]})
    write_file([document], tmp_path / "a.zip", "cas_json")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        content = archive.read("1.json").decode()
    changed = content.replace('"end": 2', '"end": 99').replace('"end":2', '"end":99')
    assert changed != content
    (tmp_path / "a.json").write_text(changed, encoding="utf-8")
    with pytest.raises(FormatError, match="a link of a chain 0-99 does not lie in the text"):
        read_file(tmp_path / "a.json")


def test_own_layers_and_a_type_system_beside_the_file(tmp_path):
    types = cassis.TypeSystem()
    drug = types.create_type("webanno.custom.Drug", "uima.tcas.Annotation")
    types.create_feature(drug, "kind", "uima.cas.String")
    cas = cassis.Cas(types)
    cas.sofa_string, cas.sofa_mime = "服用布洛芬", "text/plain"
    cas.add(drug(begin=2, end=5, kind="painkiller"))
    folder = tmp_path / "annotation" / "doc.txt"
    folder.mkdir(parents=True)
    (folder / "lin.xmi").write_text(cas.to_xmi(), encoding="utf-8")
    (tmp_path / "TypeSystem.xml").write_text(types.to_xml(), encoding="utf-8")
    (document,) = read_file(tmp_path).documents
    assert (document.id, document.spans) == ("doc.txt", (Span(2, 5, "painkiller"),))
    assert document.meta == {"annotator": "lin"}


def test_a_type_system_above_what_was_given_is_not_read(tmp_path):
    (tmp_path / "TypeSystem.xml").write_text("not a type system", encoding="utf-8")
    given = tmp_path / "given"
    (given / "deeper").mkdir(parents=True)
    (given / "deeper" / "a.xmi").write_text(CAS_XMI, encoding="utf-8")
    for path in (given / "deeper" / "a.xmi", given):
        (document,) = read_file(path).documents
        assert document.spans == FOUND
    result = read_file(tmp_path)
    assert ["not XML" in str(one.reason) for one in result.refusals] == [True]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('end="5"', 'end="99"', "does not lie in the text"),
        ("</xmi:XMI>", "", "not XML: it is empty or cut off"),
        ("<xmi:XMI ", "<& ", "not XML: a character stands where none may"),
        (f'sofaString="{TEXT}"', "", "holds no text"),
        ('begin="3"', 'begin="x"', "a.xmi"),
    ],
)
def test_a_bad_file_is_refused_and_the_others_come_in(tmp_path, old, new, reason):
    (tmp_path / "a.xmi").write_text(CAS_XMI.replace(old, new), encoding="utf-8")
    (tmp_path / "b.xmi").write_text(CAS_XMI, encoding="utf-8")
    result = read_file(tmp_path)
    assert [document.id for document in result.documents] == ["b"]
    assert reason in result.refusals[0].reason


def test_what_xml_cannot_hold_becomes_a_blank_and_is_counted(tmp_path):
    document = Document("a", "甲\x01\ufffe乙", (Span(0, 4, "X"),))
    assert write_file([document], tmp_path / "a.zip", "cas_xmi") == {"texts": 1}
    assert read_file(tmp_path / "a.zip").documents[0].text == "甲  乙"
    assert write_file([document], tmp_path / "b.zip", "cas_json") == {}


def test_types_that_many_json_files_hold_are_parsed_once_and_told_apart(tmp_path, monkeypatch):
    other = json.loads(json.dumps(CAS_JSON).replace(ENTITY_LAYER, "webanno.custom.Drug"))
    for number in range(12):
        content = json.dumps(other if number % 2 else CAS_JSON)
        (tmp_path / f"{number:02}.json").write_text(content, encoding="utf-8")
    reader = cassis.json.CasJsonDeserializer
    parsed, parse = [], reader._parse_type

    def told(*given):
        parsed.append(given[2])
        parse(*given)

    monkeypatch.setattr(reader, "_parse_type", told)
    cas_types.json_types.cache_clear()
    result = read_file(tmp_path)
    assert [document.spans for document in result.documents] == [FOUND] * 12
    assert sorted(parsed) == [ENTITY_LAYER, "webanno.custom.Drug"]


def test_json_without_types_is_refused_by_the_field(tmp_path):
    content = {name: value for name, value in CAS_JSON.items() if name != "%TYPES"}
    (tmp_path / "a.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError, match="%TYPES"):
        read_file(tmp_path / "a.json", "cas_json")
