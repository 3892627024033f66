"""A corpus small enough to learn in a second, and a tagger small enough to reason about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from core.taggers.base.tagger import Batch, Resources, Tagger, TaggerConfig, TokenScores
from core.text import Document, Span

NAMES = ("林晓", "周平", "赵一鸣", "孙悦")
PLACES = ("青岛", "兰州", "大理")


@pytest.fixture
def documents() -> list[Document]:
    """36 sentences of 6 to 16 characters with a person and a place each."""
    return sentences()


def sentences() -> list[Document]:
    found = []
    for number, name in enumerate(NAMES * 9):
        place = PLACES[number % len(PLACES)]
        text = f"{name}昨天到了{place}" + "，很高兴" * (number % 3)
        start = len(name) + 4
        spans = (Span(0, len(name), "PER"), Span(start, start + len(place), "LOC"))
        found.append(Document(f"d{number}", text, spans))
    return found


@dataclass(frozen=True)
class TinyConfig(TaggerConfig):
    width: int = 8
    dropout: float = 0.3


@dataclass(frozen=True)
class TinyBatch(Batch):
    characters: Tensor  # [B, T]; 0 is padding
    tags: Tensor  # [B, T], index of the label + 1, 0 outside


class TinyTagger(Tagger):
    """One softmax per character; a run of equal labels is a span. Dropout draws from torch's generator."""

    name, title, summary, paper = "tiny", "Tiny", "for tests", "none"
    Config = TinyConfig

    def __init__(self, config: TinyConfig, labels: Sequence[str]) -> None:
        super().__init__()
        self.config, self.labels = config, tuple(labels)
        self.embedding = nn.Embedding(512, config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.emission = nn.Linear(config.width, len(labels) + 1)
        self.failing_step: int | None = None
        self.steps = 0

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> TinyTagger:
        assert isinstance(config, TinyConfig)
        return cls(config, labels)

    def collate(self, documents: Sequence[Document]) -> TinyBatch:
        longest = max((len(document.text) for document in documents), default=0)
        characters = torch.zeros(len(documents), longest, dtype=torch.long)
        tags = torch.zeros_like(characters)
        for row, document in enumerate(documents):
            for column, character in enumerate(document.text):
                characters[row, column] = 1 + ord(character) % 511
            for span in document.spans:
                tags[row, span.start : span.end] = 1 + self.labels.index(span.label)
        return TinyBatch(tuple(documents), characters, tags)

    def loss(self, batch: Batch) -> Tensor:
        return self.loss_and_scores(batch)[0]

    def token_scores(self, batch: Batch) -> TokenScores:
        assert isinstance(batch, TinyBatch)
        logits = self.emission(self.dropout(self.embedding(batch.characters)))
        return TokenScores(logits, batch.tags, batch.characters != 0)

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        self.steps += 1
        scores = self.token_scores(batch)
        loss = nn.functional.cross_entropy(
            scores.logits[scores.mask], scores.gold[scores.mask], reduction="sum"
        )
        loss = loss / len(batch.documents)
        return loss * float("nan") if self.steps == self.failing_step else loss, scores

    def decode(self, batch: Batch) -> list[list[Span]]:
        assert isinstance(batch, TinyBatch)
        best = self.emission(self.dropout(self.embedding(batch.characters))).argmax(-1)
        return [
            self._spans(row.tolist(), document) for row, document in zip(best, batch.documents, strict=True)
        ]

    def _spans(self, tags: list[int], document: Document) -> list[Span]:
        spans, start = [], 0
        for end in range(1, len(document.text) + 1):
            if end == len(document.text) or tags[end] != tags[start]:
                if tags[start]:
                    spans.append(Span(start, end, self.labels[tags[start] - 1], 0.5))
                start = end
        return spans

    def trace(self, batch: Batch) -> list:
        return []

    def cost(self, document: Document) -> int:
        return len(document.text)

    def save(self, folder: Path) -> None:
        (folder / "config.json").write_text('{"tagger": "tiny"}')

    @classmethod
    def load(cls, folder: Path) -> TinyTagger:
        raise NotImplementedError


@pytest.fixture
def tiny():
    """Build a fresh tiny tagger with a seed."""

    def build(seed: int = 1, **config: object) -> TinyTagger:
        torch.manual_seed(seed)
        return TinyTagger(TinyConfig(**config), ("LOC", "PER"))

    return build
