"""A workspace of the app: its projects with their documents, annotations and runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from typing_extensions import Self

from core.commands.workspace import add_documents, exported
from core.formats import LOSSES, write_file
from core.store.annotation.annotations import Annotation, current, save
from core.store.db.backup import backup
from core.store.db.workspace import FILE_NAME
from core.store.db.workspace import Workspace as Store
from core.store.document import documents
from core.store.document.document_import import Added
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.run import runs
from core.text import Document, LabelSet, Span
from latticelens.errors import LatticeLensError, plain_errors
from latticelens.files import StrPath, documents_of
from latticelens.run import Run

if TYPE_CHECKING:
    from latticelens.tagger import Tagger


def open_workspace(folder: StrPath, *, create: bool = False) -> Workspace:
    """Open a workspace; the app may have it open at the same time.

    Args:
        folder: as given to ``--workspace``. create: make an empty one where there is none.

    Raises:
        LatticeLensError: there is none, it is damaged, or it cannot be written.
    """
    path = Path(folder).expanduser()
    if not create and not (path / FILE_NAME).is_file():
        raise LatticeLensError(
            f"there is no workspace in {path}; name its folder, or make one with create=True"
        )
    with plain_errors():
        return Workspace(Store.open(path))


class Workspace:
    """An open workspace, as ``open_workspace`` returns it; ``with`` closes it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<workspace {self.folder}>"

    def close(self) -> None:
        """Close it; nothing can be read from its projects any more."""
        self._store.close()

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self._store.folder

    def projects(self) -> list[Project]:
        """Every project outside the trash."""
        with plain_errors():
            return [Project(self._store, item.id) for item in projects.all_projects(self._store)]

    def project(self, name: str) -> Project:
        """The project of this name.

        Raises:
            LatticeLensError: there is none.
        """
        with plain_errors():
            return Project(self._store, projects.by_name(self._store, name).id)

    def create_project(self, name: str, labels: LabelSet | None = None) -> Project:
        """A new project.

        Args:
            labels: its labels; None: those that documents bring.

        Raises:
            LatticeLensError: another has this name, or it is empty or too long.
        """
        with plain_errors():
            project = Project(self._store, projects.create(self._store, name).id)
            if labels is not None:
                project.set_labels(labels)
        return project

    def backup(self, target: StrPath) -> Path:
        """Copy the workspace's file while work goes on; ``latticelens workspace restore`` puts it back.

        Raises:
            LatticeLensError: it cannot be written.
        """
        with plain_errors():
            return backup(self._store, Path(target))


class Project:
    """A project of an open workspace. Documents are named by their ``id``."""

    def __init__(self, store: Store, number: int) -> None:
        self._store = store
        self._number = number

    def __repr__(self) -> str:
        return f"<project {self.name!r}>"

    @property
    def name(self) -> str:
        """Its name."""
        with plain_errors():
            return projects.get(self._store, self._number).name

    @property
    def labels(self) -> LabelSet:
        """Its labels with colour, key and guideline."""
        with plain_errors():
            return labels.get(self._store, self._number)

    def set_labels(self, wanted: LabelSet) -> None:
        """Replace its labels.

        Raises:
            LatticeLensError: one that is left out has spans.
        """
        with plain_errors():
            labels.put(self._store, self._number, wanted)

    def add(self, source: StrPath | Iterable[Document], *, split: str | None = None) -> Added:
        """Add documents; one with the id and the text of another is not added again.

        Args:
            source: documents, or a file of any format. split: of all of them, ``train``, ``dev``, ``test`` or
                ``none``; None: what ``meta["split"]`` of each says.

        Returns:
            ``added``, ``duplicates``, ``restored`` (from the trash) and ``new_labels``.

        Raises:
            LatticeLensError: the file cannot be read, a record of it is invalid, or there is no such split.
        """
        texts = documents_of(source, "source")
        with plain_errors():
            added = add_documents(self._store, self._number, texts, split)
            nesting.guess_from(self._store, self._number, texts)
        return added

    def documents(self, *, split: str | None = None, labelled: bool = False) -> Iterator[Document]:
        """Its documents with their gold spans, in order, ignored ones too.

        Args:
            split: only these. labelled: only those that training uses.
        """
        with plain_errors():
            yield from documents.iterate(self._store, self._number, split=split, labelled=labelled)

    def document(self, id: str) -> Document:
        """One document with its gold spans.

        Raises:
            LatticeLensError: there is none of this id.
        """
        return self.annotation(id).document

    def annotation(self, id: str, annotator: str = "") -> Annotation:
        """A document's annotation: ``document``, ``revision``, ``rejected`` (spans), ``status``.

        Args:
            annotator: whose version; the gold one when left out.

        Raises:
            LatticeLensError: there is no such document, or it is not assigned to the annotator.
        """
        with plain_errors():
            number = documents.number_named(self._store, self._number, id)
            return current(self._store, number, annotator)

    def annotate(
        self,
        id: str,
        spans: Iterable[Span],
        *,
        user: str,
        annotator: str = "",
        status: str | None = None,
        revision: int | None = None,
    ) -> Annotation:
        """Replace a document's spans; an event of its history like every other save, which can be undone.

        Args:
            user: who does it, for the history. annotator: as for ``annotation``.
            status: ``new``, ``in_progress``, ``to_check``, ``done`` or ``ignored``; None: as the
                app sets it.
            revision: the one that the spans are based on; if somebody has saved since, nothing is
                overwritten. None: whatever is current.

        Raises:
            LatticeLensError: somebody saved since, there is no such document or label, or a span does not
                fit.
        """
        with plain_errors():
            number = documents.number_named(self._store, self._number, id)
            if revision is None:
                revision = current(self._store, number, annotator).revision
            save(self._store, number, revision, spans, user=user, annotator=annotator, status=status)
            return current(self._store, number, annotator)

    def runs(self) -> list[Run]:
        """Its runs, oldest first."""
        with plain_errors():
            return [_run(item) for item in runs.all_runs(self._store, self._number)]

    @property
    def active_run(self) -> Run | None:
        """The run whose tagger the app suggests with; None: none yet."""
        with plain_errors():
            name = projects.get(self._store, self._number).active_run
            return None if name is None else _run(runs.get(self._store, name))

    def add_run(self, run: Run, name: str | None = None) -> Run:
        """Register a finished run that was trained elsewhere; its folder stays where it is.

        Args:
            name: small letters, digits, ``-``, ``_`` and ``.``; the run's own when left out.

        Raises:
            LatticeLensError: it is not finished, or another project has a run of this name.
        """
        if run.status != "finished":
            raise LatticeLensError(f"the run {run.name} is {run.status}; only a finished one can be added")
        with plain_errors():
            return _run(
                runs.register(
                    self._store, self._number, name or run.name, run.tagger, run.folder, dict(run.scores)
                )
            )

    def activate(self, run: Run | str | None) -> None:
        """Make one of its runs the active one; None: none.

        Raises:
            LatticeLensError: it is no run of this project.
        """
        with plain_errors():
            projects.set_active(self._store, self._number, run.name if isinstance(run, Run) else run)

    def tagger(self, device: str = "auto") -> Tagger:
        """The active run's tagger, see ``latticelens.load``.

        Raises:
            LatticeLensError: no run is active, or its model cannot be read.
        """
        active = self.active_run
        if active is None:
            raise LatticeLensError(
                f"no run of project {self.name!r} is active; make one active with activate(run)"
            )
        return active.load(device)

    def export(
        self,
        target: StrPath,
        format: str | None = None,
        *,
        split: str | None = None,
        labelled: bool = False,
        ignored: bool = False,
    ) -> dict[str, str]:
        """Write its documents with gold spans, comments and annotated regions.

        Args:
            target: the file. format: its format's name; None: by the file's extension.
            split, labelled: as for ``documents``. ignored: ignored documents too.

        Returns:
            what the format could not hold, by name and in words.

        Raises:
            LatticeLensError: no format fits, or the file cannot be written.
        """
        with plain_errors():
            chosen = exported(self._store, self._number, split=split, labelled=labelled, ignored=ignored)
            lost = write_file(chosen, Path(os.fspath(target)), format)
            return {name: str(LOSSES[name]) for name in lost}


def _run(item: runs.Run) -> Run:
    return Run(item.name, item.tagger, item.folder, item.status, item.scores)
