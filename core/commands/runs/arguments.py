"""The flags that several of the commands have which write a run folder."""

from __future__ import annotations

import argparse

from core.training.run.run_request import DEVICES


def add_documents(parser: argparse.ArgumentParser) -> None:
    """Add ``--train``, ``--dev`` and ``--test``."""
    parser.add_argument("--train", metavar="FILE", help="labelled documents to learn from")
    parser.add_argument(
        "--dev", metavar="FILE", help="choose the best epoch; else a tenth of --train is held out"
    )
    add_test(parser)


def add_test(parser: argparse.ArgumentParser) -> None:
    """Add ``--test``."""
    parser.add_argument("--test", metavar="FILE", help="scored once, at the end")


def add_folder(
    parser: argparse.ArgumentParser,
    out: str = "run folder to write",
    resume: str = "go on with the run in --out, same documents",
) -> None:
    """Add ``--out``, ``--resume`` and ``--device``.

    Args:
        out, resume: their help.
    """
    parser.add_argument("--out", required=True, metavar="DIR", help=out)
    parser.add_argument("--resume", action="store_true", help=resume)
    parser.add_argument("--device", choices=DEVICES, default=None, help="auto when left out")


def add_lexicon(parser: argparse.ArgumentParser) -> None:
    """Add ``--lexicon``."""
    parser.add_argument(
        "--lexicon", metavar="FILE", help="word list to match; jieba's dictionary when left out"
    )
