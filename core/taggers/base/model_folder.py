"""A trained tagger as a folder of plain files: JSON, safetensors, and the lexicon's words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from core.lexicon import Lexicon, LexiconError
from core.runtime.message import _, damage_of
from core.taggers.base.calibration import Calibration
from core.taggers.base.config_fields import ConfigError, config_fields, config_from_json, config_from_settings
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import ModelFolderError, Tagger, TaggerConfig
from core.text.overlap import usual_length_of

__all__ = [
    "ModelHeader",
    "config_fields",
    "config_from_settings",
    "load_tagger",
    "read_header",
    "read_json",
    "read_lexicon",
    "read_tensors",
    "with_weights",
    "write_header",
    "write_tensors",
]

AnyTagger = TypeVar("AnyTagger", bound=Tagger)

HEADER = "config.json"
TENSORS = "model.safetensors"
LEXICON = "lexicon"
FORMAT = 1
HINT = _("copy the whole model folder again, or train the tagger again")


@dataclass(frozen=True)
class ModelHeader:
    """The content of ``config.json``: the tagger, its labels, its config as JSON values, its calibration.

    Args:
        given: what was given for options that the training texts settled, such as ``unit=auto``.
        usual_length: see `Tagger`.
    """

    tagger: str
    labels: tuple[str, ...]
    config: Mapping[str, Any]
    given: Mapping[str, Any] = field(default_factory=dict)
    calibration: Calibration = field(default_factory=Calibration)
    usual_length: int | None = None

    def config_of(self, folder: Path, config: type[TaggerConfig]) -> TaggerConfig:
        """The typed config.

        Raises:
            ModelFolderError: a field is unknown, of a wrong type or out of range.
        """
        try:
            return config_from_json(config, self.config)
        except ConfigError as error:
            raise ModelFolderError(
                "{path}: {reason}; {hint}", path=folder / HEADER, reason=error, hint=HINT
            ) from None

    def changed(self) -> dict[str, Any]:
        """The options that were given other values than the tagger's defaults; a header holds all of them.

        Raises:
            UnknownTaggerError: there is no such tagger.
        """
        options = config_fields(by_name(self.tagger).Config)
        defaults = {option.name: option.default for option in options}
        return {
            name: value
            for name, value in {**self.config, **self.given}.items()
            if name not in defaults or value != defaults[name]
        }


def load_tagger(folder: Path) -> Tagger:
    """The tagger saved in ``folder``, whichever it is, in evaluation mode on the CPU.

    Raises:
        ModelFolderError: the folder or a file in it is missing, damaged or does not fit; says which.
    """
    header = read_header(folder)
    try:
        tagger = by_name(header.tagger)
    except UnknownTaggerError as error:
        raise ModelFolderError(
            "{path}: {reason}; update LatticeLens or train again", path=folder / HEADER, reason=error
        ) from None
    return tagger.load(folder)


def with_weights(folder: Path, make: Callable[[], AnyTagger]) -> AnyTagger:
    """A tagger from ``make`` with the weights and the calibration saved in ``folder``, in evaluation mode.

    Shapes are compared before memory is allocated, because the files may be hostile. The state of the random
    generators does not change.

    Args:
        make: a fresh tagger of the saved structure, each time.

    Raises:
        ModelFolderError: as ``read_tensors`` and ``read_header``.
    """
    with torch.device("meta"):
        expected = {name: tuple(tensor.shape) for name, tensor in make().state_dict().items()}
    tensors = read_tensors(folder, expected)
    with torch.random.fork_rng(devices=[]):
        tagger = make()
    tagger.load_state_dict(tensors)
    header = read_header(folder)
    tagger.calibration, tagger.usual_length = header.calibration, header.usual_length
    return tagger.eval()


def write_header(folder: Path, tagger: Tagger) -> None:
    """Write ``config.json``."""
    header = {
        "format": FORMAT,
        "tagger": tagger.name,
        "labels": list(tagger.labels),
        "config": asdict(tagger.config),
        "given": dict(tagger.given),
    }
    if tagger.calibration != Calibration():
        header["calibration"] = tagger.calibration.to_json()
    if tagger.usual_length is not None:
        header["usual_length"] = tagger.usual_length
    write_json(folder / HEADER, header)


def read_header(folder: Path) -> ModelHeader:
    """Read ``config.json``.

    Raises:
        ModelFolderError: it is missing or does not describe a tagger.
    """
    path = folder / HEADER
    if not folder.is_dir():
        raise ModelFolderError(
            "there is no model folder {folder}; give the folder that training wrote", folder=folder
        )
    header = read_json(path)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFolderError(
            "{path} does not describe a tagger of format {format}; {hint}",
            path=path,
            format=FORMAT,
            hint=HINT,
        )
    tagger, labels, config = header.get("tagger"), header.get("labels"), header.get("config")
    if not isinstance(tagger, str) or not isinstance(config, dict):
        raise ModelFolderError(
            "{path} needs 'tagger' (a name) and 'config' (an object); {hint}", path=path, hint=HINT
        )
    if not isinstance(labels, list) or not all(isinstance(label, str) and label for label in labels):
        raise ModelFolderError("{path}: 'labels' must be a list of names; {hint}", path=path, hint=HINT)
    if len(set(labels)) != len(labels):
        raise ModelFolderError("{path}: a label is listed twice; {hint}", path=path, hint=HINT)
    given = header.get("given", {})
    if not isinstance(given, dict) or not set(given) <= set(config):
        raise ModelFolderError("{path}: 'given' must hold options of 'config'; {hint}", path=path, hint=HINT)
    kept = header.get("calibration")
    try:
        calibration = Calibration() if kept is None else Calibration.from_json(kept, labels)
    except ValueError as error:
        raise ModelFolderError(
            "{path}: 'calibration' is malformed ({reason}); {hint}", path=path, reason=str(error), hint=HINT
        ) from None
    try:
        usual = usual_length_of(header)
    except ValueError as error:
        raise ModelFolderError("{path}: {reason}; {hint}", path=path, reason=error, hint=HINT) from None
    return ModelHeader(tagger, tuple(labels), config, given, calibration, usual)


def write_json(path: Path, value: Any) -> None:
    """Write JSON as UTF-8."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """Read JSON.

    Raises:
        ModelFolderError: the file is missing or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelFolderError("{path} is missing; {hint}", path=path, hint=HINT) from None
    except OSError as error:
        raise ModelFolderError(
            "{path} cannot be read: {reason}; {hint}", path=path, reason=error, hint=HINT
        ) from None
    except (ValueError, RecursionError):
        raise ModelFolderError("{path} is not JSON, perhaps cut off; {hint}", path=path, hint=HINT) from None


def write_tensors(folder: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write ``model.safetensors``."""
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    (folder / TENSORS).write_bytes(save(plain))


def read_tensors(folder: Path, expected: Mapping[str, Sequence[int]]) -> dict[str, Tensor]:
    """Read ``model.safetensors``, names and shapes checked before any value is read.

    Args:
        expected: shape of every tensor there must be.

    Raises:
        ModelFolderError: the file is missing or cut off, or a tensor is missing, unknown or of another shape.
    """
    path = folder / TENSORS
    if not path.is_file():
        raise ModelFolderError("{path} is missing; {hint}", path=path, hint=HINT)
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            names = set(file.keys())
            for name in sorted(names ^ set(expected)):
                where = _("has no tensor") if name in expected else _("has a tensor too many:")
                raise ModelFolderError(
                    "{path} {where} {name}, so it is of another model than {header}; {hint}",
                    path=path,
                    where=where,
                    name=name,
                    header=HEADER,
                    hint=HINT,
                )
            for name, shape in expected.items():
                stored = file.get_slice(name).get_shape()
                if list(stored) != list(shape):
                    raise ModelFolderError(
                        "{path}: {name} has shape {stored}, not {shape}; {hint}",
                        path=path,
                        name=name,
                        stored=str(stored),
                        shape=str(list(shape)),
                        hint=HINT,
                    )
            tensors = {name: file.get_tensor(name) for name in expected}
    except (SafetensorError, OSError) as error:
        raise ModelFolderError(
            "{path} is damaged or cut off ({reason}); {hint}", path=path, reason=damage_of(error), hint=HINT
        ) from None
    for name, tensor in tensors.items():
        if not tensor.is_floating_point() or not bool(torch.isfinite(tensor).all()):
            raise ModelFolderError(
                "{path}: {name} holds values that are no finite numbers; {hint}",
                path=path,
                name=name,
                hint=HINT,
            )
    return tensors


def read_lexicon(folder: Path) -> Lexicon:
    """The lexicon saved with a model.

    Raises:
        ModelFolderError: naming the file.
    """
    try:
        return Lexicon.load(folder / LEXICON)
    except LexiconError as error:
        raise ModelFolderError("{reason}; {hint}", reason=error, hint=HINT) from None
