"""Loads transformer encoders from the Hugging Face hub or a folder; code in them is never run.

transformers takes longer to import than torch, so it is imported by the functions that need it: taggers
without a transformer start without it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from safetensors import safe_open
from torch import nn

from core.runtime.first_import import import_alone
from core.runtime.message import Message, ToldValueError, _

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

# Of the folder of a trained tagger: the files of its transformer, and all weights.
ENCODER, TENSORS = "encoder", "model.safetensors"
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
# The families of masked language models that an error message suggests; transformers has more.
MASKED_FAMILIES = ("BERT", "RoBERTa", "ALBERT", "ELECTRA", "ERNIE", "DistilBERT", "DeBERTa", "ModernBERT")
# Limits of the sizes in a config, checked before building; the largest published models are far below.
_MOST_MODULES = 4096
_MOST = 1 << 24


class EncoderError(ToldValueError):
    """An encoder cannot be used; the message says which, what is wrong and what to do."""


def read_pretrained(name: str) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """The encoder and its tokenizer, by hub name or folder; of a trained tagger's folder the fine-tuned one.

    Raises:
        EncoderError: there is none, it is no text encoder, or it lacks a fast tokenizer or safe weights.
    """
    import_alone("transformers")
    from transformers import AutoModel

    if _is_tagger(name):
        return _read_fine_tuned(Path(name))
    local = _is_folder(name)
    config = _read_config(name, local)
    options = _model_options(config, name)
    tokenizer = _read_tokenizer(name, local)
    whole, missing = _read_weights(AutoModel, name, local, config, **options)
    encoder = encoder_of(whole)
    _check_complete(name, whole, encoder, missing)
    return encoder, tokenizer


def read_masked(name: str) -> tuple[PreTrainedModel, PreTrainedTokenizerFast, frozenset[str]]:
    """A masked language model and its tokenizer, by hub name or folder, and its freshly initialised
    parameters.

    The head predicts a masked piece from its hidden state. A folder with an encoder alone has none, and gets
    one with random weights, whose parameter names are returned.

    Raises:
        EncoderError: there is none, its family has no masked language model, it has no mask, or it lacks a
            fast tokenizer or safe weights.
    """
    import_alone("transformers")
    from transformers import MODEL_FOR_MASKED_LM_MAPPING, AutoModelForMaskedLM

    local = _is_folder(name)
    config = _read_config(name, local)
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING or config.is_encoder_decoder:
        raise EncoderError(
            "encoder {name}: a {kind} model is no masked language model; those of {families} "
            "and their kin are",
            name=name,
            kind=repr(config.model_type),
            families=MASKED_FAMILIES,
        )
    _model_options(config, name)
    tokenizer = _read_tokenizer(name, local)
    if tokenizer.mask_token_id is None:
        raise EncoderError(
            "encoder {name}: its tokenizer has no mask; choose one that was trained with one", name=name
        )
    model, missing = _read_weights(AutoModelForMaskedLM, name, local, config)
    base = model.base_model
    _check_complete(name, model, base, missing)
    in_base = {id(parameter) for parameter in base.parameters()}
    named = dict(model.named_parameters(remove_duplicate=False))
    fresh = {key for key in missing if key in named and id(named[key]) not in in_base}
    return model, tokenizer, frozenset(fresh)


def read_structure(folder: Path) -> tuple[PreTrainedConfig, PreTrainedTokenizerFast]:
    """What :func:`write_structure` wrote.

    Raises:
        EncoderError: a file is missing or damaged, or has implausible sizes.
    """
    name = str(folder)
    if not folder.is_dir():
        raise EncoderError(
            "there is no encoder folder {folder}; copy the whole model folder again", folder=folder
        )
    config = _read_config(name, True)
    _check_sizes(config.to_dict(), name)
    return config, _read_tokenizer(name, True)


def read_published_structure(name: str) -> tuple[PreTrainedConfig, PreTrainedTokenizerFast]:
    """The config and the tokenizer of an encoder by hub name or folder, without weights.

    Raises:
        EncoderError: as :func:`read_pretrained`; a folder without weights is refused too.
    """
    if _is_tagger(name):
        return read_structure(Path(name) / ENCODER)
    local = _is_folder(name)
    config = _read_config(name, local)
    if local and not any(Path(name).glob("*.safetensors")):
        raise EncoderError(
            "encoder {name}: the folder has no safetensors weights, and pickled ones are not "
            "read; choose another",
            name=name,
        )
    return config, _read_tokenizer(name, local)


def write_structure(folder: Path, config: PreTrainedConfig, tokenizer: PreTrainedTokenizerFast) -> None:
    """Write ``config.json`` and the tokenizer's files; no weights."""
    folder.mkdir(parents=True, exist_ok=True)
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def build_encoder(config: PreTrainedConfig, name: str) -> PreTrainedModel:
    """An encoder of this structure with fresh weights, on torch's default device.

    Raises:
        EncoderError: the config describes no text encoder.
    """
    import_alone("transformers")
    from transformers import AutoModel

    options = _model_options(config, name)
    with _reading(name, True):
        whole = AutoModel.from_config(config, trust_remote_code=False, dtype=torch.float32, **options)
    return encoder_of(whole)


def encoder_of(model: PreTrainedModel) -> PreTrainedModel:
    """The encoder of an encoder-decoder model, any other model as it is."""
    if not model.config.is_encoder_decoder:
        return model
    return cast("PreTrainedModel", model.get_encoder())


def _is_tagger(name: str) -> bool:
    """Whether ``name`` is the folder of a trained tagger that has a transformer."""
    return (Path(name) / ENCODER / "config.json").is_file() and (Path(name) / TENSORS).is_file()


def _read_fine_tuned(folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """The transformer inside a trained tagger, with the weights that the training left.

    Raises:
        EncoderError: a file is damaged, or the weights are not those of one such transformer.
    """
    config, tokenizer = read_structure(folder / ENCODER)
    model = build_encoder(config, str(folder))
    wanted = model.state_dict()
    last = max(wanted, key=len)
    with _reading(str(folder), True), safe_open(folder / TENSORS, framework="pt") as tensors:
        names = set(tensors.keys())
        starts = [name.removesuffix(last) for name in names if name.endswith(last)]
        if len(starts) != 1 or not {starts[0] + name for name in wanted} <= names:
            raise EncoderError(
                "encoder {name}: its weights are not those of the transformer in {folder}; copy the whole "
                "model folder again, or choose another encoder",
                name=str(folder),
                folder=ENCODER,
            )
        model.load_state_dict({name: tensors.get_tensor(starts[0] + name) for name in wanted})
    return model, tokenizer


def is_hub_name(name: str) -> bool:
    """Whether ``name`` is spelt as the hub names its models; a folder may be called so too."""
    return _HUB_NAME.fullmatch(name) is not None


def _is_folder(name: str) -> bool:
    """Whether ``name`` is a folder rather than a hub name.

    Raises:
        EncoderError: it is neither.
    """
    if Path(name).is_dir():
        return True
    if not is_hub_name(name):
        raise EncoderError(
            "encoder: there is no folder {name}; give a folder, or a name as the hub has it", name=repr(name)
        )
    return False


def _model_options(config: PreTrainedConfig, name: str) -> dict[str, Any]:
    """The keyword arguments for AutoModel.

    Raises:
        EncoderError: this kind of model does not read text.
    """
    import_alone("transformers")
    from transformers import MODEL_MAPPING

    kind = config.model_type
    if type(config) not in MODEL_MAPPING:
        raise EncoderError(
            "encoder {name}: transformers has no model for {kind}; choose a text encoder",
            name=name,
            kind=repr(kind),
        )
    if getattr(config, "quantization_config", None) is not None:
        raise EncoderError(
            "encoder {name} is quantised and cannot be trained; choose its unquantised release", name=name
        )
    classes: Any = MODEL_MAPPING[type(config)]
    model = classes[0] if isinstance(classes, (list, tuple)) else classes
    if "input_ids" not in inspect.signature(model.forward).parameters:
        raise EncoderError(
            "encoder {name}: a {kind} model reads no text; choose a text encoder", name=name, kind=repr(kind)
        )
    options: dict[str, Any] = {"attn_implementation": "eager"}
    if "add_pooling_layer" in inspect.signature(model).parameters:
        options["add_pooling_layer"] = False
    return options


def _read_config(name: str, local: bool) -> PreTrainedConfig:
    import_alone("transformers")
    from transformers import AutoConfig

    with _reading(name, local):
        return AutoConfig.from_pretrained(name, trust_remote_code=False, local_files_only=local)


def _read_weights(
    auto: Any, name: str, local: bool, config: PreTrainedConfig, **options: Any
) -> tuple[PreTrainedModel, list[str]]:
    """The model of an auto class, and the names of parameters that its weights lack."""
    with _reading(name, local), quietly(local):
        model, report = auto.from_pretrained(
            name,
            config=config,
            trust_remote_code=False,
            local_files_only=local,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
            **options,
        )
    return model, report["missing_keys"]


def _read_tokenizer(name: str, local: bool) -> PreTrainedTokenizerFast:
    import_alone("transformers")
    from transformers import AutoTokenizer

    with _reading(name, local):
        tokenizer = AutoTokenizer.from_pretrained(
            name, trust_remote_code=False, local_files_only=local, use_fast=True
        )
    if not tokenizer.is_fast:
        raise EncoderError(
            "encoder {name} has no fast tokenizer (tokenizer.json), so its pieces cannot be "
            "laid over characters; choose a release that has one",
            name=name,
        )
    return cast("PreTrainedTokenizerFast", tokenizer)


def _check_complete(name: str, whole: nn.Module, encoder: nn.Module, missing: list[str]) -> None:
    """Refuse weights that lack part of the encoder, which would silently be random."""
    in_encoder = {id(parameter) for parameter in encoder.parameters()}
    named = dict(whole.named_parameters(remove_duplicate=False))
    lost = sorted(key for key in missing if key in named and id(named[key]) in in_encoder)
    if lost:
        raise EncoderError(
            "encoder {name}: its weights lack {first} and {more} more, so they are of another "
            "model than its config.json; download it again",
            name=name,
            first=lost[0],
            more=len(lost) - 1,
        )


def _check_sizes(value: Any, name: str, key: str = "") -> None:
    if isinstance(value, dict):
        for inner, item in value.items():
            _check_sizes(item, name, str(inner))
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check_sizes(item, name, key)
    elif type(value) is int:
        most = _MOST_MODULES if key.startswith("num_") or "layers" in key else _MOST
        if abs(value) > most:
            raise EncoderError(
                "encoder {name}: {key} is {value} in config.json, more than {most}; copy the model again",
                name=name,
                key=key,
                value=value,
                most=most,
            )


@contextmanager
def quietly(local: bool) -> Iterator[None]:
    """Suppress the report of unused weights; downloads still show progress bars."""
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    if local:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _reading(name: str, local: bool) -> Iterator[None]:
    """Turn what transformers raises while it reads ``name`` into an :class:`EncoderError`."""
    try:
        yield
    except EncoderError:
        raise
    except Exception as error:  # transformers, tokenizers and the hub raise all kinds of errors
        raise EncoderError(
            "encoder {name}: {reason}", name=name, reason=_reason(name, local, error)
        ) from error


def _reason(name: str, local: bool, error: Exception) -> Message:
    text = str(error)
    first = text.strip().splitlines()[0][:200] if text.strip() else type(error).__name__
    if "trust_remote_code" in text:
        return _("it needs code of its own, which is never run; choose a model that transformers knows")
    if "safetensors" in text:
        return _(
            "it has no safetensors weights, and pickled ones are not read; choose another ({reason})",
            reason=first,
        )
    if local:
        return _("the folder cannot be read ({reason}); download it again", reason=first)
    if "connect" in text or "offline" in text:
        return _(
            "there is no folder {name}, and the hub cannot be reached; check the connection, or download the "
            "model and give its folder",
            name=repr(name),
        )
    return _(
        "there is no folder {name}, and the hub refuses ({reason}); check the spelling",
        name=repr(name),
        reason=first,
    )
