"""``python -m core workspace``: import, export and back up a workspace's projects without a browser."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from platformdirs import user_data_dir

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine
from core.commands.workspace_dataset import add_arguments, exported_dataset
from core.commands.workspace_storage import opened
from core.formats import LOSSES, write_file
from core.store.annotation import regions
from core.store.annotation.finished import finish_empty
from core.store.db import audit
from core.store.db.backup import backup, restore
from core.store.db.backup_folder import back_up_into
from core.store.db.errors import NotFound
from core.store.db.workspace import Workspace
from core.store.document import comment_meta, documents
from core.store.document.document_import import Added
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.run import ledger, runs
from core.text import Document

SPLITS = ("train", "dev", "test", "none")


def add_parser(subparsers: Any) -> None:
    """Add ``workspace`` with its actions."""
    parser = subparsers.add_parser(
        "workspace",
        help="list, import, export, back up, restore, read the ledger",
        description="Work on a workspace of the app. Prints one JSON object.",
    )
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        default=user_data_dir("latticelens", appauthor=False),
        help="workspace folder (default: the app's own)",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _action(actions, "list", _list, "projects with their documents and runs")
    action = _action(actions, "import", _import, "add documents of files to a project; a new one is created")
    action.add_argument("files", nargs="+", metavar="FILE", help="files of any format")
    _project_argument(action)
    action.add_argument("--split", choices=SPLITS, help="for all documents; otherwise what each says itself")
    add_format(action)
    action = _action(actions, "export", _export, "write a project's documents with their spans")
    action.add_argument("target", metavar="OUT", help="file to write; its ending names the format")
    _project_argument(action)
    action.add_argument("--to", dest="format", metavar="NAME", help="format of OUT")
    _add_choice(action)
    action = _action(actions, "dataset", _dataset, "a project as a data set of the Hugging Face hub")
    _project_argument(action)
    _add_choice(action)
    add_arguments(action)
    action = _action(actions, "backup", _backup, "copy the workspace's file; labelling may go on meanwhile")
    action.add_argument("target", metavar="OUT", help="file to write; with --keep a folder")
    action.add_argument(
        "--keep",
        type=int,
        metavar="N",
        help="name it by the time and keep the latest N, for a scheduled task",
    )
    action = _action(actions, "restore", _restore, "put a backup in its place; the present file is kept")
    action.add_argument("source", metavar="FILE", help="a backup")
    action = _action(actions, "ledger", _ledger, "what a run does to every correction")
    _project_argument(action)
    action.add_argument(
        "--run", dest="run_name", metavar="NAME", help="run to judge; the latest when left out"
    )
    action = _action(actions, "audit", _audit, "who did what, the latest first, one JSON object a line")
    action.add_argument("--project", metavar="NAME", help="only of this project")
    action.add_argument("--user", metavar="NAME", help="only what this person did")
    action.add_argument("--kind", action="append", choices=audit.KINDS, default=[], help="only of this kind")
    action.add_argument("--since", type=_day, metavar="DAY", help="from this day on, as 2026-01-31 (UTC)")
    action.add_argument("--until", type=_day, metavar="DAY", help="before this day (UTC)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """Do the action."""
    act: Callable[[Workspace, argparse.Namespace], dict[str, Any] | list[dict[str, Any]]] = args.act
    with opened(Path(args.workspace).expanduser(), args.action) as workspace:
        return act(workspace, args)


def add_documents(
    workspace: Workspace,
    project_id: int,
    texts: Sequence[Document],
    split: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Added:
    """Add the documents of one file; where some are labelled, those without a span count as finished.

    Args:
        split: of all documents; None: what each says itself.
        progress: called with the number of documents done.

    Raises:
        StoreError: a document is malformed, or the project does not exist.
    """
    added = documents.add(workspace, project_id, texts, split=split, progress=progress)
    if any(document.spans for document in texts):
        finish_empty(workspace, texts, added.ids, user="import")
    return added


def exported(
    workspace: Workspace, project_id: int, *, split: str | None, labelled: bool, ignored: bool
) -> Iterator[Document]:
    """The documents of a project with their gold spans, comments and annotated regions, in order.

    Args:
        split, labelled, ignored: as for ``core.store.document.documents.iterate``.
    """
    chosen = documents.iterate(workspace, project_id, split=split, labelled=labelled, ignored=ignored)
    commented = comment_meta.with_comments(workspace, project_id, chosen)
    written = 0
    try:
        for document in regions.with_updated(workspace, project_id, commented):
            written += 1
            yield document
    finally:
        audit.note(workspace, "documents.exported", project_id, documents=written, split=split)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    """Which documents are exported."""
    parser.add_argument("--split", choices=SPLITS, help="only these documents")
    parser.add_argument("--labelled", action="store_true", help="only documents that were labelled")
    parser.add_argument("--ignored", action="store_true", help="ignored documents too")


def _list(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    return {
        "workspace": str(Path(args.workspace).expanduser().resolve()),
        "projects": [
            {
                "name": project.name,
                "documents": documents.count(workspace, project.id),
                "active_run": project.active_run,
                "runs": [
                    {
                        "name": item.name,
                        "title": item.title,
                        "note": item.note,
                        "tagger": item.tagger,
                        "status": item.status,
                    }
                    for item in runs.all_runs(workspace, project.id)
                ],
            }
            for project in projects.all_projects(workspace)
        ],
    }


def _import(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    corpora = [read_corpus(path, args.format) for path in args.files]
    for corpus in corpora:
        say(corpus.notes)
    read = [corpus.documents for corpus in corpora]
    total = sum(map(len, read))
    try:
        project, created = projects.by_name(workspace, args.project), False
    except NotFound:
        project, created = projects.create(workspace, args.project), True
    counts: Counter[str] = Counter()
    labels: list[str] = []
    with _progress("Importing", total) as show:
        done = 0
        for texts in read:
            added = add_documents(workspace, project.id, texts, args.split, partial(_shifted, show, done))
            done += len(texts)
            counts.update(added=added.added, duplicates=added.duplicates, restored=added.restored)
            labels += added.new_labels
    nesting.guess_from(workspace, project.id, chain.from_iterable(read))
    return {
        "project": project.name, "created": created, "read": total, **counts, "new_labels": labels,
        "nested": nesting.is_nested(workspace, project.id),
    }  # fmt: skip


def _shifted(show: Callable[[int], None], before: int, count: int) -> None:
    show(before + count)


def _export(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    project = projects.by_name(workspace, args.project)
    total = documents.count(workspace, project.id)[args.split or "all"]
    written = 0
    with _progress("Exporting", total) as show:

        def counted() -> Iterator[Any]:
            nonlocal written
            complete = exported(
                workspace, project.id, split=args.split, labelled=args.labelled, ignored=args.ignored
            )
            for written, document in enumerate(complete, start=1):
                show(written)
                yield document

        lost = write_file(counted(), Path(args.target), args.format)
    why = {name: LOSSES[name] for name in lost}
    return {"project": project.name, "file": args.target, "written": written, "lost": lost, "why": why}


def _dataset(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    project = projects.by_name(workspace, args.project)
    chosen = exported(workspace, project.id, split=args.split, labelled=args.labelled, ignored=args.ignored)
    told = exported_dataset(chosen, labels.get(workspace, project.id), project.name, args)
    if args.push:
        audit.note(workspace, "dataset.pushed", project.id, repository=args.push)
    return told


def _backup(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    if args.keep is None:
        target = backup(workspace, Path(args.target))
    elif args.keep < 1:
        raise CommandError(f"--keep is at least 1, got {args.keep}")
    else:
        target = back_up_into(workspace, Path(args.target), args.keep).path
    return {"backup": str(target), "bytes": target.stat().st_size}


def _restore(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    kept = restore(workspace, Path(args.source))
    return {"workspace": str(workspace.folder), "restored": args.source, "kept": str(kept)}


def _audit(workspace: Workspace, args: argparse.Namespace) -> list[dict[str, Any]]:
    project = projects.by_name(workspace, args.project).id if args.project else None
    wanted = audit.Wanted(args.kind, args.user, args.since, args.until)
    return [audit.as_json(entry) for entry in audit.entries(workspace, project, wanted)]


def _day(value: str) -> int:
    """The beginning of a day, UTC ms."""
    return round(datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=timezone.utc).timestamp() * 1000)


def _ledger(workspace: Workspace, args: argparse.Namespace) -> dict[str, Any]:
    project = projects.by_name(workspace, args.project)
    judged = args.run_name
    if judged is None:
        names = ledger.columns(workspace, project.id)
        if not names:
            raise CommandError(f"no run of project {project.name} has answered a corrected document yet")
        judged = names[-1]
    verdict = ledger.verdict(workspace, judged, project.active_run)
    page = ledger.page(workspace, project.id, runs=[judged], limit=verdict.total)
    return {
        "project": project.name,
        "run": verdict.candidate,
        "active_run": verdict.active,
        "corrections": verdict.total - verdict.confirmed,
        "confirmations": verdict.confirmed,
        "fixed": verdict.fixed,
        "still_wrong": verdict.still_wrong,
        "newly_broken": verdict.newly_broken,
        "holds": verdict.holds,
        "unknown": verdict.unknown,
        "rows": [_row(row, judged) for row in page.rows],
    }


def _row(row: ledger.Row, run_name: str) -> dict[str, Any]:
    claim = row.correction.claim
    sides = {
        side: None
        if span is None
        else {"start": span.start, "end": span.end, "label": span.label, "text": row.document.surface(span)}
        for side, span in (("before", claim.before), ("after", claim.after))
    }
    return {
        "document": row.document.id,
        "kind": claim.kind,
        **sides,
        "user": row.correction.user,
        "erred": row.correction.run,
        "state": row.correction.states[run_name],
    }


def _action(
    actions: Any, name: str, act: Callable[[Workspace, argparse.Namespace], Any], help: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=help, description=help.capitalize() + ".")
    parser.set_defaults(act=act)
    return parser


def _project_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", required=True, metavar="NAME", help="project of the workspace")


@contextmanager
def _progress(doing: str, total: int) -> Iterator[Callable[[int], None]]:
    from core.training.run.progress import Progress

    line, progress, done = ProgressLine(), Progress(total), 0

    def show(count: int) -> None:
        nonlocal done
        progress.advance(count - done)
        done = count
        if progress.due():
            line.show(doing, progress.fraction, progress.remaining_seconds)

    yield show
    line.clear()
