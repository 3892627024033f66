"""Taking a word out says what the prediction becomes without it, and leaves the tagger as it was."""

import pytest
import torch

from core.inspection.sentence.word_ablation import WordAblation, ablate_words, words_at
from core.lexicon import Entry, Lattice, Lexicon
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.flat.tagger import Flat, FlatConfig
from core.text import Document, Span
from tests.taggers.small_taggers import small_tagger

TEXT = "陈禾在岭南市工作"
WORDS = ["岭南", "岭南市", "工作"]


@pytest.fixture(scope="module")
def tagger() -> Flat:
    """A tiny FLAT taught one sentence with and without its word, so that it leans on the lattice."""
    torch.manual_seed(3)
    config = FlatConfig(
        hidden=16, heads=2, ffn=16, char_dim=8, bigram_dim=0, word_dim=8, embedding_dropout=0.0
    )
    gold = [
        Document("1", TEXT, (Span(3, 6, "LOC"),)),
        Document("2", "岭南市很大", (Span(0, 3, "LOC"),)),
        Document("3", "市岭南大很", ()),
    ]
    flat = Flat.build(config, ["LOC"], Resources(documents=gold, lexicon=Lexicon(WORDS)))
    optimiser = torch.optim.AdamW(flat.parameters(), lr=0.02)
    flat.train()
    for _ in range(60):
        optimiser.zero_grad()
        flat.loss(flat.collate(gold)).backward()
        optimiser.step()
    return flat.eval()


def test_words_at_a_span_share_a_character_with_it_or_adjoin_it() -> None:
    lexicon = Lexicon(WORDS)
    assert words_at(Lattice.of(TEXT, lexicon), Span(3, 6, "LOC")) == ["岭南", "岭南市", "工作"]
    assert words_at(Lattice.of(TEXT, lexicon), Span(4, 5, "LOC")) == ["岭南", "岭南市"]
    assert words_at(Lattice.of(TEXT, lexicon), Span(2, 3, "LOC")) == ["岭南", "岭南市"]
    assert words_at(Lattice.of(TEXT, lexicon), Span(0, 2, "PER")) == []


def test_each_row_is_what_the_tagger_says_with_a_lexicon_lacking_that_word(tagger: Flat) -> None:
    document = tag(tagger, [Document("x", TEXT)])[0]
    assert [span.key for span in document.spans] == [(3, 6, "LOC")]
    rows = ablate_words(tagger, TEXT, document.spans)
    assert {row.word for row in rows} == {"岭南", "岭南市", "工作"}
    falls = [(0 if r.becomes is None else 1 if not r.kept else 2, r.change) for r in rows]
    assert falls == sorted(falls), "the most damaging word comes first"
    whole = tagger.lexicon
    for row in rows:
        tagger.lexicon = Lexicon([word for word in WORDS if word != row.word])
        expected = tag(tagger, [Document("x", TEXT)])[0].spans
        overlapping = [span for span in expected if span.overlaps(row.span)]
        assert (row.becomes and row.becomes.key) == (overlapping[0].key if overlapping else None)
        batch = tagger.collate([Document("x", TEXT)])
        probability = tagger.span_log_probability(batch, row.span).exp().item()
        assert row.probability == pytest.approx(probability, abs=1e-6), "known where the span is lost, too"
        assert row.change == pytest.approx(probability - row.span.score, abs=1e-6)
        if row.becomes:
            assert row.becomes.score == pytest.approx(overlapping[0].score)
        if row.kept:
            assert row.change == pytest.approx(overlapping[0].score - row.span.score, abs=1e-6)
    tagger.lexicon = whole


def test_all_words_go_through_in_one_pass_and_the_lexicon_is_not_touched(tagger: Flat) -> None:
    spans, before = tag(tagger, [Document("x", TEXT)])[0].spans, tagger.lexicon
    passes: list[int] = []
    handle = tagger.encoder.register_forward_pre_hook(lambda module, given: passes.append(len(given[0])))
    ablate_words(tagger, TEXT, spans)
    handle.remove()
    assert passes == [3]
    assert tagger.lexicon is before


def test_words_longer_than_the_tagger_reads_are_not_among_them() -> None:
    lexicon = Lexicon(["清河", "清河大学"])
    tagger = small_tagger("lr_cnn", lexicon=lexicon, layers=3).eval()
    rows = ablate_words(tagger, "在清河大学", [Span(1, 5, "ORG", 0.5)])
    assert [row.word for row in rows] == ["清河"], "LR-CNN has no layer for a word of four characters"


def test_without_probabilities_a_change_is_known_only_where_the_same_span_is_kept() -> None:
    span = Span(0, 2, "A", 0.9)
    lost = WordAblation(span, None, None, "x")
    other = WordAblation(span, Span(0, 3, "A", 0.8), None, "y")
    kept = WordAblation(span, Span(0, 2, "A", 0.5), None, "z")
    assert not lost.kept
    assert lost.change is None
    assert other.change is None
    assert kept.change == pytest.approx(-0.4)


def test_nothing_to_take_out_gives_no_rows(tagger: Flat) -> None:
    assert ablate_words(tagger, "你好", [Span(0, 1, "LOC", 0.5)]) == []


def test_a_tagger_without_a_dictionary_has_nothing_to_take_out() -> None:
    plain = small_tagger("bilstm_crf")
    assert ablate_words(plain, TEXT, [Span(0, 2, "LOC", 0.5)]) == []


def test_the_dictionary_tagger_loses_a_span_with_its_word() -> None:
    lexicon = Lexicon([Entry("清河", type="LOC"), "大学"])
    tagger = small_tagger("dictionary", lexicon=lexicon, documents=[Document("1", "无", ())])
    spans = tag(tagger, [Document("x", "清河大学")])[0].spans
    (row,) = ablate_words(tagger, "清河大学", spans)
    assert (row.word, row.becomes) == ("清河", None)
