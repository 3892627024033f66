"""``python -m core suggest``: spans of another tagger, or of a language model, for the texts of a file."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, format_of, read_corpus
from core.commands.arguments.source_argument import (
    add_cache,
    add_labels,
    add_source,
    asked_labels,
    key_of,
    source_settings,
)
from core.commands.terminal.errors import CommandError
from core.formats import FormatError, WriteOptions, write_file
from core.sources import Context, Source, SourceError, SourceSettings, Usage, map_labels, open_source
from core.text import Document, LabelSet

CHUNK = 64  # texts between two lines of progress


def add_parser(subparsers: Any) -> None:
    """Add ``suggest`` to the commands."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "suggest",
        help="tag texts with LAC, spaCy, a Hugging Face model or a language model",
        description="Replace the spans of the texts of IN by those of a source, write OUT, and print counts "
        "as JSON. A language model is sent every text; all others run on this machine.",
    )
    add_source(parser, required=True)
    parser.add_argument("--input", required=True, metavar="IN", help="texts, in any format")
    parser.add_argument("--out", required=True, metavar="OUT", help="the file to write")
    add_format(parser, "IN")
    parser.add_argument("--to", metavar="NAME", help="format of OUT; from its ending")
    add_labels(parser)
    parser.add_argument(
        "--examples", metavar="FILE", help="labelled documents; a language model is shown those like a text"
    )
    add_cache(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask the source about every text; returns counts, tokens and cost."""
    began = time.monotonic()
    settings = source_settings(args.source)
    documents = read_corpus(args.input, args.format).documents
    target = Path(args.out)
    format_name = args.to or format_of(target)
    examples = read_corpus(args.examples).documents if args.examples else ()
    labels = asked_labels(args.label) or LabelSet().extended(
        span.label for document in examples for span in document.spans
    )
    context = Context(labels, examples, Path(args.cache) if args.cache else None, lambda: key_of(settings))
    tally = _Tally()
    try:
        source = open_source(settings, context)
        write_file(_suggested(source, settings, documents, tally), target, format_name, WriteOptions())
    except (SourceError, FormatError, OSError) as error:
        raise CommandError(str(error)) from error
    return tally.report(settings, time.monotonic() - began)


class _Tally:
    """What came of a run."""

    def __init__(self) -> None:
        self.documents = 0
        self.usage = Usage()
        self.labels: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.unanswered: Counter[str] = Counter()

    def report(self, settings: SourceSettings, seconds: float) -> dict[str, Any]:
        usage = self.usage
        return {
            "documents": self.documents,
            "spans": sum(self.labels.values()),
            "labels": dict(self.labels.most_common()),
            "dropped": dict(self.dropped),
            "unanswered": dict(self.unanswered),
            "tokens": {"read": usage.read, "written": usage.written},
            "requests": usage.asked,
            "cached": usage.cached,
            "cost": round(settings.cost(usage.read, usage.written), 6),
            "seconds": round(seconds, 3),
        }


def _suggested(
    source: Source, settings: SourceSettings, documents: list[Document], tally: _Tally
) -> Iterator[Document]:
    wanted = {settings.labels.get(label, label) for label in source.labels}
    answers = source.suggest([document.text for document in documents])
    for document, answer in zip(documents, answers, strict=True):
        spans = map_labels(answer.spans, settings.labels, wanted).spans
        tally.documents += 1
        tally.usage += answer.usage
        tally.labels.update(span.label for span in spans)
        tally.dropped.update(answer.dropped)
        if answer.problem is not None:
            tally.unanswered[str(answer.problem)] += 1
        if tally.documents % CHUNK == 0:
            print(f"{tally.documents} of {len(documents)} documents", file=sys.stderr)
        yield document.with_spans(spans)
