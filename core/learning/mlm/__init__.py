"""Masked language models trained further on raw text."""
