"""Rows and running text: joining what was split gives the text, remembered tokens give the same rows."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.formats.shapes.tokens import has_words, join, rows, split, splits_into_characters
from core.text.tokens import remembered
from tests.formats.documents import CHARACTERS

# A column file turns tabs and line breaks into blanks, so they are no matter of joining.
TEXTS = st.text(CHARACTERS.filter(lambda char: char not in "\t\r\n"), min_size=1, max_size=30)
WORDS = st.lists(
    st.sampled_from(["Mr.", "New", "York", ",", "(", ")", "I", "9", "don't", "“", "”", "%", "北", "京"])
)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["拜", "登", "在", "北", "京"], "拜登在北京"),
        (["中国", "人民", "银行"], "中国人民银行"),
        (["买", "i", "P", "h", "o", "n", "e", "6"], "买iPhone6"),
        (["Here", ",", "accuracy", "is", "measured", "."], "Here, accuracy is measured."),
        (["He", "said", ":", "“", "no", "”", "(", "twice", ")", "!"], "He said: “no” (twice)!"),
        (["It", "'s", "$", "5", ",", "or", "10", "%"], "It's $5, or 10%"),
        (["在", "New", "York", "的", "office", "里"], "在New York的office里"),
        (["東京", "タワー", "と", "Sky", "Tree"], "東京タワーとSky Tree"),
        (["대한민국", "서울"], "대한민국 서울"),
        (["Москва", ",", "Россия"], "Москва, Россия"),
        (["北", " ", "京"], "北 京"),
    ],
)
def test_tokens_join_as_their_script_is_written(tokens, text):
    joined, extents = join(tokens)
    assert joined == text
    assert [joined[start:end] for start, end in extents] == tokens


@pytest.mark.parametrize(("assume_words", "text"), [(True, "1 9 A"), (False, "19A")])
def test_letters_and_digits_alone_join_as_the_rest_of_the_file_does(assume_words, text):
    assert join(["1", "9", "A"], assume_words)[0] == text
    assert join(["1", "9", "年"], assume_words)[0] == "19年"


@given(WORDS)
def test_every_token_stands_where_it_is_said_to_stand(tokens):
    text, extents = join(tokens)
    assert [text[start:end] for start, end in extents] == tokens
    assert text.replace(" ", "") == "".join(tokens)


@given(WORDS)
def test_remembered_tokens_come_back_as_the_same_rows(tokens):
    text, extents = join(tokens)
    if tokens:
        assert remembered(text, [list(extent) for extent in extents]) == extents
        assert rows(text, extents, (), ()) == extents


@given(TEXTS)
def test_a_text_split_into_rows_joins_to_the_same_text_either_way(text):
    extents = rows(text, None, (), ())
    tokens = [text[start:end] for start, end in extents]
    assert join(tokens, False)[0] == join(tokens, True)[0] == text


@given(TEXTS, st.data())
def test_rows_begin_and_end_where_spans_do(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    extents = rows(text, None, {start}, {end})
    assert start in {first for first, _ in extents}
    assert end in {last for _, last in extents}
    assert extents == sorted(extents)
    covered = {place for first, last in extents for place in range(first, last)}
    assert all(char.isspace() for place, char in enumerate(text) if place not in covered)


def test_an_ideographic_space_is_a_blank_and_no_token():
    assert split("北\u3000a.") == [(0, 1), (2, 3), (3, 4)]
    assert rows("北\u3000京", None, (), ()) == [(0, 1), (1, 2), (2, 3)]


@given(TEXTS)
@example("\u3000a.")
def test_splitting_covers_everything_but_blanks(text):
    covered = {place for start, end in split(text) for place in range(start, end)}
    assert covered == {place for place, char in enumerate(text) if not char.isspace()}


def test_the_script_that_prevails_says_whether_rows_are_characters():
    assert splits_into_characters("我买了iPhone")
    assert not splits_into_characters("The word for tea is 茶 in Chinese")
    assert has_words(["a", "to"])
    assert not has_words(["a", "1999", "东京"])


@pytest.mark.parametrize(
    "tokens",
    [
        None,
        [],
        "ab",
        3,
        [[0, 1]],
        [[0, 1], [1, 9]],
        [[1, 2], [0, 1]],
        [[0, 0], [0, 2]],
        [[0, 1], [1, True]],
        [[0], [1, 2]],
    ],
)
def test_tokens_that_do_not_fit_the_text_are_forgotten(tokens):
    assert remembered("ab", tokens) is None
