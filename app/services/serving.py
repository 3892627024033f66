"""The serving tagger of a project: loaded on first use, with the project's words added to its lexicon."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.services.errors import AppError
from app.services.project_lexicon import added_entries, laid_over
from core.store.db.errors import NotFound
from core.store.db.workspace import Workspace
from core.store.document import documents as stored_documents
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, sort_spans
from core.text.overlap import Window, WindowSpans, overlapping_windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.services.device import DeviceProbe
    from core.lexicon import Entry, Lexicon
    from core.taggers.base.tagger import Tagger

MOST_LOADED = 2
PART = 8000  # characters tagged before others get their turn: a second or two
MOST_WINDOWS = 100  # of a turn, where they are short
PREDICTED_AT_ONCE = 64  # documents


class ServingTaggers:
    """Taggers of one workspace, at most ``MOST_LOADED`` in memory, one used at a time.

    Args:
        workspace: whose projects and runs.
        device: where taggers compute; asked when the first one is loaded.
    """

    def __init__(self, workspace: Workspace, device: DeviceProbe) -> None:
        self._workspace = workspace
        self._device = device
        self._loaded: OrderedDict[str, tuple[Tagger, Lexicon | None]] = OrderedDict()
        self._lock = threading.RLock()

    def run_of(self, project_id: int) -> str:
        """The name of the run that serves the project.

        Raises:
            AppError: no run does yet; says where to train one.
        """
        run = projects.get(self._workspace, project_id).serving_run
        if run is None:
            raise AppError("frame.error.no_tagger")
        return run

    @contextmanager
    def tagger(self, project_id: int, run: str | None = None) -> Iterator[Tagger]:
        """The tagger of ``run`` (default: the serving one) with the project's word list, for the block.

        Nobody else computes with it meanwhile. Adding or removing a word acts on the next block.

        Raises:
            AppError: no run serves, or its folder is gone. NotFound: no such run in this project.
            ModelFolderError: its model cannot be loaded.
        """
        name = run or self.run_of(project_id)
        if runs.get(self._workspace, name).project_id != project_id:
            raise NotFound("run", name)
        with self._lock:
            tagger, lexicon = self._load(name)
            if lexicon is not None:
                # FLAT reads its lexicon at every collate, so another one acts at once.
                tagger.lexicon = self.laid_over(lexicon, project_id)
            yield tagger

    def tag(
        self,
        project_id: int,
        documents: Sequence[Document],
        run: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Document]:
        """The documents with predicted spans and scores, in order.

        Raises:
            AppError, NotFound, ModelFolderError: as ``tagger``.
        """
        from core.taggers.base.tagging import tag

        with self.tagger(project_id, run) as tagger:
            return tag(tagger, documents, progress=progress)

    def tag_by_parts(
        self, project_id: int, documents: Sequence[Document], run: str | None = None
    ) -> Iterator[tuple[int, list[Document]]]:
        """As ``tag``, ``PART`` characters at a time: others' questions, and a stop, come in between.

        Yields:
            Characters tagged so far, of all documents, and the documents that are done with them.

        Raises:
            AppError, NotFound, ModelFolderError: as ``tagger``.
        """
        done = 0
        nested = self.allows_nested(project_id, run)
        spans = WindowSpans(nested)
        for part in _parts(documents):
            tagged = self.tag(project_id, [Document("", d.text[w.start : w.end]) for d, w in part], run)
            ready = []
            for (document, window), found in zip(part, tagged, strict=True):
                spans.add(window, found.spans)
                done += window.last - window.first
                if window.last == len(document.text):
                    ready.append(document.with_spans(sort_spans(spans.spans)))
                    spans = WindowSpans(nested)
            yield done, ready

    def predict(
        self,
        project_id: int,
        run: str,
        document_ids: Sequence[int],
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Tag the documents with ``run`` and store its predictions, every part as soon as it is done.

        Args:
            progress: called before each part with how many documents are done, of how many.

        Raises:
            NotFound, ModelFolderError: the run, a document or the model is not there any more.
        """
        for at in range(0, len(document_ids), PREDICTED_AT_ONCE):
            progress(at, len(document_ids))
            part = document_ids[at : at + PREDICTED_AT_ONCE]
            tagged = self.tag(project_id, [stored_documents.get(self._workspace, id_) for id_ in part], run)
            for id_, document in zip(part, tagged, strict=True):
                predictions.put_one(self._workspace, run, id_, document.spans)

    def labels(self, project_id: int, run: str | None = None) -> tuple[str, ...]:
        """The labels the tagger can predict."""
        with self.tagger(project_id, run) as tagger:
            return tagger.labels

    def allows_nested(self, project_id: int, run: str | None = None) -> bool:
        """Whether the tagger's spans may overlap."""
        with self.tagger(project_id, run) as tagger:
            return tagger.supports_nested

    def is_loaded(self, run: str) -> bool:
        """Whether the run's tagger is in memory."""
        return run in self._loaded

    def clear(self) -> None:
        """Unload every tagger."""
        with self._lock:
            self._loaded.clear()

    def _load(self, run: str) -> tuple[Tagger, Any]:
        if run in self._loaded:
            self._loaded.move_to_end(run)
            return self._loaded[run]
        from core.taggers.base.model_folder import load_tagger
        from core.taggers.base.tagger import ModelFolderError

        folder = self.model_folder(run)
        try:
            tagger = load_tagger(folder)
        except ModelFolderError as error:
            if folder.is_dir():
                raise
            raise AppError("frame.error.tagger_gone", run=run, folder=folder) from error
        info = self._device.wait()
        if info is not None:
            tagger.to(info.name)
        self._loaded[run] = (tagger, getattr(tagger, "lexicon", None))
        while len(self._loaded) > MOST_LOADED:
            self._loaded.popitem(last=False)
        return self._loaded[run]

    def model_folder(self, run: str) -> Path:
        """Where the run's model lies.

        Raises:
            NotFound: there is no such run.
        """
        return runs.get(self._workspace, run).model_folder

    def words(self, project_id: int) -> tuple[list[Entry], tuple[str, ...]]:
        """The words the project adds to a tagger's lexicon, and those it removes."""
        changes = lexicon_changes.current(self._workspace, project_id)
        return added_entries(changes), changes.removed

    def laid_over(self, lexicon: Lexicon, project_id: int) -> Lexicon:
        """A tagger's lexicon with the project's words."""
        return laid_over(lexicon, lexicon_changes.current(self._workspace, project_id))


def _parts(documents: Sequence[Document]) -> Iterator[list[tuple[Document, Window]]]:
    """Windows of the documents, in order, about ``PART`` characters of them together.

    The tagger reads each as a text of its own, so a text tagged part by part gets the spans that it gets when
    it is tagged at once.
    """
    part: list[tuple[Document, Window]] = []
    characters = 0
    for document in documents:
        for window in overlapping_windows(document.text) or [Window(0, 0, 0, 0)]:
            part.append((document, window))
            characters += window.end - window.start
            if characters >= PART or len(part) >= MOST_WINDOWS:
                yield part
                part, characters = [], 0
    if part:
        yield part
