"""FLAT as a tagger: it learns, it reads any text, and the lexicon acts at once."""

import random
from itertools import pairwise

import pytest
import torch

from core.lexicon import Lexicon
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.tagger import Resources
from core.taggers.flat.config import FlatConfig
from core.taggers.flat.tagger import Flat
from core.text import Document, Span
from core.text.outermost import outermost
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, small_flat, train

OPTIONS = [
    {},
    {"layers": 1},
    {"four_distances": False},
    {"project_key": False},
    {"scale": True},
    {"residual": False},
    {"project_output": True},
    {"bigram_dim": 0},
    {"scheme": "BIOES"},
    {"constrained": False},
    {"char_vectors": "jieba"},
    {"longest_word": 2},
]


def test_it_learns_its_sentences_by_heart_keeping_the_outermost_spans(learned):
    batch = learned.collate(DOCUMENTS)
    for document, spans in zip(DOCUMENTS, learned.decode(batch), strict=True):
        assert {span.key for span in spans} == {span.key for span in outermost(document.spans)[0]}
        assert all(0.5 < span.score <= 1.0 for span in spans)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_trains_every_parameter_it_has(options):
    tagger = small_flat(**options).train()
    tagger.loss(tagger.collate(DOCUMENTS)).backward()
    idle = [name for name, p in tagger.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert idle == []


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_comes_back_from_its_folder_with_the_same_predictions(options, tmp_path):
    tagger = small_flat(**options).eval()
    tagger.save(tmp_path)
    loaded = Flat.load(tmp_path)
    assert loaded.config == tagger.config
    assert loaded.labels == LABELS
    assert loaded.decode(loaded.collate(DOCUMENTS)) == tagger.decode(tagger.collate(DOCUMENTS))


def test_without_a_lexicon_it_reads_characters_only(tmp_path):
    tagger = small_flat(use_lexicon=False).eval()
    assert tagger.lexicon is None
    assert tagger.cost(DOCUMENTS[0]) == len(DOCUMENTS[0].text)
    tagger.save(tmp_path)
    assert not (tmp_path / "lexicon").exists()
    assert Flat.load(tmp_path).decode(tagger.collate(DOCUMENTS)) == tagger.decode(tagger.collate(DOCUMENTS))


def test_company_and_padding_do_not_change_a_sentence(flat):
    together = flat.emissions(flat.collate(DOCUMENTS))
    for index, document in enumerate(DOCUMENTS):
        alone = flat.emissions(flat.collate([document]))
        assert torch.allclose(together[index, : len(document.text)], alone[0], atol=1e-5)


def test_the_loss_is_the_mean_over_sentences(flat):
    each = [flat.loss(flat.collate([document])) for document in DOCUMENTS[:4]]
    assert flat.loss(flat.collate(DOCUMENTS[:4])).item() == pytest.approx(
        torch.stack(each).mean().item(), rel=1e-5
    )


def test_the_same_seed_gives_the_same_tagger_and_the_same_loss():
    losses = []
    for _ in range(2):
        tagger = small_flat(seed=7).train()
        losses.append(tagger.loss(tagger.collate(DOCUMENTS)).item())
    assert losses[0] == losses[1]
    assert small_flat(seed=8).train().loss(tagger.collate(DOCUMENTS)).item() != losses[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "教",
        "从未见过的字",
        "😀👨‍👩‍👧𠮷",
        "plain English text, 3.14",
        " \t\n　",
        "\ud800清河",
        "清河大学" * 300,
        "\0",
    ],
)
def test_any_text_is_tagged_inside_its_bounds(flat, text):
    (spans,) = flat.decode(flat.collate([Document("x", text)]))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert not any(a.overlaps(b) for a, b in pairwise(spans))
    assert flat.loss(flat.collate([Document("x", text)])).isfinite()


def test_a_batch_of_empty_texts_has_a_loss_to_go_back_from(flat):
    loss = flat.loss(flat.collate([Document("x", "")] * 2))
    loss.backward()
    assert loss.item() == 0.0


def test_no_documents_are_an_empty_batch(flat):
    assert flat.decode(flat.collate([])) == []


def pairs_in_filler(pairs, rng):
    """``的甲乙了`` and so on: one pair a sentence, an entity where the lexicon has it."""
    for number, pair in enumerate(pairs):
        left, right = (rng.choice("的在了是和") for _ in range(2))
        spans = (Span(1, 3, "PER"),) if number % 2 == 0 else ()
        yield Document(str(number), f"{left}{pair}{right}", spans)


def test_a_word_never_seen_becomes_an_entity_when_it_is_added_and_none_when_it_is_removed():
    rng = random.Random(0)
    pairs = [a + b for a in "甲乙丙丁戊己庚" for b in "子丑寅卯辰巳午"]
    rng.shuffle(pairs)
    *seen, known, new = pairs[:-1]
    lexicon = Lexicon([*seen[::2], known])
    documents = list(pairs_in_filler(seen, rng))
    tagger = small_flat(lexicon=lexicon, documents=documents, layers=1, word_unknown=0.5, bigram_dim=0)
    train(tagger, documents, 150)

    def entities(pair):
        return [span.key for span in tagger.decode(tagger.collate([Document("x", f"的{pair}了")]))[0]]

    assert (entities(known), entities(new)) == ([(1, 3, "PER")], [])
    tagger.lexicon = lexicon.with_words([new]).without_words([known])
    assert (entities(known), entities(new)) == ([], [(1, 3, "PER")])


def test_removing_a_word_changes_lattice_and_emissions_at_once(learned):
    before = learned.emissions(learned.collate(DOCUMENTS[:1]))
    try:
        learned.lexicon = LEXICON.without_words(["清河大学"])
        assert "清河大学" not in learned.lattice(DOCUMENTS[0]).nodes
        after = learned.emissions(learned.collate(DOCUMENTS[:1]))
    finally:
        learned.lexicon = LEXICON
    assert (before - after).abs().max() > 0.01


def test_a_tagger_given_no_lexicon_reads_jiebas():
    tagger = small_flat(lexicon=None)
    assert tagger.lexicon.fingerprint == Lexicon.jieba().fingerprint


def test_a_lexicon_taken_away_leaves_characters_and_is_saved_as_empty(flat, tmp_path):
    flat.lexicon = None
    assert flat.lattice(Document("1", "清河大学")).nodes == tuple("清河大学")
    flat.save(tmp_path)
    assert len(Flat.load(tmp_path).lexicon) == 0


def test_a_tagger_that_reads_no_words_takes_no_lexicon():
    tagger = small_flat(use_lexicon=False)
    tagger.lexicon = LEXICON
    assert tagger.lexicon is None
    assert tagger.lattice(Document("1", "清河")).words == ()


def test_changed_words_are_saved_with_the_model(flat, tmp_path):
    flat.lexicon = LEXICON.with_words(["林晚晴"]).without_words(["教书"])
    flat.save(tmp_path)
    loaded = Flat.load(tmp_path)
    assert loaded.lexicon.fingerprint == flat.lexicon.fingerprint
    assert loaded.lattice(Document("1", "林晚晴教书")).nodes[5:] == ("林晚晴",)


def test_vocabularies_come_from_the_training_documents_only():
    tagger = small_flat(documents=DOCUMENTS[:1])
    assert set(tagger.characters.vocabulary.tokens) == set(DOCUMENTS[0].text)
    assert set(tagger.words.vocabulary.tokens) == {"清河", "清河大学", "大学", "教书"}


def test_vectors_from_a_file_give_rows_to_words_of_the_lexicon_not_seen_in_training(tmp_path):
    path = tmp_path / "words.vec"
    path.write_text("昨天 1 0 0\n清河 0 1 0\n别处 0 0 1\n", encoding="utf-8")
    tagger = small_flat(documents=DOCUMENTS[:2], word_vectors=str(path))
    assert tagger.words.dimension == 3
    assert {"昨天", "清河"} <= set(tagger.words.vocabulary.tokens)
    assert "别处" not in tagger.words.vocabulary


def test_a_missing_vector_file_is_named():
    with pytest.raises(ConfigError, match=r"nowhere\.vec"):
        small_flat(word_vectors="nowhere.vec")


def test_labels_it_does_not_know_are_not_learned_and_do_no_harm(flat):
    known = Document("x", "清河大学", (Span(0, 4, "ORG"),))
    both = Document("x", "清河大学", (Span(0, 4, "ORG"),))
    alien = Document("x", "清河大学", (Span(0, 4, "DRUG"),))
    assert flat.loss(flat.collate([known])) == flat.loss(flat.collate([both]))
    assert flat.decode(flat.collate([alien])) == flat.decode(flat.collate([known]))


def test_the_crf_learns_at_its_own_rate_and_no_parameter_is_left_out():
    tagger = small_flat(crf_rate=7.0)
    groups = tagger.parameter_groups()
    assert [group["lr_scale"] for group in groups] == [1.0, 7.0]
    assert {id(p) for p in groups[1]["params"]} == {id(p) for p in tagger.crf.parameters()}
    assert sorted(id(p) for group in groups for p in group["params"]) == sorted(map(id, tagger.parameters()))


def test_cost_counts_the_nodes_of_the_lattice(flat):
    assert flat.cost(DOCUMENTS[0]) == len(DOCUMENTS[0].text) + 4
    assert flat.cost(DOCUMENTS[4]) == 0


def test_hidden_must_be_a_multiple_of_heads():
    with pytest.raises(ConfigError, match="hidden: 10 is not a multiple of the 3 heads"):
        FlatConfig(hidden=10, heads=3)


def test_a_tagger_without_labels_finds_nothing():
    tagger = Flat.build(FlatConfig(hidden=8, heads=2), (), Resources(DOCUMENTS, Lexicon(["清河"]))).eval()
    assert tagger.decode(tagger.collate(DOCUMENTS)) == [[] for _ in DOCUMENTS]


def test_a_batch_moves_with_all_its_tensors(flat):
    moved = flat.collate(DOCUMENTS).to("meta")
    tensors = [moved.characters, moved.bigrams, moved.words, moved.source, moved.tags, moved.nodes.head]
    assert {tensor.device.type for tensor in tensors} == {"meta"}
    assert moved.documents == DOCUMENTS


def test_half_precision_below_the_crf_changes_the_loss_little(flat):
    batch = flat.collate(DOCUMENTS)
    exact = flat.loss(batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = flat.loss(batch)
        emissions = flat.emissions(batch)
    assert emissions.dtype == torch.float32
    assert loss.item() == pytest.approx(exact.item(), rel=0.05)
    loss.backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in flat.parameters())


def test_scores_are_probabilities_that_fall_when_the_text_is_unclear(learned):
    (sure,) = learned.decode(learned.collate(DOCUMENTS[1:2]))
    unsure = learned.decode(learned.collate([Document("x", "从未见过的字")]))[0]
    assert sure[0].score > 0.9
    assert all(0.0 <= span.score < sure[0].score for span in unsure)


def test_a_batch_of_another_tagger_is_refused(flat):
    with pytest.raises(TypeError, match="own collate"):
        flat.loss(object())
