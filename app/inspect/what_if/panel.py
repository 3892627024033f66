"""The what-if panel: edit sentence, dictionary or queries, and see the new prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.what_if import case as what_if_case
from app.inspect.what_if import variants as what_if_variants
from app.inspect.what_if.parts import WhatIfParts, layout_parts
from app.inspect.what_if.trial import (
    LONGEST,
    MEMORY,
    Trial,
    attempt,
    begin,
    current,
    drawn,
    matched,
    words_of,
)
from app.inspect.what_if.variants import VARIANTS
from app.services.session import Session
from app.ui.frame import Frame

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

NAME = "what_if"
FOLLOWS_FOCUS = True
Words = Sequence[object] | None


@dataclass(kw_only=True)
class WhatIfView(PanelView):
    """The panel.

    Args:
        begin: opens what is below it. board: what it opens.
    """

    begin: gr.Button
    board: gr.Column
    parts: WhatIfParts


def has(trace: Trace) -> bool:
    return True


def layout(frame: Frame) -> WhatIfView:
    with gr.Column(visible=False, elem_id="inspect-what-if") as group:
        heading(frame, NAME)
        with gr.Row(elem_classes="ll-buttons"):
            start = frame.texts.button(_("Change this sentence"), elem_id="inspect-what-if-begin")
        with gr.Column(visible=False, elem_id="inspect-what-if-board") as board:
            parts = layout_parts(frame)
    everything = {
        "begin": start, "board": board, "text": parts.text, **parts.conditions, **parts.results,
        **parts.buttons, "variants": parts.variants,
    }  # fmt: skip
    choices = [parts.text, parts.added, parts.removed]
    return WhatIfView(group, choices, everything, begin=start, board=board, parts=parts)


def draw(session: Session, look: Look, text: str | None, added: Words, removed: Words) -> dict[str, Any]:
    """Redraw the panel: another run keeps the edits, another focus everything but the variants, another
    language redraws everything, and another sentence closes the panel.

    The contents of the panel are created and drawn only when it is opened.
    """
    before = session.memory.get(MEMORY)
    trial = before if isinstance(before, Trial) else None
    if trial is not None and trial.original is look.trace and trial.language != session.language:
        trial = session.memory[MEMORY] = replace(trial, language=session.language)
        return _everything(session, look, trial)
    if trial is not None and trial.original is look.trace:
        return _offer(session, look, trial)
    if trial is None or trial.original.text != look.trace.text or text is None:
        session.memory.pop(MEMORY, None)
        return {"begin": gr.update(visible=True), "board": gr.update(visible=False)}
    trial = attempt(session, look, replace(trial, queries={}), text, added, removed)
    return _everything(session, look, trial)


def open_panel(session: Session) -> dict[str, Any]:
    """Open the panel on the current sentence, without edits."""
    look = look_of(session)
    if look is None:
        return {}
    return {
        "begin": gr.update(visible=False),
        "board": gr.update(visible=True),
        **_everything(session, look, begin(session, look)),
    }


def _everything(session: Session, look: Look, trial: Trial) -> dict[str, Any]:
    """All values of the opened panel."""
    return {
        "text": trial.text,
        **conditions(session, look, trial),
        **results(session, trial),
        **_offer(session, look, trial),
    }


def conditions(session: Session, look: Look, trial: Trial) -> dict[str, Any]:
    """Values for `WhatIfParts.conditions`."""
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        has_words = tagger.uses_lexicon and tagger.lexicon is not None
    asked = look.trace.mrc
    return {
        "dictionary": gr.update(visible=has_words),
        "added": list(trial.added),
        "asking": gr.update(visible=asked is not None),
        "label": gr.update(choices=list(asked.labels), value=asked.labels[0]) if asked else gr.skip(),
        "query": asked.queries[0] if asked else "",
    }


def results(session: Session, trial: Trial) -> dict[str, Any]:
    """Values for `WhatIfParts.results`."""
    words = dict.fromkeys((*trial.removed, *matched(trial.changed)))
    return {
        "removed": gr.update(choices=list(words), value=list(trial.removed)),
        **drawn(session, trial),
        "expected": what_if_case.offered(session, trial),
        "message": gr.update(visible=False),
        "open": gr.update(visible=False),
    }


def _offer(session: Session, look: Look, trial: Trial) -> dict[str, Any]:
    """The buttons of the variants and their table."""
    variants = what_if_variants.possible(session, look, trial)
    there = {variant.name for variant in variants}
    return {
        **{name: gr.update(interactive=name in there) for name in VARIANTS},
        "variants": what_if_variants.untried(session, look, variants),
    }


def edit(session: Session, text: str | None, added: Words, removed: Words) -> dict[str, Any]:
    """Predict the edited sentence and words; boxes that are emptied with a sentence predict nothing."""
    if look_of(session) is None:
        return {}
    look, before = current(session)
    given = (text or "")[:LONGEST], words_of(added), words_of(removed)
    if given == (before.text, before.added, before.removed):
        return {}
    trial = attempt(session, look, before, text or "", added, removed)
    same_words = given[1:] == (before.added, before.removed)
    again = gr.skip() if same_words else _offer(session, look, trial)["variants"]
    return {**results(session, trial), "variants": again}


def choose_label(session: Session, label: str | None) -> str:
    """The current query of a label."""
    look, trial = current(session)
    if look.trace.mrc is None or label not in look.trace.mrc.labels:
        return ""
    return trial.queries.get(label) or look.trace.mrc.queries[look.trace.mrc.labels.index(label)]


def ask(
    session: Session, text: str | None, added: Words, removed: Words, label: str | None, query: str | None
) -> dict[str, Any]:
    """Predict with the edited query, as `edit`."""
    if look_of(session) is None:
        return {}
    look, trial = current(session)
    if look.trace.mrc is None or label not in look.trace.mrc.labels:
        return {}
    original = look.trace.mrc.queries[look.trace.mrc.labels.index(label)]
    others = {name: asked for name, asked in trial.queries.items() if name != label}
    changed = {label: query} if query and query.strip() and query != original else {}
    if others | changed == trial.queries:
        return {}
    trial = attempt(session, look, replace(trial, queries=others | changed), text or "", added, removed)
    return {**results(session, trial), "variants": _offer(session, look, trial)["variants"]}


def applying(name: str) -> Callable[..., dict[str, Any]]:
    """A callback that applies a variant."""

    def apply(session: Session, added: Words, removed: Words) -> dict[str, Any]:
        from core.inspection.what_if.variants import make_variant

        look, trial = current(session)
        subject = what_if_variants.subject_of(session, look, trial)
        variant = make_variant(name, subject) if subject is not None else None
        if variant is None:
            return {}
        turn = trial.turn + 1 if name == "swapped" else trial.turn
        trial = attempt(session, look, replace(trial, turn=turn), variant.text, added, removed)
        return {"text": trial.text, **results(session, trial)}

    return apply


def use(session: Session, event: gr.EventData, added: Words, removed: Words) -> dict[str, Any]:
    """Apply the variant chosen in the table."""
    look, trial = current(session)
    text = event.text if isinstance(event.text, str) else trial.text
    trial = attempt(session, look, trial, text, added, removed)
    return {"text": trial.text, **results(session, trial)}


def start_over(session: Session) -> dict[str, Any]:
    """Discard all edits."""
    look, _ = current(session)
    return _everything(session, look, begin(session, look))


def try_all(session: Session) -> dict[str, Any]:
    """Try all variants; the table with the entity's outcome in each."""
    return what_if_variants.try_all(session, *current(session))


def wire(view: WhatIfView, frame: Frame) -> None:
    p = view.parts
    frame.on([view.begin.click], open_panel, [], view.outputs)
    given = [p.text, p.added, p.removed]
    live: dict[str, Any] = {"trigger_mode": "always_last"}
    changed = {**p.results, "variants": p.variants}
    # Not `input`, which gradio fires on key presses only, not when a character is composed, pasted or
    # deleted. What was drawn already is not asked again. Leaving the box asks once more, because of many keys
    # at once the last need not be the last to be answered.
    frame.on([p.text.change, p.added.change, p.removed.change], edit, given, changed, **live)
    frame.on([p.text.blur], edit, given, changed)
    frame.on([p.label.input], choose_label, [p.label], [p.query])
    frame.on([p.query.change], ask, [*given, p.label, p.query], changed, **live)
    everything = {name: each for name, each in view.outputs.items() if name not in ("begin", "board")}
    frame.on([p.start_over.click], start_over, [], everything)
    with_text = {"text": p.text, **p.results}
    for name, button in p.buttons.items():
        frame.on([button.click], applying(name), [p.added, p.removed], with_text)
    frame.on(p.variants.choose, use, [p.added, p.removed], with_text)
    frame.on([p.try_all.click], try_all, [], [p.variants], show_progress="minimal")
    frame.on([p.keep.click], what_if_case.keep, [p.text, p.expected], [p.message, p.open])
    frame.on([p.open.click], what_if_case.open_kept, [], [frame.tabs])
