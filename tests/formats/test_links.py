"""Links of spans come back from every format that can hold them, and what cannot is counted."""

import json
from pathlib import Path

import pytest

from core.formats import by_name, read_file, writable, write_file
from core.text import Document, EntityLink, Span
from core.text.entity_link import NIL

WHOLE = EntityLink("Q64", 'Berlin, die "Stadt" <&>', "Wikidata")
BARE, NOTHING, ADDRESS = EntityLink("Q90"), EntityLink(NIL), EntityLink("http://x.org/a|b_c[1]*;d")
TEXT = "Berlin and Paris , Ulm and New York ."
SPANS = (
    Span(0, 6, "LOC", link=WHOLE), Span(11, 16, "LOC", link=BARE), Span(19, 22, "LOC", link=NOTHING),
    Span(27, 35, "LOC", link=ADDRESS),
)  # fmt: skip
ALL = ("jsonl", "prodigy", "brat", "parquet", "datasets")
IDS = ("pubtator", "bioc_xml", "bioc_json", "hipe", "webanno", "cas_xmi", "cas_json", "docbin", "gate_json")


def _back(name: str, tmp_path: Path, document: Document) -> tuple[dict[str, int], tuple[Span, ...]]:
    path = tmp_path / ("x.zip" if by_name(name).reads == "folder" else "x.data")
    lost = write_file([document], path, name)
    (found,) = read_file(path, name).documents
    return lost, found.spans


@pytest.mark.parametrize("name", ALL)
def test_what_holds_links_holds_all_of_them(name: str, tmp_path: Path) -> None:
    lost, found = _back(name, tmp_path, Document("1", TEXT, SPANS))
    assert found == SPANS
    assert "links" not in lost


@pytest.mark.parametrize("name", IDS)
def test_what_holds_ids_says_that_name_and_source_are_lost(name: str, tmp_path: Path) -> None:
    lost, found = _back(name, tmp_path, Document("1", TEXT, SPANS))
    assert [span.link for span in found] == [EntityLink("Q64"), BARE, NOTHING, ADDRESS]
    assert lost["links"] == 1


def test_every_other_format_counts_each_link() -> None:
    for name in writable():
        if name not in (*ALL, *IDS):
            assert by_name(name).losses([Document("1", TEXT, SPANS)])["links"] == 4, name


def test_brat_counts_a_source_that_would_be_read_as_another(tmp_path: Path) -> None:
    links = (
        EntityLink("1", "", "a b"),
        EntityLink("1", "", "a:b"),
        EntityLink("MESH:1", "x"),
        EntityLink("1"),
    )
    spans = tuple(Span(at, at + 1, "D", link=link) for at, link in enumerate(links))
    lost, found = _back("brat", tmp_path, Document("1", "甲乙丙丁", spans))
    assert lost["links"] == 2
    assert [span.link for span in found] == [None, None, *links[2:]]


def test_spacys_own_json_brings_its_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    ents = [
        {"start": 0, "end": 6, "label": "LOC", "kb_id": "Q64"},
        {"start": 11, "end": 16, "label": "LOC", "kb_id": ""},
    ]
    path.write_text(json.dumps([{"text": TEXT, "ents": ents}]), encoding="utf-8")
    (document,) = read_file(path).documents
    assert [span.link for span in document.spans] == [EntityLink("Q64"), None]


@pytest.mark.parametrize("link", [{}, {"id": ""}, {"id": "a\nb"}, {"id": 3}, {"id": "Q1", "url": "x"}])
def test_a_line_with_a_broken_link_is_refused(link: object, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    spans = [{"start": 0, "end": 6, "label": "LOC", "link": link}]
    path.write_text(json.dumps({"id": "1", "text": TEXT, "spans": spans}) + "\n", encoding="utf-8")
    with path.open("a", encoding="utf-8") as more:
        more.write(json.dumps({"id": "2", "text": TEXT, "spans": []}) + "\n")
    (refusal,) = read_file(path, "jsonl").refusals
    assert refusal.line == 1
    assert "link" in refusal.reason
