"""``read`` and ``write``: any format, invalid records apart, losses told; every error says the way out."""

import pytest

import latticelens as ll
from latticelens.files import documents_of

GOOD = '{"id": "a", "text": "张伟", "label": [[0, 2, "PER"]]}\n'
BAD = '{"id": "b", "text": "张伟", "label": [[0, 9, "PER"]]}\n'


def test_a_round_trip_keeps_everything(tmp_path):
    given = [ll.Document("a", "𠮷野家😀", [ll.Span(0, 3, "ORG", 0.5), ll.Span(0, 1, "LOC")], {"n": [1]})]
    assert ll.write(iter(given), tmp_path / "x.jsonl") == {}
    (back,) = ll.read(tmp_path / "x.jsonl").documents
    assert (back.id, back.text, set(back.spans), dict(back.meta)) == (
        "a", given[0].text, set(given[0].spans), {"n": [1]},
    )  # fmt: skip


def test_losses_are_named_in_words(tmp_path):
    lost = ll.write([ll.Document("a", "张伟在", [ll.Span(0, 2, "PER", 0.5)])], tmp_path / "x.bmes", "bmes")
    assert lost == {"scores": "confidences", "ids": "document ids"}


def test_invalid_records_stand_apart(tmp_path):
    (tmp_path / "x.jsonl").write_text(GOOD + BAD, encoding="utf-8")
    result = ll.read(tmp_path / "x.jsonl")
    assert [document.id for document in result.documents] == ["a"]
    assert [refusal.line for refusal in result.refusals] == [2]
    with pytest.raises(ll.LatticeLensError, match=r"train: 1 records .* line 2: .*read\("):
        documents_of(tmp_path / "x.jsonl", "train")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda folder: ll.read(folder / "no"), "there is no such file"),
        (lambda folder: ll.read(folder / "x.jsonl", "morse"), "morse"),
        (lambda folder: ll.read(folder / "x.jsonl", unit="page"), "unit must be"),
        (lambda folder: ll.write([], folder / "x.unheard"), "belongs to no format"),
        (lambda folder: ll.write([], folder / "no" / "x.jsonl"), "cannot write"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, call, said):
    (tmp_path / "x.jsonl").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ll.LatticeLensError, match=said):
        call(tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([ll.Document("a", "x"), ll.Document("a", "y")], r"dev\[1\]: another document has the id 'a'"),
        (["text"], r"dev\[0\] must be a Document, got str"),
    ],
)
def test_documents_are_checked(given, said):
    with pytest.raises(ll.LatticeLensError, match=said):
        documents_of(given, "dev")
