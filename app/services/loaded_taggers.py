"""The active tagger of a project: loaded on first use, with the project's words in its lexicon."""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.services.errors import AppError
from app.services.limits.turns import Turns, patient
from app.services.project_lexicon import added_entries, laid_over
from app.services.shared_taggers import load
from core.store.db import audit
from core.store.db.background import DaemonThreads
from core.store.db.errors import NotFound
from core.store.db.workspace import Workspace
from core.store.document import documents as stored_documents
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, sort_spans
from core.text.overlap import Window, WindowSpans, document_windows, in_windows, usual_length_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.services.device import DeviceProbe
    from core.lexicon import Entry, Lexicon
    from core.taggers.base.tagger import Tagger

MOST_LOADED = 2
PART = 8000  # characters per batch: a second or two
MOST_WINDOWS = 100  # documents per batch, if they are short
PREDICTED_AT_ONCE = 64  # documents

log = logging.getLogger("latticelens")


class LoadedTaggers:
    """Taggers of a workspace, at most ``MOST_LOADED`` in memory, used one at a time.

    Args:
        workspace: whose projects and runs.
        device: resolved when the first tagger is loaded.
        turns: who may use one; others than the one who does wait in them.
        load: of a model folder and the name of a device makes a tagger.

    Attributes:
        loads: how many were read from the disk so far.
    """

    def __init__(
        self,
        workspace: Workspace,
        device: DeviceProbe,
        turns: Turns | None = None,
        load: Callable[[Path, str | None], Tagger] = load,
    ) -> None:
        self._workspace = workspace
        self._device = device
        self._load_folder = load
        self._loaded: OrderedDict[str, tuple[Tagger, Lexicon | None]] = OrderedDict()
        self._turns = turns or Turns(1)
        self._lock = threading.RLock()
        self._ahead = DaemonThreads("read-ahead", 1)
        self.loads = 0
        self._begun: set[str] = set()  # runs that were read ahead, each once

    def read_ahead(self, project_id: int) -> Future[None] | None:
        """Load the active tagger in the background: its libraries and weights take seconds.

        The first question finds it there. One that cannot be loaded is told of when somebody asks it.

        Returns:
            The loading, if there is an active run and this is the first call for it.
        """
        run = projects.get(self._workspace, project_id).active_run
        if run is None or run in self._begun:
            return None
        self._begun.add(run)
        return self._ahead.submit(self._load_ahead, project_id, run)

    def _load_ahead(self, project_id: int, run: str) -> None:
        patient.set(True)
        try:
            with self.tagger(project_id, run):
                pass
        except Exception as error:
            log.info("%s was not read ahead: %s", run, error)

    def run_of(self, project_id: int) -> str:
        """The name of the active run.

        Raises:
            AppError: there is none yet.
        """
        run = projects.get(self._workspace, project_id).active_run
        if run is None:
            raise AppError("This project has no tagger yet. Train one on the Train page.")
        return run

    @contextmanager
    def tagger(self, project_id: int, run: str | None = None) -> Iterator[Tagger]:
        """The tagger of ``run`` (default: the active one) with the project's word list, for exclusive use.

        Changes of the word list take effect in the next block.

        Raises:
            AppError: no active run, or its folder is missing. NotFound: no such run in this project.
            ModelFolderError: its model cannot be loaded. OverLimit: too many wait for one.
        """
        name = run or self.run_of(project_id)
        if runs.get(self._workspace, name).project_id != project_id:
            raise NotFound("run", name)
        with self._turns.turn((id(self), audit.actor())), self._lock:
            tagger, lexicon = self._load(name)
            if lexicon is not None:
                # FLAT reads its lexicon at every collate, so it can be replaced.
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
        """As ``tag``, in batches of ``PART`` characters, between which others can use the tagger.

        Yields:
            Characters tagged so far, of all documents, and the documents finished with them.

        Raises:
            AppError, NotFound, ModelFolderError: as ``tagger``.
        """
        done = 0
        nested = self.allows_nested(project_id, run)
        spans = WindowSpans(nested)
        for part in _parts(documents, self.usual_length(project_id, run)):
            tagged = self.tag(project_id, [text for _document, _window, text in part], run)
            ready = []
            for (document, window, _text), tagged_window in zip(part, tagged, strict=True):
                spans.add(window, tagged_window.spans)
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
        """Tag the documents with ``run`` and store its predictions batch by batch.

        Args:
            progress: called before each batch with the number of documents done and the total.

        Raises:
            NotFound, ModelFolderError: the run, a document or the model is missing.
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

    def usual_length(self, project_id: int, run: str | None = None) -> int | None:
        """Mean length of the tagger's training texts (see `Tagger`), read without loading the model.

        Raises:
            AppError: no active run. NotFound: no such run.
        """
        header = runs.get(self._workspace, run or self.run_of(project_id)).model_folder / "config.json"
        try:
            return usual_length_of(json.loads(header.read_text(encoding="utf-8")))
        except (OSError, ValueError, AttributeError):
            return None  # whoever loads it is told

    def is_loaded(self, run: str) -> bool:
        """Whether the run's tagger is in memory."""
        return run in self._loaded

    def ahead(self) -> int:
        """How many other people the person's question waits for; 0 if it waits for none of them."""
        return self._turns.ahead((id(self), audit.actor()), uncounted=(id(self), ""))

    def clear(self) -> None:
        """Unload every tagger."""
        with self._lock:
            self._loaded.clear()

    def _load(self, run: str) -> tuple[Tagger, Any]:
        if run in self._loaded:
            self._loaded.move_to_end(run)
            return self._loaded[run]
        from core.taggers.base.tagger import ModelFolderError

        folder, info = self.model_folder(run), self._device.wait()
        try:
            tagger = self._load_folder(folder, info.name if info else None)
        except ModelFolderError as error:
            if folder.is_dir():
                raise
            raise AppError(
                "The folder of {run} is gone: {folder}. Put it back, or choose another run on "
                "the Train page.",
                run=run,
                folder=folder,
            ) from error
        self.loads += 1
        self._loaded[run] = (tagger, getattr(tagger, "lexicon", None))
        while len(self._loaded) > MOST_LOADED:
            self._loaded.popitem(last=False)
        return self._loaded[run]

    def model_folder(self, run: str) -> Path:
        """The folder of the run's model.

        Raises:
            NotFound: there is no such run.
        """
        return runs.get(self._workspace, run).model_folder

    def words(self, project_id: int) -> tuple[list[Entry], tuple[str, ...]]:
        """The words the project adds to and removes from a tagger's lexicon."""
        changes = lexicon_changes.current(self._workspace, project_id)
        return added_entries(changes), changes.removed

    def laid_over(self, lexicon: Lexicon, project_id: int) -> Lexicon:
        """A tagger's lexicon with the project's words."""
        return laid_over(lexicon, lexicon_changes.current(self._workspace, project_id))


def _parts(
    documents: Sequence[Document], usual: int | None
) -> Iterator[list[tuple[Document, Window, Document]]]:
    """Batches of documents, a window of each and its text, in order, of about ``PART`` characters.

    Windows are tagged independently, so batching does not change the spans.
    """
    part: list[tuple[Document, Window, Document]] = []
    characters = 0
    for document in documents:
        found = document_windows(document, usual=usual) or [Window(0, 0, 0, 0)]
        for window, text in zip(found, in_windows(document, found), strict=True):
            part.append((document, window, text))
            characters += window.end - window.start
            if characters >= PART or len(part) >= MOST_WINDOWS:
                yield part
                part, characters = [], 0
    if part:
        yield part
