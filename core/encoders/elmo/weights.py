"""Reads published ELMo weights in the HDF5 layout of the original implementation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from core.encoders.elmo.options import ElmoError, ElmoOptions
from core.encoders.elmo.tokens import CHARACTERS
from core.runtime.message import _, damage_of
from core.runtime.optional_packages import MissingPackage, load

if TYPE_CHECKING:
    import h5py

FORGET_BIAS = 1.0  # the original adds it at every step, so the file does not hold it


def read_weights(path: Path, options: ElmoOptions) -> dict[str, Tensor]:
    """The state of an `Elmo` of these options.

    Raises:
        ElmoError: h5py is not installed, the file is not HDF5, lacks an array, or an array has another shape
            or is not numeric.
    """
    shapes = published_shapes(options)
    try:
        h5py = load("h5py", "h5py", _("Reading published ELMo weights"))
    except MissingPackage as error:
        raise ElmoError(error.message) from None
    try:
        with h5py.File(path, "r") as file:
            for name, shape in shapes.items():
                _check(path, file, name, shape)
            arrays = {name: torch.from_numpy(file[name][()].astype(np.float32)) for name in shapes}
    except (OSError, RuntimeError, KeyError) as error:
        raise ElmoError(
            "{path} cannot be read as HDF5 ({reason}); download it again", path=path, reason=damage_of(error)
        ) from None
    for name, array in arrays.items():
        if not bool(torch.isfinite(array).all()):
            raise ElmoError(
                "{path}: {name} holds values that are no finite numbers; download it again",
                path=path,
                name=name,
            )
    return dict(_converted(arrays, options))


def published_shapes(options: ElmoOptions) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a published file."""
    count = sum(number for _, number in options.filters)
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (CHARACTERS, options.char_width)}
    for index, (width, number) in enumerate(options.filters):
        shapes[f"CNN/W_cnn_{index}"] = (1, width, options.char_width, number)
        shapes[f"CNN/b_cnn_{index}"] = (number,)
    for layer in range(options.highways):
        for gate in ("carry", "transform"):
            shapes[f"CNN_high_{layer}/W_{gate}"] = (count, count)
            shapes[f"CNN_high_{layer}/b_{gate}"] = (count,)
    if count != options.projection:
        shapes["CNN_proj/W_proj"] = (count, options.projection)
        shapes["CNN_proj/b_proj"] = (options.projection,)
    for direction in range(2):
        for layer in range(options.layers):
            cell = _cell(direction, layer)
            shapes[f"{cell}/W_0"] = (2 * options.projection, 4 * options.cells)
            shapes[f"{cell}/B"] = (4 * options.cells,)
            shapes[f"{cell}/W_P_0"] = (options.cells, options.projection)
    return shapes


def _cell(direction: int, layer: int) -> str:
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"


def _check(path: Path, file: h5py.File, name: str, shape: Sequence[int]) -> None:
    """Refuse arrays that are not stored in the file in this shape: a few bytes may claim any amount of
    memory."""
    import h5py

    steps = name.split("/")
    links = [file.get("/".join(steps[: end + 1]), getlink=True) for end in range(len(steps))]
    if not all(isinstance(link, h5py.HardLink) for link in links) or not isinstance(
        array := file[name], h5py.Dataset
    ):
        raise ElmoError(
            "{path} has no array {name}, so it does not belong to these options", path=path, name=name
        )
    if array.shape != tuple(shape):
        raise ElmoError(
            "{path}: {name} has shape {shape}, the options ask for {wanted}; take options and "
            "weights of the same model",
            path=path,
            name=name,
            shape=str(array.shape),
            wanted=str(tuple(shape)),
        )
    if array.dtype.kind != "f" or array.is_virtual or array.external:
        raise ElmoError(
            "{path}: {name} must hold floating-point numbers in the file itself", path=path, name=name
        )
    if array.id.get_storage_size() < array.nbytes:
        raise ElmoError(
            "{path}: {name} is packed or cut off; write it without compression", path=path, name=name
        )


def _converted(arrays: Mapping[str, Tensor], options: ElmoOptions) -> Iterator[tuple[str, Tensor]]:
    yield "char_cnn.embedding.weight", arrays["char_embed"]
    for index in range(len(options.filters)):
        # shape: (1, W, D, N) -> (N, D, W)
        weight = arrays[f"CNN/W_cnn_{index}"][0].permute(2, 1, 0).contiguous()
        yield f"char_cnn.convolutions.{index}.weight", weight
        yield f"char_cnn.convolutions.{index}.bias", arrays[f"CNN/b_cnn_{index}"]
    for layer in range(options.highways):
        # The original's carry gate weighs the transformed input.
        for ours, theirs in (("gates", "carry"), ("transforms", "transform")):
            yield f"char_cnn.highway.{ours}.{layer}.weight", arrays[f"CNN_high_{layer}/W_{theirs}"].T
            yield f"char_cnn.highway.{ours}.{layer}.bias", arrays[f"CNN_high_{layer}/b_{theirs}"]
    if "CNN_proj/W_proj" in arrays:
        yield "char_cnn.projection.weight", arrays["CNN_proj/W_proj"].T
        yield "char_cnn.projection.bias", arrays["CNN_proj/b_proj"]
    for layer in range(options.layers):
        cells = [_cell(direction, layer) for direction in range(2)]
        weight = torch.stack([_reordered(arrays[f"{cell}/W_0"]) for cell in cells])
        bias = torch.stack([_reordered(arrays[f"{cell}/B"]) for cell in cells])
        bias[:, options.cells : 2 * options.cells] += FORGET_BIAS
        yield f"bilstm.lstms.{layer}.weight_input", weight[:, : options.projection]
        yield f"bilstm.lstms.{layer}.weight_recurrent", weight[:, options.projection :]
        yield f"bilstm.lstms.{layer}.bias", bias
        projection = torch.stack([arrays[f"{cell}/W_P_0"] for cell in cells])
        yield f"bilstm.lstms.{layer}.weight_projection", projection


def _reordered(gates: Tensor) -> Tensor:
    """Reorder the gates i, g, f, o of the original to i, f, o, g."""
    i, g, f, o = gates.chunk(4, dim=-1)
    return torch.cat([i, f, o, g], dim=-1)
