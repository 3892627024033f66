"""The flags ``--limit-…`` of `launch.py`: each changes one number of the table of limits."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.services.limits.buckets import Rate
from app.services.limits.table import GIGABYTE, MEGABYTE, Limits

OFF = "off"
_SIZES = {"mb": MEGABYTE, "gb": GIGABYTE}


def _rate(value: str) -> Rate:
    try:
        return Rate.parse(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _size(value: str) -> int:
    found = re.fullmatch(r"([1-9]\d{0,6})(mb|gb)", value.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"a size is a number with MB or GB, as 500MB, got {value!r:.40}")
    return int(found[1]) * _SIZES[found[2]]


def _a_day(value: str) -> Rate:
    return Rate(_size(value), 86_400.0)


def _number(value: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,8}", value):
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, got {value!r:.40}")
    return int(value)


def _minutes(value: str) -> float:
    found = re.fullmatch(r"([1-9]\d{0,4})([mh])", value.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"a time is a number with m or h, as 30m, got {value!r:.40}")
    return float(int(found[1]) * {"m": 60, "h": 3600}[found[2]])


# By the field of `Limits`: how its flag reads, what stands for the value, and the help.
FLAGS: dict[str, tuple[Callable[[str], Any], str, str]] = {
    "requests": (_rate, "RATE", "requests of one person, access token or visitor, as 20/s or 3000/m"),
    "sent": (_a_day, "SIZE", "what one person may send in a day, uploads included, as 10GB"),
    "upload": (_size, "SIZE", "one file, as 500MB"),
    "characters": (_number, "N", "characters of one text that is tagged or inspected"),
    "disk": (_size, "SIZE", "what a workspace may take of the disk, runs included, as 100GB"),
    "jobs": (_number, "N", "trainings of one person that run or wait"),
    "all_jobs": (_number, "N", "trainings of everybody that run or wait"),
    "works": (_number, "N", "other long work of one page at once"),
    "questions": (_number, "N", "questions of one person to taggers that are worked on or wait"),
    "all_questions": (_number, "N", "questions of everybody to taggers that are worked on or wait"),
    "sessions": (_number, "N", "pages of one person that are remembered; of a visitor of a demo, copies"),
    "visitors": (_number, "N", "copies of a demo at once"),
    "idle_seconds": (_minutes, "TIME", "after which a visitor's copy and files are deleted, as 30m"),
}
_NAMES = {"characters": "text", "idle_seconds": "idle"}
_NEEDED = ("upload", "visitors", "idle_seconds")  # which a demo cannot be without


def flag_of(field: str) -> str:
    """The flag that changes a field of `Limits`."""
    return f"--limit-{_NAMES.get(field, field).replace('_', '-')}"


def add_limit_flags(parser: argparse.ArgumentParser) -> None:
    """One flag for each limit."""
    group = parser.add_argument_group(
        "limits", "of one person and of the server; off for none; docs/team.md has the defaults"
    )
    for field, (read, shown, what) in FLAGS.items():
        group.add_argument(
            flag_of(field), type=_or_off(field, read), metavar=shown, dest=f"limit_{field}", help=what
        )


def limits_of(given: argparse.Namespace, *, demo: bool, others: bool) -> Limits:
    """The table with what the flags change.

    Args:
        demo: of visitors. others: of people who share a server; else of one person on their own machine.
    """
    table = Limits() if demo else Limits.of_people() if others else Limits.alone()
    values = {field: getattr(given, f"limit_{field}") for field in FLAGS}
    changed: dict[str, Any] = {
        field: None if value == OFF else value for field, value in values.items() if value is not None
    }
    return replace(table, **changed)


def _or_off(field: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    def value_of(value: str) -> Any:
        return OFF if value.strip().lower() == OFF and field not in _NEEDED else read(value)

    return value_of
