"""Text as stretches of pieces: nothing is lost, words stay whole, pairs are what the papers say."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.learning.mlm.batch import Template
from core.learning.mlm.corpus import MlmCorpus, PieceReader, entities_in, stretches
from core.learning.mlm.tiny_bert import SPECIAL, character_vocabulary
from core.lexicon import Lexicon
from core.text import Document, Span
from tests.learning.mlm.small_mlm import CONFIG, DOCUMENTS, LINES, WORDS, small_mlm

TEXT = st.text(st.sampled_from("清河水很林晚晴看书小鱼。， ab1\n[]\ud800"), min_size=0, max_size=80)
MODEL, CORPUS = small_mlm()
CUTTER = MODEL.tokenizer.backend_tokenizer
READER = PieceReader(CUTTER, WORDS)


def joined(found):
    return [n for s in found for part in (s.first, s.second) if part is not None for n in part[0].tolist()]


@given(TEXT, st.integers(2, 40))
def test_stretches_hold_every_piece_once_and_no_more_than_their_room(text, room):
    piece_text = READER(text)
    found = stretches([piece_text], CONFIG, room, np.random.default_rng(0)) if len(piece_text) else []
    assert joined(found) == piece_text.ids.tolist()
    assert all(1 <= len(stretch.first[0]) <= room for stretch in found)
    assert (np.diff(piece_text.words) >= 0).all()


def test_words_are_those_of_the_lexicon_and_letters_that_stand_together():
    assert words_of("林晚晴看 fishing rods") == ["林晚晴", "看", "fishing", "rods"]


def words_of(text, entities=()):
    read = READER(text, entities)
    groups = {}
    for piece, word in zip(read.ids.tolist(), read.words.tolist(), strict=True):
        groups.setdefault(word, []).append(MODEL.tokenizer.convert_ids_to_tokens(piece).removeprefix("##"))
    return ["".join(group) for group in groups.values()]


def test_an_entity_is_one_word_whatever_words_lie_in_it_or_across_its_ends():
    text = "林晚晴看小孩在河边"
    assert words_of(text) == ["林晚晴", "看", "小孩", "在", "河边"]
    assert words_of(text, [(3, 8)]) == ["林晚晴", "看小孩在河", "边"]
    assert words_of(text, [(0, 4), (4, 5)]) == ["林晚晴看", "小", "孩", "在", "河边"]
    typed = Lexicon(["林晚晴看", "河边"])
    document = Document("1", text, (Span(0, 3, "PER"), Span(3, 6, "X"), Span(4, 6, "PER")))
    assert entities_in(document, typed) == [(0, 4), (4, 6), (7, 9)]


def test_entities_are_those_of_the_training_text_alone():
    document = Document("1", "林晚晴看小孩在河边", (Span(3, 8, "X"),))
    corpus = MlmCorpus.of([document], [document], READER, Lexicon())
    plain = READER(document.text)
    assert corpus.dev[0].words.tolist() == plain.words.tolist() != corpus.documents[0].words.tolist()


def test_a_stretch_ends_where_a_sentence_does():
    read = READER("".join(LINES[:3]))
    cuts = list(read.cut(len(LINES[0]) + 5))
    assert [cut.stop for cut in cuts] == np.cumsum([len(line) for line in LINES[:3]]).tolist()


def test_what_is_spelt_like_a_special_token_is_text():
    special = set(MODEL.tokenizer.all_special_ids)
    read = READER("[MASK]清河[SEP]")
    unknown = MODEL.tokenizer.unk_token_id
    assert not (set(read.ids.tolist()) - {unknown}) & special


@pytest.mark.parametrize("pairs", ["next_sentence", "sentence_order"])
def test_half_of_the_pairs_are_not_as_they_stood(pairs):
    texts = [READER("".join(LINES) * 40 + str(n)) for n in range(8)]
    config = replace(CONFIG, pairs=pairs)
    found = [s for seed in range(3) for s in stretches(texts, config, 30, np.random.default_rng(seed))]
    asked = [s for s in found if s.answer >= 0]
    assert all(s.second is not None for s in asked)
    assert np.mean([s.answer for s in asked]) == pytest.approx(0.5, abs=0.06)


def test_parts_that_were_swapped_stand_in_the_other_order_and_the_rest_follows():
    text = READER("".join(LINES) * 4)
    config = replace(CONFIG, pairs="sentence_order")
    for stretch in stretches([text], config, 40, np.random.default_rng(1)):
        first, second = stretch.first, stretch.second
        if stretch.answer == 1:
            first, second = second, first
        together = np.concatenate([first[0], second[0]]).tolist()
        whole = text.ids.tolist()
        assert any(whole[at : at + len(together)] == together for at in range(len(whole)))


def test_a_second_part_from_elsewhere_is_of_another_document():
    texts = [READER("清河" * 60), READER("小鱼" * 60)]
    config = replace(CONFIG, pairs="next_sentence")
    for stretch in stretches(texts, config, 30, np.random.default_rng(2)):
        if stretch.answer >= 0:
            same = set(stretch.first[0].tolist()) == set(stretch.second[0].tolist())
            assert same == (stretch.answer == 0)


@pytest.mark.parametrize("masking", ["pieces", "words", "spans"])
@pytest.mark.parametrize("pairs", ["none", "next_sentence", "sentence_order"])
def test_special_pieces_are_never_hidden_and_never_put_in(masking, pairs):
    config = replace(CONFIG, masking=masking, pairs=pairs, share=0.4, masked=0.0, random=1.0)
    model, corpus = small_mlm(config=config)
    found = stretches(corpus.documents, config, 24, np.random.default_rng(0))
    batch = model.batches()(found, np.random.default_rng(0))
    special = set(model.tokenizer.all_special_ids)
    assert len(batch.hidden)
    assert not special & set(batch.expected.tolist()) - {model.tokenizer.unk_token_id}
    seen = batch.ids.flatten()[batch.hidden]
    assert not special & set(seen.tolist())
    assert batch.mask.flatten()[batch.hidden].all()


def test_the_special_pieces_stand_where_the_tokenizer_puts_them():
    template = Template(CUTTER)
    found = stretches(
        [READER(LINES[0])], replace(CONFIG, pairs="sentence_order"), 40, np.random.default_rng(0)
    )
    ids, types, places = template.fill(found[0])
    tokens = MODEL.tokenizer.convert_ids_to_tokens(ids)
    assert (tokens[0], tokens[-1], tokens.count("[SEP]")) == ("[CLS]", "[SEP]", 2)
    assert types == [0] * (tokens.index("[SEP]") + 1) + [1] * (len(types) - tokens.index("[SEP]") - 1)
    assert [place for place in places if place is not None] == list(range(len(LINES[0])))


def test_the_vocabulary_lists_what_was_seen_often_enough():
    documents = [Document("a", "清清河 aab 清\ud800")]
    assert character_vocabulary(documents, 1)[: len(SPECIAL)] == list(SPECIAL)
    listed = character_vocabulary(documents, 2)[len(SPECIAL) :]
    assert set(listed) == {"清", "a", "##a"}
    assert all(len(document.text) for document in DOCUMENTS)
