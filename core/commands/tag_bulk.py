"""``python -m core tag --engine ray``: any amount of text, in blocks, by several workers."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from core.commands.arguments.model_argument import model_path
from core.commands.terminal.errors import CommandError, Interrupted
from core.commands.terminal.progress_line import ProgressLine
from core.commands.terminal.stop_signals import stop_on_signals
from core.corpus.errors import DiskFullError
from core.runtime.message import Told

# Flags that mean something with --engine alone, with their values when left out.
DEFAULTS: dict[str, Any] = {
    "input": None,
    "out": None,
    "text_column": "text",
    "id_column": None,
    "format": "parquet",
    "workers": 1,
    "gpus_per_worker": 0.0,
    "ray": None,
    "block_size": None,
    "resume": False,
}
MEGABYTE = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--engine`` and what goes with it."""
    parser.add_argument(
        "--engine", choices=["ray"], help="tag files of any size with several workers (extra 'cluster')"
    )
    many = parser.add_argument_group("with --engine ray")

    def add(flag: str, **options: Any) -> None:
        many.add_argument(flag, default=DEFAULTS[flag[2:].replace("-", "_")], **options)

    add(
        "--input",
        nargs="+",
        metavar="WHERE",
        help="files, folders or names with *: .txt, .jsonl (also .gz, .zst, .bz2), .parquet, a Hugging Face "
        "dataset folder; paths, s3:// or gs://",
    )
    add("--out", metavar="DIR", help="the output folder: a path, s3:// or gs://")
    add("--text-column", metavar="NAME", help="field or column of the text; text when left out")
    add("--id-column", metavar="NAME", help="field or column of the id; otherwise file and place")
    add("--format", choices=["parquet", "jsonl"], help="of the parts; parquet when left out")
    add("--workers", type=int, metavar="N", help="processes that hold the tagger; 1 when left out")
    add("--gpus-per-worker", type=float, metavar="F", help="0 when left out; 0.5 puts two workers on a GPU")
    add("--ray", metavar="ADDRESS", help="host:port of a running cluster, or auto; otherwise Ray starts here")
    add("--block-size", type=float, metavar="MB", help="of what is tagged, written and resumed as one")
    add("--resume", action="store_true", help="go on with the job in --out")


def check_none_given(args: argparse.Namespace) -> None:
    """Refuse flags that mean nothing without ``--engine ray``.

    Raises:
        CommandError: naming one.
    """
    for name, default in DEFAULTS.items():
        if getattr(args, name) != default:
            raise CommandError(
                f"--{name.replace('_', '-')} goes with --engine ray; add it, or leave this out"
            )


def tag_in_bulk(args: argparse.Namespace) -> dict[str, Any]:
    """Run the job; returns its report.

    Raises:
        CommandError: it cannot begin or go on. Interrupted: Ctrl-C; what is finished stays.
    """
    from core.bulk.errors import Cancelled
    from core.bulk.job import BulkRequest, run_job
    from core.bulk.report import Progress

    if args.file is not None:
        raise CommandError(f"with --engine ray give what to tag as --input {shlex.quote(args.file)}")
    if not args.input or not args.out:
        raise CommandError("--engine ray needs --input WHERE and --out DIR")
    if args.block_size is not None and not 0.001 <= args.block_size <= 4096:
        raise CommandError(f"--block-size {args.block_size}: expected megabytes, 0.001 to 4096")
    request = BulkRequest(
        model_path(args.model),
        run_name(args.model),
        tuple(args.input),
        args.out,
        args.text_column,
        args.id_column,
        args.format,
        args.workers,
        args.threads or 1,
        args.gpus_per_worker,
        args.device if args.device != "auto" or args.gpus_per_worker else "cpu",
        args.ray,
        args.resume,
        None if args.block_size is None else max(1, int(args.block_size * MEGABYTE)),
    )
    line = ProgressLine()

    def show(progress: Progress) -> None:
        rate = "" if progress.rate is None else f", {progress.rate:,.0f} characters a second"
        refused = f", {progress.refused:,} put aside" if progress.refused else ""
        line.show(f"{progress.documents:,} documents{rate}{refused}", progress.fraction, progress.remaining)

    with stop_on_signals() as should_stop:
        try:
            return run_job(request, show, should_stop)
        except Cancelled:
            raise Interrupted(f"stopped; what is finished stays in {args.out}, go on with --resume") from None
        except DiskFullError:
            raise
        except Told as error:
            raise CommandError(str(error)) from error
        finally:
            line.clear()


def run_name(model: str) -> str:
    """The name of a run by its folder: ``runs/first`` and ``runs/first/model`` are ``first``."""
    folder = Path(model).resolve()
    return folder.parent.name if folder.name == "model" else folder.name
