"""Spans of documents: saving, history, undo, comments, annotated regions."""
