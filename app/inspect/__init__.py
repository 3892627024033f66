"""The Inspect page: one sentence, or the whole corpus, through one tagger."""
