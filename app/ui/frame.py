"""What every page is given: its texts, the session behind a call, and one way to listen."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from html import escape
from typing import Any

import gradio as gr
from gradio.blocks import Block

from app.i18n import Language
from app.i18n.binding import Texts
from app.services import rights
from app.services.errors import AppError, sentence
from app.services.session import Session, Sessions
from app.ui.payload import read_payload
from app.ui.server_function import Reply, payload_of, refused
from app.ui.widgets.figure_view import FigureView

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


# What a callback fills: components that `Frame.name` knows, or others by the names given here.
Outputs = Sequence[Any] | Mapping[Any, Any]

ALONE = ""  # the name of an output that needs none

# Events that tell of a choice. A button is none: pressed twice, it must not do twice what it does.
CHOICES = frozenset(("input", "change", "select"))


@dataclass(frozen=True)
class Filling:
    """How a page gets its contents: ``fn(session, *inputs)`` gives some of ``outputs`` their values."""

    page: str
    fn: Callable[..., dict[Any, Any]]
    inputs: Sequence[Any]
    outputs: Sequence[Any]


@dataclass
class Frame:
    """The parts of the window that pages share.

    A page is a module with ``layout(frame) -> <Name>Components`` (a dataclass of named components), plain
    typed callbacks whose first argument is the `Session`, and ``wire(components, frame)``.

    A callback with several outputs returns ``{name: value}``: the names are those of the components' fields,
    what it leaves out stays as it is, and any other name is an error. With one output, given in a list, it
    returns the value.

    Args:
        texts: bind every fixed string here.
        sessions: who is behind a token.
        token: hidden; holds the page's token and goes along with every call.
        project: the project picker.
        moved: hidden; changes when the project, the language or the session changes.
        tabs: the row of tabs. tab: each page's tab by name.
        fillings: what ``on_show`` was given.
        names: of components, by their ``id()``; see ``name``.
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
    names: dict[int, str] = field(default_factory=dict)
    page: str | None = None

    def name(self, components: Any) -> None:
        """Know each component in a dataclass by its field, in the dataclasses inside by theirs.

        In a list a number is added, in a dict the key is the name; the plot of a `FigureView` has the name of
        the view.
        """
        for each in fields(components):
            self._name(each.name, getattr(components, each.name))

    def on(
        self,
        triggers: Any,
        fn: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Outputs = (),
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
        filled = self._named(outputs)
        call = self._with_session(fn, filled)
        if not isinstance(triggers, (list, tuple)):
            # A custom event of gr.HTML is no listener that gr.on knows; every listener can be called.
            return triggers(call, [self.token, *inputs], list(filled.values()), **options)
        return gr.on(list(triggers), call, [self.token, *inputs], list(filled.values()), **options)

    def then(
        self,
        event: Any,
        fn: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Outputs = (),
        **options: Any,
    ) -> Any:
        """Call ``fn(session, *inputs)`` after ``event`` (what ``on`` gave back) has ended well."""
        filled = self._named(outputs)
        return event.success(
            self._with_session(fn, filled),
            [self.token, *inputs],
            list(filled.values()),
            **self._listening(options),
        )

    def on_show(
        self,
        page: str,
        fn: Callable[..., Any],
        outputs: Outputs,
        inputs: Sequence[Any] = (),
    ) -> None:
        """Call ``fn(session, *inputs)`` when the page is shown, and when project or language change."""

        @wraps(fn)
        def shown(session: Session, *values: Any, **named: Any) -> Any:
            session.page = page
            return fn(session, *values, **named)

        self.on(self.tab[page].select, shown, inputs, outputs)
        filled = self._named(outputs)

        def fill(session: Session, *values: Any) -> dict[Any, Any]:
            return _by_component(fn, filled, fn(session, *values))

        self.fillings.append(Filling(page, fill, inputs, list(filled.values())))

    def filling(self, page: str) -> Filling:
        """All of a page's fillings as one, for one request: ``fn(session, *inputs)`` gives values by
        component."""
        fillings = tuple(filling for filling in self.fillings if filling.page == page)
        inputs = [component for filling in fillings for component in filling.inputs]
        outputs = list(dict.fromkeys(c for filling in fillings for c in filling.outputs))

        def fill(session: Session, *values: Any) -> dict[Any, Any]:
            rights.check_page(session, page)
            session.page = page
            given = iter(values)
            answers: dict[Any, Any] = {}
            for filling in fillings:
                answers |= filling.fn(session, *(next(given) for _ in filling.inputs))
            return answers

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
            self.on(box.change, filling.fn, filling.inputs, {each: each for each in filling.outputs})
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

    def _name(self, name: str, value: Any) -> None:
        if isinstance(value, Block):
            self.names[id(value)] = name
        elif isinstance(value, FigureView):
            self.names[id(value.plot)] = name
        elif isinstance(value, Mapping):
            for key, inside in value.items():
                self._name(str(key), inside)
        elif isinstance(value, (list, tuple)):
            for number, inside in enumerate(value):
                self._name(f"{name}_{number}", inside)
        elif is_dataclass(value):
            self.name(value)

    def _named(self, outputs: Outputs) -> dict[Any, Any]:
        """Outputs by name; one alone needs none.

        Raises:
            ValueError: one of several has no name, or two have the same.
        """
        if isinstance(outputs, Mapping):
            return dict(outputs)
        if len(outputs) == 1:
            return {ALONE: outputs[0]}
        named: dict[str, Any] = {}
        for component in outputs:
            name = self.names.get(id(component)) or self._own(component)
            if name is None or name in named:
                wrong = "has no name" if name is None else f"is not the only one called {name!r}"
                raise ValueError(f"an output of {self.page} {wrong}: {component!r}")
            named[name] = component
        return named

    def _own(self, component: Any) -> str | None:
        own = ("tabs", "project", "moved")
        return next((name for name in own if getattr(self, name, None) is component), None)

    def _with_session(self, fn: Callable[..., Any], filled: Mapping[Any, Any]) -> Callable[..., Any]:
        """``fn`` for gradio: the token becomes the session, names components, errors a sentence.

        Tabs tell that they are shown while the page is still opening, before it has a token: that is no
        error, and the page is filled once the session is there.
        """
        page = self.page
        alone = not filled or ALONE in filled
        nothing = gr.skip() if alone else {next(iter(filled.values())): gr.skip()}

        def told(answer: Any) -> Any:
            return answer if alone else _by_component(fn, filled, answer) or nothing

        if inspect.isgeneratorfunction(fn):

            @wraps(fn)
            def stream(token: str, *values: Any) -> Generator[Any, None, None]:
                if not token:
                    yield nothing
                    return
                session = self._session_or_error(token)
                try:
                    rights.check_page(session, page)
                    for answer in fn(session, *values):
                        yield told(answer)
                except Exception as error:
                    raise refusal(error, session.language) from error

            return stream

        @wraps(fn)
        def call(token: str, *values: Any) -> Any:
            if not token:
                return nothing
            session = self._session_or_error(token)
            try:
                rights.check_page(session, page)
                return told(fn(session, *values))
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


def _by_component(fn: Callable[..., Any], filled: Mapping[Any, Any], answer: Any) -> dict[Any, Any]:
    """What ``fn`` answered, by component.

    Raises:
        TypeError: it names something that is none of its outputs, or gives several no names.
    """
    if ALONE in filled:
        return {filled[ALONE]: answer}
    if not isinstance(answer, Mapping) or answer.keys() - filled.keys():
        got = list(answer) if isinstance(answer, Mapping) else type(answer).__name__
        raise TypeError(f"{fn.__name__} fills {list(filled)}; it answered {got}")
    return {filled[name]: value for name, value in answer.items()}
