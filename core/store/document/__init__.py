"""Documents: import, text, splits, search, trash."""
