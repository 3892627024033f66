"""The edit in progress on the current sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _, pgettext
from app.inspect.panel import Look, look_of
from app.inspect.widgets.effect_rows import effects_value
from app.services.errors import AppError
from app.services.session import Session
from app.ui.widgets.lattice import lattice_value
from app.ui.widgets.sentence import sentence_row, sentences_value
from core.inspection.sentence.lattice_view import lattice_view
from core.store.label import labels
from core.text import LabelSet, Span

if TYPE_CHECKING:
    from core.inspection.what_if.counterfactual import Conditions
    from core.taggers.base.trace import Trace

MEMORY = "what_if"
# Slightly more than the page draws of a sentence, for inserted spaces and longer names.
LONGEST = 400


@dataclass(frozen=True)
class Trial:
    """A changed sentence, kept in the session between two calls.

    Args:
        original: trace of the current sentence. changed: trace of the changed one.
        added, removed: words added to and removed from the dictionary for the trial.
        queries: changed queries by label. turn: number of names swapped in.
        kept: the document of the saved case, if any. language: of the drawing.
    """

    original: Trace
    changed: Trace
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    queries: dict[str, str] = field(default_factory=dict)
    turn: int = 0
    kept: int | None = None
    language: str = ""

    @property
    def text(self) -> str:
        """The changed sentence."""
        return self.changed.text

    @property
    def conditions(self) -> Conditions:
        """Other inputs of the tagger: words and queries."""
        from core.inspection.what_if.counterfactual import Conditions

        return Conditions(self.added, self.removed, self.queries)


def current(session: Session) -> tuple[Look, Trial]:
    """The current look and its trial.

    Raises:
        AppError: there is no current sentence.
    """
    look = look_of(session)
    if look is None:
        raise AppError("Inspect a sentence first.")
    trial = session.memory.get(MEMORY)
    if not isinstance(trial, Trial) or trial.original is not look.trace:
        trial = begin(session, look)
    return look, trial


def begin(session: Session, look: Look) -> Trial:
    """A trial without changes."""
    trial = Trial(look.trace, look.trace, language=session.language)
    session.memory[MEMORY] = trial
    return trial


def attempt(
    session: Session,
    look: Look,
    trial: Trial,
    text: str,
    added: Sequence[object] | None = (),
    removed: Sequence[object] | None = (),
) -> Trial:
    """The trial with another sentence and other words; keeps the queries.

    Raises:
        LexiconError: an invalid word.
    """
    asked = replace(
        trial, original=look.trace, added=words_of(added), removed=words_of(removed), kept=None,
        language=session.language,
    )  # fmt: skip
    text = text[:LONGEST]
    if text == look.trace.text and not asked.conditions:
        done = replace(asked, changed=look.trace)
    else:
        done = replace(asked, changed=_traced(session, look, text, asked.conditions))
    session.memory[MEMORY] = done
    return done


def _traced(session: Session, look: Look, text: str, conditions: Conditions) -> Trace:
    from core.inspection.what_if.counterfactual import trace_under
    from core.taggers.base.trace import Trace

    if not text.strip():
        return Trace(text, tuple(text), (), look.trace.tagger)
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        return trace_under(tagger, text, conditions)


def words_of(given: Sequence[object] | None) -> tuple[str, ...]:
    """Distinct words of a browser's input."""
    words = (item.strip() for item in given or () if isinstance(item, str))
    return tuple(dict.fromkeys(word for word in words if word))


def drawn(session: Session, trial: Trial) -> dict[str, Any]:
    """The two sentences, the list of effects, and the lattice."""
    original, changed = trial.original, trial.changed
    label_set = known_labels(session, (*original.spans, *changed.spans))
    rows = [
        sentence_row(trace.text, trace.spans, source="tagger", id=name, note=session._(title))
        for name, title, trace in (
            ("before", _("as it is"), original),
            ("after", pgettext("sentence", "changed"), changed),
        )
    ]
    has_lattice = changed is not original and changed.lattice is not None
    colours = {label.name: label.colour for label in label_set}
    return {
        "sentences": sentences_value(rows, label_set),
        "effects": _effects(session, trial),
        "lattice_group": gr.update(visible=has_lattice),
        "lattice": lattice_value(lattice_view(changed), colours, mark=f"what-if {id(changed)}")
        if has_lattice
        else gr.skip(),
    }


def _effects(session: Session, trial: Trial) -> dict[str, Any]:
    from core.inspection.what_if.alignment import Alignment
    from core.inspection.what_if.edit_effects import effects

    original, changed = trial.original, trial.changed
    span_effects = effects(original.spans, changed.spans, Alignment.between(original.text, changed.text))
    empty = session._(
        _("No changes yet: edit the sentence or choose a variant below.")
        if changed is original
        else _("The same spans with the same confidence.")
    )
    words = Counter(matched(original)), Counter(matched(changed))
    return effects_value(
        span_effects,
        original.text,
        changed.text,
        session.language,
        empty=empty,
        words=(list((words[1] - words[0]).elements()), list((words[0] - words[1]).elements())),
    )


def matched(trace: Trace) -> tuple[str, ...]:
    """The dictionary words of a trace, in its order; none without a lattice."""
    return trace.lattice.nodes[trace.lattice.characters :] if trace.lattice is not None else ()


def known_labels(session: Session, spans: Sequence[Span]) -> LabelSet:
    """The project's labels, and those only the tagger has."""
    label_set = labels.get(session.workspace, session.project_id)
    return label_set.extended(span.label for span in spans)


def name_of(text: str, span: Span) -> str:
    """A span's surface and label, as ``林知远 PER``."""
    return f"{text[span.start : span.end]} {span.label}"
