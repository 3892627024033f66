"""Writes a tagger as an ONNX folder, and checks it against the tagger before anybody relies on it."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.corpus.atomic import replace_folder
from core.encoders.static_embeddings import StaticEmbedding
from core.export.decoder_of import (
    decoder_of,
    mean_span_decoder_of,
    mean_tag_decoder_of,
    span_decoder_of,
)
from core.export.errors import ExportError
from core.export.onnx import folder as onnx_folder
from core.export.onnx.features import FEATURES, Sources
from core.export.onnx.graphs import Graph, check_exportable, graph_of
from core.export.onnx.session import GraphSession
from core.layers.evaluating import evaluating
from core.runtime.message import _
from core.runtime.optional_packages import MissingPackage, check_installed
from core.taggers.base.tagger import Tagger
from core.taggers.ensemble.mean_spans import MeanSpans
from core.taggers.ensemble.mean_tags import MeanTags
from core.taggers.ensemble.tagger import Ensemble
from core.taggers.flat.tagger import Flat
from core.taggers.sequence.encoder_features import EncoderFeatures
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.soft_lexicon.tagger import SoftLexicon
from core.taggers.span.tagger import SpanTagger
from core.text import Document

TOLERANCE = 1e-4  # of a score; float32 in another order of summation
OPSET = 18
# The axes of every input, by the names of `core.export.onnx.features`.
_AXES: dict[str, tuple[str | int, ...]] = {
    "mask": ("batch", "length"),
    "characters": ("batch", "length"),
    "bigrams": ("batch", "length"),
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
        the largest difference of a tag's or span's score between tagger and graph, on sample texts.

    Raises:
        ExportError: the tagger has no graph, a package is missing, or the graph does not give its scores.
        DiskFullError: nothing was written.
    """
    check_exportable(tagger)
    _check_packages()
    worst = 0.0

    def fill(fresh: Path) -> None:
        nonlocal worst
        worst = _write_ensemble(tagger, fresh) if isinstance(tagger, Ensemble) else _write(tagger, fresh)

    replace_folder(folder, fill)
    return worst


def _write_ensemble(ensemble: Ensemble, folder: Path) -> float:
    average, calibration = ensemble.average, ensemble.calibration
    decoder = (
        mean_span_decoder_of(average, calibration)
        if isinstance(average, MeanSpans)
        else mean_tag_decoder_of(cast(MeanTags, average), calibration)
    )
    onnx_folder.write_ensemble(folder, ensemble.name, ensemble.labels, len(ensemble.taggers), decoder)
    worst = 0.0
    for number, member in enumerate(ensemble.taggers, start=1):
        inner = onnx_folder.member_folder(folder, number)
        inner.mkdir(parents=True)
        worst = max(worst, _write(member, inner))
    return worst


def _write(tagger: Tagger, folder: Path) -> float:
    assert isinstance(tagger, SequenceTagger | SpanTagger)
    reader = tagger if isinstance(tagger, SequenceTagger) else tagger.encoder
    sources = sources_of(reader)
    decoder = span_decoder_of(tagger) if isinstance(tagger, SpanTagger) else decoder_of(tagger)
    onnx_folder.write(folder, tagger.name, reader.name, tagger.labels, sources, _dimensions(reader), decoder)
    try:
        _trace(graph_of(tagger), reader.name, sources, folder / onnx_folder.GRAPH)
    except torch.onnx.errors.OnnxExporterError as error:
        # An encoder or a layer that torch cannot trace; its message is pages long.
        raise ExportError(
            "{title} has no ONNX graph: {reason}", title=tagger.title, reason=str(error).splitlines()[0]
        ) from error
    described = onnx_folder.read(folder)
    assert isinstance(described, onnx_folder.OnnxFolder)
    worst = largest_difference(tagger, GraphSession(described, threads=0))
    if not worst <= TOLERANCE:
        raise ExportError(
            "the graph of {title} gives other scores than the tagger, by up to {difference}; "
            "nothing was written",
            title=tagger.title,
            difference=f"{worst:.2g}",
        )
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


def largest_difference(tagger: SequenceTagger | SpanTagger, exported: GraphSession) -> float:
    """The largest difference of a tag's or span's score between a tagger and its graph, on sample texts,
    alone and in a batch."""
    samples = tuple(Document(str(number), text) for number, text in enumerate(_SAMPLES))
    worst = 0.0
    with torch.inference_mode(), evaluating(tagger):
        for documents in (samples, samples[:1], samples[3:4]):
            batch = tagger.collate(documents).to(tagger.device)
            found = differences(tagger, batch, exported.run(documents).scores)
            worst = max(worst, float(found.max(initial=0)))
    return worst


def differences(
    tagger: SequenceTagger | SpanTagger, batch: Any, scores: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How far the scores of a graph are from those of its tagger, ``[N, K]`` of N units or possible spans.

    Of a span's score beyond 1 in size it is the share: what the characters inside say is a difference of long
    sums, and it is large for a span out of the question.
    """
    if not isinstance(tagger, SpanTagger):
        mask = batch.mask.cpu().numpy()
        return np.abs(scores - tagger.emissions(batch).cpu().numpy())[mask]
    own = tagger.scores(batch)
    row, start, offset = own.mask.nonzero().cpu().numpy().T
    expected = own.scores.permute(0, 2, 3, 1).cpu().numpy()[row, start, offset]
    found = scores.transpose(0, 2, 3, 1)[row, start, start + offset]
    return np.abs(found - expected) / np.maximum(np.abs(expected), 1)


def _tables(tagger: SequenceTagger) -> dict[str, StaticEmbedding]:
    return {name: part for name, part in tagger.named_children() if isinstance(part, StaticEmbedding)}


def _dimensions(tagger: SequenceTagger) -> dict[str, int]:
    return {name: table.dimension for name, table in _tables(tagger).items()}


def _trace(graph: Graph, reader: str, sources: Sources, path: Path) -> None:
    # Every size at least 2: torch takes 0 and 1 for constants.
    names = list(FEATURES[reader](sources)([Document("", "a b"), Document("", "c")]))
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


def _check_packages() -> None:
    try:
        for package in ("onnx", "onnxscript", "onnxruntime"):
            check_installed(package, package, _("Writing an ONNX graph"))
    except MissingPackage as error:
        raise ExportError(error.message) from None
