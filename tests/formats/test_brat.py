"""brat: pairs of files, fragments, relations, notes, attributes."""

import zipfile

import pytest

from core.formats import FormatError, WriteOptions, by_name, read_file, write_file
from core.text import Document, EntityLink, Span

TEXT = "拜登在北京会见记者\n他很高兴"
ANN = (
    "T1\tPER 0 2\t拜登\nT2\tLOC 3 5\t北京\nT3\tDIS 0 2;5 7\t拜登 会见\nT4\tEVENT 5 9;10 11\t会见记者 他\n"
    "R1\tmet_in Arg1:T1 Arg2:T2\nA1\tNegation T1\nA2\tSure T2 high\n#1\tAnnotatorNotes T2\tthe city\n"
    "E1\tMeet:T4 Who:T1\nN1\tReference T2 Wikipedia:1\tBeijing\n*\tEquiv T1 T2\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "brat").mkdir()
    (tmp_path / "brat" / "doc.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "brat" / "doc.ann").write_text(ANN, encoding="utf-8")
    return tmp_path / "brat"


def test_a_pair_brings_spans_fragments_relations_notes_and_attributes(folder):
    result = read_file(folder)
    assert result.format == "brat"
    (document,) = result.documents
    assert (document.id, document.text) == ("doc", TEXT)
    # Fragments with nothing but a line break between them are one span over the break.
    beijing = EntityLink("1", "Beijing", "Wikipedia")
    assert document.spans == (Span(0, 2, "PER"), Span(3, 5, "LOC", link=beijing), Span(5, 11, "EVENT"))
    assert document.meta == {
        "attributes": [
            {"name": "Negation", "value": "", "span": [0, 2, "PER"]},
            {"name": "Sure", "value": "high", "span": [3, 5, "LOC"]},
        ],
        "equivalences": [{"type": "Equiv", "spans": [[0, 2, "PER"], [3, 5, "LOC"]]}],
        "discontinuous": [{"parts": [[0, 2], [5, 7]], "label": "DIS"}],
        "relations": [
            {"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]},
            {"type": "Who", "from": [5, 11, "EVENT"], "to": [0, 2, "PER"]},
        ],
        "comments": [{"text": "the city", "start": 3, "end": 5, "label": "LOC"}],
    }
    assert not [note for note in result.notes if "was left out" in note]
    assert any("the event E1 Meet is no longer one thing; 1 of 1 arguments" in note for note in result.notes)


def test_events_keep_their_triggers_arguments_and_attributes_and_say_what_is_lost(tmp_path):
    (tmp_path / "a.txt").write_text("甲公司收购乙公司后裁员", encoding="utf-8")
    (tmp_path / "a.ann").write_text(
        "T1\tORG 0 3\t甲公司\nT2\tORG 5 8\t乙公司\nT3\tBuy 3 5\t收购\nT4\tFire 9 11\t裁员\n"
        "E1\tBuy:T3 Buyer:T1 Target:T2 Price:T9\nE2\tFire:T4 Cause:E1\nE3\tBare:T4\nE4\tLost:T8 Who:T1\n"
        "R1\tafter Arg1:E2 Arg2:E1\nA1\tNegation E2\n#1\tAnnotatorNotes E1\tlast year\nE5\tno event\n",
        encoding="utf-8",
    )
    result = read_file(tmp_path / "a.ann")
    (document,) = result.documents
    assert {span.key for span in document.spans} == {
        (0, 3, "ORG"), (3, 5, "Buy"), (5, 8, "ORG"), (9, 11, "Fire"),
    }  # fmt: skip
    found = {(one["type"], tuple(one["from"]), tuple(one["to"])) for one in document.meta["relations"]}
    buy, fire = (3, 5, "Buy"), (9, 11, "Fire")
    assert found == {
        ("Buyer", buy, (0, 3, "ORG")),
        ("Target", buy, (5, 8, "ORG")),
        ("Cause", fire, buy),
        ("after", fire, buy),
    }
    assert document.meta["attributes"] == [{"name": "Negation", "value": "", "span": list(fire)}]
    assert document.meta["comments"] == [{"text": "last year", "start": 3, "end": 5, "label": "Buy"}]
    assert [note for note in result.notes if "2 of 3 arguments" in note]
    left = [note for note in result.notes if "was left out" in note]
    assert ["E4" in left[0], "E5" in left[1], len(left)] == [True, True, 2]
    assert not result.refusals


def test_what_was_read_is_written_again(folder, tmp_path):
    (document,) = read_file(folder).documents
    assert write_file([document], tmp_path / "out.zip", "brat") == {}
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.read("doc.txt").decode() == TEXT
        written = archive.read("doc.ann").decode()
    assert "T3\tEVENT 5 9;10 11\t会见记者 他\n" in written
    assert "T4\tDIS 0 2;5 7\t拜登 会见\n" in written
    assert "R1\tmet_in Arg1:T1 Arg2:T2\n" in written
    assert "\tReference T2 Wikipedia:1\tBeijing\n" in written
    (again,) = read_file(tmp_path / "out.zip").documents
    assert (again.spans, dict(again.meta)) == (document.spans, dict(document.meta))


def test_attributes_of_fragments_are_kept_and_lines_that_name_nothing_are_told(folder):
    annotations = (
        "T1\tDIS 0 2;5 7\t拜登 会见\nA1\tNegation T1\nM1\tSure T1 high\nN1\tReference T1 X:1\t\n"
        "N2\tReference T9 X:1\tx\nN3\tbroken\n*\tEquiv T1 T9\nA2\tNegation R1\n"
        "#1\tAnnotatorNotes R1\twhy\n"
    )
    (folder / "doc.ann").write_text(annotations, encoding="utf-8")
    result = read_file(folder)
    (document,) = result.documents
    span = [0, 7, "DIS"]
    assert document.meta["attributes"] == [
        {"name": "Negation", "value": "", "span": span},
        {"name": "Sure", "value": "high", "span": span},
        {"name": "Reference", "value": "X:1", "span": span, "text": ""},
    ]
    assert len([note for note in result.notes if "was left out" in note]) == 4
    assert any("the note #1 on 'AnnotatorNotes R1' became one on the document" in one for one in result.notes)
    content, lost = by_name("brat").render(document, WriteOptions())
    assert "A1\tNegation T1\nA2\tSure T1 high\nN3\tReference T1 X:1\t\n" in content
    assert lost == {"comments": 1}


@pytest.mark.parametrize(
    "meta",
    [
        {"attributes": [{"name": "Reference", "value": "two words", "span": [0, 1, "D"], "text": "x"}]},
        {"attributes": [{"name": "Reference", "value": "X:1", "span": [0, 1, "D"], "text": "a\nb"}]},
        {"attributes": [{"name": "Reference", "value": "X:1", "span": [0, 9, "D"]}]},
        {"equivalences": [{"type": "Equiv", "spans": []}]},
        {"equivalences": [{"type": "Equiv", "spans": [[0, 1, "D"]]}], "source": "news"},
    ],
)
def test_what_no_line_can_hold_is_counted(meta):
    _, lost = by_name("brat").render(Document("a", "甲乙", (Span(0, 1, "D"),), meta), WriteOptions())
    assert lost == {"meta": 1}


def test_one_file_of_a_pair_stands_for_both(folder):
    assert read_file(folder / "doc.ann").documents[0].text == TEXT


def test_crlf_counts_two_and_is_kept(folder):
    (folder / "doc.txt").write_bytes("拜登\r\n北京".encode())
    (folder / "doc.ann").write_text("T1\tLOC 4 6\t北京\n", encoding="utf-8")
    (document,) = read_file(folder).documents
    assert (document.text, document.surface(document.spans[0])) == ("拜登\r\n北京", "北京")


@pytest.mark.parametrize(
    ("ann", "reason"),
    [
        ("T1\tPER 0 99\t拜登\n", "0-99 does not lie in the text"),
        ("T1\tPER 0 2\t北京\n", "should read '北京' but the text there is '拜登'"),
        ("T1\tPER x y\t拜登\n", "line 1: 'T1\\tPER x y\\t拜登' is not a text-bound annotation"),
        ("T1\tDIS 0 2;5 99\t拜登 x\n", "a part of the discontinuous span DIS"),
    ],
)
def test_a_bad_pair_is_refused_and_the_others_come_in(folder, ann, reason):
    (folder / "other.txt").write_text("上海", encoding="utf-8")
    (folder / "doc.ann").write_text(ann, encoding="utf-8")
    result = read_file(folder, "brat")
    assert [document.id for document in result.documents] == ["other"]
    assert reason in result.refusals[0].reason


def test_annotations_without_their_text_are_refused(folder):
    (folder / "lost.ann").write_text("T1\tPER 0 2\t拜登\n", encoding="utf-8")
    assert "there is no lost.txt beside it" in read_file(folder).refusals[0].reason


def test_ids_of_any_kind_make_safe_file_names_and_come_back(tmp_path):
    ids = ["a/b", "..", "北京 1", "CON?", "x" * 150, "%41", " y "]
    write_file([Document(name, "文") for name in ids], tmp_path / "a.zip", "brat")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert not any(set("/\\:*?<>|") & set(name) for name in archive.namelist())
    assert sorted(document.id for document in read_file(tmp_path / "a.zip").documents) == sorted(ids)


def test_labels_with_blanks_and_fragments_that_would_merge_are_counted():
    meta = {"discontinuous": [{"parts": [[0, 1], [2, 3]], "label": "D"}]}
    document = Document("a", "甲\n乙", (Span(0, 1, "product name"),), meta)
    content, lost = by_name("brat").render(document, WriteOptions())
    assert lost == {"discontinuous": 1, "labels": 1}
    assert content == "T1\tproduct_name 0 1\t甲\n"


def test_a_zip_of_nothing_says_so(tmp_path):
    write_file([], tmp_path / "a.zip", "brat")
    with pytest.raises(FormatError, match="contains no"):
        read_file(tmp_path / "a.zip")


def test_an_event_whose_arguments_hold_colons_and_then_break_off_is_left_out_at_once(folder):
    annotations = "T1\tPER 0 2\t拜登\nE1\tX:T1" + " a:Ta:Ta:T" * 60 + " broken\n"
    (folder / "doc.ann").write_text(annotations, encoding="utf-8")
    result = read_file(folder)
    (document,) = result.documents
    assert document.spans == (Span(0, 2, "PER"),)
    assert any("a line E1" in note for note in result.notes)
