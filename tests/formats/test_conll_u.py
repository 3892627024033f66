"""CoNLL-U: entities and blanks in MISC, multiword tokens, empty nodes, mentions of CorefUD."""

import re

import pytest

from core.formats import read_file, write_file
from core.text import Document, Span


def row(number, form, misc="_"):
    return f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


ENGLISH = (
    "# newdoc id = review\n# sent_id = 1\n# text = Mona Lisa's smile (Paris).\n"
    + row(1, "Mona", "NER=B-PER")
    + row(2, "Lisa", "SpaceAfter=No|NER=I-PER")
    + row(3, "'s")
    + row(4, "smile", "Translit=smail")
    + row(5, "(", "SpaceAfter=No")
    + row(6, "Paris", "NER=B-LOC|SpaceAfter=No")
    + row(7, ")", "SpaceAfter=No")
    + row(8, ".")
    + "\n# sent_id = 2\n"
    + row(1, "Louvre", "NER=B-ORG|SpaceAfter=No")
    + row(2, "!")
    + "\n# newdoc id = 二\n"
    + row(1, "陈禾", "NER=B-PER|SpaceAfter=No")
    + row(2, "在", "SpaceAfter=No")
    + row(3, "昆明", "NER=B-LOC|SpaceAfter=No")
    + "\n"
)


def by_hand(content):
    """Text and entity surfaces of each document, with regular expressions on whole rows."""
    for document in re.split(r"# newdoc.*\n", content)[1:]:
        text = ""
        entities = []
        for form, misc in re.findall(r"^\d+\t(.*?)\t.*\t(.*)$", document, re.M):
            tag = re.search(r"NER=([BI])-(\w+)", misc)
            if tag and tag[1] == "B":
                entities.append([form, tag[2]])
            elif tag:
                entities[-1][0] += " " + form
            text += form + ("" if "SpaceAfter=No" in misc else " ")
        yield text.strip(), [tuple(entity) for entity in entities]


def found(documents):
    return [(d.text, [(d.surface(s), s.label) for s in d.spans]) for d in documents]


@pytest.mark.parametrize("name", ["en.conllu", "en.conll", "en.txt", "en.data"])
def test_tags_are_spans_of_the_text_that_the_blanks_rebuild(read, name):
    result = read(ENGLISH, name)
    assert result.format == "conllu"
    assert [document.id for document in result.documents] == ["review", "二"]
    assert found(result.documents) == list(by_hand(ENGLISH))


def test_without_newdoc_each_sentence_is_a_document_with_its_id(read):
    content = re.sub("# newdoc.*\n", "", ENGLISH)
    result = read(content, "en.conllu")
    assert [document.id for document in result.documents] == ["1", "2", "en-3"]


def test_the_comment_gives_the_blanks_where_rows_do_not(read):
    content = "# text = Paris,  je t'aime\n" + row(1, "Paris") + row(2, ",") + row(3, "je") + row(4, "t'aime")
    (document,) = read(content, "a.conllu").documents
    assert document.text == "Paris,  je t'aime"
    result = read(content.replace("je t'aime\n1", "nous t'aimons\n1"), "a.conllu")
    assert result.documents[0].text == "Paris, je t'aime"
    assert any("line 1" in note and "other words" in note for note in result.notes)


def test_words_of_a_multiword_token_have_its_extent_and_empty_nodes_none(read):
    content = (
        "# text = Visitó al Prado\n"
        + row(1, "Visitó")
        + row("1.1", "él", "Entity=(e1-person-1)")
        + row("2-3", "al", "SpaceAfter=Yes")
        + row(2, "a")
        + row(3, "el", "NER=B-LOC")
        + row(4, "Prado", "NER=I-LOC")
    )
    result = read(content, "a.conllu")
    (document,) = result.documents
    assert document.text == "Visitó al Prado"
    assert document.spans == (Span(7, 15, "LOC"),)
    assert any("without words" in note for note in result.notes)


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        (("NER=B-PER", "NER=I-PER", "NER=O"), [("陈禾", "PER")]),
        (("ner=B-PER", "ner=E-PER", "ner=S-LOC"), [("陈禾", "PER"), ("昆", "LOC")]),
        (("NE=PER", "NE=PER", "NE=LOC"), [("陈禾", "PER"), ("昆", "LOC")]),
        (("name=B-PER", "name=B-PER", "name=O"), [("陈", "PER"), ("禾", "PER")]),
    ],
)
def test_tags_of_every_kind(read, tags, spans):
    rows = [row(n, form, tag) for n, (form, tag) in enumerate(zip("陈禾昆", tags, strict=True), 1)]
    result = read("".join(rows), "a.conllu")
    assert found(result.documents) == [("陈禾昆", spans)]
    assert result.counts["repaired"] == 0


def test_mentions_are_spans_and_those_of_one_entity_a_chain(read):
    content = (
        "# newdoc id = a\n# global.Entity = eid-etype-head-other\n"
        + row(1, "Mona", "Entity=(e1-person-1-(e2-abstract-1)")
        + row(2, "Lisa", "Entity=e1)")
        + row(3, "smiles", "Entity=(e3[1/2]-event-1")
        + row(4, ",", "Entity=e3[1/2])|SpaceAfter=No")
        + row(5, "and", "_")
        + row(6, "waits", "Entity=(e3[2/2]-event-1)")
        + "\n"
        + row(1, "She", "Entity=(e1-person-1)|SpaceAfter=No")
        + row(2, "!", "_")
    )
    (document,) = read(content, "a.conllu").documents
    text = "Mona Lisa smiles ,and waits She!"
    assert document.text == text
    spans = [(document.surface(span), span.label) for span in document.spans]
    assert spans == [("Mona Lisa", "person"), ("Mona", "abstract"), ("She", "person")]
    she = text.index("She")
    assert document.meta["chains"] == [
        {"links": [[0, 9, "person", "coref"], [she, she + 3, "person", ""]]}
    ]  # fmt: skip
    (part,) = document.meta["discontinuous"]
    assert [text[a:b] for a, b in part["parts"]] == ["smiles ,", "waits"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("2\tLisa\t_\n", "should be 10"),
        (row(3, "Lisa"), "does not follow the number"),
        (row("2.x", "Lisa"), "does not follow the number"),
        (row("2-1", "Lisa"), "does not follow the number"),
        (row(2, ""), "has no word"),
        (row(2, "Lisa", "NER=PER"), "is not a tag"),
        (row(2, "Lisa", "Entity=(e1-person"), "is never closed"),
        (row(2, "Lisa", "Entity=e1)"), "closes what is not open"),
        (row(2, "Lisa", "Entity=()"), "is not a list of brackets"),
    ],
)
def test_a_row_that_does_not_fit_refuses_its_document_by_line(read, bad, reason):
    content = (
        "# newdoc id = a\n"
        + row(1, "Mona", "NER=B-PER")
        + bad
        + "\n# newdoc id = b\n"
        + row(1, "Paris")
        + "\n"
    )
    result = read(content, "a.conllu")
    assert [document.id for document in result.documents] == ["b"]
    (refusal,) = result.refusals
    assert refusal.line == 1
    assert "line 3" in refusal.reason
    assert reason in refusal.reason
    assert refusal.raw == content.partition("\n# newdoc id = b")[0]


def test_a_file_without_entities_is_read_and_says_so(read):
    result = read(row(1, "Paris") + row(2, "wakes"), "a.conllu")
    assert found(result.documents) == [("Paris wakes", [])]
    assert any("no entities were found" in note for note in result.notes)


def test_blanks_of_every_kind_come_back(tmp_path):
    text = " \tMona  Lisa\u00a0smiles | at 陈禾\n\nin\\昆 now。\nThe End \n"
    spans = (Span(2, 12, "PER"), Span(text.index("昆"), text.index("昆") + 1, "LOC"))
    document = Document("a b", text, spans)
    assert write_file([document], tmp_path / "a.conllu", "conllu") == {}
    written = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    assert written.count("# text = ") == 3
    assert "NER=I-PER|SpacesAfter=\u00a0" in written
    (back,) = read_file(tmp_path / "a.conllu").documents
    assert (back.id, back.text, back.spans) == (document.id, text, spans)
