"""Tags text with an exported graph: onnxruntime and numpy, without torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.export.onnx.ensemble import EnsembleSession
from core.export.onnx.folder import EnsembleFolder, OnnxFolder, read
from core.export.onnx.queries import QuerySession
from core.export.onnx.session import GraphSession
from core.export.query_decoding import QueryDecoder
from core.text import Document, Span, sort_spans
from core.text.overlap import WINDOW, WindowSpans, document_windows, in_windows

# Units of a batch, padding included. A quarter of that in `core.taggers.base.tagging`: onnxruntime computes
# whole tensors one after the other, and smaller ones stay in the cache.
BUDGET = 1024


class OnnxTagger:
    """A tagger of a folder that `core.export.onnx.export` wrote.

    Its spans are those of the tagger that was exported, up to rounding of the scores.

    Args:
        folder: the folder. threads: of the processor; 0 for all cores.

    Attributes:
        name: registered name of the exported tagger. labels: what it finds. supports_nested: whether its
            spans may overlap. usual_length: of the texts it learned from, see `Tagger`. session: the graph
            that runs, or the graphs.

    Raises:
        ExportError: a file is missing or malformed, or onnxruntime is not installed.
    """

    def __init__(self, folder: Path | str, threads: int = 0) -> None:
        described = read(Path(folder))
        self.name, self.labels = described.tagger, described.labels
        self.usual_length = described.usual_length
        self.session = _session(described, threads)
        self.supports_nested = self.session.supports_nested

    def tag(
        self,
        documents: Sequence[Document],
        *,
        budget: int = BUDGET,
        window: int = WINDOW,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Document]:
        """The same documents, in order, with predicted spans in place of their own.

        Args:
            budget: maximum units of a batch, padding included; a single window may exceed it.
            window: maximum characters of a window; see ``core.text.overlap.reading_windows``.
            progress: called with (windows done, windows in all) after every batch.
        """
        pieces, done = [], 0
        for index, document in enumerate(documents):
            found = document_windows(document, window, self.usual_length)
            pieces += [(index, at, text) for at, text in zip(found, in_windows(document, found), strict=True)]
        decoded: list[list[Span]] = [[] for _ in pieces]
        sizes = [self.session.cost(text) for _, _, text in pieces]
        for group in _batches(sizes, budget):
            for number, spans in zip(group, self.decode([pieces[at][2] for at in group]), strict=True):
                decoded[number] = spans
            done += len(group)
            if progress is not None:
                progress(done, len(pieces))
        merged = [WindowSpans(self.supports_nested) for _document in documents]
        for (index, at, _text), spans in zip(pieces, decoded, strict=True):
            merged[index].add(at, spans)
        pairs = zip(documents, merged, strict=True)
        return [document.with_spans(sort_spans(found.spans)) for document, found in pairs]

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of a batch of documents, each read at once."""
        units = [self.session.units(document) for document in documents]
        if not any(map(len, units)):
            return [[] for _ in documents]
        pairs = zip(units, self.session.decode(documents), strict=True)
        return [[at.in_text(span) for span in spans] for at, spans in pairs]


def _session(
    described: OnnxFolder | EnsembleFolder, threads: int
) -> GraphSession | QuerySession | EnsembleSession:
    if isinstance(described, EnsembleFolder):
        return EnsembleSession(described, threads)
    kind = QuerySession if isinstance(described.decoder, QueryDecoder) else GraphSession
    return kind(described, threads)


def _batches(sizes: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Batches of windows by increasing size, each within the budget once padded."""
    group: list[int] = []
    for number in sorted(range(len(sizes)), key=lambda number: sizes[number]):
        if group and sizes[number] * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(number)
    if group:
        yield group
