"""CoNLL-2012: names in brackets that nest, coreference in the last column."""

import re

import pytest

from core.formats import read_file, write_file
from core.text import Document, Span


def document(name, *sentences, part=0):
    """A document of ``(word, names, coreference)`` rows, some with a predicate's column."""
    lines = [f"#begin document ({name}); part {part:03}"]
    for place, sentence in enumerate(sentences):
        arguments = "   *" * (place % 2)
        for number, (word, names, chain) in enumerate(sentence):
            lines.append(
                f"{name}   {part}   {number}   {word}   NN   *   -   -   -   -   {names}{arguments}   {chain}"
            )
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


CONTENT = document(
    "nw/a",
    [
        ("The", "(ORG*", "(0"),
        ("Mona", "(PERSON*", "(1"),
        ("Lisa", "*)", "1)"),
        ("Club", "*)", "0)"),
        ("met", "*", "-"),
    ],
    [("It", "*", "(0)|(3"), ("left", "*", "3)"), ("Paris", "(GPE)", "-"), (".", "*", "-")],
) + document("nw/a", [("陈禾", "(PERSON)", "(0)"), ("在", "*", "-"), ("昆明", "(GPE)", "-")], part=1)


def by_hand(content):
    """Surfaces (blanks left out) and labels of all brackets, in the order in which they close."""
    opened = []
    for line in content.splitlines():
        cells = line.split()
        if len(cells) < 12:
            continue
        opened += [["", label] for label in re.findall(r"\((\w+)", cells[10])]
        for bracket in opened:
            bracket[0] += cells[3]
        for _ in range(cells[10].count(")")):
            yield tuple(opened.pop())


@pytest.mark.parametrize("name", ["a.v4_gold_conll", "a.conll", "a.txt", "a.data"])
def test_brackets_are_spans_and_sentences_lines(read, name):
    result = read(CONTENT, name)
    assert result.format == "conll2012"
    first, second = result.documents
    assert [first.id, second.id] == ["nw/a", "nw/a-1"]
    assert first.text == "The Mona Lisa Club met\nIt left Paris."
    assert second.text == "陈禾在昆明"
    found = sorted((d.surface(s).replace(" ", ""), s.label) for d in result.documents for s in d.spans)
    assert found == sorted(by_hand(CONTENT))


def test_mentions_of_one_number_are_a_chain_and_a_single_one_is_none(read):
    first, second = read(CONTENT, "a.conll").documents
    assert first.meta["chains"] == [{"links": [[0, 18, "", "coref"], [23, 25, "", ""]]}]
    assert "chains" not in second.meta


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("nw/b 0 1 Lisa NN * -", "should be 12 or more"),
        ("nw/b 0 1 Lisa NN * - - - - (X -", "is never closed"),
        ("nw/b 0 1 Lisa NN * - - - - *) -", "closes what is not open"),
        ("nw/b 0 1 Lisa NN * - - - - PER -", "is not a list of brackets"),
        ("nw/b 0 1 Lisa NN * - - - - * (7", "is never closed"),
        ("nw/b 0 1 Lisa NN * - - - - * 7)", "closes what is not open"),
        ("nw/b 0 1 Lisa NN * - - - - * 7", "is not a list of brackets"),
    ],
)
def test_a_row_that_does_not_fit_refuses_its_document_by_line(read, tmp_path, row, reason):
    bad = document("nw/b", [("Mona", "*", "-"), ("Lisa", "*", "-")])
    lines = bad.split("\n")
    lines[2] = row
    result = read("\n".join(lines) + CONTENT, "a.conll")
    assert [document.id for document in result.documents] == ["nw/a", "nw/a-1"]
    (refusal,) = result.refusals
    assert refusal.line == 1
    assert "line 3" in refusal.reason
    assert reason in refusal.reason
    result.write_refused(tmp_path / "refused.conll")
    assert len(read_file(tmp_path / "refused.conll").refusals) == 1


def test_nested_spans_are_written_and_crossing_ones_and_chains_counted(tmp_path):
    text = "Mona Lisa smiles\nat Paris"
    spans = (Span(0, 9, "PER"), Span(0, 4, "a b"), Span(5, 16, "X"), Span(20, 25, "PER"))
    meta = {"chains": [{"links": [[0, 9, "", "coref"], [20, 25, "", ""]]}]}
    lost = write_file([Document("a/1", text, spans, meta)], tmp_path / "a.conll", "conll2012")
    assert lost == {"crossing_spans": 1, "chains": 1, "labels": 1}
    (back,) = read_file(tmp_path / "a.conll").documents
    assert (back.id, back.text) == ("a/1", text)
    assert back.spans == (Span(0, 9, "PER"), Span(0, 4, "a_b"), Span(20, 25, "PER"))
    written = (tmp_path / "a.conll").read_text(encoding="utf-8")
    assert "a/1 0 0 Mona - * - - - - (PER(a_b) -\n" in written
