"""Undo and redo as the history tells them are those the page had before it was reloaded."""

from hypothesis import given
from hypothesis import strategies as st

from core.store.annotation.events import Event
from core.store.annotation.regions import MarkEvent
from core.store.annotation.undo_steps import MOST_STEPS, Steps, steps
from core.text import Span, sort_spans

SPANS = [Span(0, 2, "A"), Span(1, 4, "B"), Span(3, 5, "A")]


class Page:
    """The page's own stacks, as plainly as they can be written; every edit is an event."""

    def __init__(self) -> None:
        self.state = (frozenset(), frozenset())
        self.past, self.future, self.events = [], [], []

    def tell(self, action, state, user="lin"):
        before, self.state = self.state, state
        self.events.append(
            Event(
                len(self.events) + 1, user, 0, action,
                sort_spans(state[0] - before[0]), sort_spans(before[0] - state[0]),
                sort_spans(state[1]), "in_progress", None, f"edit-{len(self.events)}",
            )
        )  # fmt: skip

    def act(self, action, choice):
        if action == "undo" and self.past:
            self.future.append(self.state)
            self.tell("undo", self.past.pop())
        elif action == "redo" and self.future:
            self.past.append(self.state)
            self.tell("redo", self.future.pop())
        elif action == "done":
            self.tell("done", self.state)
        elif action in ("label", "reject"):
            spans, rejected = self.state
            one = frozenset([SPANS[choice]])
            self.past.append(self.state)
            self.future = []
            self.tell(action, (spans ^ one, rejected) if action == "label" else (spans, rejected ^ one))


def walk(state, found):
    for step in found:
        for had, came, gone in (
            (state[0], step.added, step.removed),
            (state[1], step.rejected, step.unrejected),
        ):
            assert had >= set(gone)
            assert not had & set(came)
        spans = (state[0] - set(step.removed)) | set(step.added)
        state = (spans, (state[1] - set(step.unrejected)) | set(step.rejected))
        yield state


ACTS = st.lists(
    st.tuples(st.sampled_from(["label", "reject", "undo", "redo", "done"]), st.integers(0, 2)), max_size=25
)


@given(acts=ACTS)
def test_the_stacks_are_rebuilt_from_the_events(acts):
    page = Page()
    for action, choice in acts:
        page.act(action, choice)
    found = steps(page.events, "lin")
    # Where a state came back by hand, undo may reach it in fewer steps, never a state the page had not.
    assert list(walk(page.state, found.past))[-1:] == page.past[:1]
    assert set(walk(page.state, found.past)) <= set(page.past)
    if len(set(page.past) | set(page.future) | {page.state}) == len(page.past) + len(page.future) + 1:
        assert list(walk(page.state, found.past)) == page.past[::-1]
        assert list(walk(page.state, found.future)) == page.future[::-1]


def test_several_presses_saved_as_one_event_lead_to_the_same_place():
    page = Page()
    for choice in range(3):
        page.act("label", choice)
    page.tell("undo", (frozenset([SPANS[0]]), frozenset()))
    found = steps(page.events, "lin")
    assert list(walk(page.state, found.past)) == [(frozenset(), frozenset())]
    assert list(walk(page.state, found.future)) == [(frozenset(SPANS), frozenset())]


def test_an_edit_and_its_undo_saved_as_one_event_is_an_edit():
    page = Page()
    page.tell("undo", (frozenset([SPANS[0]]), frozenset()))
    assert list(walk(page.state, steps(page.events, "lin").past)) == [(frozenset(), frozenset())]


def test_nobody_takes_back_what_somebody_else_did_or_an_import_brought():
    page = Page()
    page.tell("import", (frozenset([SPANS[0]]), frozenset()))
    assert steps(page.events, "lin") == Steps((), ())
    page.act("label", 1)
    page.tell("label", (frozenset(SPANS), frozenset()), user="mei")
    assert steps(page.events, "lin") == Steps((), ())
    page.act("label", 1)
    assert len(steps(page.events, "lin").past) == 1
    assert len(steps(page.events, "mei").past) == 0


def test_a_batch_keeps_its_name_on_the_way_back_and_forth():
    page = Page()
    page.act("label", 0)
    page.act("label", 1)
    batch = page.events[1] = Event(**{**_fields(page.events[1]), "action": "label_others"})
    assert [step.batch for step in steps(page.events, "lin").past] == [batch.client_edit, None]
    page.act("undo", 0)
    assert [step.batch for step in steps(page.events, "lin").future] == [batch.client_edit]
    page.act("redo", 0)
    assert [step.batch for step in steps(page.events, "lin").past] == [batch.client_edit, None]


def test_no_more_steps_than_the_page_keeps():
    page = Page()
    for at in range(MOST_STEPS + 20):
        page.act("label", at % 3)
    assert len(steps(page.events, "lin").past) == MOST_STEPS


class MarkingPage:
    """One stack of edits and marks as the page keeps it; marks are sent at once, edits where ``late`` says so
    only with the next one that is not, or at the end."""

    def __init__(self):
        self.past, self.future, self.events, self.marks = [], [], [], []
        self.spans, self.annotated, self.saved, self.made = set(), set(), set(), 0

    def save(self, action):
        if self.spans == self.saved:
            return
        added, removed = sort_spans(self.spans - self.saved), sort_spans(self.saved - self.spans)
        revision = len(self.events) + 1
        self.events.append(Event(revision, "lin", 0, action, added, removed, (), "in_progress", None))
        self.saved = set(self.spans)

    def mark(self, action, came, gone):
        self.annotated = (self.annotated | set(came)) - set(gone)
        as_regions = (tuple((at, at + 1) for at in sorted(places)) for places in (came, gone))
        self.marks.append(MarkEvent(len(self.events), "lin", action, *as_regions))

    def act(self, action, late):
        stack, other = (self.future, self.past) if action == "redo" else (self.past, self.future)
        if action in ("label", "mark"):
            self.made += 1
            # Far enough apart never to touch: every step is one that no other is.
            self.past.append((action, self.made * 2))
            self.future.clear()
            self.turn(action, self.past[-1], True, late)
        elif stack:
            step = stack.pop()
            other.append(step)
            self.turn(action, step, action == "redo", late)

    def turn(self, action, step, on, late):
        kind, number = step
        if kind == "mark":
            self.mark(action, *(([number], []) if on else ([], [number])))
        else:
            self.spans ^= {Span(number, number + 1, "A")}
            if not late:
                self.save(action)


def told(found):
    """The steps as the page's stacks: kind and number."""
    spans = [(*step.added, *step.removed) for step in found]
    marks = [(*step.marked, *step.unmarked) for step in found]
    assert all(bool(one) != bool(other) for one, other in zip(spans, marks, strict=True))
    return [
        ("label", one[0].start) if one else ("mark", other[0][0])
        for one, other in zip(spans, marks, strict=True)
    ]


MIXED = st.lists(st.sampled_from(["label", "mark", "mark", "undo", "undo", "redo"]), max_size=30)


@given(acts=MIXED)
def test_marks_and_edits_are_steps_of_one_way(acts):
    page = MarkingPage()
    for action in acts:
        page.act(action, late=False)
    found = steps(page.events, "lin", page.marks)
    assert told(found.past) == page.past[::-1]
    assert told(found.future) == page.future[::-1]
    for step in found.past:
        assert set(step.unmarked) <= {(at, at + 1) for at in page.annotated}
        assert not step.marked


LATE = st.lists(st.tuples(st.sampled_from(["label", "mark", "undo", "redo"]), st.booleans()), max_size=20)


@given(acts=LATE)
def test_edits_that_are_saved_late_never_bring_steps_the_page_had_not(acts):
    page = MarkingPage()
    for action, late in acts:
        page.act(action, late)
    page.save("label")
    found = steps(page.events, "lin", page.marks)
    spans, marked = set(page.spans), {(at, at + 1) for at in page.annotated}
    for step in found.past:
        assert spans >= set(step.removed)
        assert marked >= set(step.unmarked)
        spans = (spans - set(step.removed)) | set(step.added)
        marked = (marked - set(step.unmarked)) | set(step.marked)
    assert not spans
    assert not marked


def test_what_somebody_else_marked_is_no_step_and_ends_the_way_back_of_marks():
    page = MarkingPage()
    page.act("mark", late=False)
    page.act("label", late=False)
    page.marks.append(MarkEvent(1, "mei", "mark", ((9, 12),), ()))
    assert told(steps(page.events, "lin", page.marks).past) == [("label", 4)]
    assert steps(page.events, "mei", page.marks).past[0].unmarked == ((9, 12),)


def test_what_was_unmarked_is_marked_again_by_undo():
    marks = [MarkEvent(0, "mei", "mark", ((0, 9),), ()), MarkEvent(0, "lin", "mark", (), ((2, 4), (6, 9)))]
    (step,) = steps([], "lin", marks).past
    assert (step.marked, step.unmarked) == (((2, 4), (6, 9)), ())
    marks.append(MarkEvent(0, "lin", "undo", ((2, 4), (6, 9)), ()))
    found = steps([], "lin", marks)
    assert found.past == ()
    assert (found.future[0].marked, found.future[0].unmarked) == ((), ((2, 4), (6, 9)))


def _fields(event):
    return {name: getattr(event, name) for name in Event.__dataclass_fields__}
