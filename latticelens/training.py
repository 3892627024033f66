"""Training a tagger from documents to a run folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.text import Document, Label, LabelSet
from latticelens.errors import LatticeLensError, plain_errors
from latticelens.files import StrPath, documents_of
from latticelens.run import Run

if TYPE_CHECKING:
    from core.training.run.run_folder import RunFolder

Progress = Callable[[Mapping[str, Any]], None]


def train(
    documents: StrPath | Iterable[Document],
    out: StrPath,
    *,
    tagger: str = "flat",
    dev: StrPath | Iterable[Document] | None = None,
    test: StrPath | Iterable[Document] | None = None,
    unlabelled: StrPath | Iterable[Document] | None = None,
    lexicon: StrPath | None = None,
    descriptions: Mapping[str, str] | None = None,
    device: str = "auto",
    progress: Progress | None = None,
    **settings: bool | int | float | str,
) -> Run:
    """Train a tagger in this process until it is done.

    Args:
        documents: labelled documents to learn from, or a file of any format.
        out: the run folder to write.
        tagger: registered name, see docs/taggers.md.
        dev: chooses the best epoch; None: a seeded tenth of ``documents`` is held out.
        test: scored once, at the end.
        unlabelled: texts to learn from without labels; their spans are not read.
        lexicon: a word list file to match; None: jieba's dictionary.
        descriptions: the annotation guideline of labels, which ``mrc`` asks with.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        progress: called with every event: ``started``, ``step``, ``epoch``, ``log``, ….
        settings: fields of the training settings (``epochs=20``, ``seed=1``, …; docs/training.md) and of the
            tagger's config (docs/taggers.md). Without ``epochs`` a tagger trained from scratch gets as many
            as the documents need, 10 to 100.

    Returns:
        the finished run; ``run.load()`` is its best model.

    Raises:
        LatticeLensError: something does not fit, then nothing was written; or the training failed.
        KeyboardInterrupt: stopped; ``resume(out)`` goes on.
    """
    from core.commands.runs.beginning import WordList, begin_with, check_device, write_run
    from core.corpus.snapshot import UNLABELLED, Snapshot
    from core.training.run.run_folder import RunFolder
    from core.training.run.run_request import RunRequest

    folder = RunFolder(os.fspath(out))
    if folder.request_file.exists():
        raise LatticeLensError(
            f"{os.fspath(out)} holds a run already; go on with resume({os.fspath(out)!r}), or name "
            "another folder"
        )
    if folder.path.exists() and not folder.path.is_dir():
        raise LatticeLensError(f"{os.fspath(out)} is a file; name a folder to write the run to")
    given = {
        "train": documents,
        "dev": dev,
        "test": test,
        UNLABELLED: () if unlabelled is None else unlabelled,
    }
    with plain_errors():
        begin_with(tagger, settings)  # what does not fit is said before documents are read
        words = WordList(None if lexicon is None else os.fspath(lexicon))
        check_device(device)
        parts = {name: documents_of(part, name) for name, part in given.items() if part is not None}
        parts[UNLABELLED] = tuple(document.with_spans(()) for document in parts[UNLABELLED])
        if not any(document.spans for document in parts["train"]):
            raise LatticeLensError("there is nothing to learn: no training document has a labelled span")
        config, chosen = begin_with(tagger, settings, len(parts["train"]))
        labels = LabelSet(Label(name, description=text) for name, text in (descriptions or {}).items())
        request = RunRequest(
            tagger=tagger,
            config=config,
            settings=chosen,
            device=device,
            lexicon=words.name,
            predict_all=False,
        )
        write_run(folder, os.fspath(out), Snapshot(parts, labels), request, words.write)
    return _execute(folder, progress)


def resume(run: StrPath, *, device: str | None = None, progress: Progress | None = None) -> Run:
    """Go on with an interrupted training after its last complete epoch, to the bit as if it had not stopped.

    Args:
        run: the run folder. device: another one to go on with. progress: as for ``train``.

    Raises:
        LatticeLensError: there is no training in it, or it failed again.
    """
    from core.commands.runs.beginning import go_on
    from core.training.run.run_folder import RunFolder

    folder = RunFolder(os.fspath(run))
    with plain_errors():
        if not folder.request_file.exists() or folder.read_request().kind != "train":
            raise LatticeLensError(f"{os.fspath(run)} holds no training to resume; begin one with train(…)")
        go_on(folder, folder.read_request(), device)
    return _execute(folder, progress)


def _execute(folder: RunFolder, progress: Progress | None) -> Run:
    from core.jobs.execution import execute

    with plain_errors():
        state = execute(folder, lambda: False, progress)
        if state.status == "failed":
            raise LatticeLensError(str(state.error))
        if state.status != "finished":
            raise LatticeLensError(f"the training was stopped; go on with resume({str(folder.path)!r})")
        request = folder.read_request()
    return Run(folder.name, request.tagger, Path(folder.path), state.status, folder.scores() or {})
