"""Training sentences read beside a text: which they are, what they may change, and how they are kept."""

import json

import numpy as np
import pytest
import torch

from core.inspection.sentence.attention_heads import entropy
from core.inspection.sentence.attention_rollout import rollout
from core.inspection.sentence.attention_units import kinds, units
from core.inspection.sentence.attribution import integrated_gradients
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import ModelFolderError, Resources
from core.taggers.base.tagging import tag
from core.taggers.bert import Bert, BertConfig
from core.taggers.sequence import neighbours as neighbours_module
from core.taggers.sequence.encoder_features import CONTEXT_PIECE
from core.taggers.sequence.neighbours import FILE, Neighbours
from core.text import Document, Span
from tests.encoders.tiny_encoders import tiny_encoder
from tests.taggers.small_flat import LABELS, train
from tests.taggers.small_taggers import small_tagger

TRAINING = (
    Document("1", "林晚晴在清河大学教书", (Span(0, 3, "PER"), Span(4, 8, "ORG"))),
    Document("2", "昨天清河大学下雨", (Span(2, 6, "ORG"),)),
    Document("3", "昨天林晚晴没去大学。大学在哪些地名", (Span(2, 5, "PER"),)),
)


def beside(**options):
    return small_tagger("bert", documents=TRAINING, **{"neighbours": 2, **options})


def read_beside(tagger, text):
    """What stands behind a text, as the encoder's pieces spell it."""
    pieces = tagger.collate([Document("q", text)]).pieces
    spelt = np.array(tagger.features.encoder.piece_texts(pieces)[0])
    return "".join(spelt[pieces.context[0][pieces.mask[0]].numpy()])


def same_spans(first, second):
    for one, other in zip(first, second, strict=True):
        assert [span.key for span in one.spans] == [span.key for span in other.spans]
        np.testing.assert_allclose([s.score for s in one.spans], [s.score for s in other.spans], atol=1e-4)


# ---------------------------------------------------------------- which they are


def test_neighbours_are_the_sentences_that_share_most_each_cut_to_its_length():
    found = Neighbours.of_documents(TRAINING, 2, 8)
    assert found.texts == ("林晚晴在清河大学", "昨天清河大学下雨", "昨天林晚晴没去大", "大学在哪些地名")
    assert found.of("清河大学在清河") == ("林晚晴在清河大学", "昨天清河大学下雨")
    assert found.of("林晚晴昨天") == ("昨天林晚晴没去大", "林晚晴在清河大学")


def test_no_sentence_is_its_own_neighbour_and_no_dev_or_test_sentence_is_one():
    tagger = beside()
    for document in TRAINING:
        assert not any(text in document.text for text in tagger.neighbours.of(document.text))
    assert set(tagger.neighbours.texts) <= {
        part
        for document in TRAINING
        for part in (document.text, *document.text.split("。"), document.text[:10])
    } | {"昨天林晚晴没去大学。"}
    tagger.collate([Document("dev", "林晚晴昨天在清河大学教书")])
    assert "林晚晴昨天在清河大学教书" not in tagger.neighbours.of("林晚晴在清河大学教书，昨天")


def test_they_stand_behind_a_separator_in_the_order_of_likeness():
    tagger = beside()
    assert read_beside(tagger, "林晚晴昨天") == "昨天林晚晴没去大学[UNK][SEP]林晚晴在清河大学教书[SEP]"
    assert read_beside(beside(neighbours=1), "林晚晴昨天") == "昨天林晚晴没去大学[UNK][SEP]"


@pytest.mark.parametrize("text", ["", "！", "鑫淼焱垚", "😀", "a"])
def test_where_nothing_is_like_it_a_text_is_read_alone(text):
    tagger, plain = beside().eval(), small_tagger("bert", documents=TRAINING).eval()
    assert tagger.neighbours.of(text) == ()
    same_spans(tag(tagger, [Document("q", text)]), tag(plain, [Document("q", text)]))


def test_of_very_many_sentences_some_of_all_parts_are_kept(monkeypatch):
    monkeypatch.setattr(neighbours_module, "MOST_TEXTS", 10)
    many = [Document(str(n), f"第{n}句") for n in range(95)]
    kept = Neighbours.of_documents(many, 2, 64).texts
    assert len(kept) == 10
    assert kept[0] == "第0句"
    assert kept[-1] == "第90句"


def test_without_training_documents_there_are_none():
    tagger = Bert.build(
        BertConfig(encoder=tiny_encoder(), neighbours=2), LABELS, Resources(documents=[Document("e", "")])
    )
    assert tagger.neighbours.of("林晚晴") == ()
    assert tag(tagger.eval(), [Document("q", "林晚晴在清河")])[0].text == "林晚晴在清河"


def test_an_encoder_that_would_learn_from_them_is_refused():
    folder = tiny_encoder("xlnet", "sentence_pieces")
    with pytest.raises(ConfigError, match="set neighbours to 0"):
        Bert.build(BertConfig(encoder=folder, neighbours=1), LABELS, Resources(documents=TRAINING))
    Bert.build(BertConfig(encoder=folder), LABELS, Resources(documents=TRAINING))


# ---------------------------------------------------------------- what they change


def test_they_change_what_is_said_and_only_the_sentence_has_a_loss():
    tagger = beside().eval()
    document = TRAINING[0]
    batch = tagger.collate([document])
    assert batch.mask.sum() == len(document.text)
    with torch.no_grad():
        alone = tagger.emissions(small_tagger("bert", documents=TRAINING).collate([document]))
        assert tagger.emissions(batch).shape == alone.shape
        assert not torch.allclose(tagger.emissions(batch), alone, atol=1e-3)


def test_no_gradient_reaches_the_encoder_through_a_neighbour():
    tagger = beside(neighbours=1)
    batch = tagger.collate([Document("q", "林晚晴昨天", (Span(0, 3, "PER"),))])
    tagger.loss(batch).backward()
    table = tagger.features.encoder.word_embeddings.grad
    pieces = batch.pieces
    own = set(pieces.ids[0][pieces.mask[0] & ~pieces.context[0]].tolist())
    only_beside = set(pieces.ids[0][pieces.context[0]].tolist()) - own
    assert only_beside
    assert not table[sorted(only_beside)].any()
    assert table[sorted(set(pieces.ids[0][pieces.in_text[0]].tolist()))].abs().sum() > 0


def test_padding_changes_nothing():
    tagger = train(beside(), TRAINING, 40)
    documents = [*TRAINING, Document("短", "清河"), Document("none", "！"), Document("empty", "")]
    together = tag(tagger, documents, budget=100_000)
    same_spans(together, [tag(tagger, [document])[0] for document in documents])
    with torch.no_grad():
        single = [tagger.loss(tagger.collate([document])).item() for document in TRAINING]
        assert tagger.loss(tagger.collate(TRAINING)).item() == pytest.approx(np.mean(single), rel=1e-3)


def test_a_long_text_is_read_in_windows_each_before_its_neighbours():
    tagger = beside(encoder_window=32, neighbour_length=8).eval()
    text = "林晚晴昨天没去清河大学，" * 8
    batch = tagger.collate([Document("long", text)])
    assert len(batch.pieces.ids) > 4
    assert batch.pieces.ids.shape[1] <= 32
    assert batch.pieces.context.any(1).all()
    assert (batch.pieces.characters[0] >= 0).any(1).all()
    assert tag(tagger, [Document("long", text * 20)])[0].text == text * 20


# ---------------------------------------------------------------- how they are kept


def test_saved_and_loaded_elsewhere_it_says_the_same(tmp_path):
    tagger = train(beside(), TRAINING, 30)
    tagger.save(tmp_path / "model")
    (tmp_path / "model").rename(tmp_path / "moved")
    loaded = load_tagger(tmp_path / "moved")
    documents = [*TRAINING, Document("q", "林晚晴昨天教书")]
    assert loaded.neighbours.texts == tagger.neighbours.texts
    assert loaded.neighbours.of("林晚晴昨天") == tagger.neighbours.of("林晚晴昨天")
    same_spans(tag(loaded, documents), tag(tagger, documents))


def test_without_neighbours_no_sentence_is_saved(tmp_path):
    small_tagger("bert").save(tmp_path)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (None, "is missing"),
        ("{", "is not JSON"),
        ("{}", "a list of at most"),
        ('["a", 3]', "no string, or too long"),
        (json.dumps(["x" * 300]), "no string, or too long"),
    ],
)
def test_damaged_sentences_are_said_by_name(tmp_path, held, message):
    beside().save(tmp_path)
    if held is None:
        (tmp_path / FILE).unlink()
    else:
        (tmp_path / FILE).write_text(held, encoding="utf-8")
    with pytest.raises(ModelFolderError, match=message) as raised:
        load_tagger(tmp_path)
    assert FILE in str(raised.value)


# ---------------------------------------------------------------- looking inside


def test_a_trace_has_the_sentences_characters_and_one_piece_for_all_neighbours():
    tagger = train(beside(), TRAINING, 40)
    document = Document("q", "林晚晴昨天")
    (trace,) = tagger.trace(tagger.collate([document]))
    (plain,) = small_tagger("bert", documents=TRAINING).trace(
        small_tagger("bert", documents=TRAINING).collate([document])
    )
    assert trace.tokens == tuple(document.text)
    assert trace.pieces.pieces == (*plain.pieces.pieces, CONTEXT_PIECE)
    assert trace.query_key is None
    for weights in trace.attention:
        assert weights.shape[1:] == (len(trace.pieces.pieces),) * 2
        np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-5)
        assert (weights[..., -1] > 0).all()
    assert np.isfinite(entropy(trace)).all()
    np.testing.assert_allclose(rollout(trace, len(trace.attention) - 1).sum(1), 1.0, atol=1e-6)
    for kind in kinds(trace):
        assert len(units(trace, kind, special=False).rows) <= len(document.text)


def test_shares_of_a_span_are_given_to_the_sentences_units_alone():
    tagger = train(beside(), TRAINING, 60)
    found = tag(tagger, [TRAINING[0]])[0]
    assert found.spans
    shares = integrated_gradients(tagger, found.text, found.spans[0], first=32, most=128)
    assert shares.tokens.shape == (len(found.text),)
    assert np.abs(shares.tokens).sum() > 0


@pytest.mark.parametrize("text", ["昨天清河", "大学", "林晚晴在清河"])
def test_what_the_text_does_to_its_neighbours_is_part_of_the_shares(text):
    """The way back to a character leads through the neighbours too: without it the shares do not add up."""
    tagger = beside(head="crf").eval()
    assert read_beside(tagger, text)
    shares = integrated_gradients(tagger, text, Span(0, 2, "LOC"), first=32, most=512)
    assert abs(shares.score - shares.blank) > 1e-3
    assert shares.is_complete, (shares.error, shares.score, shares.blank)


def test_layer_states_are_the_sentences():
    tagger = beside().eval()
    states = tagger.layer_states(tagger.collate(TRAINING))
    longest = max(len(document.text) for document in TRAINING)
    assert {tuple(state.states.shape[:2]) for state in states} == {(len(TRAINING), longest)}
