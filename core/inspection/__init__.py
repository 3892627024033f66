"""What a tagger did and why."""

from core.inspection.word_ablation import WordAblation, ablate_words, words_under

__all__ = ["WordAblation", "ablate_words", "words_under"]
