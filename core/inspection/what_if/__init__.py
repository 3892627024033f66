"""What becomes of a prediction when the text or the lexicon changes."""
