"""A trained biLM as a folder: an ELMo for `core.encoders.elmo.folder`, and the softmax for fine-tuning."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save_file

from core.corpus.atomic import replacing, write_json
from core.encoders.elmo.encoder import Elmo
from core.encoders.elmo.folder import OPTIONS, WEIGHTS, only_file, read_tensors
from core.encoders.elmo.options import ElmoError, read_options
from core.learning.bilm.bilm import Bilm, build_softmax
from core.learning.bilm.config import SoftmaxConfig
from core.learning.bilm.vocabulary import BilmVocabulary
from core.runtime.message import damage_of
from core.taggers.base.config_fields import ConfigError, config_from_json

SOFTMAX = "softmax.json"


class StoredBilm(NamedTuple):
    """A biLM with the words it predicts."""

    bilm: Bilm
    config: SoftmaxConfig
    vocabulary: BilmVocabulary


def write_bilm(folder: Path, bilm: Bilm, config: SoftmaxConfig, vocabulary: BilmVocabulary) -> None:
    """Write or replace the folder, the weights last.

    Raises:
        DiskFullError: existing weights are unchanged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / OPTIONS, bilm.elmo.options.to_json())
    words = {"words": list(vocabulary.words), "counts": list(vocabulary.counts)}
    write_json(folder / SOFTMAX, {"format": 1, "config": asdict(config), **words})
    state = {name: value.detach().cpu().contiguous().clone() for name, value in bilm.state_dict().items()}
    with replacing(folder / WEIGHTS) as (new,):
        save_file(state, new)


def read_bilm(folder: Path, dropout: float = 0.0) -> StoredBilm:
    """Load a biLM with this dropout, in evaluation mode on the CPU.

    Raises:
        ElmoError: a file is missing, damaged or inconsistent; says which.
    """
    if not (folder / SOFTMAX).is_file():
        raise ElmoError(
            "{folder} holds no biLM that was trained here: there is no {file} in it",
            folder=folder,
            file=SOFTMAX,
        )
    options = read_options(only_file(folder, "*options.json"))
    config, vocabulary = _read_words(folder / SOFTMAX)
    with torch.device("meta"):
        blank = Bilm(Elmo(options, dropout), build_softmax(options, config, vocabulary), dropout)
    expected = {name: tuple(value.shape) for name, value in blank.state_dict().items()}
    tensors = read_tensors(folder / WEIGHTS, expected)
    with torch.random.fork_rng(devices=[]):
        bilm = Bilm(Elmo(options, dropout), build_softmax(options, config, vocabulary), dropout)
    bilm.load_state_dict(tensors)
    return StoredBilm(bilm.eval(), config, vocabulary)


def _read_words(path: Path) -> tuple[SoftmaxConfig, BilmVocabulary]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        config = config_from_json(SoftmaxConfig, value["config"])
        return config, BilmVocabulary(value["words"], value["counts"])
    except OSError as error:
        raise ElmoError(
            "{path} cannot be read: {reason}; check the folder", path=path, reason=error
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError, ConfigError) as error:
        raise ElmoError(
            "{path} is damaged ({reason}); copy the folder again", path=path, reason=damage_of(error)
        ) from None
