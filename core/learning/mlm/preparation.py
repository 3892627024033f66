"""Prepares a masked language model for training on raw documents: a pretrained encoder, or a tiny BERT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from core.learning.mlm.config import MlmConfig, TinyBertConfig
from core.learning.mlm.corpus import MlmCorpus, PieceReader
from core.learning.mlm.head import initialise_head
from core.learning.mlm.model import MaskedModel
from core.learning.mlm.tiny_bert import tiny_bert
from core.lexicon import Lexicon
from core.runtime.message import Message, _
from core.text import Document
from core.training.run.errors import TrainingError

LEAST_PIECES = 1000  # fewer are too little to generalise from


class PreparedMlm(NamedTuple):
    """A masked language model, its text, and a note on its head."""

    model: MaskedModel
    corpus: MlmCorpus
    note: Message | None


def prepare_mlm(
    documents: Sequence[Document],
    dev: Sequence[Document],
    config: MlmConfig,
    tiny: TinyBertConfig,
    lexicon: Lexicon | None = None,
    typed: Lexicon | None = None,
) -> PreparedMlm:
    """A model and its text; a head that the checkpoint lacks is set by `initialise_head`.

    Args:
        lexicon: None for jieba's dictionary. typed: words of known type, for the masking of entities.

    Raises:
        EncoderError: the encoder cannot be used. TrainingError: the text is too small.
    """
    if sum(len(document.text) for document in documents) < LEAST_PIECES:
        raise _too_small(sum(len(document.text) for document in documents))
    torch.manual_seed(config.seed)
    if config.encoder:
        model = MaskedModel.pretrained(config)
    else:
        model = MaskedModel(*tiny_bert(documents, tiny, config.seed), config)
    reader = PieceReader(model.tokenizer.backend_tokenizer, lexicon)
    entities = (typed or Lexicon()) if config.masking == "entities" else None
    corpus = MlmCorpus.of(documents, dev, reader, entities)
    different = {int(number) for text in corpus.documents for number in np.unique(text.ids)}
    if corpus.pieces < LEAST_PIECES or len(different) < 2:
        raise _too_small(corpus.pieces, len(different))
    if not model.fresh_head:
        return PreparedMlm(model, corpus, None)
    initialise_head(model.model, model.fresh_head, corpus.counts(model.rows))
    return PreparedMlm(model, corpus, _note(config))


def _note(config: MlmConfig) -> Message:
    if not config.head_steps:
        return _(
            "the folder holds an encoder without the head that predicts masked pieces; a fresh one learns "
            "along"
        )
    return _(
        "the folder holds an encoder without the head that predicts masked pieces; a fresh one learns alone "
        "first, {steps} steps at most, and the encoder stays as it is meanwhile",
        steps=config.head_steps,
    )


def _too_small(pieces: int, different: int | None = None) -> TrainingError:
    if different is not None and different < 2 and pieces >= LEAST_PIECES:
        return TrainingError(
            "the text repeats one piece over and over; there is nothing to predict in it. Add other text"
        )
    return TrainingError(
        "the text is too small: {pieces} characters or word pieces to learn from, at "
        "least {least} are needed; add more text",
        pieces=pieces,
        least=LEAST_PIECES,
    )
