"""Which of its queries a tagger that is asked several was reading behind, in the attention panel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.panel import Look, look_of
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.shifting_choice import ShiftingDropdown

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

# The trace in view with the attention behind another query, and the trace it was made of.
MEMORY = "inspect-attention-query"


def picker(frame: Frame) -> gr.Dropdown:
    """The choice of a query; hidden where the tagger is asked none."""
    return frame.texts.bind(
        ShiftingDropdown(
            choices=[], visible=False, elem_id="inspect-attention-query", scale=2, min_width=160
        ),
        label=_("Read behind the query of"),
    )


def offered(trace: Trace) -> dict[str, Any]:
    """The picker for this trace."""
    if trace.mrc is None:
        return gr.update(visible=False)
    labels = trace.mrc.labels
    return gr.update(
        choices=list(zip(labels, range(len(labels)), strict=True)), value=trace.mrc.attended, visible=True
    )


def forget(session: Session) -> None:
    """Begin with the query of the trace itself."""
    session.memory.pop(MEMORY, None)


def attended(session: Session) -> Look | None:
    """The sentence in view, with the attention behind the chosen query; None before there is one."""
    look, kept = look_of(session), session.memory.get(MEMORY)
    if look is None or not isinstance(kept, tuple) or kept[0] is not look.trace:
        return look
    return replace(look, trace=kept[1])


def ask(session: Session, query: Any) -> Look | None:
    """Read the sentence in view behind this query; None where that is no query of its tagger."""
    look = look_of(session)
    if look is None or look.trace.mrc is None or query not in range(len(look.trace.mrc.queries)):
        return None
    with session.workbench.serving.tagger(session.project_id, look.run) as tagger:
        behind = getattr(tagger, "behind", None)
        if behind is None:  # the run was trained anew under its name
            return None
        session.memory[MEMORY] = look.trace, behind(look.trace, int(query))
    return attended(session)
