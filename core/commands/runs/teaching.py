"""A source as the teacher of ``distil``: what it says of the raw texts, asked before the run is written."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.commands.arguments.corpus_files import say
from core.commands.arguments.source_argument import asked_labels, key_of
from core.commands.terminal.errors import CommandError
from core.sources import Context, Source, SourceError, SourceSettings, map_labels, open_source, proposed
from core.sources.language_model.expected_usage import expected_usage
from core.text import Document, LabelSet

EVERY = 64  # texts between two lines of progress
SAMPLE = 200  # texts from which the cost is reckoned


@dataclass(frozen=True)
class SourceLesson:
    """Args:
    labels: of the documents, that the source can find. answers: raw texts with what it said as their spans.
    """

    labels: tuple[str, ...]
    answers: tuple[Document, ...]


def ask_source(
    args: argparse.Namespace, settings: SourceSettings, parts: Mapping[str, Sequence[Document]]
) -> SourceLesson:
    """Ask about every raw text that is in no other part; says before it begins what a language model costs.

    Args:
        args: with ``source``, ``label``, ``cache``. parts: by name, ``unlabelled`` the raw ones.

    Raises:
        CommandError: the source cannot be asked, or finds none of the labels. KeyboardInterrupt: answers of a
            language model are in the cache, if there is one.
    """
    from core.corpus.snapshot import UNLABELLED

    seen = {document.text for part, held in parts.items() if part != UNLABELLED for document in held}
    texts = [text for text in dict.fromkeys(each.text for each in parts[UNLABELLED]) if text not in seen]
    ours = asked_labels(args.label).extended(
        sorted({span.label for document in parts["train"] for span in document.spans})
    )
    cache = Path(args.cache) if args.cache else None
    context = Context(ours, parts["train"], cache, lambda: key_of(settings))
    try:
        source = open_source(settings, context)
        mapping = {**proposed(source.labels, ours.names), **settings.labels}
        found = {mapping.get(label, label) for label in source.labels}
        labels = tuple(name for name in ours.names if name in found)
        if not labels:
            raise CommandError(
                f"--source {args.source}: it finds {', '.join(source.labels)}, none of which is a label of "
                f"--train ({', '.join(ours.names)}); name pairs under labels in a JSON file of its settings"
            )
        if settings.kind == "language_model":
            _say_cost(settings, ours, parts["train"], texts)
        return SourceLesson(labels, _answered(source, settings.name, texts, mapping, labels))
    except SourceError as error:
        raise CommandError(f"--source {args.source}: {error}") from error


def _answered(
    source: Source, name: str, texts: Sequence[str], mapping: Mapping[str, str], labels: Sequence[str]
) -> tuple[Document, ...]:
    answered, unanswered = [], 0
    for number, answer in enumerate(source.suggest(texts), start=1):
        if answer.problem is None:
            spans = map_labels(answer.spans, mapping, labels).spans
            answered.append(Document(f"taught-{number}", texts[number - 1], spans))
        else:
            unanswered += 1
            if unanswered == 1:
                say([f"{name} did not answer on a text: {answer.problem}"])
        if number % EVERY == 0:
            print(f"{name}: {number} of {len(texts)} texts", file=sys.stderr)
    if unanswered:
        say([f"{name} did not answer on {unanswered} of {len(texts)} texts; they are not learned"])
    if not answered:
        raise SourceError("It answered on no raw text, so there is nothing to learn from it.")
    return tuple(answered)


def _say_cost(
    settings: SourceSettings, labels: LabelSet, examples: Sequence[Document], texts: Sequence[str]
) -> None:
    expected = expected_usage(
        settings, labels, examples, texts[:SAMPLE], len(texts), sum(len(text) for text in texts)
    )
    cost = settings.cost(expected.read, expected.written)
    price = f", {cost:.2g} in the currency of its prices" if cost else ""
    say(
        [
            f"{settings.name}: {len(texts)} texts go to {settings.address}, about {expected.read} tokens are "
            f"read and {expected.written} written{price}; stop with Ctrl-C"
        ]
    )
