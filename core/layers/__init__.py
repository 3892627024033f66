"""PyTorch modules that are independent of text and taggers.

Shapes use these letters: B batch, T characters, L lattice nodes, K tags, H width, N heads,
D width of one head (H = N * D), A span lengths, S segments.
"""

from core.layers.crf.crf import CRF, ScoredPath, Segments, TagConstraints
from core.layers.flat.flat_encoder import FlatEncoder, FlatLayer, FlatOutput
from core.layers.flat.lattice_geometry import Lattice
from core.layers.flat.relative_attention import RelativeAttention
from core.layers.flat.relative_positions import RelativePositions, sinusoids

__all__ = [
    "CRF",
    "FlatEncoder",
    "FlatLayer",
    "FlatOutput",
    "Lattice",
    "RelativeAttention",
    "RelativePositions",
    "ScoredPath",
    "Segments",
    "TagConstraints",
    "sinusoids",
]
