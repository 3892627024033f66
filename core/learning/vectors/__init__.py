"""Word and character vectors trained on raw text (word2vec, fastText)."""
