"""Text to vectors: vocabularies, embedding tables and where their first values come from."""
