"""Display names of codes in core: splits, run states, roles, kinds of errors."""

from __future__ import annotations

from core.text.message import _, pgettext

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


ROLE_NAMES = {
    "annotator": _("annotator"),
    "reviewer": _("reviewer"),
    "manager": _("manager"),
}

# Of a correction.
KIND_NAMES = {
    "missed": _("missed"),
    "spurious": _("spurious"),
    "boundary": _("boundary"),
    "type": _("type"),
    "confirmed": _("confirmed"),
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
    "new": pgettext("status", "new"),
    "in_progress": _("in progress"),
    "done": _("done"),
}

# Rights of `core.store.project.members`.
RIGHT_NAMES = {
    "annotate": _("annotating"),
    "try_tagger": _("trying the tagger"),
    "see_documents": _("seeing all documents"),
    "review": _("reviewing"),
    "export": _("exporting"),
    "change_dictionary": _("changing the dictionary"),
    "import": _("importing and splitting"),
    "remove_documents": _("removing documents"),
    "train": _("training"),
    "promote": _("activating taggers"),
    "change_labels": _("changing labels"),
    "manage": _("managing the project"),
}
