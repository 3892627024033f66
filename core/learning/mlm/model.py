"""A masked language model in training: its loss, second task and folder."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.corpus.atomic import replace_folder
from core.encoders.transformer import TransformerEncoder
from core.encoders.transformer_files import EncoderError, quietly, read_masked
from core.layers.evaluating import evaluating
from core.learning.mlm.batch import MlmBatch, MlmBatches
from core.learning.mlm.config import MlmConfig
from core.learning.mlm.head import head_parameters
from core.learning.mlm.replaced_detection import ReplacedDetectionHead, replaced
from core.learning.mlm.span_boundary import SpanBoundaryHead

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


class MlmCounts(NamedTuple):
    """What a batch asks: hidden pieces, those with a piece on both sides of their span, targets of the second
    task, pieces of the text."""

    hidden: int
    bounded: int
    questions: int
    read: int

    @classmethod
    def of(cls, batch: MlmBatch) -> MlmCounts:
        bounded = int((batch.beside[:, 0] >= 0).sum())
        questions = int((batch.answers >= 0).sum())
        return cls(len(batch.expected), bounded, questions, int(batch.mask.sum()))


class MlmLosses(NamedTuple):
    """Sums over a batch of negative log-likelihoods: of the hidden pieces, of the same told from beside their
    spans, of the second task's targets, and, weighted, of which pieces were replaced."""

    pieces: Tensor
    beside: Tensor
    pairs: Tensor
    detection: Tensor
    counts: MlmCounts

    @property
    def mean(self) -> Tensor:
        """The loss: the sum of the tasks' means."""
        return self.mean_over(self.counts)

    def mean_over(self, counts: MlmCounts) -> Tensor:
        """A share's part of the loss of a batch with these counts."""
        hidden, bounded, questions, read = (max(count, 1) for count in counts)
        tasks = self.pieces / hidden + self.beside / bounded + self.pairs / questions
        return tasks + self.detection / read


class MaskedModel(nn.Module):
    """A transformer with its masked-language-model head, and heads of the further tasks that the config has.

    The pair head is BERT's: a tanh layer on the first piece, then two scores. It is not saved, nor are those
    of the span boundary objective and of replaced token detection.

    Args:
        model: with its head. tokenizer: of the model. config: of the training.
        fresh_head: names of the head's parameters without weights; empty for a trained head.

    Raises:
        EncoderError: the configured length exceeds the encoder's maximum.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerFast,
        config: MlmConfig,
        fresh_head: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self.fresh_head = fresh_head
        self.model, self.tokenizer, self.config = model, tokenizer, config
        # Refuses here, before hours of training, what a tagger would refuse.
        window = TransformerEncoder(cast("PreTrainedModel", model.base_model), tokenizer).window
        self.length = min(config.length, window)
        width = model.config.get_text_config().hidden_size
        self.pair_head = (
            nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))
            if config.pairs != "none"
            else None
        )
        self.boundary_head = (
            SpanBoundaryHead(width, self.table, config.length) if config.span_boundary else None
        )
        self.detection_head = ReplacedDetectionHead(width) if config.replaced_detection else None
        parameters = inspect.signature(model.forward).parameters
        types = int(getattr(model.config, "type_vocab_size", None) or 0)
        self._types = types if "token_type_ids" in parameters and types > 1 else 0
        self._masked = "attention_mask" in parameters

    @classmethod
    def pretrained(cls, config: MlmConfig) -> MaskedModel:
        """Load the model that ``config`` names.

        Raises:
            EncoderError: it cannot be used; says why and what to do.
        """
        model, tokenizer, fresh = read_masked(config.encoder)
        return cls(model, tokenizer, config, fresh)

    @property
    def encoder(self) -> nn.Module:
        """The model without its heads."""
        return self.model.base_model

    def head_parameters(self) -> list[nn.Parameter]:
        """Parameters of the heads, without tables shared with the encoder."""
        heads = (self.pair_head, self.boundary_head, self.detection_head)
        further = [head.parameters() for head in heads if head is not None]
        return [*head_parameters(self.model).values(), *chain(*further)]

    def freeze_encoder(self, frozen: bool) -> None:
        """Freeze or unfreeze the encoder."""
        for parameter in self.encoder.parameters():
            parameter.requires_grad_(not frozen)

    def batches(self) -> MlmBatches:
        """The batch maker of this model."""
        tokenizer = self.tokenizer
        padding = next(
            (
                number
                for number in (self.model.config.pad_token_id, tokenizer.pad_token_id)
                if isinstance(number, int) and number >= 0
            ),
            0,
        )
        assert tokenizer.mask_token_id is not None
        return MlmBatches(
            tokenizer.backend_tokenizer,
            self.config,
            mask=int(tokenizer.mask_token_id),
            special=tokenizer.all_special_ids,
            rows=min(len(tokenizer), self.rows),
            padding=padding,
        )

    @property
    def table(self) -> nn.Parameter:
        """The embeddings of the pieces, ``[ids, E]``."""
        weight = self.model.get_input_embeddings().weight
        assert isinstance(weight, nn.Parameter)
        return weight

    @property
    def rows(self) -> int:
        """Number of pieces in the model's vocabulary."""
        return len(self.table)

    def losses(self, batch: MlmBatch) -> MlmLosses:
        """Summed losses of a batch."""
        scores, states = self(batch)
        zero = scores.new_zeros(())
        pieces = functional.cross_entropy(scores, batch.expected, reduction="sum") if len(scores) else zero
        beside = pairs = detection = zero
        if self.boundary_head is not None and len(batch.beside):
            assert states is not None
            has_both = batch.beside[:, 0] >= 0
            told = self.boundary_head(states.flatten(0, 1), batch.beside[has_both]).float()
            beside = functional.cross_entropy(told, batch.expected[has_both], reduction="sum")
        counts = MlmCounts.of(batch)
        if self.pair_head is not None and counts.questions:
            assert states is not None
            pairs = functional.cross_entropy(
                self.pair_head(states[:, 0]), batch.answers, reduction="sum", ignore_index=-100
            )
        if self.detection_head is not None and self.training:
            detection = self.config.detection_weight * self._detection(batch, scores)
        return MlmLosses(pieces, beside, pairs, detection, counts)

    def _detection(self, batch: MlmBatch, scores: Tensor) -> Tensor:
        """The summed loss of telling replaced pieces, special ones included, from original ones."""
        assert self.detection_head is not None
        ids, changed = replaced(batch, scores)
        states = self.encoder(**self._inputs(batch, ids), return_dict=True).last_hidden_state
        told = self.detection_head(states)[batch.mask].float()
        return functional.binary_cross_entropy_with_logits(
            told, changed[batch.mask].to(told.dtype), reduction="sum"
        )

    def _inputs(self, batch: MlmBatch, ids: Tensor) -> dict[str, Any]:
        inputs: dict[str, Any] = {"input_ids": ids}
        if self._masked:
            inputs["attention_mask"] = batch.mask.long()
        if self._types:
            inputs["token_type_ids"] = batch.types.clamp(max=self._types - 1)
        return inputs

    def forward(self, batch: MlmBatch) -> tuple[Tensor, Tensor | None]:
        """Scores of every id at the hidden positions, ``[M, ids]``; the last states for further tasks."""
        needs_states = self.pair_head is not None or self.boundary_head is not None
        # Scoring every position would cost more than the encoder, so only hidden ones are scored.
        head = self.model.get_output_embeddings()
        hook = None
        if head is not None:
            hook = head.register_forward_pre_hook(
                lambda module, given: (given[0].flatten(0, -2)[batch.hidden], *given[1:])
            )
        try:
            output = self.model(
                **self._inputs(batch, batch.ids), output_hidden_states=needs_states, return_dict=True
            )
        finally:
            if hook is not None:
                hook.remove()
        scores = output.logits
        if scores.dim() == 3:
            scores = scores.flatten(0, 1)[batch.hidden]
        return scores.float(), output.hidden_states[-1] if needs_states else None

    def write(self, folder: Path) -> None:
        """Write or replace the folder with encoder, head and tokenizer.

        Raises:
            DiskFullError: an existing folder is unchanged.
        """

        def fill(beside: Path) -> None:
            with quietly(local=True):
                self.model.save_pretrained(beside)
                self.tokenizer.save_pretrained(beside)

        folder.parent.mkdir(parents=True, exist_ok=True)
        replace_folder(folder, fill)


@torch.no_grad()
def perplexity(model: MaskedModel, batches: Iterable[MlmBatch], device: torch.device) -> float | None:
    """``exp`` of the mean negative log-likelihood of hidden pieces; None without any."""
    total, hidden = 0.0, 0
    with evaluating(model):
        for batch in batches:
            losses = model.losses(batch.to(device))
            total += float(losses.pieces)
            hidden += losses.counts.hidden
    return math.exp(min(total / hidden, 700.0)) if hidden else None


__all__ = ["EncoderError", "MaskedModel", "MlmLosses", "perplexity"]
