"""Self-training: a tagger learns from its own confident predictions on raw text, round by round."""
