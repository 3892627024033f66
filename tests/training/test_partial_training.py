"""Documents looked at in part: what training on them reaches, and that others train as before."""

import random

import pytest
import torch

from app.i18n import text
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.text import Document, Span
from core.text.scoring import score_documents
from core.training.loop import train
from core.training.preparation import prepare
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings

SURNAMES, GIVEN, PLACES = "林周赵孙钱吴郑王", "晓平悦明", ("青岛", "兰州", "大理", "苏州")
FRAMES = (("", "昨天到了", "。"), ("听说", "住在", "。"), ("", "来自", "，很高兴。"))
SMALL = {"char_dim": 12, "bigram_dim": 0, "hidden": 16, "output_dropout": 0.0}


def sentence(chance):
    before, between, after = chance.choice(FRAMES)
    name, place = chance.choice(SURNAMES) + chance.choice(GIVEN), chance.choice(PLACES)
    start = len(before)
    where = start + len(name) + len(between)
    text = before + name + between + place + after
    return text, [Span(start, start + len(name), "PER"), Span(where, where + len(place), "LOC")]


def corpus(count, seed, annotated):
    """Documents of two sentences, of which only a random one is annotated if ``annotated``."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        (one, first), (two, second) = sentence(chance), sentence(chance)
        second = [Span(span.start + len(one), span.end + len(one), span.label) for span in second]
        if not annotated:
            found.append(Document(f"t{number}", one + two, (*first, *second)))
            continue
        start, end, spans = chance.choice([(0, len(one), first), (len(one), len(one + two), second)])
        found.append(Document(f"d{number}", one + two, tuple(spans), {"annotated_regions": [[start, end]]}))
    return found


def learned(documents, folder, head, seed=3):
    prepared = prepare(documents, documents[:1], nested=False, longest=500, seed=seed)
    torch.manual_seed(seed)
    kind = by_name("bilstm_crf")
    tagger = kind.build(kind.Config(head=head, **SMALL), prepared.labels, Resources(prepared.train))
    settings = TrainingSettings(epochs=12, learning_rate=0.02, batch_size=8, seed=seed)
    train(
        tagger, prepared.train, (), settings,
        folder=RunFolder(folder), report=lambda event: None, should_stop=lambda: False,
        device=torch.device("cpu"),
    )  # fmt: skip
    return tagger.eval()


def f1(tagger, documents):
    from core.taggers.base.tagging import tag

    return score_documents(documents, tag(tagger, [x.with_spans(()) for x in documents])).micro.f1


@pytest.mark.parametrize("head", ["crf", "softmax"])
def test_looking_at_half_of_every_document_beats_calling_the_other_half_empty(tmp_path, head):
    documents, test = corpus(40, 1, annotated=True), corpus(40, 2, annotated=False)
    as_empty = [Document(x.id, x.text, x.spans) for x in documents]
    partial = f1(learned(documents, tmp_path / "partial", head), test)
    empty = f1(learned(as_empty, tmp_path / "empty", head), test)
    assert partial > 0.95, (partial, empty)
    assert empty < partial - 0.2, (partial, empty)


def test_documents_that_are_whole_train_to_the_same_weights_however_they_say_so(tmp_path):
    documents = corpus(8, 5, annotated=False)
    said = [Document(x.id, x.text, x.spans, {"annotated_regions": [[0, len(x.text)]]}) for x in documents]
    one, other = (learned(given, tmp_path / name, "crf") for name, given in (("a", documents), ("b", said)))
    for (name, weight), other_weight in zip(
        one.state_dict().items(), other.state_dict().values(), strict=True
    ):
        assert torch.equal(weight, other_weight), name


def prepared(documents, **options):
    return prepare(documents, documents[:1], **{"nested": False, "longest": 500, "seed": 1, **options})


def test_a_document_nobody_looked_at_is_left_out_and_said():
    whole = Document("w", "林晓到了青岛。", (Span(0, 2, "PER"),))
    unseen = Document("u", "周平也到了。", (), {"annotated_regions": []})
    result = prepared([whole, unseen])
    assert [document.id for document in result.train] == ["w"]
    assert "1 training documents without spans are left out" in " ".join(map(str, result.notes))
    assert "略去 1 篇" in "".join(text(note, "zh") for note in result.notes)


def test_partial_documents_are_counted_aloud():
    documents = corpus(5, 1, annotated=True)
    assert "5 of the 5 training documents were reviewed in part" in str(prepared(documents).notes[0])
    assert not prepared(corpus(5, 1, annotated=False)).notes


def test_a_long_text_is_cut_with_its_regions_and_pieces_that_say_nothing_are_left_out():
    text = "林晓到了青岛。" * 6
    document = Document("long", text, (Span(14, 16, "PER"),), {"annotated_regions": [[7, 21]]})
    pieces = prepared([document], longest=14).train
    assert [piece.text for piece in pieces] == [text[0:14], text[14:28]]
    assert [dict(piece.meta) for piece in pieces] == [
        {"annotated_regions": [[7, 14]]},
        {"annotated_regions": [[0, 7]]},
    ]


def test_a_piece_looked_at_from_end_to_end_is_an_ordinary_one():
    document = Document("long", "林晓到了。" * 4, (Span(0, 2, "PER"),), {"annotated_regions": [[0, 10]]})
    assert [dict(piece.meta) for piece in prepared([document], longest=10).train] == [{}]


def test_malformed_regions_are_refused_with_the_documents_name():
    bad = Document("bad", "林晓", (Span(0, 2, "PER"),), {"annotated_regions": [[0, 9]]})
    with pytest.raises(TrainingError, match=r"'bad'.*\[0, 9\]"):
        prepared([bad])
