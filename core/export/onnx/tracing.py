"""Writes a graph with every size open."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from core.export.onnx.features.features import Features
from core.export.onnx.graphs.graph import Graph
from core.text import Document

OPSET = 18
# The axes of every input, by the names of `core.export.onnx.features`.
_AXES: dict[str, tuple[str | int, ...]] = {
    "mask": ("batch", "length"),
    "characters": ("batch", "length"),
    "bigrams": ("batch", "length"),
    "kinds": ("batch", "length"),
    "tokens": ("batch", "length"),
    "shapes": ("batch", "length"),
    "spelt": ("batch", "length"),
    "spellings": ("spelt_words", "spelt_characters"),
    "segments": ("batch", "length"),
    "piece_ids": ("windows", "pieces"),
    "piece_mask": ("windows", "pieces"),
    "piece_types": ("windows", "pieces"),
    "unit_pieces": ("batch", "length", "most_pieces"),
    "slots": ("entries",),
    "words": ("entries",),
    "word_first": ("entries",),
    "word_last": ("entries",),
    "word_length": ("entries",),
    "word_rows": ("batch", "words"),
    "word_mask": ("batch", "words"),
    "char_distances": ("char_encodings", 4),
    "char_pairs": ("batch", "length", "nodes"),
    "word_distances": ("word_encodings", 4),
    "word_pairs": ("batch", "words", "nodes"),
}
_SIZES = {
    "batch": 2, "length": 7, "windows": 3, "pieces": 9, "most_pieces": 2, "entries": 6, "words": 4,
    "char_encodings": 5, "word_encodings": 8, "nodes": 11,
    "spelt_words": 5, "spelt_characters": 4,
}  # fmt: skip


def trace(graph: Graph, features: Features, path: Path) -> None:
    """Write the graph that reads these features.

    Raises:
        torch.onnx.errors.OnnxExporterError: torch cannot trace it.
    """
    # Every size at least 2: torch takes 0 and 1 for constants.
    names = list(features([Document("", "a b"), Document("", "c")]))
    arrays: dict[str, Tensor] = {}
    for name in names:
        shape = [axis if isinstance(axis, int) else _SIZES[axis] for axis in _AXES[name]]
        masks = name in ("mask", "word_mask")
        arrays[name] = torch.ones(shape, dtype=torch.bool) if masks else torch.zeros(shape, dtype=torch.long)
    if "piece_mask" in arrays:
        arrays["piece_mask"] += 1
    axes = {
        name: {place: axis for place, axis in enumerate(_AXES[name]) if isinstance(axis, str)}
        for name in names
    }
    with _quietly(), torch.no_grad():
        program = torch.onnx.export(
            graph,
            kwargs={"arrays": arrays},
            input_names=names,
            output_names=["scores"],
            dynamic_shapes={"arrays": {name: _dynamic(places) for name, places in axes.items()}},
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
        assert program is not None
        program.save(str(path), external_data=False)


def _dynamic(places: dict[int, str]) -> dict[int, object]:
    return dict.fromkeys(places, torch.export.Dim.DYNAMIC)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """What torch's exporter tells its developers is of no use to people."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
