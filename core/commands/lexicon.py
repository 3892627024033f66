"""``python -m core lexicon``: match text; inspect, check, compare and measure word lists; find new words."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from core.commands import discover, measure_words
from core.commands.terminal.errors import CommandError
from core.lexicon import Entry, Lexicon, LexiconError, WordListError, gazetteer, read_word_list
from core.lexicon.word_list import line_of
from core.lexicon.word_list_changes import CHOICES, differences, merge


def add_parser(subparsers: Any) -> None:
    """Add ``lexicon`` with its actions ``match``, ``info``, ``check``, ``discover`` and ``measure``."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "lexicon",
        help="match words, look at, check and measure word lists, find new words",
        description="Print one JSON object. Without --lexicon or --model the words are jieba's dictionary.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    match = actions.add_parser(
        "match",
        help="every word found in a text",
        description="Print the words found in a text with head and tail: their first and last character, "
        "both inclusive, counted in code points.",
    )
    match.add_argument("text", nargs="?", metavar="TEXT", help="the text; stdin when left out")
    info = actions.add_parser("info", help="size and make-up of a lexicon")
    for action in (match, info):
        source = action.add_mutually_exclusive_group()
        source.add_argument("--lexicon", metavar="FILE", help="a word list; jieba's dictionary when left out")
        source.add_argument("--model", metavar="DIR", help="the lexicon of a trained model")
        action.add_argument(
            "--add", action="append", default=[], metavar="WORD", help="and this word; may repeat"
        )
        action.add_argument("--remove", action="append", default=[], metavar="WORD", help="but not this word")
    check = actions.add_parser(
        "check",
        help="say what a word list holds and which lines cannot be read",
        description="Read a word list in any of its forms: word; word TAB frequency; word TAB type; "
        "word frequency pos. Bad lines are listed with their numbers; the exit status is 0 unless nothing of "
        "the file can be read.",
    )
    check.add_argument("file", metavar="FILE", help="the word list, UTF-8")
    discover.add_action(actions)
    measure_words.add_action(actions)
    _add_list_actions(actions)
    parser.set_defaults(run=run)


def _add_list_actions(actions: Any) -> None:
    diff = actions.add_parser(
        "diff",
        help="say what differs between two word lists",
        description="Print how many words the second list adds, removes and changes, and which.",
    )
    merge = actions.add_parser(
        "merge",
        help="make two word lists one",
        description="Write both lists as one. A word in both keeps the higher frequency.",
    )
    for action in (diff, merge):
        action.add_argument("first", metavar="FIRST", help="a word list, UTF-8")
        action.add_argument("second", metavar="SECOND", help="another one")
    diff.add_argument("--most", type=int, default=100, metavar="N", help="list at most N words (default 100)")
    merge.add_argument(
        "--types",
        choices=CHOICES,
        default="both",
        help="whose types to keep where the lists differ (default both)",
    )
    names = actions.add_parser(
        "gazetteer",
        help="write jieba's names as a word list",
        description="Write the persons (nr), places (ns), organisations (nt) and other names (nz) of jieba's "
        "dictionary as a word list, each kind under the label given for it; a kind without one is left out.",
    )
    for kind, tag in gazetteer.KINDS.items():
        names.add_argument(f"--{kind}", metavar="LABEL", help=f"label for {tag}")
    for action in (merge, names):
        action.add_argument("--out", required=True, metavar="FILE", help="where to write the list")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The result of one action."""
    try:
        if args.action == "check":
            return _check(Path(args.file))
        if args.action in _LIST_ACTIONS:
            return _LIST_ACTIONS[args.action](args)
        lexicon = _lexicon(args)
        return _match(lexicon, args.text) if args.action == "match" else _info(lexicon)
    except WordListError as error:
        raise CommandError(f"{error}; see 'python -m core lexicon check FILE' for all lines") from None
    except LexiconError as error:
        raise CommandError(str(error)) from None


def _lexicon(args: argparse.Namespace) -> Lexicon:
    if args.model:
        folder = Path(args.model)
        candidates = [folder / "model" / "lexicon", folder / "lexicon"]
        folders = [place for place in candidates if place.is_dir()]
        if not folders:
            raise CommandError(
                f"{folder} holds no lexicon; give a run or model folder of a tagger that reads one"
            )
        lexicon = Lexicon.load(folders[0])
    else:
        lexicon = Lexicon.from_file(Path(args.lexicon)) if args.lexicon else Lexicon.jieba()
    return lexicon.with_words(args.add).without_words(args.remove)


def _match(lexicon: Lexicon, text: str | None) -> dict[str, Any]:
    if text is None:
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise CommandError(
                f"the text on stdin is not UTF-8 (byte {error.start}); convert it first"
            ) from None
    return {"text": text, "words": [match._asdict() for match in lexicon.match(text)]}


def _info(lexicon: Lexicon) -> dict[str, Any]:
    lengths = Counter(len(entry.word) for entry in lexicon)
    return {
        "words": len(lexicon),
        "matched": len(lexicon) - lengths[1],
        "by_length": {str(length): lengths[length] for length in sorted(lengths)},
        "added": [entry.word for entry in lexicon.added],
        "removed": list(lexicon.removed),
        "fingerprint": lexicon.fingerprint,
    }


def _check(path: Path) -> dict[str, Any]:
    words = read_word_list(path)
    types = Counter(entry.type for entry in words.entries if entry.type)
    return {
        "file": str(path),
        "words": len(words.entries),
        "repeated": words.repeated,
        "single_characters": sum(len(entry.word) == 1 for entry in words.entries),
        "types": dict(sorted(types.items())),
        "problems": [{"line": problem.line, "reason": problem.reason} for problem in words.problems],
    }


def _diff(args: argparse.Namespace) -> dict[str, Any]:
    first, second = read_word_list(Path(args.first)), read_word_list(Path(args.second))
    changes = list(differences(first.by_word, second.by_word))
    counts = Counter(difference.change for difference in changes)
    return {
        **{name: counts[name] for name in ("added", "removed", "changed")},
        "refused": len(first.problems) + len(second.problems),
        "words": [
            {
                "word": difference.word,
                "change": difference.change,
                "first": [[entry.type, entry.frequency] for entry in difference.first],
                "second": [[entry.type, entry.frequency] for entry in difference.second],
            }
            for difference in changes[: max(0, args.most)]
        ],
    }


def _merge(args: argparse.Namespace) -> dict[str, Any]:
    first, second = read_word_list(Path(args.first)), read_word_list(Path(args.second))
    merged, conflicts = merge(first.by_word, second.by_word, args.types)
    return {
        "file": _write(args.out, merged),
        "entries": len(merged),
        "words": len({entry.word for entry in merged}),
        "conflicts": conflicts,
        "refused": len(first.problems) + len(second.problems),
    }


def _gazetteer(args: argparse.Namespace) -> dict[str, Any]:
    labels = {kind: getattr(args, kind) for kind in gazetteer.KINDS if getattr(args, kind)}
    if not labels:
        raise CommandError("give a label for at least one kind, such as --person PER")
    entries = gazetteer.labelled(labels)
    types = Counter(entry.type for entry in entries)
    return {"file": _write(args.out, entries), "entries": len(entries), "types": dict(sorted(types.items()))}


def _write(name: str, entries: list[Entry]) -> str:
    try:
        Path(name).write_text("".join(map(line_of, entries)), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{name} cannot be written: {error.strerror}") from None
    return name


_LIST_ACTIONS = {"diff": _diff, "merge": _merge, "gazetteer": _gazetteer}
