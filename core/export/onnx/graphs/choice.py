"""The graph of a tagger, or the reason why it has none."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from core.export.errors import ExportError
from core.export.onnx.graphs.flat import FlatGraph
from core.export.onnx.graphs.graph import Graph
from core.export.onnx.graphs.heads import HeadGraph, PuGraph, SpanGraph
from core.export.onnx.graphs.lattice import LatticeLstmGraph
from core.export.onnx.graphs.queries import QueryGraph
from core.export.onnx.graphs.recurrent import with_onnx_operators
from core.export.onnx.graphs.sequence import (
    CharacterGraph,
    ElmoGraph,
    LrCnnGraph,
    PieceGraph,
    PuEncoderGraph,
    SoftLexiconGraph,
)
from core.runtime.message import _
from core.taggers.base.tagger import Tagger
from core.taggers.bert import Bert
from core.taggers.bilstm_crf import BiLstmCrf
from core.taggers.elmo_crf.tagger import ElmoCrf
from core.taggers.ensemble.tagger import Ensemble
from core.taggers.flat.tagger import Flat
from core.taggers.lattice_lstm import LatticeLstmCrf
from core.taggers.lr_cnn import LrCnn
from core.taggers.mrc.tagger import Mrc
from core.taggers.pu.encoder import PuEncoder
from core.taggers.pu.tagger import Pu
from core.taggers.sequence.over_encoder import OverEncoder
from core.taggers.soft_lexicon.tagger import SoftLexicon
from core.taggers.span.tagger import SpanTagger

# Families of encoders whose pieces attend to padding, or whose layers have sizes of their own.
_UNTRACEABLE = frozenset({"convbert", "fnet", "nystromformer", "yoso", "big_bird", "reformer", "funnel"})


def graph_of(tagger: Tagger) -> Graph:
    """The graph of a tagger, of a copy on the CPU.

    Raises:
        ExportError: it has none; says why.
    """
    check_exportable(tagger)
    copied = with_onnx_operators(deepcopy(tagger).cpu().float().eval())
    return _graph(copied).eval()


def check_exportable(tagger: Tagger) -> None:
    """Refuse a tagger without a graph.

    Raises:
        ExportError: names the tagger and the reason.
    """
    if isinstance(tagger, OverEncoder | Ensemble):
        for part in tagger.taggers if isinstance(tagger, Ensemble) else (tagger.encoder,):
            check_exportable(part)
        return
    features = getattr(tagger, "features", None)
    if not isinstance(tagger, tuple(_GRAPHS)):
        reason = _REASONS.get(tagger.name, _("no graph has been written for it"))
    elif isinstance(tagger, Bert) and tagger.neighbours is not None:
        reason = _("it reads neighbours of a sentence, which the graph lacks; train with neighbours=0")
    elif features is not None and features.encoder.model.config.model_type in _UNTRACEABLE:
        family = features.encoder.model.config.model_type
        reason = _("its encoder, of the family {family}, attends to padding", family=family)
    elif isinstance(tagger, BiLstmCrf) and tagger.config.cell not in ("lstm", "gru"):
        reason = _("ONNX has no operator for its cell {cell}; train with cell=lstm", cell=tagger.config.cell)
    else:
        return
    raise ExportError("{title} has no ONNX graph: {reason}", title=tagger.title, reason=reason)


def _graph(tagger: Any) -> Graph:
    if isinstance(tagger, OverEncoder):
        head = next(graph for cls, graph in _HEADS.items() if isinstance(tagger, cls))
        return head(tagger, _graph(tagger.encoder))
    return next(graph for cls, graph in _GRAPHS.items() if isinstance(tagger, cls))(tagger)


_GRAPHS: dict[type[Tagger], type[Graph]] = {
    Bert: PieceGraph,
    BiLstmCrf: CharacterGraph,
    ElmoCrf: ElmoGraph,
    Flat: FlatGraph,
    LatticeLstmCrf: LatticeLstmGraph,
    LrCnn: LrCnnGraph,
    Mrc: QueryGraph,
    PuEncoder: PuEncoderGraph,
    SoftLexicon: SoftLexiconGraph,
}
_HEADS: dict[type[OverEncoder], type[HeadGraph]] = {Pu: PuGraph, SpanTagger: SpanGraph}
_REASONS = {
    "dictionary": _("it has no network; its word list is a file already"),
}
