"""Texts that resemble a text, by the words they share (BM25). Needs no torch."""

from core.retrieval.bm25 import Bm25Index, Found
from core.retrieval.terms import Term, bigrams

__all__ = ["Bm25Index", "Found", "Term", "bigrams"]
