"""A small FLAT and sentences for it."""

import torch

from core.lexicon import Lexicon
from core.taggers.base.tagger import Resources
from core.taggers.flat.config import FlatConfig
from core.taggers.flat.tagger import Flat
from core.text import Document, Span

LABELS = ("LOC", "ORG", "PER")
DOCUMENTS = (
    Document("1", "林晚晴在清河大学教书", (Span(0, 3, "PER"), Span(4, 8, "ORG"), Span(4, 6, "LOC"))),
    Document("2", "清河", (Span(0, 2, "LOC"),)),
    Document("3", "😀昨天清河下雨，林晚晴没去大学", (Span(3, 5, "LOC"), Span(8, 11, "PER"))),
    Document("4", "教"),
    Document("5", ""),
)
WITH_TEXT = tuple(document for document in DOCUMENTS if document.text)
LEXICON = Lexicon(["清河", "清河大学", "大学", "教书", "昨天", "下雨"])


def small_flat(seed=0, lexicon=LEXICON, documents=DOCUMENTS, **options):
    """A fresh FLAT with two layers of width 12."""
    torch.manual_seed(seed)
    sizes = {"layers": 2, "heads": 3, "hidden": 12, "ffn": 16, "char_dim": 5, "bigram_dim": 4, "word_dim": 6}
    config = FlatConfig(**{**sizes, "least_bigram": 1, **options})
    return Flat.build(config, LABELS, Resources(documents, lexicon))


def train(tagger, documents, steps, rate=2e-2):
    """``steps`` steps of AdamW on all documents at once."""
    optimiser = torch.optim.AdamW(tagger.parameters(), rate)
    tagger.train()
    batch = tagger.collate(documents)
    for _ in range(steps):
        optimiser.zero_grad()
        tagger.loss(batch).backward()
        optimiser.step()
    return tagger.eval()
