"""Writes a graph with every size open."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
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
    "elmo_rows": ("tokens", "bytes"),
    "elmo_tokens": ("batch", "places"),
    "elmo_lengths": ("batch",),
    "token_of": ("batch", "length"),
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
    "registers": ("registers",),
    "mirror": ("batch", "length"),
    "word_entry": ("length", 2, "beginning"),
    "word_sentence": ("length", 2, "beginning"),
    "word_end": ("length", 2, "beginning"),
    "word_register": ("length", 2, "beginning"),
    "word_ending": ("length", "ending", 2, "batch"),
    "word_rows": ("batch", "words"),
    "word_mask": ("batch", "words"),
    "char_distances": ("char_encodings", 4),
    "char_pairs": ("batch", "length", "words"),
    "word_distances": ("word_encodings", 4),
    "word_pairs": ("batch", "words", "nodes"),
}
# Every size at least 2: torch takes 0 and 1 for constants. Of bytes there are those of the features, as many
# as the widest filter at least.
_SIZES = {
    "batch": 2, "length": 7, "windows": 3, "pieces": 9, "most_pieces": 2, "entries": 6, "words": 4,
    "char_encodings": 5, "word_encodings": 8, "nodes": 11,
    "tokens": 6, "places": 8, "registers": 5, "beginning": 4, "ending": 3,
    "spelt_words": 5, "spelt_characters": 4,
}  # fmt: skip


def trace(graph: Graph, features: Features, path: Path) -> None:
    """Write the graph that reads these features.

    Raises:
        torch.onnx.errors.OnnxExporterError: torch cannot trace it.
    """
    arrays: dict[str, Tensor] = {}
    for name, real in features([Document("", "a b"), Document("", "c")]).items():
        sizes = zip(_AXES[name], real.shape, strict=True)
        shape = [axis if isinstance(axis, int) else _SIZES.get(axis, size) for axis, size in sizes]
        masks = name in ("mask", "word_mask")
        arrays[name] = torch.ones(shape, dtype=torch.bool) if masks else torch.zeros(shape, dtype=torch.long)
    if "piece_mask" in arrays:
        arrays["piece_mask"] += 1
    axes = {
        name: [place for place, axis in enumerate(_AXES[name]) if isinstance(axis, str)] for name in arrays
    }
    _write(graph, arrays, axes, path)


def trace_match(graph: Graph, width: int, path: Path) -> None:
    """Write the graph that matches starts with ends, of states of this width."""
    arrays = {
        "starts": torch.zeros(3, width),
        "ends": torch.zeros(4, width),
        "start_of": torch.zeros(5, dtype=torch.long),
        "end_of": torch.zeros(5, dtype=torch.long),
    }
    _write(graph, arrays, {name: [0] for name in arrays}, path)


def _write(graph: Graph, arrays: dict[str, Tensor], axes: Mapping[str, Sequence[int]], path: Path) -> None:
    """Trace with these arrays, of which ``axes`` are open."""
    dynamic = {name: dict.fromkeys(places, torch.export.Dim.DYNAMIC) for name, places in axes.items()}
    with _quietly(), torch.no_grad():
        program = torch.onnx.export(
            graph,
            kwargs={"arrays": arrays},
            input_names=list(arrays),
            output_names=list(graph.outputs),
            dynamic_shapes={"arrays": dynamic},
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
        assert program is not None
        program.save(str(path), external_data=False)


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
