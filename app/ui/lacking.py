"""What a person may not do is not offered: the parts for it are hidden, and a sentence says who may.

The page knows the rights a person lacks (`app.services.rights.place`), and the style sheet hides by them; the
server refuses in any case.
"""

from __future__ import annotations

import gradio as gr

from app.i18n import _
from app.i18n.binding import Texts

WHO_MAY = {
    "import": _("Only managers of this project import documents."),
    "export": _("Only reviewers and managers of this project export documents."),
    "train": _("Only managers of this project train. The runs and their results are shown to everybody."),
    "tag": _("Only managers of this project tag its documents."),
    "promote": _("Only managers of this project choose the active run."),
    "change_dictionary": _("Only reviewers and managers of this project change its dictionary."),
    "change_labels": _("Only managers of this project change its labels and its guideline."),
    "manage": _("Only managers change the project and its members, or make and restore backups."),
}


def needs_class(right: str) -> str:
    """The class of a part that is hidden from people without this right."""
    return f"ll-needs-{right.replace('_', '-')}"


def who_may(texts: Texts, right: str, what: str = "") -> gr.Markdown:
    """The sentence for people without the right, which others do not see.

    Args:
        what: the sentence of `WHO_MAY` where it is not the one of the right.
    """
    classes = ["ll-how", "ll-without", f"ll-without-{right.replace('_', '-')}"]
    return texts.bind(gr.Markdown(elem_classes=classes), value=WHO_MAY[what or right])
