"""Which features the graph of each tagger reads."""

from __future__ import annotations

from core.export.onnx.features.features import Features
from core.export.onnx.features.flat import FlatFeatures
from core.export.onnx.features.lattice import LatticeLstmFeatures
from core.export.onnx.features.sequence import (
    CharacterFeatures,
    ElmoFeatures,
    LrCnnFeatures,
    PieceFeatures,
    PuFeatures,
    QueryFeatures,
    SoftLexiconFeatures,
)

FEATURES: dict[str, type[Features]] = {
    "bert": PieceFeatures,
    "bilstm_crf": CharacterFeatures,
    "elmo_crf": ElmoFeatures,
    "flat": FlatFeatures,
    "lattice_lstm": LatticeLstmFeatures,
    "lr_cnn": LrCnnFeatures,
    "mrc": QueryFeatures,
    "pu": PuFeatures,
    "soft_lexicon": SoftLexiconFeatures,
}
