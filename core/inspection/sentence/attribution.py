"""Integrated gradients: how much each character and word moves the probability of a span.

Axiomatic Attribution for Deep Networks (Sundararajan, Taly and Yan, ICML 2017): gradients of the score are
summed along the straight way from a text that says nothing to the text itself, in the space of embeddings
(section 3, eq. 1). What all places get adds up to the difference of the two scores (completeness, prop. 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.taggers.base.embedding_hooks import EmbeddingHook, capture_embeddings, replace_embeddings
from core.taggers.base.tagger import Batch, Tagger
from core.taggers.base.tagging import BUDGET
from core.text import Document, Span
from core.text.message import ToldValueError

TOLERANCE = 0.01
FIRST_STEPS, MOST_STEPS = 32, 512
# Positions of a pass: for its gradients it keeps what every layer made, half a GB in a BERT base.
POSITIONS = BUDGET // 4
# Log-probabilities closer than this have no difference that could be shared out.
_NO_DIFFERENCE = 1e-4

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Attribution:
    """Shares of a span's log-probability, in nats: they add up to ``score - blank``, up to ``error``.

    Args:
        span: whose. characters: share of each, ``[T]``. words: of each word of the lattice, ``[W]``.
        score: log-probability of the span. blank: the same with nothing of the text embedded.
        steps: places on the way at which gradients were taken.
    """

    span: Span
    characters: Array
    words: Array
    score: float
    blank: float
    steps: int

    @property
    def error(self) -> float:
        """What the shares miss of the difference, relative to it."""
        difference = self.score - self.blank
        missed = abs(float(self.characters.sum() + self.words.sum()) - difference)
        return missed / max(abs(difference), _NO_DIFFERENCE)

    @property
    def is_complete(self) -> bool:
        """Whether completeness holds to ``TOLERANCE``."""
        return self.error <= TOLERANCE


def integrated_gradients(
    tagger: Tagger, text: str, span: Span, *, first: int = FIRST_STEPS, most: int = MOST_STEPS
) -> Attribution:
    """The shares of characters and words in the log-probability of ``span``.

    The way starts where every embedded vector of the text is the one for nothing (see `EmbeddingHook.blank`);
    marks and queries stay as they are. Steps are doubled until completeness holds to ``TOLERANCE``, at the
    most to ``most``.

    Args:
        tagger: nobody else may use it meanwhile. text: the sentence.
        first: steps to begin with. most: steps to end with.

    Raises:
        ValueError: the tagger weighs no spans, or the span leaves the text.
    """
    if not tagger.weighs_spans:
        raise ToldValueError("{title} gives no probability to any span", title=tagger.title)
    from captum.attr import IntegratedGradients

    with _frozen(tagger):
        path = _Path(tagger, Document("sentence", text), span)
        explainer = IntegratedGradients(path.score)
        steps = first
        while True:
            shares = path.shares(explainer, steps)
            if shares.is_complete or 2 * steps > most:
                return shares
            steps *= 2


class _Path:
    """The way from a text that says nothing to ``document``, and the span's score along it."""

    def __init__(self, tagger: Tagger, document: Document, span: Span) -> None:
        self.tagger, self.document, self.span = tagger, document, span
        self._batches: dict[int, Batch] = {}
        batch = self._batch(1)
        hooks = tagger.embedding_hooks(batch)
        with torch.no_grad(), capture_embeddings(hooks) as captured:
            self.top = self.bottom = float(tagger.span_log_probability(batch, span))
        # A text without a piece in the vocabulary (blanks alone) is embedded nowhere: it has no way.
        seen = [(hook, vectors) for hook, vectors in zip(hooks, captured, strict=True) if vectors.shape[1]]
        self.hooks: Sequence[EmbeddingHook] = [hook for hook, _ in seen]
        self.vectors = tuple(vectors for _, vectors in seen)
        self.blanks = tuple(hook.blanked(vectors) for hook, vectors in seen)
        if seen:
            with torch.no_grad():
                self.bottom = float(self.score(*self.blanks))
        self._chunk = max(1, POSITIONS // max(1, tagger.cost(document)))

    def score(self, *vectors: Tensor) -> Tensor:
        """Log-probability of the span under embedded vectors ``[S, n, D]`` of S copies: ``[S]``."""
        batch = self._batch(len(vectors[0]))
        with replace_embeddings(self.hooks, vectors):
            return self.tagger.span_log_probability(batch, self.span)

    def shares(self, explainer: object, steps: int) -> Attribution:
        """The attribution with this many steps (nodes of Gauss-Legendre quadrature)."""
        parts: Sequence[Tensor] = ()
        if self.hooks:
            parts = explainer.attribute(  # type: ignore[attr-defined]
                self.vectors, self.blanks, n_steps=steps, internal_batch_size=min(self._chunk, steps)
            )
        length = len(self.document.text)
        nodes = max([length, *(int(hook.node.max()) + 1 for hook in self.hooks if len(hook.node))])
        total = torch.zeros(nodes, dtype=torch.float64)
        for hook, part in zip(self.hooks, parts, strict=True):
            total += hook.at_nodes(part[0].cpu().double().sum(-1), nodes)
        values = total.numpy()
        return Attribution(self.span, values[:length], values[length:], self.top, self.bottom, steps)

    def _batch(self, copies: int) -> Batch:
        if copies not in self._batches:
            label = self.span.label
            batch = self.tagger.collate_copies(self.document, copies, label)
            self._batches[copies] = batch.to(self.tagger.device)
        return self._batches[copies]


@contextmanager
def _frozen(tagger: Tagger) -> Iterator[None]:
    """In evaluation mode and with no gradient for any parameter; afterwards all as it was."""
    training = tagger.training
    learning = [parameter for parameter in tagger.parameters() if parameter.requires_grad]
    tagger.eval()
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        # cuDNN has no gradient for a recurrent layer in evaluation mode.
        with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
            yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)
        tagger.train(training)
