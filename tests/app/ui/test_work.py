"""Long work on a page: followed to its end, cancelled, its error shown, seen by the status bar."""

import threading
from types import SimpleNamespace

import gradio as gr
import pytest

from app.i18n import _
from app.services.errors import AppError
from app.ui.progress import progress_text
from app.ui.window import status_bar
from app.ui.work import OfChoices, bar_of, on_work, work_view
from tests.app.asking import asked


class Clicks:
    """Stands for `Frame.on`: what a page wires, to be called by hand."""

    def __init__(self, frame):
        self.texts, self.named = frame.texts, frame.named
        self.wired = []

    def on(self, triggers, fn, inputs=(), outputs=(), **options):
        self.wired.append(fn)


@pytest.fixture
def work(frame):
    """``work(fn, kept=…)``: the two callbacks of a page with such work, (begin, cancel)."""

    def made(fn, **options):
        clicks = Clicks(frame)
        view = work_view(clicks, "some-work")
        on_work(
            clicks, view, [], fn, [], {"said": gr.Markdown()},
            doing=_("exporting documents"), done=_("documents exported"), **options,
        )  # fmt: skip
        cancel, begin = clicks.wired
        return SimpleNamespace(begin=begin, cancel=cancel)

    return made


def test_a_page_follows_its_work_to_the_answer(session, work):
    go_on = threading.Event()

    def fn(session, report):
        report(250, 1000)
        go_on.wait(60)
        return {"said": "done"}

    steps = work(fn).begin(session)
    first = next(step for step in steps if "250 of 1,000" in step["bar"])
    assert "exporting documents" in first["bar"]
    assert first["stop"]["visible"]
    job = asked(status_bar.status, session)["job"]
    assert (job["name"], job["fraction"], job["run"]) == ("exporting documents", 0.25, "")
    go_on.set()
    *_between, last = steps
    assert (last["said"], last["bar"], last["stop"]["visible"]) == ("done", "", False)
    ended = asked(status_bar.status, session)
    assert (ended["job"], [end["text"] for end in ended["ended"]]) == (None, ["✓ documents exported"])
    assert asked(status_bar.status, session)["ended"] == [], "told once"


@pytest.mark.parametrize(
    ("by_status_bar", "kept", "line"),
    [(False, False, "Cancelled."), (True, True, "Cancelled. What was done until then is kept.")],
)
def test_work_is_cancelled_on_its_page_or_in_the_status_bar(session, work, by_status_bar, kept, line):
    begun = threading.Event()

    def fn(session, report):
        while True:
            report(1, 2)
            begun.set()

    page = work(fn, kept=kept)
    steps = page.begin(session)
    next(steps)
    assert begun.wait(60)
    if by_status_bar:
        number = asked(status_bar.status, session)["job"]["work"]
        asked(status_bar.cancel, session, {"work": number + 1})
        asked(status_bar.cancel, session, {"work": number})
    else:
        page.cancel(session)
    *_between, last = steps
    assert f">{line}<" in last["bar"]
    assert "said" not in last
    assert asked(status_bar.status, session)["ended"] == []


def test_rows_are_shown_as_they_come_and_stay_when_the_work_is_cancelled(session, work):
    begun = threading.Event()

    def fn(session, report):
        for number in (1, 2):
            report.task.add({"number": number})
        begun.set()
        while True:
            report(2, 3)

    page = work(fn, kept=True, rows=lambda session, rows: {"said": f"{len(rows)} rows"})
    steps = page.begin(session)
    shown = [next(steps)]
    assert begun.wait(60)
    while shown[-1].get("said") != "2 rows":
        shown.append(next(steps))
    page.cancel(session)
    *rest, last = steps
    assert all("said" not in step for step in [*rest, last]), "no row came: nothing is drawn anew"
    assert "What was done until then is kept." in last["bar"]


def test_an_error_puts_the_bar_away_and_reaches_the_page(session, work):
    def fn(session, report):
        raise AppError("No document matches this choice, so there is nothing to export.")

    seen = []

    def follow():
        for step in work(fn).begin(session):
            seen.append(step)

    with pytest.raises(AppError, match="nothing to export"):
        follow()
    last = seen[-1]
    assert (last["bar"], last["stop"]["visible"]) == ("", False)
    assert asked(status_bar.status, session)["ended"][0]["text"] == "✗ exporting documents failed"


def test_the_same_work_is_not_begun_twice(session, work):
    go_on, begun = threading.Event(), []

    def fn(session, report):
        begun.append(1)
        report(1, 2)
        go_on.wait(60)

    page = work(fn)
    steps = page.begin(session)
    next(steps)
    with pytest.raises(AppError, match="already running"):
        next(page.begin(session))
    go_on.set()
    assert len(list(steps)) > 0
    list(page.begin(session))
    assert begun == [1, 1]


def test_closing_the_page_leaves_the_work_alone(session, work):
    go_on, over = threading.Event(), threading.Event()

    def fn(session, report):
        go_on.wait(60)
        report(1, 1)
        over.set()
        return {}

    steps = work(fn).begin(session)
    waiting = threading.Thread(target=lambda: next(steps, None), daemon=True)
    waiting.start()
    waiting.join(60)
    steps.close()
    go_on.set()
    assert over.wait(60)


class Compared:
    """Work that follows from a choice: each choice waits until the test lets it go on."""

    def __init__(self, work):
        self.go_on, self.begun = {}, []
        choices = OfChoices(
            lambda session, chosen: chosen,
            lambda session, result, chosen: {"said": f"{result}"},
            lambda session, ended: {"said": "none" if ended else "waiting"},
        )
        self.page = work(self.compare, choices=choices)

    def compare(self, session, report, chosen):
        self.begun.append(chosen)
        waiting = self.go_on.setdefault(chosen, threading.Event())
        while not waiting.wait(0.01):
            report(1, 2)
        if chosen == "wrong":
            raise AppError("There are no documents to compare.")
        return f"compared {chosen}"

    def choose(self, session, chosen, *, quick=False):
        event = self.go_on.setdefault(chosen, threading.Event())
        if quick:
            event.set()
        return self.page.begin(session, chosen)


@pytest.fixture
def compared(work):
    made = Compared(work)
    yield made
    for event in made.go_on.values():
        event.set()


def test_what_a_choice_comes_to_at_once_shows_no_bar(session, compared):
    (only,) = compared.choose(session, "a", quick=True)
    assert (only["said"], only["bar"], only["stop"]["visible"]) == ("compared a", "", False)


def test_a_slow_answer_to_a_choice_hides_the_former_one_behind_a_bar(session, compared):
    steps = compared.choose(session, "a")
    first = next(steps)
    assert (first["said"], first["stop"]["visible"]) == ("waiting", True)
    assert "exporting documents" in first["bar"]
    compared.go_on["a"].set()
    *_between, last = steps
    assert (last["said"], last["bar"]) == ("compared a", "")


def test_another_choice_takes_the_place_of_the_one_that_is_computed(session, compared):
    former = compared.choose(session, "a")
    next(former)
    (only,) = compared.choose(session, "b", quick=True)
    assert only["said"] == "compared b"
    assert list(former) == [], "what was chosen before says nothing any more"
    cancelled = session.works[1].task
    assert cancelled.wait(60)
    assert cancelled.stopped


def test_the_same_choice_follows_what_is_computed(session, compared):
    before = compared.choose(session, "a")
    next(before)
    after = compared.choose(session, "a")
    assert next(after)["said"] == "waiting"
    compared.go_on["a"].set()
    assert list(after)[-1]["said"] == "compared a"
    assert list(before) == []
    assert compared.begun == ["a"]


def test_no_choice_cancels_what_is_computed(session, compared):
    former = compared.choose(session, "a")
    next(former)
    (only,) = compared.page.begin(session, None)
    assert (only["bar"], "said" in only) == ("", False)
    assert list(former) == []


def test_a_cancelled_answer_can_be_asked_for_again(session, compared):
    steps = compared.choose(session, "a")
    next(steps)
    compared.page.cancel(session)
    *_between, last = steps
    assert (last["said"], "Cancelled." in last["bar"], last["stop"]["visible"]) == ("none", True, False)
    assert list(compared.choose(session, "a", quick=True))[-1]["said"] == "compared a"


def test_an_error_of_a_choice_reaches_the_page(session, compared):
    steps = compared.choose(session, "wrong", quick=True)
    assert next(steps)["said"] == "none"
    with pytest.raises(AppError, match="no documents to compare"):
        next(steps)


def test_nothing_of_a_choice_is_told_in_another_project(session, compared):
    call = session.of_call()
    right, wrong = compared.choose(call, "a"), compared.choose(call, "wrong")
    next(right)
    next(wrong)
    session.turn_to(session.project_id)
    for event in compared.go_on.values():
        event.set()
    assert list(right) == list(wrong) == []


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"fraction": 0.5}, "50%"),
        ({"fraction": 0.5, "remaining": 21.4}, "50% · 0:21 left"),
        ({"fraction": 0.25, "total": 1000, "done": 250, "rate": 41.7}, "250 of 1,000 · 42 a second"),
        (
            {"fraction": 0.25, "total": 4, "done": 1, "rate": 0.25, "remaining": 12.0},
            "1 of 4 · 0.2 a second · 0:12 left",
        ),
    ],
)
def test_progress_says_how_many_how_fast_and_how_long(fields, line):
    values = {"total": 0, "done": 0, "rate": None, "remaining": None, **fields}
    assert progress_text("en", SimpleNamespace(**values)) == line


def test_the_bar_says_the_work_and_its_step_in_the_language_of_the_page(session):
    task = SimpleNamespace(doing="正在读取", fraction=0.25, total=0, done=0, rate=None, remaining=None)
    session.language = "zh"
    assert "<span>对比运行：正在读取</span><span>25%</span>" in bar_of(session, task, _("comparing runs"))
