"""Tags text with an exported graph: onnxruntime and numpy, without torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export.errors import ExportError
from core.export.onnx.folder import GRAPH, HINT, read
from core.runtime.message import _, damage_of
from core.runtime.optional_packages import MissingPackage, load
from core.text import Document, Span, sort_spans
from core.text.overlap import WINDOW, WindowSpans, document_windows, in_windows

# Units of a batch, padding included, as in `core.taggers.base.tagging`.
BUDGET = 4096


class OnnxTagger:
    """A tagger of a folder that `core.export.onnx.export` wrote.

    Its spans are those of the tagger that was exported, up to rounding of the scores.

    Args:
        folder: the folder. threads: of the processor; 0 for all cores.

    Attributes:
        name: registered name of the exported tagger. labels: what it finds.

    Raises:
        ExportError: a file is missing or malformed, or onnxruntime is not installed.
    """

    def __init__(self, folder: Path | str, threads: int = 0) -> None:
        path = Path(folder)
        described = read(path)
        self.name, self.labels = described.tagger, described.labels
        self._features, self._decoder = described.features, described.decoder
        self._path = path / GRAPH
        self._session = _session(self._path, threads)
        self._inputs = [given.name for given in self._session.get_inputs()]

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
            window: maximum characters of a window; long texts are read in overlapping ones.
            progress: called with (windows done, windows in all) after every batch.
        """
        pieces, done = [], 0
        for index, document in enumerate(documents):
            found = document_windows(document, window)
            pieces += [(index, at, text) for at, text in zip(found, in_windows(document, found), strict=True)]
        decoded: list[list[Span]] = [[] for _ in pieces]
        sizes = [len(self._features.sources.units(text)) for _, _, text in pieces]
        for group in _batches(sizes, budget):
            for number, spans in zip(group, self.decode([pieces[at][2] for at in group]), strict=True):
                decoded[number] = spans
            done += len(group)
            if progress is not None:
                progress(done, len(pieces))
        merged = [WindowSpans(nested=False) for _document in documents]
        for (index, at, _text), spans in zip(pieces, decoded, strict=True):
            merged[index].add(at, spans)
        pairs = zip(documents, merged, strict=True)
        return [document.with_spans(sort_spans(found.spans)) for document, found in pairs]

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of a batch of documents, each read at once."""
        units = [self._features.sources.units(document) for document in documents]
        found = self._decoder(self.emissions(documents), [len(at) for at in units])
        return [[at.in_text(Span(*span)) for span in spans] for at, spans in zip(units, found, strict=True)]

    def emissions(self, documents: Sequence[Document]) -> NDArray[np.float32]:
        """Tag scores ``[B, T, K]``; anything past a document's last unit."""
        longest = max((len(self._features.sources.units(document)) for document in documents), default=0)
        if not longest:
            return np.zeros((len(documents), 0, len(self._decoder.tags)), dtype=np.float32)
        arrays = self._features(documents)
        try:
            given = {name: arrays[name] for name in self._inputs}
            scores: NDArray[np.float32] = self._session.run(None, given)[0]
            fits = scores.shape == (*arrays["mask"].shape, len(self._decoder.tags))
        except Exception as error:  # onnxruntime raises its own kinds, one per code
            raise ExportError(
                "{path} does not fit the files beside it ({reason}); {hint}",
                path=self._path,
                reason=damage_of(error),
                hint=HINT,
            ) from None
        if not fits:
            raise ExportError(
                "{path} does not fit the files beside it ({reason}); {hint}",
                path=self._path,
                reason=_("it scores other tags"),
                hint=HINT,
            )
        return scores


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


def _session(path: Path, threads: int) -> Any:
    try:
        onnxruntime = load("onnxruntime", "onnxruntime", _("Tagging with an exported graph"))
    except MissingPackage as error:
        raise ExportError(error.message) from None
    if not path.is_file():
        raise ExportError("{path} is missing; {hint}", path=path, hint=HINT)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own kinds, one per code
        raise ExportError(
            "{path} is damaged or cut off ({reason}); {hint}", path=path, reason=damage_of(error), hint=HINT
        ) from None
