"""Writes a tagger as an ONNX folder, and checks it against the tagger before anybody relies on it."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from core.corpus.atomic import replace_folder
from core.encoders.static_embeddings import StaticEmbedding
from core.export.decoder_of import decoder_of
from core.export.errors import ExportError
from core.export.onnx import folder as onnx_folder
from core.export.onnx.features import FEATURES, Sources
from core.export.onnx.graphs import Graph, check_exportable, graph_of
from core.export.onnx.runner import OnnxTagger
from core.layers.evaluating import evaluating
from core.runtime.message import _
from core.runtime.optional_packages import MissingPackage, check_installed
from core.taggers.base.tagger import Tagger
from core.taggers.flat.tagger import Flat
from core.taggers.sequence.encoder_features import EncoderFeatures
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.soft_lexicon.tagger import SoftLexicon
from core.text import Document

TOLERANCE = 1e-4  # of a tag score; float32 in another order of summation
OPSET = 18
# The axes of every input, by the names of `core.export.onnx.features`.
_AXES: dict[str, tuple[str | int, ...]] = {
    "mask": ("batch", "length"),
    "characters": ("batch", "length"),
    "bigrams": ("batch", "length"),
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
}  # fmt: skip
_SAMPLES = (
    "清河大学在1999年下雨了。",
    "林晚晴没去 New York，她在清河教书！😀",
    "Lin of Qinghe University hired 3 people.",
    "京",
    "二〇二四年七月，上海市浦东新区人民法院公开开庭审理了本案，原告张三与被告李四到庭参加诉讼。",
)


def export(tagger: Tagger, folder: Path) -> float:
    """Write a tagger into ``folder``, which is replaced.

    Returns:
        the largest difference of a tag score between tagger and graph, on sample texts.

    Raises:
        ExportError: the tagger has no graph, a package is missing, or the graph does not give its scores.
        DiskFullError: nothing was written.
    """
    check_exportable(tagger)
    assert isinstance(tagger, SequenceTagger)
    _check_packages()
    worst = 0.0

    def fill(fresh: Path) -> None:
        nonlocal worst
        sources = sources_of(tagger)
        onnx_folder.write(fresh, tagger.name, tagger.labels, sources, _dimensions(tagger), decoder_of(tagger))
        try:
            _trace(graph_of(tagger), sources, fresh / onnx_folder.GRAPH)
        except torch.onnx.errors.OnnxExporterError as error:
            # An encoder or a layer that torch cannot trace; its message is pages long.
            raise ExportError(
                "{title} has no ONNX graph: {reason}", title=tagger.title, reason=str(error).splitlines()[0]
            ) from error
        worst = largest_difference(tagger, OnnxTagger(fresh))
        if not worst <= TOLERANCE:
            raise ExportError(
                "the graph of {title} gives other tag scores than the tagger, by up to {difference}; "
                "nothing was written",
                title=tagger.title,
                difference=f"{worst:.2g}",
            )

    replace_folder(folder, fill)
    return worst


def sources_of(tagger: SequenceTagger) -> Sources:
    """What the runner makes inputs from, of this tagger."""
    config = tagger.config
    features = getattr(tagger, "features", None)
    return Sources(
        unit="word" if config.reads_words else "character",
        vocabularies={name: table.vocabulary for name, table in _tables(tagger).items()},
        lexicon=tagger.lexicon if isinstance(tagger, LexiconTagger) else None,
        longest_word=tagger.config.longest_read if isinstance(tagger, LexiconTagger) else 0,
        pieces=features.encoder.piece_windows if isinstance(features, EncoderFeatures) else None,
        pooling=getattr(config, "piece_pooling", "first"),
        lexicon_features=tagger.config.lexicon_features if isinstance(tagger, SoftLexicon) else "soft",
        word_queries=isinstance(tagger, Flat) and tagger.config.layers > 1,
    )


def largest_difference(tagger: SequenceTagger, exported: OnnxTagger) -> float:
    """The largest difference of a tag score between a tagger and its graph, on sample texts, alone and in a
    batch."""
    samples = tuple(Document(str(number), text) for number, text in enumerate(_SAMPLES))
    worst = 0.0
    with torch.inference_mode(), evaluating(tagger):
        for documents in (samples, samples[:1], samples[3:4]):
            batch = tagger.collate(documents).to(tagger.device)
            expected = tagger.emissions(batch).cpu().numpy()  # type: ignore[arg-type]
            mask = batch.mask.cpu().numpy()  # type: ignore[attr-defined]
            worst = max(worst, float(np.abs(exported.emissions(documents) - expected)[mask].max(initial=0)))
    return worst


def _tables(tagger: SequenceTagger) -> dict[str, StaticEmbedding]:
    return {name: part for name, part in tagger.named_children() if isinstance(part, StaticEmbedding)}


def _dimensions(tagger: SequenceTagger) -> dict[str, int]:
    return {name: table.dimension for name, table in _tables(tagger).items()}


def _trace(graph: Graph, sources: Sources, path: Path) -> None:
    # Every size at least 2: torch takes 0 and 1 for constants.
    names = list(FEATURES[graph.tagger.name](sources)([Document("", "ab"), Document("", "c")]))
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
            output_names=["emissions"],
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


def _check_packages() -> None:
    try:
        for package in ("onnx", "onnxscript", "onnxruntime"):
            check_installed(package, package, _("Writing an ONNX graph"))
    except MissingPackage as error:
        raise ExportError(error.message) from None
