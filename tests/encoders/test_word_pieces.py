"""Word pieces against the tokenizer's own offsets, character by character."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from core.encoders.word_pieces import PieceTokenizer
from tests.encoders.tiny_encoders import ROWS, TOKENIZERS

BACKENDS = {name: make().backend_tokenizer for name, make in TOKENIZERS.items()}
TEXTS = (
    "林晚晴在清河大学教书。",
    "Dr. Lin teaches at  Qinghe University!",
    "😀👨‍👩‍👧‍👦𠮷清河🇨🇳é e\u0301",
    "[SEP]林[CLS] [PAD]",
    "a\u0001b\u200bc\ufffd\tx\u3000y",
    "ﬃ㍿﷽",
    "  ",
    "",
    "\n林",
)


def pieces_of(name, **options):
    options = {"window": 512, "overlap": 128, "padding": 0, "rows": ROWS, **options}
    return PieceTokenizer(BACKENDS[name], **options)


def plain(name):
    """The tokenizer itself, told only that special tokens a person typed are text."""
    tokenizer = Tokenizer.from_str(BACKENDS[name].to_str())
    tokenizer.encode_special_tokens = True
    return tokenizer


def naive_places(encoding, text, side=0):
    """Places of the pieces of every character: those that cover it, else its neighbours."""
    own = [
        (place, *encoding.offsets[place])
        for place, whose in enumerate(encoding.sequence_ids)
        if whose == side and encoding.offsets[place][1] > encoding.offsets[place][0]
    ]
    found = []
    for character in range(len(text)):
        covering = [place for place, start, end in own if start <= character < end]
        before = [place for place, _, end in own if end <= character][-1:]
        after = [place for place, start, _ in own if start > character][:1]
        found.append(covering or before + after)
    return found


def places(pieces, row):
    """Places of a text's characters in its windows, as lists."""
    return [[place for place in found if place >= 0] for found in pieces.characters[row].tolist()]


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("text", TEXTS)
def test_every_character_stands_on_the_pieces_whose_offsets_cover_it(name, text):
    pieces = pieces_of(name)([text])
    expected = naive_places(plain(name).encode(text), text)
    assert places(pieces, 0) == expected


@pytest.mark.parametrize("name", BACKENDS)
@given(st.text(max_size=30))
def test_so_it_is_for_any_text(name, text):
    assert places(pieces_of(name)([text]), 0) == naive_places(plain(name).encode(text), text)


@pytest.mark.parametrize("name", BACKENDS)
def test_ids_types_special_pieces_and_offsets_are_the_tokenizers(name):
    texts = [text for text in TEXTS if plain(name).encode(text).sequence_ids.count(0)]
    pieces = pieces_of(name, padding=7)(texts)
    assert pieces.text.tolist() == list(range(len(texts)))
    for row, text in enumerate(texts):
        encoding = plain(name).encode(text)
        count = len(encoding.ids)
        assert pieces.ids[row, :count].tolist() == encoding.ids
        assert pieces.types[row, :count].tolist() == encoding.type_ids
        assert pieces.special[row, :count].tolist() == [side is None for side in encoding.sequence_ids]
        edges = list(zip(pieces.start[row].tolist(), pieces.end[row].tolist(), strict=True))
        assert edges[:count] == encoding.offsets
        assert pieces.mask[row].tolist() == [True] * count + [False] * (pieces.ids.shape[1] - count)
        assert set(pieces.ids[row, count:].tolist()) <= {7}


def test_a_special_token_that_a_person_typed_is_text():
    pieces = pieces_of("word_piece")(["[SEP]"])
    assert pieces.special[0].tolist() == [True, *[False] * (pieces.ids.shape[1] - 2), True]
    assert (pieces.ids[0] == BACKENDS["word_piece"].token_to_id("[SEP]")).sum() == 1


def test_states_of_characters_are_the_mean_over_their_pieces():
    texts = ["林 晚𠮷", "", "a"]
    pieces = pieces_of("byte_pairs")(texts)
    states = torch.randn(*pieces.ids.shape, 5, dtype=torch.float64)
    merged = pieces.at_characters(states)
    assert merged.shape == (3, 4, 5)
    window = {0: 0, 2: 1}
    for row, text in enumerate(texts):
        expected = naive_places(plain("byte_pairs").encode(text), text)
        for character, found in enumerate(expected):
            mean = states[window[row], found].mean(0)
            assert torch.allclose(merged[row, character], mean, atol=1e-12)
        assert not merged[row, len(text) :].any()


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize(("window", "overlap"), [(16, 4), (16, 1), (24, 100), (17, 8)])
def test_windows_lose_no_character_and_each_is_read_furthest_from_a_cut(name, window, overlap):
    texts = ["林晚晴在 Qinghe 大学教书。" * 6, "短", "𠮷😀" * 20]
    pieces = pieces_of(name, window=window, overlap=overlap)(texts)
    width = pieces.ids.shape[1]
    assert width <= window
    assert sorted(pieces.text.tolist()) == pieces.text.tolist()
    for row, text in enumerate(texts):
        rows = (pieces.text == row).nonzero().flatten().tolist()
        reach = {number: own_places(pieces, number) for number in rows}
        for character, found in enumerate(places(pieces, row)[: len(text)]):
            assert found, (text, character)
            best = {number: distance(reach[number], pieces, number, character, rows) for number in rows}
            read = {place // width for place in found}
            assert len(read) == 1
            assert best[read.pop()] == max(best.values())


def own_places(pieces, number):
    covered = (pieces.end[number] > pieces.start[number]) & ~pieces.special[number]
    return covered.nonzero().flatten().tolist()


def distance(own, pieces, number, character, rows):
    """How many pieces of the window stand between the character and the nearer cut; -1 outside."""
    start, end = pieces.start[number].tolist(), pieces.end[number].tolist()
    covering = [place for place in own if start[place] <= character < end[place]]
    if not covering:
        before = [place for place in own if end[place] <= character][-1:]
        after = [place for place in own if start[place] > character][:1]
        if (not before and number != rows[0]) or (not after and number != rows[-1]):
            return -1
        covering = before + after
    left = len(own) if number == rows[0] else own.index(covering[0])
    right = len(own) if number == rows[-1] else len(own) - 1 - own.index(covering[-1])
    return min(left, right)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_long_text_gives_the_pieces_of_the_whole(name):
    """Where a state depends on its piece alone, windows change nothing."""
    text = "林晚晴在 Qinghe 大学教书。𠮷" * 8
    table = torch.randn(ROWS, 3)
    whole = pieces_of(name, window=10_000)([text])
    parts = pieces_of(name, window=20, overlap=6)([text])
    assert len(whole.ids) == 1
    assert len(parts.ids) > 5
    together = parts.at_characters(table[parts.ids])
    assert torch.allclose(together, whole.at_characters(table[whole.ids]), atol=1e-6)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_query_stands_before_every_window_and_moves_no_character(name):
    texts, queries = ["林晚晴在 Qinghe 大学教书。" * 3, "𠮷 a", ""], ["谁？", "Who?", "什么"]
    cut = pieces_of(name, window=24, overlap=4)
    pieces = cut(texts, queries)
    alone = cut(texts)
    table = torch.randn(ROWS, 3)
    assert torch.allclose(
        pieces.at_characters(table[pieces.ids]), alone.at_characters(table[alone.ids]), atol=1e-6
    )
    for row, number in enumerate(pieces.text.tolist()):
        query = plain(name).encode(queries[number], add_special_tokens=False).ids
        ids = pieces.ids[row].tolist()
        assert any(ids[start : start + len(query)] == query for start in (0, 1))


@pytest.mark.parametrize("name", BACKENDS)
def test_whole_pairs_are_the_tokenizers(name):
    text, query = "林晚晴在清河 a", "谁 Lin？"
    encoding = plain(name).encode(query, text)
    pieces = pieces_of(name)([text], [query])
    assert pieces.ids[0].tolist() == encoding.ids
    if "Template" in type(BACKENDS[name].post_processor).__name__:  # others give no segments at all
        assert pieces.types[0].tolist() == encoding.type_ids
    assert places(pieces, 0) == naive_places(encoding, text, side=1)


def test_a_query_longer_than_half_the_window_is_cut():
    pieces = pieces_of("word_piece", window=24)(["林晚晴"], ["清河大学" * 20])
    assert pieces.ids.shape[1] <= 24
    ids = pieces.ids[0].tolist()
    query = plain("word_piece").encode("清河大学" * 20).ids[1:11]
    assert ids[1:11] == query
    assert len(ids) == 1 + 10 + 1 + 3 + 1


def test_the_tokenizer_stays_as_it_was():
    before = BACKENDS["byte_pairs"].to_str()
    pieces_of("byte_pairs", window=16)(["林晚晴" * 30], ["谁"])
    assert json.loads(BACKENDS["byte_pairs"].to_str()) == json.loads(before)


def test_texts_without_pieces_have_no_window():
    pieces = pieces_of("word_piece")(["", "  "])
    assert pieces.ids.shape == (0, 0)
    assert pieces.at_characters(torch.zeros(0, 0, 3)).tolist() == [[[0.0] * 3] * 2] * 2


def test_what_cannot_be_is_said():
    with pytest.raises(ValueError, match="2 texts need as many queries, got 1"):
        pieces_of("word_piece")(["a", "b"], ["c"])
    with pytest.raises(ValueError, match="window of 3"):
        pieces_of("word_piece", window=3)(["a"])
    with pytest.raises(ValueError, match=r"knows 4 pieces.*not of one model"):
        pieces_of("word_piece", rows=4)(["a"])


@pytest.mark.parametrize("name", sorted(TOKENIZERS))
def test_half_of_a_surrogate_pair_is_read_as_a_character_nobody_knows(name):
    halved, replaced = (pieces_of(name)([f"林{sign}晚"], [f"{sign}人"]) for sign in ("\ud83d", "\ufffd"))
    assert halved.ids.tolist() == replaced.ids.tolist()
    assert halved.characters.tolist() == replaced.characters.tolist()


# ---------------------------------------------------------------- before a context

BESIDE = ("星野机器人公司", "Dr. Lin rows")


def context_of(name, pieces, row):
    """The pieces of a window that are context, as the vocabulary spells them."""
    chosen = pieces.context[row] & pieces.mask[row]
    return [BACKENDS[name].id_to_token(number) for number in pieces.ids[row][chosen].tolist()]


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("text", [text for text in TEXTS if text])
def test_characters_stand_on_the_same_pieces_with_and_without_a_context(name, text):
    alone = pieces_of(name, separator="[SEP]")([text])
    beside = pieces_of(name, separator="[SEP]")([text], contexts=[BESIDE])
    assert places(beside, 0) == places(alone, 0)
    if len(alone.ids):
        shown = beside.mask[0] & ~beside.context[0]
        assert beside.ids[0][shown].tolist() == alone.ids[0].tolist()
        assert not (beside.in_text & beside.context).any()
        assert shown.tolist() == sorted(shown.tolist(), reverse=True)


@pytest.mark.parametrize("name", BACKENDS)
def test_every_text_of_a_context_stands_behind_a_separator(name):
    pieces = pieces_of(name, separator="[SEP]")(["林晚晴"], contexts=[BESIDE])
    whole = [BACKENDS[name].id_to_token(number) for number in pieces.ids[0][pieces.mask[0]].tolist()]
    first = len(whole) - len(context_of(name, pieces, 0)) - (name != "byte_pairs")
    spelt = [plain(name).encode(text, add_special_tokens=False).tokens for text in BESIDE]
    behind = whole[first + 1 :]
    assert behind[: len(spelt[0])] == spelt[0]
    assert behind[len(spelt[0])] == "[SEP]"
    assert behind[len(spelt[0]) + 1 :] == [*spelt[1], "[SEP]"]


def test_a_long_text_has_its_context_in_every_window_and_loses_no_character():
    text = "林晚晴在 Qinghe 大学教书。" * 6
    pieces = pieces_of("word_piece", window=24, overlap=4, separator="[SEP]")([text], contexts=[["星野"]])
    assert len(pieces.ids) > 3
    assert pieces.ids.shape[1] <= 24
    assert {tuple(context_of("word_piece", pieces, row)) for row in range(len(pieces.ids))} == {
        ("星", "野", "[SEP]")
    }
    assert all(places(pieces, 0)[: len(text)])


def test_what_does_not_fit_in_half_a_window_is_left_out_and_nothing_is_read_beside_it_then():
    read = pieces_of("word_piece", window=24, overlap=4, separator="[SEP]")
    pieces = read(["林晚晴"] * 4, contexts=[["星" * 30], ["星野", "星" * 30], [], ["", "  "]])
    assert context_of("word_piece", pieces, 0) == []
    assert context_of("word_piece", pieces, 1) == ["星", "野", "[SEP]"]
    assert context_of("word_piece", pieces, 2) == []
    assert context_of("word_piece", pieces, 3) == []


def test_a_separator_typed_in_a_neighbour_is_text():
    pieces = pieces_of("word_piece", separator="[SEP]")(["林"], contexts=[["[SEP]星"]])
    assert context_of("word_piece", pieces, 0).count("[SEP]") == 1


def test_a_context_for_each_text_and_no_query_beside_it():
    read = pieces_of("word_piece", separator="[SEP]")
    with pytest.raises(ValueError, match="2 texts need as many contexts, got 1"):
        read(["林", "晚"], contexts=[["星"]])
    with pytest.raises(ValueError, match="not both"):
        read(["林"], ["晚"], [["星"]])


@pytest.mark.parametrize("name", BACKENDS)
@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=3))
def test_no_text_and_no_context_is_refused(name, text, context):
    alone = pieces_of(name, separator="[SEP]")([text])
    beside = pieces_of(name, separator="[SEP]")([text], contexts=[context])
    assert places(beside, 0) == places(alone, 0)
