"""DyGIE++: token numbers run over the whole document, by sentence."""

import json

import pytest

from core.formats import by_name

RECORD = {
    "doc_key": "news-1",
    "dataset": "news",
    "sentences": [["Ada", "met", "Babbage", "."], ["She", "lived", "in", "London", "."]],
    "ner": [[[0, 0, "PER"], [2, 2, "PER"]], [[7, 7, "LOC"]]],
    "relations": [[[0, 0, 2, 2, "met"]], []],
    "clusters": [[[0, 0], [4, 4]]],
}
CHINESE = {
    "doc_key": "二",
    "sentences": [list("许清在昆明。"), list("她养蜂。")],
    "ner": [[[0, 1, "人名"], [3, 4, "地名"]], []],
    "relations": [[[0, 1, 3, 4, "在"]], []],
    "clusters": [[[0, 1], [6, 6]]],
}


def naive(record):
    """Labels with the characters of their tokens, relations, clusters, by the documentation alone."""
    tokens = [token for sentence in record["sentences"] for token in sentence]

    def words(first, last):
        return "".join(tokens[first : last + 1])

    return (
        [(words(a, b), label) for spans in record["ner"] for a, b, label in spans],
        [(words(a, b), words(c, d), label) for items in record["relations"] for a, b, c, d, label in items],
        [[words(*pair) for pair in cluster] for cluster in record["clusters"]],
    )


def told(document):
    text, meta = document.text, document.meta
    return (
        [(document.surface(span), span.label) for span in document.spans],
        [
            (text[slice(*item["from"][:2])], text[slice(*item["to"][:2])], item["type"])
            for item in meta["relations"]
        ],
        [[text[start:end] for start, end, *_ in chain["links"]] for chain in meta["chains"]],
    )


def test_spans_relations_and_clusters_are_those_of_a_naive_reading_and_come_back(read):
    content = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in (RECORD, CHINESE))
    result = read(content, "train.jsonl")
    assert (result.format, result.refusals) == ("dygie", ())
    assert [document.id for document in result.documents] == ["news-1", "二"]
    assert [document.text for document in result.documents] == [
        "Ada met Babbage. She lived in London.",
        "许清在昆明。她养蜂。",
    ]
    assert [told(document) for document in result.documents] == [naive(RECORD), naive(CHINESE)]
    assert result.documents[0].meta["dataset"] == "news"
    for document, record in zip(result.documents, (RECORD, CHINESE), strict=True):
        line, lost = by_name("dygie").render(document, None)
        assert naive(json.loads(line)) == naive(record)
        assert {name: json.loads(line)[name] for name in record} == record
        assert lost == {}


def test_predictions_are_read_with_a_note_where_there_is_nothing_else(read):
    record = {
        "doc_key": "p",
        "sentences": [["Ada", "met", "Babbage"]],
        "predicted_ner": [[[0, 0, "PER", 9.1, 0.99], [2, 2, "PER", 3.4, 0.8]]],
        "predicted_relations": [[[0, 0, 2, 2, "met", 5.0, 0.9]]],
    }
    result = read(json.dumps(record), "predicted.jsonl")
    (document,) = result.documents
    assert [(document.surface(span), span.score) for span in document.spans] == [
        ("Ada", None),
        ("Babbage", None),
    ]
    assert [item["type"] for item in document.meta["relations"]] == ["met"]
    assert any("predictions" in note for note in result.notes)
    gold = read(json.dumps(record | {"ner": [[[0, 0, "X"]]]}), "gold.jsonl").documents[0]
    assert [span.label for span in gold.spans] == ["X"]


def test_a_relation_between_places_without_spans_is_left_out_with_a_note(read):
    result = read(json.dumps(RECORD | {"relations": [[[0, 0, 1, 1, "met"]], []]}))
    assert "relations" not in result.documents[0].meta
    assert any("not between spans" in note for note in result.notes)


def test_a_relation_of_the_second_label_of_a_place_is_counted_as_lost(read):
    (document,) = read(
        json.dumps(RECORD | {"ner": [[[0, 0, "A"], [0, 0, "PER"], [2, 2, "PER"]], []]})
    ).documents
    wanted = {"type": "met", "from": [0, 3, "PER"], "to": [8, 15, "PER"]}
    changed = type(document)(document.id, document.text, document.spans, {"relations": [wanted]})
    assert by_name("dygie").render(changed, None)[1] == {"relations": 1}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ner": [[[0, 9, "X"]], []]}, "end before 9"),
        ({"ner": [[0, 1, "X"]]}, "[start, end, label]"),
        ({"ner": "X"}, "a list for every sentence"),
        ({"relations": [[[0, 0, 2, "met"]]]}, "a relation should be"),
        ({"relations": [[[0, 0, 9, 9, "met"]]]}, "does not lie in the record"),
        ({"clusters": [[[0, 99]]]}, "does not lie in the record"),
        ({"clusters": [[3]]}, "a mention of a cluster should be"),
        ({"clusters": [3]}, "a cluster should be"),
        ({"sentences": ["Ada met Babbage ."]}, "a list of lists of tokens"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, changes, reason):
    content = json.dumps(CHINESE) + "\n" + json.dumps(RECORD | changes) + "\n"
    result = read(content, "train.jsonl", "dygie")
    assert [document.id for document in result.documents] == ["二"]
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason


def test_a_sentence_does_not_end_inside_a_relation(read):
    crossing = RECORD | {"relations": [[[0, 0, 7, 7, "lived in"]], []]}
    (document,) = read(json.dumps(crossing)).documents
    written = json.loads(by_name("dygie").render(document, None)[0])
    assert written["sentences"] == [RECORD["sentences"][0] + RECORD["sentences"][1]]
    assert naive(written) == naive(crossing)
