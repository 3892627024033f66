"""``python -m core agree``: how far several people's versions of the same documents agree."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.agreement import AgreementReport, Row, agreement, from_versions
from core.agreement.tallies import RESAMPLES
from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.terminal.errors import CommandError
from core.text import Document

MEASURES = {
    "span_f1": "span F1",
    "span_f1_relaxed": "span F1, overlap",
    "links": "equal links",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "alpha_u": "alpha_U",
    "gamma": "gamma",
}


def add_parser(subparsers: Any) -> None:
    """Add ``agree``."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "agree",
        help="agreement between several people's files of the same documents",
        description="Print span F1, kappa, alpha and alpha_U over everybody, by pair and by label, as JSON. "
        "Documents are joined by id, or by their text where a format has no ids.",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="[NAME=]FILE",
        help="one file per person; NAME defaults to the file's name",
    )
    add_format(parser)
    parser.add_argument("--gamma", action="store_true", help="also gamma (needs pygamma-agreement; minutes)")
    parser.add_argument(
        "--resamples",
        type=int,
        default=RESAMPLES,
        metavar="N",
        help=f"of the intervals; {RESAMPLES}, 0: none",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the resamples; 0")
    parser.add_argument("--table", action="store_true", help="a table to read instead of JSON, on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The coefficients; undefined ones have a reason."""
    if len(args.files) < 2:
        raise CommandError("agreement needs two files or more, one a person")
    if args.resamples < 0:
        raise CommandError(f"--resamples must be 0 or more, got {args.resamples}")
    versions: dict[str, list[Document]] = {}
    notes: list[str] = []
    for name, path in _named_files(args.files):
        documents, corpus_notes = read_corpus(path, args.format)
        versions[name] = documents
        notes += corpus_notes
    data = from_versions(_with_common_ids(versions))
    if not data.shared:
        raise CommandError("these files have no document in common; compare files of the same documents")
    say(notes)
    report = agreement(data, resamples=args.resamples, seed=args.seed, with_gamma=args.gamma)
    if args.table:
        say(table(report))
    return {
        "annotators": list(report.annotators),
        "documents": report.documents,
        "labels": list(report.labels),
        "resamples": report.resamples,
        "seed": report.seed,
        "agreement": [row.to_json() for row in report.rows],
    }


def table(report: AgreementReport) -> list[str]:
    """The report as lines of a table: one coefficient a line, all labels before each label."""
    cells: list[tuple[str, ...]] = [("who", "label", "measure", "value", "95% interval", "documents")]
    cells += [_cells(row, report) for row in report.rows]
    widths = [max(len(row[column]) for row in cells) for column in range(5)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[5]])
        for row in cells
    ]


def _cells(row: Row, report: AgreementReport) -> tuple[str, ...]:
    result = row.result
    who = "everybody" if row.annotators == report.annotators else " / ".join(row.annotators)
    value = f"{result.value:.3f}" if result.value is not None else f"- {result.reason.code}"  # type: ignore[union-attr]
    interval = f"[{result.interval[0]:.3f}, {result.interval[1]:.3f}]" if result.interval else ""
    return who, row.label or "(all)", MEASURES[row.measure], value, interval, str(row.documents)


def _named_files(files: Sequence[str]) -> list[tuple[str, str]]:
    """Names and paths; an existing file is never taken for NAME=FILE.

    Raises:
        CommandError: two people have one name.
    """
    people = []
    for given in files:
        name, equals, path = given.partition("=")
        people.append(
            (name, path) if equals and name and not Path(given).exists() else (Path(given).stem, given)
        )
    twice = [name for name, count in Counter(name for name, _ in people).items() if count > 1]
    if twice:
        raise CommandError(f"two files are called {twice[0]!r}; write NAME=FILE to name the people")
    return people


def _with_common_ids(versions: dict[str, list[Document]]) -> dict[str, list[Document]]:
    """The documents by common ids: their own, or their texts if these match more of them.

    Formats without ids number documents by file, so only the text can match them.
    """
    by_id = _shared_keys((document.id for document in documents) for documents in versions.values())
    by_text = _shared_keys((document.text for document in documents) for documents in versions.values())
    if by_id >= by_text:
        return versions
    return {
        name: list(
            {
                document.text: Document(document.text or " ", document.text, document.spans)
                for document in documents
            }.values()
        )
        for name, documents in versions.items()
    }


def _shared_keys(files: Iterable[Iterable[str]]) -> int:
    """The number of keys that occur in several files."""
    counts = Counter(key for keys in files for key in set(keys))
    return sum(times > 1 for times in counts.values())
