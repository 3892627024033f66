"""The mapping step of an import: a person says which field of a file holds what, and sees what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from app.data.preview import drop_preview, rows, show_previews, table_of
from app.i18n import _
from app.services.errors import AppError
from app.services.importing import mappings
from app.services.importing.documents import AUTO, gathered, look_at_all, pasted_file
from app.services.rights import needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.sentence import sentence_row, sentence_view, sentences_value
from core.formats import FormatError, ReadOptions
from core.formats.framework.conventions import every_convention
from core.formats.framework.registry import opened
from core.formats.framework.source import Source
from core.formats.mapping.guess import Field, complete, fields_of, guess_of, item_fields
from core.formats.mapping.mapping import Mapping
from core.formats.mapping.records import first_values, kind_of
from core.store.label import labels

NONE = ""
OPEN = "data.mapping"  # where a session keeps the files and the mapping of the step
DRAWN = 10
_OF_SPANS = ("start", "end", "label", "surface")

ROLE_NAMES = {
    "text": _("Text"),
    "tokens": _("Tokens"),
    "tags": _("Tags (several are nested layers, the outer ones first)"),
    "spans": _("List of spans"),
    "start": _("Start of a span"),
    "end": _("End of a span"),
    "label": _("Label of a span"),
    "surface": _("Text of a span, to check its offsets"),
    "id": _("Document id"),
    "split": _("Split"),
    "labels": _("Labels of the whole document"),
    "group": _("Rows with the same value here are one document"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """The files whose fields are being mapped, and the mapping as it stands."""

    paths: tuple[Path, ...]
    mapping: Mapping


@dataclass
class MappingComponents:
    """The step: the fields found, a choice for each role, what it gives, and the saved mappings."""

    map: gr.Button
    step: gr.Column
    why: gr.Markdown
    fields: gr.Dataframe
    roles: dict[str, gr.Dropdown]
    counted: gr.Dropdown
    read: gr.Button
    close: gr.Button
    saved: gr.Dropdown
    mapping_name: gr.Textbox
    save: gr.Button
    remove: gr.Button
    said: gr.Markdown
    drawn: gr.HTML


def role_of(name: str) -> str:
    """The name of the choice for a role; the page has other components called text or split."""
    return f"map_{name}"


def button(frame: Frame) -> gr.Button:
    """The button that opens the step; it stands beside the preview's."""
    return frame.texts.button(_("Map columns…"), elem_id="data-map")


def layout(frame: Frame, map_button: gr.Button) -> MappingComponents:
    """Build the step, closed."""
    texts = frame.texts
    choices: dict[str, gr.Dropdown] = {}

    def choice(name: str) -> None:
        several = name in ("tags", "labels")
        choices[name] = texts.bind(
            gr.Dropdown([], multiselect=several, value=[] if several else None, elem_id=f"data-map-{name}"),
            label=ROLE_NAMES[name],
        )

    with gr.Column(visible=False, elem_id="data-mapping") as step:
        why = gr.Markdown(elem_id="data-map-why")
        texts.hint(
            _(
                "Say which field holds what. The choices below are guesses from the first records; what is "
                "not chosen is kept as a further field of the document."
            )
        )
        found = table_of(elem_id="data-map-fields", column_widths=["28%", "57%", "15%"])
        for names in (("text", "tokens", "tags"), ("spans", *_OF_SPANS), ("id", "split", "labels", "group")):
            with gr.Row():
                for name in names:
                    choice(name)
                if "spans" in names:
                    counted = texts.bind(
                        gr.Dropdown([AUTO], value=AUTO, elem_id="data-map-offsets"),
                        label=_("Read offsets as"),
                    )
        with gr.Row(elem_classes="ll-buttons"):
            read = texts.button(_("Read with this mapping"), variant="primary", elem_id="data-map-read")
            close = texts.button(_("Close"), elem_id="data-map-close")
        with gr.Row():
            saved = texts.bind(
                gr.Dropdown([], value=None, elem_id="data-map-saved"), label=_("Saved mappings")
            )
            mapping_name = texts.bind(
                gr.Textbox(max_length=mappings.LONGEST_NAME, elem_id="data-map-name"), label=_("Save it as")
            )
        with gr.Row(elem_classes="ll-buttons"):
            save = texts.button(_("Save mapping"), elem_id="data-map-save")
            remove = texts.button(_("Delete mapping"), elem_id="data-map-remove")
        said = gr.Markdown(elem_id="data-map-said")
        drawn = sentence_view(elem_id="data-map-drawn")
    return MappingComponents(
        map_button, step, why, found, {role_of(each): choices[each] for each in ROLE_NAMES}, counted, read,
        close, saved, mapping_name, save, remove, said, drawn,
    )  # fmt: skip


@needs("import")
def open_step(session: Session, files: list[str] | None, paste: str) -> dict[str, Any]:
    """Open the step for the chosen files or the pasted text."""
    paths = gathered([Path(name) for name in files or []] or [pasted_file(paste)])
    return begin(session, paths)


def begin(session: Session, paths: Sequence[Path], why: str = "") -> dict[str, Any]:
    """The step for these files, whose fields are those of the first; guesses are chosen.

    Args:
        why: what led here, if nobody asked for it.

    Raises:
        FormatError: the first file has no fields that could be mapped.
    """
    mapping = guess_of(source_of(paths[0]))
    session.memory[OPEN] = Step(tuple(paths), mapping)
    kept = list(mappings.saved(session.workspace, session.project_id))
    return {
        "step": gr.update(visible=True),
        "why": why,
        **_chosen(session, paths[0], mapping),
        "saved": gr.update(choices=kept, value=None),
        "mapping_name": "",
        "said": "",
        "drawn": sentences_value([], labels.get(session.workspace, session.project_id)),
        **drop_preview(session),
    }


def source_of(path: Path) -> Source:
    """A file whose fields are mapped.

    Raises:
        FormatError: it has none.
    """
    return opened(path, mapped=True)[1]


def choose_spans(session: Session, spans: str | None) -> dict[str, Any]:
    """Another list of spans: its fields become the choices for start, end and label."""
    step = _step(session)
    records = first_values(source_of(step.paths[0]), step.mapping)
    cleared = replace(step.mapping, spans=spans or "", start="", end="", label="", surface="")
    return _of_spans(session, complete(cleared, records), fields_of(records), records)


def use_saved(session: Session, name: str | None) -> dict[str, Any]:
    """Choose what a saved mapping says."""
    step = _step(session)
    mapping = mappings.saved(session.workspace, session.project_id).get(name or "")
    if mapping is None:
        return {"said": ""}
    session.memory[OPEN] = replace(step, mapping=mapping)
    return {**_chosen(session, step.paths[0], mapping), "mapping_name": name, "said": ""}


@needs("import")
def save(session: Session, name: str, *chosen: Any) -> dict[str, Any]:
    """Keep the mapping under a name."""
    mappings.save(session.workspace, session.project_id, name, _mapping(session, chosen))
    return _kept(session, " ".join(name.split()), session._("The mapping is saved."))


@needs("import")
def remove(session: Session, name: str | None) -> dict[str, Any]:
    """Delete a saved mapping."""
    if not name:
        raise AppError("Choose a saved mapping first.")
    mappings.remove(session.workspace, session.project_id, name)
    return _kept(session, None, session._("The mapping is deleted; what was imported with it stays."))


def read(session: Session, *chosen: Any) -> dict[str, Any]:
    """Read the files under the mapping: the first documents drawn, and the preview of the import."""
    step = _step(session)
    mapping = _mapping(session, chosen)
    previews, unreadable = look_at_all(step.paths, AUTO, ReadOptions(mapping=mapping))
    session.memory[OPEN] = replace(step, mapping=mapping)
    first = [document for preview in previews for document in preview.first][:DRAWN]
    drawn = [
        sentence_row(document.text, document.spans, source="person", id=document.id, note=document.id)
        for document in first
    ]
    names = [label for preview in previews for label in preview.labels]
    known = labels.get(session.workspace, session.project_id).extended(names)
    return {
        "drawn": sentences_value(drawn, known, empty=session._("No record could be read.")),
        **show_previews(session, previews, unreadable),
    }


def close(session: Session) -> dict[str, Any]:
    """Close the step, and forget it."""
    session.memory.pop(OPEN, None)
    return {"step": gr.update(visible=False)}


def _step(session: Session) -> Step:
    step = session.memory.get(OPEN)
    if not isinstance(step, Step) or not all(path.exists() for path in step.paths):
        raise AppError("The files to import no longer exist. Choose and preview them again, then import.")
    return step


def _mapping(session: Session, chosen: Sequence[Any]) -> Mapping:
    """The mapping that the choices and the offsets say.

    Raises:
        FormatError: it can read nothing.
    """
    *roles, offsets = chosen
    given: dict[str, Any] = {
        name: tuple(value or ()) if name in ("tags", "labels") else value or ""
        for name, value in zip(ROLE_NAMES, roles, strict=True)
    }
    mapping = Mapping(records=_step(session).mapping.records, offsets=offsets or AUTO, **given)
    mapping.check()
    return mapping


def _chosen(session: Session, path: Path, mapping: Mapping) -> dict[str, Any]:
    """The fields of the first file, and the choices with the mapping chosen."""
    source = source_of(path)
    records = first_values(source, replace(mapping, group=""))
    if not records:
        raise FormatError("{name} has no record that can be read; choose another file", name=path.name)
    found = fields_of(records)
    updates: dict[str, Any] = {}
    for name in ROLE_NAMES:
        if name not in _OF_SPANS:
            updates[role_of(name)] = _choice(session, name, mapping, [field.path for field in found])
    offsets = [(session._("detected, or by the format"), AUTO)]
    offsets += [(convention.title, convention.name) for convention in every_convention()]
    is_table = kind_of(source) in ("csv", "tsv")
    return {
        "fields": _table(session, found, len(records)),
        **updates,
        role_of("group"): updates[role_of("group")] | {"visible": is_table},
        "counted": gr.update(choices=offsets, value=mapping.offsets),
        **_of_spans(session, mapping, found, records),
    }


def _of_spans(
    session: Session, mapping: Mapping, found: Sequence[Field], records: Sequence[Any]
) -> dict[str, Any]:
    """The choices inside a span: its fields, or the columns where every row is a span."""
    inner = [field.path for field in (item_fields(records, mapping.spans) if mapping.spans else found)]
    return {role_of(name): _choice(session, name, mapping, inner) for name in _OF_SPANS}


def _choice(session: Session, name: str, mapping: Mapping, paths: Sequence[str]) -> dict[str, Any]:
    value = getattr(mapping, name)
    wanted = list(value) if isinstance(value, tuple) else [value] if value else []
    several = isinstance(value, tuple)
    offered: list[tuple[str, str]] = [] if several else [(session._("none"), NONE)]
    offered += [(path, path) for path in dict.fromkeys([*paths, *wanted])]
    return gr.update(choices=offered, value=wanted if several else value or NONE)


def _table(session: Session, found: Sequence[Field], count: int) -> dict[str, Any]:
    headers = [session._(_("field")), session._(_("examples")), session._(_("records"))]
    body = [[field.path, "  ·  ".join(field.examples), f"{field.count} / {count}"] for field in found]
    return rows(headers, body)


def _kept(session: Session, name: str | None, said: str) -> dict[str, Any]:
    kept = list(mappings.saved(session.workspace, session.project_id))
    return {"saved": gr.update(choices=kept, value=name), "mapping_name": name or "", "said": said}


def opening(components: MappingComponents) -> list[Any]:
    """What `begin` fills, without the import's preview."""
    c = components
    return [c.step, c.why, c.fields, *c.roles.values(), c.counted, c.saved, c.mapping_name, c.said, c.drawn]


def wire(
    components: MappingComponents, frame: Frame, files: Any, paste: Any, preview: Any, shown: Sequence[Any]
) -> None:
    """Connect the step.

    Args:
        files, paste: what is chosen. preview: the import's preview. shown: what shows it.
    """
    c = components
    mapped = [*c.roles.values(), c.counted]
    opened_event = frame.on(
        [c.map.click], open_step, [files, paste], [*opening(c), preview], show_progress="minimal"
    )
    frame.reveal(opened_event, "data-mapping")
    spans = c.roles[role_of("spans")]
    frame.on([spans.input], choose_spans, [spans], [c.roles[role_of(name)] for name in _OF_SPANS])
    frame.on([c.saved.input], use_saved, [c.saved], [c.fields, *mapped, c.mapping_name, c.said])
    frame.on([c.save.click], save, [c.mapping_name, *mapped], [c.saved, c.mapping_name, c.said])
    frame.on([c.remove.click], remove, [c.saved], [c.saved, c.mapping_name, c.said])
    frame.on(
        [c.read.click], read, mapped, [c.drawn, preview, *shown],
        show_progress="minimal", show_progress_on=[c.read],
    )  # fmt: skip
    frame.on([c.close.click], close, [], [c.step])
