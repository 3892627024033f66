"""The search for the best tagger and settings on one corpus: what is tried, and what came of it."""
