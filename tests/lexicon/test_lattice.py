"""The lattice of a text: characters first, then words by head and tail."""

from core.lexicon import Lattice, Lexicon
from core.text.units import characters, words

LEXICON = Lexicon(["重庆", "重庆人", "人和药店", "药店"])


def test_the_example_of_the_paper():
    lattice = Lattice.of("重庆人和药店", LEXICON)
    assert lattice.nodes == ("重", "庆", "人", "和", "药", "店", "重庆", "重庆人", "人和药店", "药店")
    assert lattice.head == [0, 1, 2, 3, 4, 5, 0, 0, 2, 4]
    assert lattice.tail == [0, 1, 2, 3, 4, 5, 1, 2, 5, 5]
    assert lattice.characters == 6
    assert len(lattice) == 10


def test_longer_words_than_asked_for_are_left_out():
    assert Lattice.of("重庆人和药店", LEXICON, longest_word=2).nodes[6:] == ("重庆", "药店")


def test_without_a_lexicon_there_are_characters_only():
    assert Lattice.of("药店", None).nodes == ("药", "店")


def test_an_empty_text_has_no_nodes():
    lattice = Lattice.of("", LEXICON)
    assert len(lattice) == 0
    assert lattice.head == lattice.tail == []


def test_the_size_is_that_of_the_lattice_and_is_counted_without_making_it(monkeypatch):
    text = "重庆人和药店 art party 药店"
    for lexicon in (LEXICON, LEXICON.with_words(["art", "人和"]).without_words(["药店"]), None):
        for longest in (0, 2):
            for units in (None, characters(text), words(text)):
                options = (lexicon, longest, units)
                for each in (text, ""):
                    assert Lattice.size(each, *options) == len(Lattice.of(each, *options))
    monkeypatch.setattr(Lexicon, "match", None)
    assert Lattice.size("重庆人和药店", LEXICON) == 10
