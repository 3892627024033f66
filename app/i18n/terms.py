"""Display names of codes in core: splits, run states, roles, kinds of errors."""

from __future__ import annotations

from core.formats import by_name
from core.runtime.message import Message, _, pgettext

SPLIT_NAMES = {
    "auto": _("as file or record says"),
    "train": _("train"),
    "dev": _("dev"),
    "test": _("test"),
    "none": pgettext("split", "none"),
    "all": _("all"),
    "trash": _("trash"),
}

OUTCOMES = {
    "correct": _("correct"),
    "label": _("label"),
    "boundary": _("boundary"),
    "both": _("label and boundary"),
    "missed": _("missed"),
    "spurious": _("spurious"),
}

RUN_STATES = {
    "queued": _("waiting"),
    "running": _("running"),
    "finished": _("finished"),
    "failed": _("failed"),
    "cancelled": _("cancelled"),
    "interrupted": _("interrupted"),
}

# Of a correction.
KIND_NAMES = {
    "missed": _("missed"),
    "spurious": _("spurious"),
    "boundary": _("boundary"),
    "type": _("type"),
    "confirmed": _("confirmed by a person"),
}

STATE_NAMES = {
    "F": _("fixed"),
    "W": _("still wrong"),
    "B": _("newly broken"),
    "·": _("holds"),
    "?": _("not predicted"),
}

# Of a document.
STATUS_NAMES = {
    "new": _("unlabelled"),
    "preannotated": _("pre-annotated"),
    "imported": _("imported labels"),
    "in_progress": _("in progress"),
    "to_check": _("to check"),
    "done": _("done"),
    "ignored": pgettext("status", "ignored"),
}

# Of a file format; the others have proper names.
FORMAT_NAMES = {
    "jsonl": _("JSONL (LatticeLens, or any with a text field)"),
    "plain": _("Plain text"),
    "msra": _("MSRA lines (characters TAB tags)"),
    "brat": _("brat standoff (.txt and .ann)"),
    "mapped": _("Fields mapped by hand"),
}


def format_name(name: str) -> Message:
    """A file format's title; a proper name is the same in every language."""
    return FORMAT_NAMES.get(name) or Message("{title}", values={"title": by_name(name).title})
