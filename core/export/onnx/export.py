"""Writes a tagger as an ONNX folder, and checks it against the tagger before anybody relies on it."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import torch

from core.corpus.atomic import replace_folder
from core.encoders.elmo.options import ElmoOptions
from core.encoders.static_embeddings import StaticEmbedding
from core.export.decoder_of import (
    decoder_of,
    mean_span_decoder_of,
    mean_tag_decoder_of,
    query_decoder_of,
    run_decoder_of,
    span_decoder_of,
)
from core.export.errors import ExportError
from core.export.onnx import folder as onnx_folder
from core.export.onnx.comparison import largest_difference
from core.export.onnx.features.by_tagger import FEATURES
from core.export.onnx.features.features import ElmoReading, Sources
from core.export.onnx.graphs.choice import check_exportable, graph_of
from core.export.onnx.graphs.queries import MatchGraph
from core.export.onnx.queries import QuerySession
from core.export.onnx.session import GraphSession
from core.export.onnx.tracing import trace, trace_match
from core.runtime.message import _
from core.runtime.optional_packages import MissingPackage, check_installed
from core.taggers.base.tagger import Tagger
from core.taggers.elmo_crf.tagger import ElmoCrf
from core.taggers.ensemble.mean_spans import MeanSpans
from core.taggers.ensemble.mean_tags import MeanTags
from core.taggers.ensemble.tagger import Ensemble
from core.taggers.flat.tagger import Flat
from core.taggers.mrc.tagger import Mrc
from core.taggers.pu.encoder import PuEncoder
from core.taggers.pu.tagger import Pu
from core.taggers.sequence.encoder_features import EncoderFeatures
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.soft_lexicon.tagger import SoftLexicon
from core.taggers.span.tagger import SpanTagger

TOLERANCE = 1e-4  # of a score; float32 in another order of summation


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
    assert isinstance(tagger, SequenceTagger | SpanTagger | Pu | Mrc)
    encoder = tagger if isinstance(tagger, SequenceTagger | Mrc) else tagger.encoder
    reader = "pu" if isinstance(encoder, PuEncoder) else encoder.name
    sources = sources_of(encoder)
    onnx_folder.write(
        folder,
        tagger.name,
        reader,
        tagger.labels,
        sources,
        _dimensions(encoder),
        _decoder_of(tagger),
        tagger.usual_length,
    )
    try:
        graph = graph_of(tagger)
        trace(graph, FEATURES[reader](sources), folder / onnx_folder.GRAPH)
        if isinstance(tagger, Mrc):
            trace_match(MatchGraph(graph.tagger), tagger.features.width, folder / onnx_folder.MATCH)
    except torch.onnx.errors.OnnxExporterError as error:
        # An encoder or a layer that torch cannot trace; its message is pages long.
        raise ExportError(
            "{title} has no ONNX graph: {reason}", title=tagger.title, reason=str(error).splitlines()[0]
        ) from error
    described = onnx_folder.read(folder)
    assert isinstance(described, onnx_folder.OnnxFolder)
    session = QuerySession if isinstance(tagger, Mrc) else GraphSession
    worst = largest_difference(tagger, session(described, threads=0))
    if not worst <= TOLERANCE:
        raise ExportError(
            "the graph of {title} gives other scores than the tagger, by up to {difference}; "
            "nothing was written",
            title=tagger.title,
            difference=f"{worst:.2g}",
        )
    return worst


def _decoder_of(tagger: SequenceTagger | SpanTagger | Pu | Mrc) -> onnx_folder.Decoder:
    if isinstance(tagger, Mrc):
        return query_decoder_of(tagger)
    if isinstance(tagger, SpanTagger):
        return span_decoder_of(tagger)
    return run_decoder_of(tagger) if isinstance(tagger, Pu) else decoder_of(tagger)


def sources_of(tagger: SequenceTagger | Mrc) -> Sources:
    """What the runner makes inputs from, of this tagger."""
    config = tagger.config
    features = getattr(tagger, "features", None)
    return Sources(
        unit="word" if isinstance(tagger, SequenceTagger) and tagger.config.reads_words else "character",
        vocabularies={name: table.vocabulary for name, table in _tables(tagger).items()},
        lexicon=tagger.lexicon if isinstance(tagger, LexiconTagger) else None,
        longest_word=tagger.config.longest_read if isinstance(tagger, LexiconTagger) else 0,
        pieces=features.encoder.piece_windows if isinstance(features, EncoderFeatures) else None,
        pooling=getattr(config, "piece_pooling", "first"),
        lexicon_features=tagger.config.lexicon_features if isinstance(tagger, SoftLexicon) else "soft",
        word_queries=isinstance(tagger, Flat) and tagger.config.layers > 1,
        queries=tagger.queries if isinstance(tagger, Mrc) else (),
        elmo=_elmo_reading(tagger.elmo.options) if isinstance(tagger, ElmoCrf) else None,
    )


def _elmo_reading(options: ElmoOptions) -> ElmoReading:
    return ElmoReading(options.unit, options.longest_token, options.widest)


def _tables(tagger: Tagger) -> dict[str, StaticEmbedding]:
    return {name: part for name, part in tagger.named_children() if isinstance(part, StaticEmbedding)}


def _dimensions(tagger: Tagger) -> dict[str, int]:
    return {name: table.dimension for name, table in _tables(tagger).items()}


def _check_packages() -> None:
    try:
        for package in ("onnx", "onnxscript", "onnxruntime"):
            check_installed(package, package, _("Writing an ONNX graph"))
    except MissingPackage as error:
        raise ExportError(error.message) from None
