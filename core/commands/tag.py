"""``python -m core tag``: raw text in, spans out, one document a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from core.commands import tag_bulk as bulk
from core.commands.arguments.model_argument import load_model
from core.commands.terminal.errors import CommandError
from core.export.onnx.header import is_onnx_folder
from core.text import Document

if TYPE_CHECKING:
    pass

Predict = Callable[[Sequence[Document]], list[Document]]
CHUNK = 256  # lines tagged together; more would delay the output
MOST_THREADS = 1024


def add_parser(subparsers: Any) -> None:
    """Add ``tag``."""
    parser = subparsers.add_parser(
        "tag",
        help="tag raw text with a trained model",
        description="Print one JSON object a line: text, and spans with start, end, label, text and score. "
        "Offsets count characters (code points), the end is exclusive. An empty line is an empty document.",
    )
    parser.add_argument(
        "--model", required=True, metavar="DIR", help="run folder, model folder or exported graph"
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="one document a line; stdin when left out")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    parser.add_argument("--threads", type=int, metavar="N", help="processor threads; all cores when left out")
    bulk.add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[dict[str, Any]] | dict[str, Any]:
    """One object per line of input, as soon as its chunk is tagged; in bulk, the report."""
    if args.threads is not None and not 1 <= args.threads <= MOST_THREADS:
        raise CommandError(f"--threads {args.threads}: expected 1 to {MOST_THREADS}")
    if args.engine is not None:
        return bulk.tag_in_bulk(args)
    bulk.check_none_given(args)
    return _tag_lines(args)


def _tag_lines(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if args.file is not None and not Path(args.file).is_file():
        raise CommandError(f"there is no file {args.file}; check the path, or give the text on stdin")
    if is_onnx_folder(Path(args.model)):
        predict = _exported(args)
    else:
        from core.taggers.base.tagging import tag

        tagger = load_model(args.model, args.device)
        if args.threads is not None:
            import torch

            torch.set_num_threads(args.threads)
        predict = partial(tag, tagger)
    with ExitStack() as stack:
        source = sys.stdin.buffer if args.file is None else stack.enter_context(Path(args.file).open("rb"))
        yield from tag_lines(predict, source, args.file or "stdin")


def _exported(args: argparse.Namespace) -> Predict:
    """The tagger of an exported graph, which needs no torch."""
    from core.export.onnx.runner import OnnxTagger

    if args.device not in ("auto", "cpu"):
        raise CommandError(f"--device {args.device}: an exported graph runs on the processor; leave it out")
    return OnnxTagger(args.model, args.threads or 0).tag


def tag_lines(predict: Predict, source: BinaryIO, name: str) -> Iterator[dict[str, Any]]:
    """Tag a stream of lines in chunks, in constant memory.

    Raises:
        CommandError: a line is not UTF-8; names it.
    """
    texts = enumerate(_lines(source, name), start=1)
    while chunk := [Document(str(number), text) for number, text in islice(texts, CHUNK)]:
        for document in predict(chunk):
            yield {
                "text": document.text,
                "spans": [
                    {
                        "start": span.start,
                        "end": span.end,
                        "label": span.label,
                        "text": document.surface(span),
                        "score": None if span.score is None else round(span.score, 6),
                    }
                    for span in document.spans
                ],
            }


def _lines(source: BinaryIO, name: str) -> Iterator[str]:
    for number, raw in enumerate(source, start=1):
        if b"\0" in raw:
            raise CommandError(
                f"{name}, line {number}: holds a zero byte, so it is no text; give a text file"
            )
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise CommandError(
                f"{name}, line {number}: byte {error.start + 1} is not UTF-8; convert the file to UTF-8 first"
            ) from error
        yield text.rstrip("\r\n")
