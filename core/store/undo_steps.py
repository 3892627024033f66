"""Undo and redo of a document across a reload: read from its events, as one person's way back and forth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.store.annotations import Event, at_revision
from core.store.batches import ACTIONS as BATCH_ACTIONS
from core.text import Span, sort_spans

MOST_STEPS = 100
_NOT_TAKEN_BACK = frozenset(("import", "distant", "undo_distant"))


@dataclass(frozen=True, slots=True)
class State:
    """Spans and rejected spans, and the batch that the step towards or from this state belongs to."""

    spans: tuple[Span, ...]
    rejected: tuple[Span, ...]
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """From one state to the next: spans that come and go, rejections that come and go."""

    added: tuple[Span, ...]
    removed: tuple[Span, ...]
    rejected: tuple[Span, ...]
    unrejected: tuple[Span, ...]
    batch: str | None


@dataclass(frozen=True, slots=True)
class Steps:
    """What undo does step by step from the last revision on, and what redo does; the next step first."""

    past: tuple[Step, ...]
    future: tuple[Step, ...]


def steps(events: Sequence[Event], user: str) -> Steps:
    """The undo and redo steps that ``user`` has after the last of ``events`` (a whole history, oldest first).

    Only the person's own edits since anybody else's last one can be taken back: undo never removes what
    another person did.
    """
    own = _own_tail(events, user)
    before = events[: len(events) - len(own)]
    spans, rejected = at_revision(before, before[-1].revision if before else 0)
    past, future, now = _replayed(State(spans, rejected), own)
    return Steps(tuple(_walk(now, past)), tuple(_walk(now, future)))


def _own_tail(events: Sequence[Event], user: str) -> Sequence[Event]:
    start = len(events)
    while start and events[start - 1].user == user and events[start - 1].action not in _NOT_TAKEN_BACK:
        start -= 1
    return events[start:]


def _replayed(state: State, events: Sequence[Event]) -> tuple[list[State], list[State], State]:
    """Both stacks, the next step last, and the state at the end."""
    past: list[State] = []
    future: list[State] = []
    for event in events:
        now = _after(state, event)
        if _same(now, state):
            state = now
            continue  # done, reopened: nothing that undo would take back
        batch = event.client_edit if event.action in BATCH_ACTIONS else None
        if event.action == "undo" and (at := _find(past, now)) is not None:
            future.append(State(state.spans, state.rejected, past[at].batch))
            del past[at:]
        elif event.action == "redo" and (at := _find(future, now)) is not None:
            past.append(State(state.spans, state.rejected, future[at].batch))
            del future[at:]
        else:
            past.append(State(state.spans, state.rejected, batch))
            future.clear()
        state = now
    return past, future, state


def _after(state: State, event: Event) -> State:
    gone = {span.key for span in event.removed}
    kept = [span for span in state.spans if span.key not in gone]
    return State(sort_spans([*kept, *event.added]), event.rejected)


def _find(stack: list[State], wanted: State) -> int | None:
    # Several presses of undo may have been saved as one event, so the state can lie deeper than the top.
    return next((at for at in reversed(range(len(stack))) if _same(stack[at], wanted)), None)


def _same(one: State, other: State) -> bool:
    return _keys(one.spans) == _keys(other.spans) and _keys(one.rejected) == _keys(other.rejected)


def _keys(spans: Sequence[Span]) -> frozenset[tuple[int, int, str]]:
    return frozenset(span.key for span in spans)


def _walk(now: State, stack: list[State]) -> list[Step]:
    found: list[Step] = []
    for state in list(reversed(stack))[:MOST_STEPS]:
        spans = (_beyond(state.spans, now.spans), _beyond(now.spans, state.spans))
        rejected = (_beyond(state.rejected, now.rejected), _beyond(now.rejected, state.rejected))
        found.append(Step(*spans, *rejected, state.batch))
        now = state
    return found


def _beyond(spans: Sequence[Span], known: Sequence[Span]) -> tuple[Span, ...]:
    keys = _keys(known)
    return tuple(span for span in spans if span.key not in keys)
