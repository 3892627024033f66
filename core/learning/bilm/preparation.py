"""Prepares a biLM for training on raw documents: a new one, or a pretrained one to fine-tune."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from core.encoders.elmo.encoder import Elmo
from core.encoders.elmo.folder import read_elmo
from core.learning.bilm.bilm import Bilm, build_softmax
from core.learning.bilm.config import BilmConfig, BilmSettings, SoftmaxConfig
from core.learning.bilm.corpus import BilmCorpus
from core.learning.bilm.folder import SOFTMAX, read_bilm
from core.learning.bilm.vocabulary import BilmVocabulary
from core.text import Document

HELD_OUT = 20  # one document in so many is held out if there are no dev documents


class PreparedBilm(NamedTuple):
    """A biLM, its text, and the config of its softmax."""

    bilm: Bilm
    corpus: BilmCorpus
    config: SoftmaxConfig


def prepare_bilm(
    documents: Sequence[Document],
    dev: Sequence[Document],
    encoder: BilmConfig,
    config: SoftmaxConfig,
    settings: BilmSettings,
    start: Path | None = None,
) -> PreparedBilm:
    """A biLM to train on these documents.

    Args:
        encoder: structure of a new one. config: of a new softmax.
        start: folder of a biLM to fine-tune, which keeps its encoder. One trained here also keeps its words
            and softmax; published weights have none, so a new one is made.

    Raises:
        ElmoError: ``start`` cannot be used.
    """
    torch.manual_seed(settings.seed)
    words: SoftmaxConfig | BilmVocabulary = config
    if start is not None and (start / SOFTMAX).is_file():
        bilm, config, words = read_bilm(start, settings.dropout)
        return PreparedBilm(bilm, BilmCorpus.of(documents, dev, bilm.elmo.options, words), config)
    if start is not None:
        elmo = read_elmo(start)
        elmo.bilstm.dropout.p = settings.dropout
    else:
        elmo = Elmo(encoder.options(), settings.dropout)
    corpus = BilmCorpus.of(documents, dev, elmo.options, words)
    softmax = build_softmax(elmo.options, config, corpus.vocabulary)
    return PreparedBilm(Bilm(elmo, softmax, settings.dropout), corpus, config)


def hold_out(documents: Sequence[Document], seed: int) -> tuple[list[Document], list[Document]]:
    """Training documents and held-out ones, both in order; a single document is not held out."""
    count = max(1, len(documents) // HELD_OUT) if len(documents) > 1 else 0
    drawn = set(np.random.default_rng(seed).permutation(len(documents))[:count].tolist())
    learned = [document for index, document in enumerate(documents) if index not in drawn]
    return learned, [documents[index] for index in sorted(drawn)]
