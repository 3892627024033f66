"""The offset doctor of the import preview: finds the offset convention that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, ngettext
from app.services.errors import AppError
from app.services.importing.documents import AUTO, FilePreview
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from core.formats import FormatError, by_name
from core.formats.doctor.offset_doctor import Diagnosis, diagnose
from core.formats.framework.conventions import Convention, every_convention
from core.formats.shapes.standoff import Standoff

COLUMN_NAMES = {
    "convention": _("counted as"),
    "fits": _("records that fit"),
    "impossible": _("impossible spans"),
    "odd": _("odd boundaries"),
    "file": _("file"),
}

UNIT_NAMES = {
    "code_points": _("code points"),
    "utf16": _("UTF-16 units"),
    "utf8": _("UTF-8 bytes"),
    "graphemes": _("graphemes"),
    "tokens": _("tokens between blanks"),
    "inclusive": _("end inclusive"),
    "exclusive": _("end exclusive"),
    "one_based": _("from 1"),
    "crlf_as_one": _("CRLF counted as one"),
    "lf_as_two": _("line breaks counted as two"),
}

SHOWN = 6  # conventions in the table of one file


@dataclass
class OffsetsComponents:
    """The button, the verdict and the choice of a convention."""

    examine: gr.Button
    verdict: gr.Markdown
    offsets: gr.Dataframe
    choice: gr.Dropdown
    apply: gr.Button


def layout(frame: Frame, table_of: Callable[..., gr.Dataframe]) -> OffsetsComponents:
    """Build the section, closed."""
    texts = frame.texts
    with texts.bind(gr.Accordion(open=False, elem_id="data-offsets-box"), label=_("Offset convention")):
        texts.hint(
            _(
                "Tools count code points, UTF-16 units, bytes or graphemes, and end at the "
                "last character or after it. This tries every way and shows how many records "
                "fit."
            )
        )
        with gr.Row(elem_classes="ll-buttons"):
            examine = texts.button(_("Check offsets"), elem_id="data-offsets")
        verdict = gr.Markdown(elem_id="data-offsets-told")
        table = table_of(elem_id="data-offsets-table")
        with gr.Row(elem_classes="ll-buttons", equal_height=False):
            choice = texts.bind(
                gr.Dropdown([AUTO], value=AUTO, elem_id="data-offsets-choice"), label=_("Read offsets as")
            )
            apply = texts.button(_("Apply these offsets"), elem_id="data-offsets-apply")
    return OffsetsComponents(examine, verdict, table, choice, apply)


def has_offsets(preview: FilePreview) -> bool:
    """Whether a file's format gives spans by offsets."""
    is_standoff = preview.options.mapping is not None or isinstance(by_name(preview.format), Standoff)
    return bool(preview.spans or preview.refused) and is_standoff


def nothing(session: Session) -> dict[str, Any]:
    """The initial state: verdict, table, choice."""
    return {"verdict": "", "offsets": gr.update(visible=False), "choice": _choices(session, AUTO)}


def examine(session: Session) -> dict[str, Any]:
    """Ask the doctor about every file of the preview that has offsets."""
    previews = session.memory.get("data")
    if not isinstance(previews, list):
        raise AppError("The files to import no longer exist. Choose and preview them again, then import.")
    diagnoses: list[tuple[FilePreview, Diagnosis]] = []
    for preview in filter(has_offsets, previews):
        try:
            diagnoses.append((preview, diagnose(preview.path, preview.format, preview.options)))
        except FormatError:
            continue  # without spans there is nothing to compare
    if not diagnoses:
        return {
            "verdict": session._("None of these files has spans with offsets."),
            "offsets": gr.update(visible=False),
            "choice": _choices(session, AUTO),
        }
    names = ("file", "convention", "fits", "impossible", "odd")
    headers = [session._(COLUMN_NAMES[name]) for name in names]
    body = [line for preview, diagnosis in diagnoses for line in _lines(session, preview, diagnosis)]
    verdicts = "\n\n".join(_verdict(session, preview, diagnosis) for preview, diagnosis in diagnoses)
    best = next(
        (
            diagnosis.chosen.name
            for _, diagnosis in diagnoses
            if diagnosis.best and diagnosis.chosen != diagnosis.defined
        ),
        AUTO,
    )
    table = gr.update(value={"headers": headers, "data": body}, visible=True)
    return {"verdict": verdicts, "offsets": table, "choice": _choices(session, best)}


def title(session: Session, convention: Convention) -> str:
    """Describe an offset convention."""
    parts = [convention.unit, "inclusive" if convention.inclusive else "exclusive"]
    parts += ["one_based"] * convention.one_based
    parts += [convention.breaks] * (convention.breaks != "as_they_are")
    return session._(", ").join(session._(UNIT_NAMES[part]) for part in parts)


def _lines(session: Session, preview: FilePreview, diagnosis: Diagnosis) -> list[list[str]]:
    """The best conventions of a file and its own; equivalent ones once."""
    first = diagnosis.rows[0]
    alike = [
        row.convention
        for row in diagnosis.rows
        if (row.fits, row.impossible, row.odd) == (first.fits, first.impossible, first.odd)
    ]
    distinct = [
        row for row in diagnosis.rows if row.convention in diagnosis.best or row.convention not in alike
    ]
    best = [row for row in distinct[:SHOWN] if row.fits]
    best += [row for row in diagnosis.rows if row.convention == diagnosis.defined and row not in best]
    judged = diagnosis.surfaces or diagnosis.records
    return [
        [
            preview.name,
            title(session, row.convention),
            f"{row.fits} / {judged}",
            str(row.impossible),
            str(row.odd),
        ]
        for row in best
    ]


def _verdict(session: Session, preview: FilePreview, diagnosis: Diagnosis) -> str:
    what = session._("; ").join(title(session, convention) for convention in diagnosis.best)
    file = code_span(preview.name)
    if not diagnosis.best:
        return session._("{file}: no offset convention fits; the offsets belong to another text.", file=file)
    if not diagnosis.decided:
        return session._("{file}: several conventions fit equally well: {what}.", file=file, what=what)
    key = (
        ngettext(
            "{file}: {what}, decided by {count} record that gives the text of its spans.",
            "{file}: {what}, decided by {count} records that give the text of their spans.",
        )
        if diagnosis.surfaces
        else _(
            "{file}: {what} fits best; decided by word boundaries and blanks, as the file does not "
            "give the text of its spans."
        )
    )
    return session._(key, file=file, what=what, count=diagnosis.surfaces)


def _choices(session: Session, chosen: str) -> Any:
    choices = [(session._("detected, or by the format"), AUTO)]
    choices += [(title(session, convention), convention.name) for convention in every_convention()]
    return gr.update(choices=choices, value=chosen)


def wire(components: OffsetsComponents, frame: Frame) -> None:
    """Connect the examination; the page connects the choice."""
    c = components
    frame.on([c.examine.click], examine, [], [c.verdict, c.offsets, c.choice], show_progress="minimal")
