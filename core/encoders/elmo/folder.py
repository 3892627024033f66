"""Loads an ELMo from a folder: published weights, or a biLM trained here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.encoders.elmo.encoder import Elmo
from core.encoders.elmo.options import ElmoError, read_options
from core.encoders.elmo.weights import read_weights
from core.runtime.message import damage_of

OPTIONS = "options.json"
WEIGHTS = "bilm.safetensors"
PREFIX = "elmo."


def read_structure(folder: Path) -> Elmo:
    """The ELMo in ``folder`` without its weights, on torch's meta device.

    Raises:
        ElmoError: there is no folder, or its options do not describe an ELMo; says which.
    """
    if not folder.is_dir():
        raise ElmoError(
            "there is no folder {folder}; give one that holds options.json and weights", folder=folder
        )
    with torch.device("meta"):
        return Elmo(read_options(only_file(folder, "*options.json")))


def read_elmo(folder: Path) -> Elmo:
    """The ELMo in ``folder``: one ``…options.json`` beside one ``…weights.hdf5``, or a biLM trained here.

    Raises:
        ElmoError: a file is missing, damaged or does not fit; says which.
    """
    elmo = read_structure(folder)
    options = elmo.options
    if (folder / WEIGHTS).is_file():
        expected = {f"{PREFIX}{name}": tuple(value.shape) for name, value in elmo.state_dict().items()}
        tensors = read_tensors(folder / WEIGHTS, expected)
        state = {name[len(PREFIX) :]: value for name, value in tensors.items()}
    else:
        state = read_weights(only_file(folder, "*weights.hdf5"), options)
    elmo = elmo.to_empty(device="cpu")
    elmo.load_state_dict(state)
    return elmo.eval()


def only_file(folder: Path, pattern: str) -> Path:
    """The only file in a folder that matches a pattern.

    Raises:
        ElmoError: there is none, or there are several.
    """
    paths = sorted(folder.glob(pattern))
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths[:3]) or "none"
        raise ElmoError(
            "{folder} must hold one file {pattern}, there is: {names}",
            folder=folder,
            pattern=pattern,
            names=names,
        )
    return paths[0]


def read_tensors(path: Path, expected: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Tensors of a safetensors file; shapes are compared before values are read.

    Raises:
        ElmoError: the file is damaged, or a tensor is missing, of another shape, or holds no finite numbers.
    """
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            names = set(file.keys())
            for name, shape in expected.items():
                if name not in names:
                    raise ElmoError(
                        "{path} has no tensor {name}, so it is of another model than {options}",
                        path=path,
                        name=name,
                        options=OPTIONS,
                    )
                shape_in_file = tuple(file.get_slice(name).get_shape())
                if shape_in_file != tuple(shape):
                    raise ElmoError(
                        "{path}: {name} has shape {got}, the options ask for {wanted}",
                        path=path,
                        name=name,
                        got=str(shape_in_file),
                        wanted=str(tuple(shape)),
                    )
            tensors = {name: file.get_tensor(name) for name in expected}
    except (SafetensorError, OSError) as error:
        raise ElmoError(
            "{path} is damaged or cut off ({reason}); copy the folder again",
            path=path,
            reason=damage_of(error),
        ) from None
    for name, tensor in tensors.items():
        if not tensor.is_floating_point() or not bool(torch.isfinite(tensor).all()):
            raise ElmoError(
                "{path}: {name} holds values that are no finite numbers; copy the folder again",
                path=path,
                name=name,
            )
    return tensors
