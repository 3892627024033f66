"""Changes from one run to another: a summary, groups of equal changes, who was right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.compare.figures import SIDES, side_bars
from app.compare.reading import Changes, Comparison, in_view
from app.i18n import _
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.runs import changes as run_changes
from app.ui.runs.changed_documents import CHANGE_NAMES, change_words, shortened
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.plain_table import plain_table, table_value
from app.ui.widgets.shifting_choice import ShiftingRadio
from core.inspection.corpus.span_changes import CHANGE_KINDS, ChangeGroup, by_label, count_by_kind
from core.store.run import predicted
from core.text import Document

COLUMNS = (_("change"), _("label"), _("text"), _("times"), _("example"))

KIND_NAMES = {**CHANGE_NAMES, "any": _("every change")}

MOST_GROUPS = 200
CONTEXT = 12  # characters of context on either side of a change
ANY = "any"
BY_TEXT, BY_LABEL = "text", "label"


@dataclass
class ChangesView:
    """The summary, the groups, the figure of who was right."""

    sentence: gr.Markdown
    kinds: gr.Markdown
    kind: gr.Radio
    by: gr.Radio
    groups: gr.Dataframe
    groups_cut: gr.Markdown
    sides: FigureView
    sides_none: gr.Markdown
    detail: gr.Column

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``draw``."""
        return [
            self.sentence, self.kinds, self.detail, self.kind, self.groups, self.groups_cut, self.sides.plot,
            self.sides_none,
        ]  # fmt: skip


def layout(frame: Frame) -> ChangesView:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("What changes"))
    sentence = gr.Markdown(elem_id="compare-sentence", elem_classes="compare-sentence")
    kinds = gr.Markdown(elem_id="compare-kinds")
    with gr.Column(elem_id="compare-changes") as detail, gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=320):
            kind = texts.bind(ShiftingRadio(elem_id="compare-kind"), label=_("Kind of change"))
            by = texts.bind(
                ShiftingRadio(elem_id="compare-by"),
                chosen=BY_TEXT,
                label=_("Group by"),
                choices=[(_("the same text"), BY_TEXT), (_("the same label"), BY_LABEL)],
            )
            groups = plain_table(
                "compare-groups",
                height=360,
                wrap=True,
                column_widths=["128px", "120px", "192px", "64px", "280px"],
                elem_classes="compare-table ll-fixed",
            )
            cut = gr.Markdown(elem_classes="ll-how")
            texts.hint(
                _(
                    "Changes over all documents with predictions of both runs, labelled or not, "
                    "grouped, most frequent first; a change may be better or worse, so click one to "
                    "read its documents below."
                )
            )
        with gr.Column(scale=2, min_width=320):
            texts.bind(gr.Markdown(elem_classes="compare-name"), value=_("Spans that changed"))
            sides_none = texts.bind(gr.Markdown(visible=False), value=_("No span of these splits changed."))
            sides = figure_view("compare-sides")
            texts.hint(
                _(
                    "Counted on labelled documents, where a false positive that disappears counts as wrong → "
                    "right; click a bar to list its documents below."
                )
            )
    return ChangesView(sentence, kinds, kind, by, groups, cut, sides, sides_none, detail)


def draw(session: Session, comparison: Comparison, by: str, kind: str | None = None) -> dict[str, Any]:
    """Show the changes of a comparison, of one kind or all."""
    changes = comparison.changes
    kind = kind if kind in CHANGE_NAMES else ANY
    counts = side_counts(comparison)
    return {
        "sentence": run_changes.sentence(session, changes),
        "kinds": run_changes.by_kind(session, changes),
        "detail": gr.update(visible=bool(changes.changed)),
        "kind": gr.update(choices=_kind_choices(session, changes), value=kind),
        **draw_groups(session, kind, by, comparison),
        "sides": side_bars(counts, session.language) if counts else None,
        "sides_none": gr.update(visible=not counts),
    }


def draw_groups(session: Session, kind: str, by: str, comparison: Comparison | None = None) -> dict[str, Any]:
    """Show the table of one kind of change."""
    comparison = comparison or in_view(session)
    if comparison is None:
        return {"groups_cut": ""}
    fitting = in_groups(comparison.changes, kind, by)
    shown = fitting[:MOST_GROUPS]
    cut = ""
    if len(fitting) > len(shown):
        cut = session.ngettext(
            "The first {shown} of {count} group.",
            "The first {shown} of {count} groups.",
            shown=len(shown),
            count=len(fitting),
        )
    return {
        "groups": table_value(session, COLUMNS, group_rows(session, comparison.changes, shown)),
        "groups_cut": cut,
    }


def in_groups(changes: Changes, kind: str, by: str) -> list[ChangeGroup]:
    """The groups of one kind, or all; merged over surfaces if ``by`` is the label."""
    groups = by_label(changes.groups) if by == BY_LABEL else changes.groups
    return [group for group in groups if kind in (ANY, group.kind)]


def group_rows(session: Session, changes: Changes, groups: Sequence[ChangeGroup]) -> list[list[str]]:
    """Rows of kind, label, text, count and first occurrence."""
    ids = {group.documents[0] for group in groups}
    runs = (changes.base, changes.other)
    met = {
        document.document_id: document.document
        for document in predicted.compared_documents(session.workspace, session.project_id, runs, ids=ids)
    }
    return [[*group_name(session, group), str(group.count), _example(met, group)] for group in groups]


def group_name(session: Session, group: ChangeGroup) -> list[str]:
    """Kind, label and text of a group: before → after."""
    surfaces = [side[1] or "…" for side in (group.before, group.after) if side]
    return change_words(session, group.example, surfaces)


def chosen_group(session: Session, kind: str, by: str, event: gr.SelectData) -> ChangeGroup | None:
    """The group of the clicked row, looked up by its text because tables can be sorted in the browser."""
    comparison, row = in_view(session), getattr(event, "row_value", None)
    if comparison is None or not isinstance(row, list):
        return None
    return next(
        (
            group
            for group in in_groups(comparison.changes, kind, by)[:MOST_GROUPS]
            if group_name(session, group) == row[:3]
        ),
        None,
    )


def side_counts(comparison: Comparison) -> dict[str, Counter[str]]:
    """Counts by label and side; the label with the most changes first."""
    counts: dict[str, Counter[str]] = {}
    for change in comparison.sides:
        counts.setdefault(change.label, Counter())[change.side] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])))


def chosen_side(session: Session, event: gr.EventData) -> tuple[str, list[int]] | None:
    """Name and documents of the clicked bar."""
    comparison, picked = in_view(session), getattr(event, "customdata", None)
    if comparison is None or not isinstance(picked, list) or len(picked) != 2:
        return None
    names = list(side_counts(comparison))
    place, side = picked
    if type(place) is not int or not 0 <= place < len(names):
        return None
    label = names[place]
    ids = [change.document_id for change in comparison.sides if change.label == label and change.side == side]
    return (f"{label}, {session._(SIDES[side])}", list(dict.fromkeys(ids))) if ids else None


def _kind_choices(session: Session, changes: Changes) -> list[tuple[str, str]]:
    counts: dict[str, int] = {ANY: changes.spans, **count_by_kind(changes.groups)}
    return [
        (session._("{name} ({count})", name=session._(KIND_NAMES[kind]), count=f"{counts[kind]:,}"), kind)
        for kind in (ANY, *CHANGE_KINDS)
    ]


def _example(met: dict[int, Document], group: ChangeGroup) -> str:
    """The text around the change, with the change in corner brackets."""
    document = met.get(group.documents[0])
    if document is None:
        return ""
    start, end = group.example.extent
    before = document.text[max(0, start - CONTEXT) : start]
    after = document.text[end : end + CONTEXT]
    return " ".join(f"{before}「{shortened(document.text[start:end])}」{after}".split())


def wire(view: ChangesView, frame: Frame) -> None:
    """Connect the section's events, except clicks, which the page wires."""
    frame.on(
        [view.kind.input, view.by.input], draw_groups, [view.kind, view.by], [view.groups, view.groups_cut]
    )
