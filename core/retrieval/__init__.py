"""Retrieval of similar texts by shared terms (BM25), and key sentences. Needs no torch."""

from core.retrieval.bm25 import Bm25Index, Hit
from core.retrieval.terms import Term, bigrams

__all__ = ["Bm25Index", "Hit", "Term", "bigrams"]
