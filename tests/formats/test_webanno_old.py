"""WebAnno TSV 1 and 2: tokens found in their sentences, tags of the entity layer as spans."""

import pytest

from core.formats import FormatError, read_file
from tests.formats.samples import WEBANNO_2

WEBANNO_1 = (
    "#id=1\n#text=拜登 met Xi.\n1\t拜登\tNR\t拜登\tB-PER\tnsubj\t2\n2\tmet\tVB\tmeet\tO\t_\t_\n"
    "3\tXi\tNR\tXi\tB-PER\tobj\t2\n4\t.\tPU\t.\tO\t_\t_\n\n"
)


def test_version_2_reads_the_entity_layer_and_tells_of_the_others(read):
    result = read(WEBANNO_2, "doc.tsv")
    assert result.format == "webanno_old"
    (document,) = result.documents
    assert document.text == "😀 拜登在北京。\nJoe  Biden spoke."
    assert [(document.surface(span), span.label) for span in document.spans] == [
        ("拜登", "PER"), ("北京", "LOC"), ("北京", "CITY"), ("Joe  Biden", "PER"),
    ]  # fmt: skip
    assert "these layers were left out: webanno.custom.Part, webanno.custom.In" in result.notes[0]


def test_custom_layers_are_read_where_there_are_no_entities(one):
    content = WEBANNO_2.replace(
        "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", "webanno.custom.Role"
    )
    _text, spans = one(content, "doc.tsv")
    assert spans[:3] == [("拜登", "PER"), ("北京", "LOC"), ("北京", "CITY")]
    assert ("北京", "x") in spans


def test_version_1_reads_the_column_of_tags_and_no_other(one):
    assert one(WEBANNO_1, "doc.tsv") == ("拜登 met Xi.", [("拜登", "PER"), ("Xi", "PER")])


def test_columns_and_sentences_without_a_header_or_text(one):
    content = (
        "#id=1\n#text=EU rejects\n1-1\tEU\tB-ORG\n1-2\trejects\tO\n\n2-1\tJoe\tB-PER\n2-2\tBiden\tI-PER\n"
    )
    assert one(content, "doc.tsv") == ("EU rejects\nJoe Biden", [("EU", "ORG"), ("Joe Biden", "PER")])


def test_values_without_prefix_are_tokens_and_those_without_a_name_have_the_layers(one):
    header = "# webanno.custom.Thing | value\n"
    rows = "#id=1\n#text=甲乙丙丁\n1-1\t甲\tA\n1-2\t乙\tA\n1-3\t丙\tB-_\n1-4\t丁\tI-_\n"
    assert one(header + rows, "a.tsv")[1] == [("甲", "A"), ("乙", "A"), ("丙丁", "Thing")]
    stacked = "#id=1\n#text=甲乙丙\n1-1\t甲\tB-A|B-B\n1-2\t乙\tI-B|I-A\n1-3\t丙\tI-A|B-A\n"
    assert one(header + stacked, "a.tsv")[1] == [("甲乙丙", "A"), ("甲乙", "B"), ("丙", "A")]


def test_parts_of_tokens_stand_in_their_token(one):
    header = "# webanno.custom.Part | value\n"
    rows = "#id=1\n#text=Joe's  aa aa\n1-1\tJoe's\t_\n1-1.1\tJoe\tB-PER\n1-2\taa\t_\n"
    rows += "1-2.1\ta\tB-X\n1-3\taa\tB-Y\n"
    assert one(header + rows, "a.tsv") == ("Joe's  aa aa", [("Joe", "PER"), ("a", "X"), ("aa", "Y")])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("#id=1\n#text=甲乙\n1-1\t丙\tO\n", "line 3: the token '丙' is not the next one of its sentence"),
        ("#id=1\n#text=甲乙\n1-2\t乙\tO\n", "line 3: the token '乙' is not the next one"),
        ("#id=1\n#text=甲\nno row\n", "line 3: 'no row' is not the row of a token"),
        ("#id=1\n", "there is no sentence"),
    ],
)
def test_a_bad_file_is_refused_by_line(read, tmp_path, content, reason):
    with pytest.raises(FormatError, match=rf"a\.tsv: {reason}"):
        read(content, "a.tsv", "webanno_old")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.tsv").write_text(content, encoding="utf-8")
    (folder / "b.tsv").write_text(WEBANNO_2, encoding="utf-8")
    (folder / "c.tsv").write_text("id\ttext\n1\tx\n", encoding="utf-8")
    result = read_file(folder)
    assert [document.id for document in result.documents] == ["b"]


def test_a_file_without_tags_has_a_text_and_a_note(read):
    result = read("#id=1\n#text=甲乙\n1-1\t甲\t_\n1-2\t乙\t_\n", "a.tsv")
    assert [(one.text, one.spans) for one in result.documents] == [("甲乙", ())]
    assert "no column holds tags" in result.notes[0]
