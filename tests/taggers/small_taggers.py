"""A small tagger of every kind there is: a new tagger adds one row to ``OPTIONS``."""

import functools

import torch

from core.lexicon import Lexicon
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, WITH_TEXT, train
from tests.taggers.tiny_bert import tiny_bert

CHARACTERS = {"char_dim": 5, "bigram_dim": 4, "least_bigram": 1}
SMALL_TOP = {"top_hidden": 8, "top_heads": 2, "top_dropout": 0.0}
# What each tagger needs to be small; a value may be a callable that makes it (an encoder's folder, say).
OPTIONS = {
    "bert": {"encoder": tiny_bert, "encoder_rate": 1.0},
    "bilstm_crf": {**CHARACTERS, "hidden": 6},
    "dictionary": {},
    "elmo_crf": {
        **CHARACTERS,
        "hidden": 6,
        "top_hidden": 5,
        "place": "both",
        "elmo_cells": 8,
        "elmo_projection": 6,
    },
    "flat": {**CHARACTERS, "word_dim": 6, "layers": 2, "heads": 3, "hidden": 12, "ffn": 16},
    "mrc": {"encoder": tiny_bert, "encoder_rate": 1.0, "dropout": 0.0},
    "lattice_lstm": {**CHARACTERS, "word_dim": 6, "hidden": 6},
    "lr_cnn": {**CHARACTERS, "word_dim": 6, "hidden": 12, "layers": 3},
    "pu": {**CHARACTERS, "char_vectors": "", "hidden": 6, "filters": 5, "kind_dim": 3},
    # With an encoder it reads no characters, and has none of their options.
    "span": {**CHARACTERS, "char_vectors": "", "over_options": '{"hidden": 24}', "head_width": 8},
    "soft_lexicon": {**CHARACTERS, "word_dim": 6, "hidden": 6},
}


def small_tagger(name, seed=0, lexicon: Lexicon = LEXICON, documents=DOCUMENTS, **options):
    """A fresh tagger of this name, a few units wide."""
    torch.manual_seed(seed)
    kind = by_name(name)
    small = {"head_width": 8} if name == "span" and options.get("encoder") else OPTIONS[name]
    given = {key: value() if callable(value) else value for key, value in small.items()}
    config = kind.Config(**{**given, **options})
    return kind.build(config, LABELS, Resources(documents, lexicon))


def without_gradient(tagger):
    """The parameters that should learn and are reached by no gradient of `WITH_TEXT`."""
    tagger.train()
    torch.manual_seed(1)
    left = {name for name, parameter in tagger.named_parameters() if parameter.requires_grad}
    for _ in range(6):  # dropout may hide one once
        tagger.zero_grad()
        tagger.loss(tagger.collate(WITH_TEXT)).backward()
        left -= {name for name, p in tagger.named_parameters() if p.grad is not None and p.grad.any()}
    return left


@functools.cache
def _learned(name):
    return train(small_tagger(name), WITH_TEXT, 60).state_dict()


def learned_tagger(name):
    """A tagger of this name that knows `WITH_TEXT` by heart, or nearly; each kind is trained once."""
    tagger = small_tagger(name)
    if tagger.needs_training:
        tagger.load_state_dict(_learned(name))
    return tagger.eval()
