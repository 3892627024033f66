"""Undo and redo stacks of a document, reconstructed from its events after a reload.

Edits and marks of annotated regions are independent: each kind is replayed by itself, and the steps are
merged in order of time. Of the changes of a status only those are steps that set a document aside (ignored,
to check) or bring it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.store.annotation.batches import ACTIONS as BATCH_ACTIONS
from core.store.annotation.events import Event, at_revision
from core.store.annotation.regions import MarkEvent
from core.text import EntityLink, Span, SpanKey, sort_spans
from core.text.annotated_regions import Region

MOST_STEPS = 100
_NOT_TAKEN_BACK = frozenset(("import", "distant", "undo_distant"))
ASIDE = frozenset(("ignored", "to_check"))


@dataclass(frozen=True, slots=True)
class Standing:
    """The status of a document, and why it is ignored where it is."""

    status: str = "new"
    reason: str = ""

    def same(self, other: Standing) -> bool:
        """Whether undo makes no difference between the two."""
        return self == other or not {self.status, other.status} & ASIDE


@dataclass(frozen=True, slots=True)
class State:
    """Spans, rejected spans and standing; the batch of the step to or from this state, and that step's
    position in time."""

    spans: tuple[Span, ...]
    rejected: tuple[Span, ...]
    standing: Standing = Standing()
    batch: str | None = None
    place: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A step between states: spans and rejections to add and remove.

    ``marked`` and ``unmarked``: regions to mark and unmark. ``standing``: the standing left, and the one
    to take, where the step changes it.
    """

    added: tuple[Span, ...] = ()
    removed: tuple[Span, ...] = ()
    rejected: tuple[Span, ...] = ()
    unrejected: tuple[Span, ...] = ()
    batch: str | None = None
    marked: tuple[Region, ...] = ()
    unmarked: tuple[Region, ...] = ()
    standing: tuple[Standing, Standing] | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """The undo steps from the latest revision, and the redo steps; the next step first."""

    past: tuple[Step, ...]
    future: tuple[Step, ...]


@dataclass
class _Stacks:
    """Stacks of edits (as states) and of marks, the next step last."""

    now: State
    past: list[State] = field(default_factory=list)
    future: list[State] = field(default_factory=list)
    marks: list[tuple[int, MarkEvent]] = field(default_factory=list)
    taken: list[tuple[int, MarkEvent]] = field(default_factory=list)


def steps(events: Sequence[Event], user: str, marks: Sequence[MarkEvent] = ()) -> Steps:
    """The undo and redo steps of ``user`` after ``events`` (the whole history, oldest first).

    Only the user's edits after the last edit of anybody else can be undone. The same holds for marks.

    Args:
        marks: the whole history of marks, oldest first.
    """
    own_events, own_marks = _own_tail(events, user), _own_marks(marks, user)
    before = events[: len(events) - len(own_events)]
    spans, rejected = at_revision(before, before[-1].revision if before else 0)
    standing = Standing(before[-1].status, before[-1].reason) if before else Standing()
    stacks = _Stacks(State(spans, rejected, standing))
    # A mark of revision 3 came after the edit that made it, and before the next one.
    done: list[Event | MarkEvent] = sorted(
        [*own_events, *own_marks], key=lambda event: (event.revision, isinstance(event, MarkEvent))
    )
    for place, event in enumerate(done):
        if isinstance(event, MarkEvent):
            _mark(stacks, place, event)
        else:
            _edit(stacks, place, event)
    past = [*_walk(stacks.now, stacks.past), *((at, _marked(event, back=True)) for at, event in stacks.marks)]
    future = [
        *_walk(stacks.now, stacks.future),
        *((at, _marked(event, back=False)) for at, event in stacks.taken),
    ]
    return Steps(_ordered(past, latest_first=True), _ordered(future, latest_first=False))


def _ordered(placed: list[tuple[int, Step]], *, latest_first: bool) -> tuple[Step, ...]:
    ordered = sorted(placed, key=lambda item: item[0], reverse=latest_first)
    return tuple(step for _, step in ordered[:MOST_STEPS])


def _own_tail(events: Sequence[Event], user: str) -> Sequence[Event]:
    start = len(events)
    while start and events[start - 1].user == user and events[start - 1].action not in _NOT_TAKEN_BACK:
        start -= 1
    return events[start:]


def _own_marks(marks: Sequence[MarkEvent], user: str) -> Sequence[MarkEvent]:
    start = len(marks)
    while start and marks[start - 1].user == user:
        start -= 1
    return marks[start:]


def _edit(stacks: _Stacks, place: int, event: Event) -> None:
    state, past, future = stacks.now, stacks.past, stacks.future
    stacks.now = now = _after(state, event)
    if _same(now, state):
        return  # done or reopened: nothing to undo
    if event.action == "undo" and (at := _find(past, now)) is not None:
        future.append(replace(state, batch=past[at].batch, place=past[at].place))
        del past[at:]
    elif event.action == "redo" and (at := _find(future, now)) is not None:
        past.append(replace(state, batch=future[at].batch, place=future[at].place))
        del future[at:]
    else:
        batch = event.client_edit if event.action in BATCH_ACTIONS else None
        past.append(replace(state, batch=batch, place=place))
        future.clear()
        stacks.taken.clear()


def _mark(stacks: _Stacks, place: int, event: MarkEvent) -> None:
    if event.action == "undo" and stacks.marks:
        stacks.taken.append(stacks.marks.pop(_of_mark(stacks.marks, event.gone, event.came)))
    elif event.action == "redo" and stacks.taken:
        stacks.marks.append(stacks.taken.pop(_of_mark(stacks.taken, event.came, event.gone)))
    else:
        stacks.marks.append((place, event))
        stacks.future.clear()
        stacks.taken.clear()


def _of_mark(
    stack: Sequence[tuple[int, MarkEvent]], came: tuple[Region, ...], gone: tuple[Region, ...]
) -> int:
    """The step that made this mark; the last one if another user's marks came in between."""
    matching = [at for at, (_, event) in enumerate(stack) if (event.came, event.gone) == (came, gone)]
    return matching[-1] if matching else len(stack) - 1


def _marked(event: MarkEvent, *, back: bool) -> Step:
    marked, unmarked = (event.gone, event.came) if back else (event.came, event.gone)
    return Step(marked=marked, unmarked=unmarked)


def _after(state: State, event: Event) -> State:
    gone = {span.key for span in event.removed}
    kept = [span for span in state.spans if span.key not in gone]
    return State(sort_spans([*kept, *event.added]), event.rejected, Standing(event.status, event.reason))


def _find(stack: list[State], wanted: State) -> int | None:
    # Several presses of undo may have been saved as one event, so the state can lie deeper than the top.
    return next((at for at in reversed(range(len(stack))) if _same(stack[at], wanted)), None)


def _same(state: State, other: State) -> bool:
    return (
        _said(state.spans) == _said(other.spans)
        and _said(state.rejected) == _said(other.rejected)
        and state.standing.same(other.standing)
    )


def _said(spans: Sequence[Span]) -> frozenset[tuple[SpanKey, EntityLink | None]]:
    return frozenset((span.key, span.link) for span in spans)


def _walk(now: State, stack: list[State]) -> list[tuple[int, Step]]:
    steps_made: list[tuple[int, Step]] = []
    for state in list(reversed(stack))[:MOST_STEPS]:
        spans = (_beyond(state.spans, now.spans), _beyond(now.spans, state.spans))
        rejected = (_beyond(state.rejected, now.rejected), _beyond(now.rejected, state.rejected))
        standing = None if now.standing.same(state.standing) else (now.standing, state.standing)
        steps_made.append((state.place, Step(*spans, *rejected, state.batch, standing=standing)))
        now = state
    return steps_made


def _beyond(spans: Sequence[Span], others: Sequence[Span]) -> tuple[Span, ...]:
    said = _said(others)
    return tuple(span for span in spans if (span.key, span.link) not in said)
