"""What every page is given: its texts, the session behind a call, and one way to listen."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from html import escape
from typing import Any

import gradio as gr

from app.i18n import Language
from app.i18n.binding import Texts
from app.services import rights
from app.services.errors import AppError, sentence
from app.services.session import Session, Sessions
from app.ui.payload import read_payload
from app.ui.server_function import Reply, payload_of, refused

PAGES = (
    "data",
    "annotate",
    "review",
    "train",
    "tag",
    "inspect",
    "compare",
    "ledger",
    "dictionary",
    "dashboard",
    "settings",
)


# Events that tell of a choice. A button is none: pressed twice, it must not do twice what it does.
CHOICES = frozenset(("input", "change", "select"))


@dataclass(frozen=True)
class Filling:
    """How a page gets its contents: ``fn(session, *inputs)`` into ``outputs``."""

    page: str
    fn: Callable[..., Any]
    inputs: Sequence[Any]
    outputs: Sequence[Any]


@dataclass
class Frame:
    """The parts of the window that pages share.

    A page is a module of `app/pages` with ``layout(frame) -> <Name>Components`` (a dataclass of named
    components), plain typed callbacks whose first argument is the `Session`, and ``wire(components, frame)``.

    Args:
        texts: bind every fixed string here.
        sessions: who is behind a token.
        token: hidden; holds the page's token and goes along with every call.
        project: the project picker.
        moved: hidden; changes when the project, the language or the session changes.
        tabs: the row of tabs. tab: each page's tab by name.
        fillings: what ``on_show`` was given.
        page: the page being laid out or wired; its callbacks answer only those who may see it.
    """

    texts: Texts
    sessions: Sessions
    token: gr.Textbox = field(init=False)
    project: gr.Dropdown = field(init=False)
    moved: gr.Textbox = field(init=False)
    tabs: gr.Tabs = field(init=False)
    tab: dict[str, gr.Tab] = field(default_factory=dict)
    fillings: list[Filling] = field(default_factory=list)
    page: str | None = None

    def on(
        self,
        triggers: Any,
        fn: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Sequence[Any] = (),
        **options: Any,
    ) -> Any:
        """Call ``fn(session, *inputs)`` when one of ``triggers`` fires.

        Errors become a sentence in the person's language. Endpoints are private: the app is not an API.
        A choice made while the one before is being answered is answered next, unless a button does the same.
        ``fn`` may be a generator and may ask for ``gr.Progress`` or ``gr.Request`` as usual.
        """
        if _tells_of_a_choice(triggers):
            options.setdefault("trigger_mode", "always_last")
        options = self._listening(options)
        call = self._with_session(fn, len(outputs))
        if not isinstance(triggers, (list, tuple)):
            # A custom event of gr.HTML is no listener that gr.on knows; every listener can be called.
            return triggers(call, [self.token, *inputs], list(outputs), **options)
        return gr.on(list(triggers), call, [self.token, *inputs], list(outputs), **options)

    def then(
        self,
        event: Any,
        fn: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Sequence[Any] = (),
        **options: Any,
    ) -> Any:
        """Call ``fn(session, *inputs)`` after ``event`` (what ``on`` gave back) has ended well."""
        return event.success(
            self._with_session(fn, len(outputs)),
            [self.token, *inputs],
            list(outputs),
            **self._listening(options),
        )

    def on_show(
        self,
        page: str,
        fn: Callable[..., Any],
        outputs: Sequence[Any],
        inputs: Sequence[Any] = (),
    ) -> None:
        """Call ``fn(session, *inputs)`` when the page is shown, and when project or language change."""

        @wraps(fn)
        def shown(session: Session, *values: Any, **named: Any) -> Any:
            session.page = page
            return fn(session, *values, **named)

        self.on(self.tab[page].select, shown, inputs, outputs)
        self.fillings.append(Filling(page, fn, inputs, outputs))

    def filling(self, page: str) -> Filling:
        """All of a page's fillings as one, for one request: ``fn(session, *inputs)`` gives one answer for
        each output, in order."""
        fillings = tuple(filling for filling in self.fillings if filling.page == page)
        inputs = [component for filling in fillings for component in filling.inputs]
        outputs = list({id(c): c for filling in fillings for c in filling.outputs}.values())

        def fill(session: Session, *values: Any) -> tuple[Any, ...]:
            rights.check_page(session, page)
            session.page = page
            answers: dict[int, Any] = {}
            given = iter(values)
            for filling in fillings:
                answer = filling.fn(session, *(next(given) for _ in filling.inputs))
                several = answer if len(filling.outputs) > 1 else (answer,)
                answers |= {id(c): value for c, value in zip(filling.outputs, several, strict=True)}
            return tuple(answers[id(component)] for component in outputs)

        return Filling(page, fill, inputs, outputs)

    def fill_when_moved(self, first: str = "") -> None:
        """Fill the page in front when project, language or session change; call it once all are wired.

        The browser knows which page that is. It hands ``moved`` on to that page's own hidden box, so that
        one request names what one page needs, however many pages there are.

        Args:
            first: a page that a new session has been given already.
        """
        pages = list(dict.fromkeys(filling.page for filling in self.fillings))
        boxes = [gr.Textbox(visible=False, elem_id=f"ll-moved-{page}") for page in pages]
        for page, box in zip(pages, boxes, strict=True):
            filling = self.filling(page)
            one = len(filling.outputs) == 1
            fn = _only(filling.fn) if one else filling.fn
            self.on(box.change, fn, filling.inputs, filling.outputs)
        hand_on = f"(moved) => window.latticelens.handOn(moved, {json.dumps(pages)}, {json.dumps(first)})"
        self.moved.change(
            None, [self.moved], boxes, js=hand_on, api_visibility="private", trigger_mode="multiple"
        )

    def server(self, fn: Callable[..., Reply]) -> Callable[[Any], Reply]:
        """``fn(session)`` or ``fn(session, payload)`` as a server function for a widget.

        In js ``askServer(server, name, {…})`` of ``page/session.js``, which adds the page's token. The second
        parameter is declared as a `Payload`: what the browser sends is checked against it once, here.

        Returns:
            What ``fn`` returns, which must be JSON, with ``ok``; for an error see `refused`.
        """
        page, kind = self.page, payload_of(fn)

        def call(payload: Any = None) -> Reply:
            language: Language | None = None  # an expired session leaves it unknown
            try:
                session = self.sessions.find(payload.get("token") if isinstance(payload, dict) else "")
                language = session.language
                rights.check_page(session, page)
                answer = fn(session) if kind is None else fn(session, read_payload(kind, payload))
                return {"ok": True, **answer}
            except Exception as error:
                return refused(error, language)

        # Gradio names the server function after __name__; the signature must stay the single payload.
        call.__name__ = fn.__name__
        return call

    def _listening(self, options: dict[str, Any]) -> dict[str, Any]:
        """``options`` of a listener with what every listener of the app has.

        Gradio tells each component an event will write to that it waits, four times an event and by a walk
        through the whole page each, even where nothing of it is shown; so it is to tell the token alone.
        """
        quiet = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": 8}
        options = {**quiet, **options}
        if options["show_progress"] == "hidden":
            options.setdefault("show_progress_on", [self.token])
        return options

    def _with_session(self, fn: Callable[..., Any], count: int) -> Callable[..., Any]:
        """``fn`` for gradio: the token becomes the session, errors a sentence.

        Tabs tell that they are shown while the page is still opening, before it has a token: that is no
        error, and the page is filled once the session is there.
        """
        page = self.page
        if inspect.isgeneratorfunction(fn):

            @wraps(fn)
            def stream(token: str, *values: Any) -> Generator[Any, None, None]:
                if not token:
                    yield _nothing(count)
                    return
                session = self._session_or_error(token)
                try:
                    rights.check_page(session, page)
                    yield from fn(session, *values)
                except Exception as error:
                    raise refusal(error, session.language) from error

            return stream

        @wraps(fn)
        def call(token: str, *values: Any) -> Any:
            if not token:
                return _nothing(count)
            session = self._session_or_error(token)
            try:
                rights.check_page(session, page)
                return fn(session, *values)
            except gr.Error:
                raise
            except Exception as error:
                raise refusal(error, session.language) from error

        return call

    def _session_or_error(self, token: str) -> Session:
        try:
            return self.sessions.find(token)
        except AppError as error:
            raise refusal(error) from error


def refusal(error: BaseException, language: Language | None = None) -> gr.Error:
    """What the page shows for ``error``; a toast is read as HTML, and what went wrong may quote anything.

    Its title would be lost: gradio heads a toast with its kind, which app.css takes away.
    """
    return gr.Error(escape(sentence(error, language), quote=False), print_exception=False)


def _tells_of_a_choice(triggers: Any) -> bool:
    """Whether gradio should keep the last event that comes while one is being answered; it drops it else."""
    several = triggers if isinstance(triggers, (list, tuple)) else (triggers,)
    # A custom event of gr.HTML has no name; its widget keeps the order itself.
    names = {getattr(trigger, "event_name", None) for trigger in several}
    return bool(names & CHOICES) and "click" not in names


def _only(fn: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
    """``fn`` for an event with one output, which takes its answer bare."""

    @wraps(fn)
    def bare(*values: Any) -> Any:
        (answer,) = fn(*values)
        return answer

    return bare


def _nothing(count: int) -> Any:
    return gr.skip() if count <= 1 else tuple(gr.skip() for _ in range(count))
