"""Integrated gradients: how much each unit of a text and each dictionary word moves a span's probability.

Axiomatic Attribution for Deep Networks (Sundararajan, Taly and Yan, ICML 2017): gradients of the score are
integrated along the straight line from a blank text to the text itself, in embedding space (section 3, eq.
1). The attributions sum to the difference of the two scores (completeness, prop. 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.layers.evaluating import evaluating
from core.runtime.message import ToldValueError, _
from core.runtime.optional_packages import load
from core.taggers.base.embedding_hooks import EmbeddingHook, capture_embeddings, replace_embeddings
from core.taggers.base.tagger import Batch, Tagger
from core.taggers.base.tagging import BUDGET
from core.text import Document, Span

TOLERANCE = 0.01
FIRST_STEPS, MOST_STEPS = 32, 512
# Positions per pass, which keeps the activations of all layers: half a GB with BERT base.
POSITIONS = BUDGET // 4
# Log-probabilities closer than this have no difference to attribute.
_NO_DIFFERENCE = 1e-4

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Attribution:
    """Attributions of a span's log-probability, in nats: they sum to ``score - blank``, up to ``error``.

    Args:
        span: the span. tokens: share of each unit of the text, ``[T]``. words: of each word of the lattice,
            ``[W]``.
        score: log-probability of the span. blank: the same for the blank text.
        steps: number of points at which gradients were computed.
    """

    span: Span
    tokens: Array
    words: Array
    score: float
    blank: float
    steps: int

    @property
    def error(self) -> float:
        """Relative error of the sum of the shares."""
        difference = self.score - self.blank
        missed = abs(float(self.tokens.sum() + self.words.sum()) - difference)
        return missed / max(abs(difference), _NO_DIFFERENCE)

    @property
    def is_complete(self) -> bool:
        """Whether completeness holds to ``TOLERANCE``."""
        return self.error <= TOLERANCE


def integrated_gradients(
    tagger: Tagger, text: str, span: Span, *, first: int = FIRST_STEPS, most: int = MOST_STEPS
) -> Attribution:
    """The shares of units and dictionary words in the log-probability of ``span``.

    The path starts where every embedding of the text is its baseline (see `EmbeddingHook.baseline`); special
    pieces and queries are kept. Steps are doubled until completeness holds to ``TOLERANCE``, at most to
    ``most``.

    Args:
        tagger: must not be used by others meanwhile. text: the sentence.
        first: initial number of steps. most: maximum number of steps.

    Raises:
        ValueError: the tagger gives spans no probability, or not to this one: it is outside the text, or cuts
            a word of a tagger that reads words; captum is not installed (`MissingPackage`).
    """
    if not tagger.has_span_probabilities:
        raise ToldValueError("{title} gives no probability to any span", title=tagger.title)
    captum = load("captum.attr", "captum", _("Integrated gradients"))

    with _frozen(tagger):
        path = _Path(tagger, Document("sentence", text), span)
        explainer = captum.IntegratedGradients(path.score)
        steps = first
        while True:
            shares = path.shares(explainer, steps)
            if shares.is_complete or 2 * steps > most:
                return shares
            steps *= 2


class _Path:
    """The path from a blank text to ``document``, and the span's score along it."""

    def __init__(self, tagger: Tagger, document: Document, span: Span) -> None:
        self.tagger, self.document, self.span = tagger, document, span
        self._batches: dict[int, Batch] = {}
        batch = self._batch(1)
        hooks = tagger.embedding_hooks(batch)
        with torch.no_grad(), capture_embeddings(hooks) as captured:
            self.top = self.bottom = float(tagger.span_log_probability(batch, span))
        # A text without any piece in the vocabulary (only blanks) has no embeddings and so no path.
        seen = [(hook, vectors) for hook, vectors in zip(hooks, captured, strict=True) if vectors.shape[1]]
        self.hooks: Sequence[EmbeddingHook] = [hook for hook, _ in seen]
        self.vectors = tuple(vectors for _, vectors in seen)
        self.blanks = tuple(hook.with_baseline(vectors) for hook, vectors in seen)
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
        length = len(self.tagger.units(self.document))
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
    """Evaluation mode without gradients of parameters in the block; both are restored afterwards."""
    learning = [parameter for parameter in tagger.parameters() if parameter.requires_grad]
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        # cuDNN has no backward pass for recurrent layers in evaluation mode.
        with evaluating(tagger), torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
            yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)
