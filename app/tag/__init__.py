"""The Tag page: texts in, spans with confidence out."""
