"""New word discovery: finds words that a dictionary lacks by their cohesion and freedom in raw text."""

from core.lexicon.discovery.new_words import NewWord, Thresholds, new_words

__all__ = ["NewWord", "Thresholds", "new_words"]
