"""Words a dictionary does not hold yet, found in raw text by what holds them together."""

from core.lexicon.discovery.new_words import NewWord, Thresholds, new_words

__all__ = ["NewWord", "Thresholds", "new_words"]
