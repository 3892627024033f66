"""WebAnno TSV 3.3: UTF-16 offsets, several units, stacked annotations, sub-tokens, relations, escapes."""

import zipfile

import pytest

from core.formats import WriteOptions, by_name, read_file, write_file
from core.text import Document, Span
from tests.formats.samples import ENTITY_LAYER, SAMPLES, WEBANNO_HEADER

RELATION = f"#T_RL=webanno.custom.Relation|label|BT_{ENTITY_LAYER}\n"


@pytest.fixture
def one(tmp_path):
    def reader(content):
        (tmp_path / "doc.tsv").write_text(content, encoding="utf-8")
        result = read_file(tmp_path / "doc.tsv")
        assert result.format == "webanno"
        return result

    return reader


def spans(document):
    return [(document.surface(span), span.label) for span in document.spans]


def test_rows_with_one_number_are_one_annotation_and_a_row_without_is_one(one):
    (document,) = one(SAMPLES["webanno"]).documents
    assert (document.id, spans(document)) == ("doc", [("拜登", "PER"), ("北京", "LOC")])


def test_offsets_count_utf16_units(one):
    body = "#Text=I like it 😊 .\n1-1\t0-1\tI\t_\t_\t\n1-4\t10-12\t😊\t*\tEMO\t\n1-5\t13-14\t.\t*\tDOT\t\n"
    assert spans(one(WEBANNO_HEADER + body).documents[0]) == [("😊", "EMO"), (".", "DOT")]


def test_stacked_annotations_and_sub_tokens(one):
    body = (
        "#Text=He plays\n1-1\t0-2\tHe\t*[1]|*[2]\tA[1]|B[2]\t\n1-2\t3-8\tplays\t*[1]\tA[1]\t\n"
        "1-2.1\t3-7\tplay\t*\tVERB\t\n1-2.2\t6-8\tys\t*\tEND\t\n"
    )
    (document,) = one(WEBANNO_HEADER + body).documents
    assert sorted(spans(document)) == [("He", "B"), ("He plays", "A"), ("play", "VERB"), ("ys", "END")]


def test_sentences_are_put_together_as_their_offsets_say(one):
    body = (
        "#Text=甲乙\n1-1\t0-2\t甲乙\t_\t_\t\n\n#Text=丙\n#Text=丁\n2-1\t3-4\t丙\t_\t_\t\n2-2\t5-6\t丁\t*\tX\t\n"
        "\n#Text=戊\n3-1\t8-9\t戊\t*\tY\t\n\n#Text=己\n4-1\t9-10\t己\t*\tZ\t\n"
    )
    (document,) = one(WEBANNO_HEADER + body).documents
    assert document.text == "甲乙\n丙\n丁\n 戊己"
    assert spans(document) == [("丁", "X"), ("戊", "Y"), ("己", "Z")]


def test_relations_name_units_and_numbers(one):
    header = WEBANNO_HEADER.replace("\n\n\n", f"\n{RELATION}\n\n")
    body = (
        "#Text=a b c\n1-1\t0-1\ta\t*[1]\tA[1]\t_\t_\t\n1-2\t2-3\tb\t*[1]\tA[1]\t_\t_\t\n"
        "1-3\t4-5\tc\t*\tC\tmet\\_in|x\t1-1[1_0]|1-3\t\n"
    )
    (document,) = one(header + body).documents
    assert document.meta["relations"] == [
        {"type": "met_in", "from": [0, 3, "A"], "to": [4, 5, "C"]},
        {"type": "x", "from": [4, 5, "C"], "to": [4, 5, "C"]},
    ]


def test_escapes_are_undone(one):
    body = "#Text=a\\\\b\\tc\n1-1\t0-5\ta\\\\b\\tc\t*\tx\\_y\\|\\[1\\]\\->\\;\\*\t\n"
    (document,) = one(WEBANNO_HEADER + body).documents
    assert (document.text, document.spans[0].label) == ("a\\b\tc", "x_y|[1]->;*")


def test_own_layers_are_read_where_there_are_no_named_entities_and_token_layers_left_out(one):
    header = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n"
        "#T_SP=webanno.custom.Drug|name|dose\n\n\n"
    )
    result = one(header + "#Text=布洛芬\n1-1\t0-3\t布洛芬\tNN\tibu\t*\t\n")
    assert spans(result.documents[0]) == [("布洛芬", "ibu")]
    assert "pos.POS" in result.notes[0]


def test_the_export_follows_the_published_layout():
    document = Document("1", "拜登😀 在\n好", (Span(0, 3, "PER"), Span(2, 3, "E")))
    content, lost = by_name("webanno").render(document, WriteOptions())
    assert lost == {}
    assert content.split("\n\n\n", 1)[1] == (
        "#Text=拜登😀 在\n"
        "1-1\t0-1\t拜\t*[1]\tPER[1]\t_\t_\t\n"
        "1-2\t1-2\t登\t*[1]\tPER[1]\t_\t_\t\n"
        "1-3\t2-4\t😀\t*[1]|*[2]\tPER[1]|E[2]\t_\t_\t\n"
        "1-4\t5-6\t在\t_\t_\t_\t_\t\n"
        "\n#Text=好\n2-1\t7-8\t好\t_\t_\t_\t_\t\n"
    )


def test_a_span_in_a_word_is_a_sub_token():
    document = Document("1", "He plays", (Span(0, 2, "PER"), Span(3, 7, "V")))
    rows = by_name("webanno").render(document, WriteOptions())[0].split("\n\n\n", 1)[1].splitlines()[1:]
    assert rows == [
        "1-1\t0-2\tHe\t*\tPER\t_\t_\t",
        "1-2\t3-8\tplays\t_\t_\t_\t_\t",
        "1-2.1\t3-7\tplay\t*\tV\t_\t_\t",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("#Text=甲\nx\t0-1\t甲\t*\tA\t\n", "is not the row of a token"),
        ("#Text=甲\n1-1\t0-9\t甲\t*\tA\t\n", "does not lie in the text"),
        ("#Text=甲\n1-1\t0-1\t甲\t*\tA[1][2]\t\n", "is no value"),
        ("#Text=甲\n1-1\t999999999-1000000000\t甲\t*\tA\t\n", "a sentence begins at 999999999"),
        (
            "#Text=甲乙\n1-1\t0-2\t甲乙\t_\t_\t\n\n#Text=丙\n2-1\t1-2\t丙\t_\t_\t\n",
            "but the text before it ends",
        ),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(one, body, reason):
    result = one(WEBANNO_HEADER + body)
    assert result.documents == ()
    assert reason in result.refusals[0].reason


def test_an_export_of_a_project_names_documents_and_annotators(tmp_path):
    for user in ("lin", "wei"):
        folder = tmp_path / "p" / "annotation" / "新闻.txt"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{user}.tsv").write_text(SAMPLES["webanno"], encoding="utf-8")
    result = read_file(tmp_path / "p")
    assert [(d.id, d.meta["annotator"]) for d in result.documents] == [
        ("新闻.txt", "lin"),
        ("新闻.txt-2", "wei"),
    ]


LINKS = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"


CHAINED = WEBANNO_HEADER.replace("\n\n\n", f"\n#T_CH={LINKS}|referenceType|referenceRelation\n\n\n")


def chained(first, second, third):
    """A sentence of four units with these pairs of chain cells on three of them."""
    return CHAINED + (
        "#Text=拜登说他来了\n"
        f"1-1\t0-2\t拜登\t*\tPER\t{first}\t\n"
        "1-2\t2-3\t说\t_\t_\t_\t_\t\n"
        f"1-3\t3-4\t他\t_\t_\t{second}\t\n"
        f"1-4\t4-6\t来了\t_\t_\t{third}\t\n"
    )


def test_chains_come_in_the_order_of_their_links_which_need_not_be_entities(one):
    result = one(chained("name[1]\tcoref->1-2", "pronoun[1]|own[2]\t*->1-1|*->2-1", "_\t_"))
    (document,) = result.documents
    assert (document.text, document.spans) == ("拜登说他来了", (Span(0, 2, "PER"),))
    assert document.meta["chains"] == [
        {"links": [[3, 4, "pronoun", ""], [0, 2, "name", "coref"]]},
        {"links": [[3, 4, "own", ""]]},
    ]
    assert not any("left out" in note for note in result.notes)


def test_a_link_over_several_units_is_one(one):
    (document,) = one(chained("_\t_", "x[4]\t*->4-1", "x[4]\t*->4-1")).documents
    assert document.meta["chains"] == [{"links": [[3, 6, "x", ""]]}]


def test_chains_of_a_header_whose_columns_stand_the_other_way_round(one):
    content = chained("coref->1-1\tname[1]", "*->1-2\t*[1]", "_\t_")
    (document,) = one(
        content.replace("referenceType|referenceRelation", "referenceRelation|referenceType")
    ).documents
    assert document.meta["chains"] == [{"links": [[0, 2, "name", "coref"], [3, 4, "", ""]]}]


def test_a_file_of_chains_alone_is_a_document_without_spans(one):
    header = f"#FORMAT=WebAnno TSV 3.3\n#T_CH={LINKS}|referenceType|referenceRelation\n\n\n"
    (document,) = one(header + "#Text=他来了\n1-1\t0-1\t他\tx\t*->1-1\t\n1-2\t1-3\t来了\t_\t_\t\n").documents
    assert (document.text, document.spans) == ("他来了", ())
    assert document.meta["chains"] == [{"links": [[0, 1, "x", ""]]}]


@pytest.mark.parametrize(
    "broken",
    [
        "name[1]\t_",  # no place in the chain
        "name[1]\t*->1",
        "name[1]\tcoref",
        "name[1]\t*->x-1",
        "name[1]\t*->-1-1",
        "name[1]\t*->1-99999999999",
        "name[99999999999]\t*->1-1",
        "name[2]\t*->1-1",  # of two chains
        "na[me[1]\t*->1-1",
    ],
)
def test_a_broken_link_is_left_out_with_a_note_and_the_rest_is_read(one, broken):
    result = one(chained(broken, "pronoun[1]\t*->1-2", "_\t_"))
    (document,) = result.documents
    assert document.spans == (Span(0, 2, "PER"),)
    assert document.meta["chains"] == [{"links": [[3, 4, "pronoun", ""]]}]
    assert any("1 link of a chain says not to which chain" in note for note in result.notes)


def test_a_small_file_does_not_grow_to_gigabytes_of_blanks(one):
    rows = "".join(f"#Text=a\n{n}-1\t{n * 10**6}-{n * 10**6 + 1}\ta\t_\t_\t\n\n" for n in range(1, 9))
    (refused,) = one(WEBANNO_HEADER + rows).refusals
    assert "a sentence begins at 2000000, but the text before it ends at 1000002" in refused.reason


def test_a_row_of_megabytes_is_refused_by_its_line(one):
    content = WEBANNO_HEADER + "#Text=a\n1-1\t0-1\ta\t*\t" + "x" * 2_000_000 + "\n"
    (refused,) = one(content).refusals
    assert "line 6: '1-1" in refused.reason
    assert "is not the row of a token" in refused.reason
    assert len(refused.reason) < 200


def test_a_tie_of_many_arrows_is_read_in_linear_time(one):
    (document,) = one(
        chained("name[1]\t" + "\\->" * 5000 + "*->1-1", "_\t_", "x[1]\t" + "\\->" * 5000)
    ).documents
    (chain,) = document.meta["chains"]
    assert chain["links"] == [[0, 2, "name", "->" * 5000 + "*"]]


def test_a_row_too_short_for_its_chains_has_none(one):
    result = one(CHAINED + "#Text=他\n1-1\t0-1\t他\t*\tPER\n")
    assert [document.meta for document in result.documents] == [{}]


def test_chains_go_out_as_they_came_in(tmp_path):
    chains = [
        {"links": [[0, 1, "a->b", "*"], [2, 4, "", "x|y[1]_"]]},
        {"links": [[2, 4, "one link", ""]]},
        {"links": [[0, 6, "", ""]]},
    ]
    document = Document("1", "😀登说他来了", (Span(0, 2, "PER"), Span(3, 4, "P")), {"chains": chains})
    assert write_file([document], tmp_path / "a.zip", "webanno") == {}
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        written = archive.read("1.tsv").decode()
    assert f"#T_CH={LINKS}|referenceType|referenceRelation\n" in written
    (again,) = read_file(tmp_path / "a.zip").documents
    assert (again.spans, again.meta) == (document.spans, document.meta)


def test_a_document_without_chains_has_no_columns_for_them(tmp_path):
    write_file([Document("1", "他", (Span(0, 1, "P"),))], tmp_path / "a.zip", "webanno")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert b"#T_CH" not in archive.read("1.tsv")


@pytest.mark.exhaustive
def test_two_thousand_spans_in_a_hundred_thousand_characters_take_seconds(tmp_path):
    import time

    text = "拜登在北京会见记者。\n" * 9000
    found = tuple(Span(n * 44, n * 44 + 5, "X") for n in range(2000))
    begun = time.process_time()
    write_file([Document("1", text, found)], tmp_path / "a.zip", "webanno")
    (document,) = read_file(tmp_path / "a.zip").documents
    assert document.spans == found
    assert time.process_time() - begun < 60
