"""A small tagger with scores that differ, and every legal tag path of a text written out."""

from typing import NamedTuple

import torch

from core.text import Document, Span
from core.text.tag_schemes import decode
from tests.layers.crf.crf_oracle import all_paths
from tests.taggers.small_taggers import small_tagger

DOCUMENTS = [Document("a", "林晚晴"), Document("b", "清河大学"), Document("c", "教"), Document("d", "")]


class Path(NamedTuple):
    """A legal path: its spans, without scores, and its probability."""

    spans: frozenset[tuple[int, int, str]]
    score: float
    probability: float


def steep_tagger(seed=0, **options):
    """A BiLSTM-CRF, untrained, whose scores are far enough apart to matter, in evaluation mode."""
    tagger = small_tagger("bilstm_crf", seed, **options)
    with torch.no_grad():
        for parameter in (*tagger.crf.parameters(), tagger.emission.weight, tagger.emission.bias):
            parameter.normal_(0.0, 1.0)
    return tagger.eval()


def legal_paths(tagger, document) -> list[Path]:
    """All of them, most probable first."""
    with torch.no_grad():
        emissions = tagger.emissions(tagger.collate([document]))[0]
        found = all_paths(tagger.crf, emissions, len(document.text), tagger.decoder.constraints)
        scores = torch.stack(list(found.values())).double()
        chances = scores.softmax(0).tolist()
    spelt = [decode([tagger.decoder.tags[row] for row in path], "BMES", "discard") for path in found]
    paths = [
        Path(frozenset(span.key for span in spans), score, chance)
        for spans, score, chance in zip(spelt, scores.tolist(), chances, strict=True)
    ]
    return sorted(paths, key=lambda path: -path.probability)


def span_probability(paths, span: Span) -> float:
    return sum(path.probability for path in paths if span.key in path.spans)


def covering_probability(paths, place: int, label: str) -> float:
    """How likely some span of this label covers a character."""
    return sum(
        path.probability
        for path in paths
        if any(start <= place < end and own == label for start, end, own in path.spans)
    )
