"""Shared by the pretraining commands: flags, files, progress."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from core.commands.arguments.corpus_files import add_format, read_corpus
from core.commands.arguments.set_argument import add_set
from core.commands.runs.beginning import JIEBA
from core.commands.runs.engine import add_engine, device_of, engine, group_of
from core.commands.terminal.errors import CommandError, Interrupted
from core.commands.terminal.progress_line import ProgressLine
from core.commands.terminal.stop_signals import stop_on_signals
from core.runtime.message import Message, Told, _
from core.training.run.run_request import DEVICES

if TYPE_CHECKING:
    from core.lexicon import Lexicon
    from core.text import Document

Event = Mapping[str, Any]
Result = TypeVar("Result")


class RawText(NamedTuple):
    """Training documents, held-out documents, and notes on the files."""

    learned: list[Document]
    held_out: list[Document]
    notes: list[str]


def add_arguments(
    parser: argparse.ArgumentParser, *, out: str, option: str, lexicon: bool = False, measured: bool = False
) -> None:
    """Add the flags of a training on raw text.

    Args:
        out: what ``--out`` is. option: what ``--set`` takes. lexicon: whether words are cut.
        measured: whether text is held out, and a device chosen.
    """
    parser.add_argument(
        "--text", required=True, metavar="FILE", action="append", help="text to learn from; may be repeated"
    )
    if measured:
        parser.add_argument(
            "--dev", metavar="FILE", help="text to measure on; else a twentieth of the documents is held out"
        )
    parser.add_argument("--out", required=True, metavar="DIR", help=out)
    if lexicon:
        parser.add_argument(
            "--lexicon", default=JIEBA, metavar="FILE", help="word list that cuts words; jieba"
        )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the training in --out, all else the same"
    )
    add_set(parser, option)
    if measured:
        add_device(parser)
        add_engine(parser)
    add_format(parser)


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add ``--device``."""
    parser.add_argument("--device", choices=DEVICES, default="auto", help="auto when left out")


def check_out(folder: Path, resume: bool, checkpoint: str, results: str) -> None:
    """Check the output folder: not a file, empty, or resumable.

    Args:
        checkpoint: name of the checkpoint in it. results: pattern of result files.

    Raises:
        CommandError: says which, and what to do.
    """
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file; name a folder to write to")
    begun = (folder / checkpoint).is_dir()
    if resume and not begun:
        raise CommandError(f"{folder} holds no training to resume; leave out --resume to begin one")
    if not resume and (begun or any(folder.glob(results))):
        raise CommandError(f"{folder} holds a result already; add --resume to go on, or name another folder")


def read_texts(args: argparse.Namespace, seed: int | None = None) -> RawText:
    """The files of ``--text`` and ``--dev``.

    Args:
        seed: of the held-out documents without ``--dev``; None: hold nothing out.

    Raises:
        CommandError: a file cannot be read.
    """
    from core.learning.bilm.preparation import hold_out

    read = [read_corpus(path, args.format) for path in args.text]
    documents = [document for corpus in read for document in corpus.documents]
    notes = [note for corpus in read for note in corpus.notes]
    if seed is None:
        return RawText(documents, [], notes)
    if args.dev:
        dev = read_corpus(args.dev, args.format)
        return RawText(documents, dev.documents, [*notes, *dev.notes])
    learned, held_out = hold_out(documents, seed)
    if held_out:
        notes.append(f"{len(held_out)} of the {len(documents)} documents are held out to measure on")
    return RawText(learned, held_out, notes)


def read_lexicon(name: str) -> Lexicon:
    """The word list that ``--lexicon`` names.

    Raises:
        CommandError: it cannot be read.
    """
    from core.lexicon import Lexicon, LexiconError

    try:
        return Lexicon.jieba() if name == JIEBA else Lexicon.from_file(Path(name))
    except (LexiconError, OSError) as error:
        raise CommandError(str(error)) from error


def configs_of(kinds: Sequence[type[Any]], values: Mapping[str, str]) -> tuple[Any, ...]:
    """A config of each kind, from the values that are fields of it.

    Raises:
        CommandError: a field is in none of them, or a value does not fit.
    """
    from core.taggers.base.config_fields import config_from_settings

    names = [[field.name for field in fields(kind)] for kind in kinds]
    for name in values:
        if not any(name in field_names for field_names in names):
            every = ", ".join(field for field_names in names for field in field_names)
            raise CommandError(f"--set {name}: no such field; there are {every}")
    return tuple(
        config_from_settings(kind, {name: values[name] for name in field_names if name in values})
        for kind, field_names in zip(kinds, names, strict=True)
    )


def train_with_progress(
    train: Callable[[Callable[[Event], None], Callable[[], bool]], Result],
    show: Callable[[ProgressLine, Event], None],
) -> Result:
    """Train with a progress line until the end, or until a signal asks to stop.

    Args:
        train: called with a report function and a stop predicate; None if it was stopped. Notes on its input
            are ``note`` events; they are said once it has begun, so that a refusal stands alone.
        show: displays any other event.

    Raises:
        Interrupted: it was stopped.
    """
    line = ProgressLine()
    notes: list[str] = []

    def report(event: Event) -> None:
        if event["event"] == "note":
            notes.append(event["text"])
            return
        while notes:
            line.say(notes.pop(0))
        if event["event"] == "log":
            line.say(str(Message.from_json(event["message"])))
        else:
            show(line, event)

    with stop_on_signals() as stopped:
        result = train(report, stopped)
    line.clear()
    if result is None:
        raise Interrupted("stopped; to go on, give the same command with --resume")
    return result


def train_here_or_in_workers(
    learn: Callable[[argparse.Namespace, Callable[[Event], None], Callable[[], bool]], Any],
    args: argparse.Namespace,
    threads: int,
    show: Callable[[ProgressLine, Event], None],
) -> Any:
    """``train_with_progress`` in this process, or with ``--engine ray`` in all workers at once.

    Args:
        learn: a function of a module, called with ``args``, a report function and a stop predicate. In a
            worker it joins the others (``core.training.processes.join``).
        threads: of the config; 0 gives each worker one.

    Raises:
        CommandError, Told: bad input, or Ray cannot run it. Interrupted: it was stopped.
    """
    group = group_of(args, threads)
    if group is None:
        return train_with_progress(partial(learn, args), show)
    from core.cluster.workers import run_in_workers

    args.device = device_of(args, group)
    with engine(group, args.out) as ray:
        task = partial(_learn_in_worker, learn, args)
        folder = Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        return train_with_progress(
            partial(run_in_workers, ray, task, group, folder, _("Training on Ray")), show
        )


def _learn_in_worker(
    learn: Callable[..., Any],
    args: argparse.Namespace,
    report: Callable[[Event], None],
    should_stop: Callable[[], bool],
) -> Any:
    """``learn``, whose refusals end the work: Ray would try again after any other error."""
    try:
        return learn(args, report, should_stop)
    except CommandError as error:
        raise Told("{reason}", reason=str(error)) from error


def show_epochs(format_score: Callable[[Any], str]) -> Callable[[ProgressLine, Event], None]:
    """A function that displays steps and epochs.

    Args:
        format_score: formats the dev score, which is then never None.
    """

    def show(line: ProgressLine, event: Event) -> None:
        kind, dev = event["event"], event.get("dev")
        score = f", {format_score(dev)}" if dev is not None else ""
        if kind == "before" and score:
            line.say(f"Before the first step{score}")
        elif kind == "head":
            line.say(f"The new head has learned alone for {event['steps']} steps{score}")
        elif kind == "step":
            doing = event.get("message", {}).get("en") or f"Epoch {event['epoch']} of {event['epochs']}"
            line.show(f"{doing}, loss {event['loss']:.3f}", event["fraction"], event["remaining_seconds"])
        elif kind == "epoch":
            best = " (best so far)" if event["best"] else ""
            where = f"Epoch {event['epoch']} of {event['epochs']}"
            line.say(f"{where}: loss {event['loss']:.3f}{score}{best}, {event['seconds']:.1f} s")

    return show
