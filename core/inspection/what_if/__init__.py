"""How a prediction changes with the text or the lexicon."""
