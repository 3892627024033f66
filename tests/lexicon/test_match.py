"""The matcher finds what a search over all substrings finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Entry, Lexicon, Match

# Other work shares the processors: no example has a deadline.

ALPHABET = "北京大学人民路 aB1é😀𠮷"
WORDS = st.lists(st.text(ALPHABET, min_size=1, max_size=4).map(str.strip).filter(bool), max_size=12)
TEXTS = st.text(ALPHABET, max_size=30)


def brute_force(words: set[str], text: str) -> list[Match]:
    """Every substring of two or more characters that is a word and cuts through no run of letters."""
    letters = set("aB1é")
    found = []
    for start in range(len(text)):
        for end in range(start + 2, len(text) + 1):
            cut_left = start > 0 and {text[start - 1], text[start]} <= letters
            cut_right = end < len(text) and {text[end - 1], text[end]} <= letters
            if text[start:end] in words and not cut_left and not cut_right:
                found.append(Match(text[start:end], start, end - 1))
    return found


@given(WORDS, TEXTS)
def test_every_occurrence_of_every_word_is_found_in_order(words, text):
    assert Lexicon(words).match(text) == brute_force(set(words), text)


@given(WORDS, WORDS, WORDS, TEXTS)
def test_an_overlay_matches_as_a_rebuilt_lexicon_does(base, added, removed, text):
    overlaid = Lexicon(base).with_words(added).without_words(removed)
    rebuilt = Lexicon((set(base) | set(added)) - set(removed))
    assert overlaid.match(text) == rebuilt.match(text)
    assert len(overlaid) == len(rebuilt)
    assert {entry.word for entry in overlaid} == {entry.word for entry in rebuilt}
    assert all((word in overlaid) == (word in rebuilt) for word in [*base, *added, *removed])


@given(WORDS, WORDS, TEXTS)
def test_a_word_removed_and_added_again_is_as_before(base, changed, text):
    lexicon = Lexicon(base)
    again = lexicon.without_words(changed).with_words(word for word in changed if word in lexicon)
    assert again.match(text) == lexicon.match(text)
    assert again.fingerprint == lexicon.fingerprint


def test_positions_are_inclusive_code_points():
    assert Lexicon(["𠮷野家"]).match("😀去𠮷野家") == [Match("𠮷野家", 2, 4)]


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("art", "a party", 0),
        ("art", "art，party", 1),
        ("art", "在art展", 1),
        ("12", "123 12", 1),
        ("B超", "做B超检查", 1),
        ("B超", "AB超", 0),
        ("5G", "在5G时代", 1),
        ("мир", "мира мир", 1),
        ("人民", "中国人民路", 1),
        ("café", "cafés café", 1),
    ],
)
def test_a_word_of_letters_is_found_as_a_whole_only(word, text, found):
    assert len(Lexicon([word]).match(text)) == found


def test_one_character_is_in_the_lexicon_but_never_matched():
    lexicon = Lexicon(["中"]).with_words(["国"])
    assert "中" in lexicon
    assert "国" in lexicon
    assert lexicon.match("中国") == []


def test_an_empty_lexicon_and_an_empty_text_match_nothing():
    assert Lexicon().match("北京") == []
    assert Lexicon(["北京"]).match("") == []


@pytest.mark.parametrize("torn", ["\ud800北京", "北京\udc00", "\ud83d\ude00北京"])
def test_lone_surrogates_in_a_text_do_not_move_positions(torn):
    (match,) = Lexicon(["北京"]).match(torn)
    assert torn[match.head : match.tail + 1] == "北京"


def test_adding_to_jieba_costs_no_rebuild_and_acts_at_once():
    jieba = Lexicon.jieba()
    text = "记者在星辰湾采访"
    assert "星辰湾" not in jieba
    assert Match("星辰湾", 3, 5) in jieba.with_words(["星辰湾"]).match(text)
    assert Match("记者", 0, 1) not in jieba.without_words(["记者"]).match(text)
    assert jieba.match(text) == Lexicon.jieba().match(text)


def test_jieba_has_its_words_with_frequency_and_part_of_speech():
    jieba = Lexicon.jieba()
    assert len(jieba) == 349_045
    assert jieba.entry("北京大学") == Entry("北京大学", 2053, "nt")
    assert [match.word for match in jieba.match("北京大学")] == ["北京", "北京大学", "大学"]


@pytest.mark.parametrize(
    "text",
    [
        "秋天的早晨，研究生命起源的老教授骑着自行车穿过了南京市长江大桥。",
        "患者三天前受凉后出现咳嗽和发热，医生建议做一次B超检查并服用阿莫西林胶囊。",
        "这款T恤用的是新疆长绒棉，领口不容易变形，适合春夏两季外穿。",
    ],
)
def test_jiebas_words_are_found_as_by_a_search_over_all_substrings(text):
    jieba = Lexicon.jieba()
    words = {text[a:b] for a in range(len(text)) for b in range(a + 2, a + 17) if text[a:b] in jieba}
    found = [
        Match(text[a:b], a, b - 1)
        for a in range(len(text))
        for b in range(a + 2, len(text) + 1)
        if text[a:b] in words
    ]
    assert len(found) > 10
    assert jieba.match(text) == found


def test_a_word_takes_the_frequency_and_type_last_given():
    lexicon = Lexicon([Entry("北京", 3, "LOC")]).with_words([Entry("北京", 9, "ORG"), "上海"])
    assert lexicon.entry("北京") == Entry("北京", 9, "ORG")
    assert lexicon.with_words(["北京"]).entry("北京") == Entry("北京", 9, "ORG")
    assert lexicon.with_words([Entry("北京", 3, "LOC")]).added == (Entry("上海"),)
    assert [match.word for match in lexicon.match("北京")] == ["北京"]
    assert lexicon.added == (Entry("北京", 9, "ORG"), Entry("上海"))


def test_asking_for_a_word_that_is_not_there_is_a_key_error():
    with pytest.raises(KeyError):
        Lexicon(["北京"]).without_words(["北京"]).entry("北京")


def test_lexicons_that_match_differently_have_different_fingerprints():
    base = Lexicon(["北京", "上海"])
    prints = {
        lexicon.fingerprint for lexicon in (base, base.with_words(["广州"]), base.without_words(["北京"]))
    }
    assert len(prints) == 3


@given(WORDS, TEXTS)
def test_characters_that_are_words_are_found_outside_runs_of_letters(words, text):
    letters = set("aB1é")
    expected = [
        at
        for at, character in enumerate(text)
        if character in words
        and not (character in letters and set(text[max(at - 1, 0) : at] + text[at + 1 : at + 2]) & letters)
    ]
    assert Lexicon(words).match_characters(text) == expected
