"""Scores of every span of a sentence at once, for every label, and the loss on them."""
