"""The frame shared by all pages: texts, sessions, named outputs, events and server functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import gradio as gr
from gradio.blocks import Block
from gradio.context import LocalContext

from app.i18n import Language
from app.i18n.binding import Texts
from app.services import rights
from app.services.identity.logins import login_of
from app.services.session import Session, Sessions, check_login
from app.ui.callback import ALONE, by_component, callback
from app.ui.filling import Filling, as_built, has_several, is_of_project, leaving_held, merged
from app.ui.payload import read_payload
from app.ui.server_function import Reply, payload_of, refused
from app.ui.widgets.figure_view import FigureView
from core.store.db import audit

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

# The outputs of a callback: components named by `Frame.name`, or by the keys given here.
Outputs = Sequence[Any] | Mapping[Any, Any]

# Events that come without a person: a clock's, and those that other answers cause.
UNASKED = frozenset(("tick", "change"))

# Events of choices. Not those of buttons: a second press must not repeat the action.
CHOICES = frozenset(("input", "change", "select"))


@dataclass
class Frame:
    """The parts of the window that pages share.

    A page is a module with ``layout(frame) -> <Name>Components`` (a dataclass of named components), plain
    typed callbacks whose first argument is the `Session`, and ``wire(components, frame)``.

    A callback with several outputs returns ``{name: value}``, named by the components' fields. Outputs left
    out keep their values; an unknown name is an error. With one output, in a list, it returns the value.

    Args:
        texts: bind every fixed string here.
        sessions: by token.
        token: hidden; holds the page's token, an input of every call.
        project: the project picker.
        moved: hidden; changes when the project, the language or the session changes.
        told: hidden, one of each page; what the browser is told when it was filled, see `told_of`.
        tabs: the row of tabs. tab: each page's tab by name.
        fillings: registered by ``on_show``.
        touched: what each page's callbacks change; put back when the project changes.
        names: of components, by their ``id()``; see ``name``.
        addressed: names in the page's address, by the ``id()`` of components; see ``address``.
        page: the page being laid out or wired; its callbacks require the right to see it.
    """

    texts: Texts
    sessions: Sessions
    token: gr.Textbox = field(init=False)
    project: gr.Dropdown = field(init=False)
    moved: gr.Textbox = field(init=False)
    told: dict[str, gr.Textbox] = field(default_factory=dict)
    tabs: gr.Tabs = field(init=False)
    tab: dict[str, gr.Tab] = field(default_factory=dict)
    fillings: list[Filling] = field(default_factory=list)
    touched: dict[str, dict[Any, None]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    addressed: dict[int, str] = field(default_factory=dict)
    page: str | None = None

    def name(self, components: Any) -> None:
        """Name each component of a dataclass after its field, nested dataclasses included.

        Components of a list get the field's name and a number, those of a dict their key; the plot of a
        `FigureView` gets the view's name.
        """
        for each in fields(components):
            self._name(each.name, getattr(components, each.name))

    def on(
        self,
        triggers: Any,
        fn: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Outputs = (),
        *,
        page: str | None = None,
        **options: Any,
    ) -> Any:
        """Call ``fn(session, *inputs)`` when one of ``triggers`` fires.

        Errors become a sentence in the person's language. Endpoints are private: the app is not an API.
        An answer that comes after the project was changed is dropped, unless ``moved`` is among the outputs,
        as it is for what changes the project.
        Where the page shows another project than the session has, what a person asks is refused.
        A choice made during the previous call is processed next, unless a button triggers the same callback.
        ``fn`` may be a generator and take ``gr.Progress`` or ``gr.Request`` as usual.

        Args:
            page: that it belongs to, where that is drawn after the window was wired (``gr.render``).
        """
        if _tells_of_a_choice(triggers):
            options.setdefault("trigger_mode", "always_last")
        options = self._listening(options)
        filled = self.named(outputs)
        self._touch(filled)
        call = self._callback(fn, filled, page, unasked=bool(_events(triggers) & UNASKED))
        given = [self.token, self.moved, *inputs]
        if not isinstance(triggers, (list, tuple)):
            # gr.on does not accept custom events of gr.HTML; every listener can be called.
            return triggers(call, given, list(filled.values()), **options)
        return gr.on(list(triggers), call, given, list(filled.values()), **options)

    def then(
        self,
        event: Any,
        fn: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Outputs = (),
        **options: Any,
    ) -> Any:
        """Call ``fn(session, *inputs)`` after ``event`` (returned by ``on``) succeeds."""
        filled = self.named(outputs)
        self._touch(filled)
        return event.success(
            self._callback(fn, filled, unasked=True),
            [self.token, self.moved, *inputs],
            list(filled.values()),
            **self._listening(options),
        )

    def address(self, page: str, defaults: Mapping[str, Any] | None = None, **components: Any) -> None:
        """Keep values of components in the address of a page, under these names; call it before `on_show`.

        A default does not stand there. Where one of the components is an input of `on_show`, that gets the
        value of the address. Several values stand there between commas; none of them may have one.

        Args:
            defaults: of components whose default is not what they are built with, by name.
        """
        for name, component in components.items():
            self.addressed[id(component)] = name
            default = (defaults or {}).get(name, as_built(component)["value"])
            said = (
                f"{json.dumps(page)}, {{ {name}: window.latticelens.unless({json.dumps(default)}, value) }}"
            )
            here = f"(value) => window.latticelens.locate({said})"
            component.change(None, [component], js=here, api_visibility="private")

    def reveal(self, event: Any, elem_id: str) -> None:
        """Scroll a result into view on a narrow page after ``event`` (returned by ``on``) succeeds."""
        event.success(
            None, js=f"() => window.latticelens.reveal({json.dumps(elem_id)})", api_visibility="private"
        )

    def on_show(
        self, page: str, fn: Callable[..., Any], outputs: Outputs, inputs: Sequence[Any] = ()
    ) -> None:
        """Call ``fn(session, *inputs)`` when the page is shown, and when project or language change.

        The first time in another project ``inputs`` have the values of a fresh page, see ``filling``.
        """
        filled = self.named(outputs)

        def fill(session: Session, *values: Any) -> dict[Any, Any]:
            return by_component(fn, filled, fn(session, *values))

        self.fillings.append(Filling(page, fill, inputs, list(filled.values())))

    def filling(self, page: str) -> Filling:
        """Combine a page's fillings for one request: ``fn(session, *inputs)`` gives values by component.

        Shown for the first time in another project it begins like a fresh page: nothing that a callback
        changed or a person chose in one project is shown in the next.
        """
        fillings = tuple(filling for filling in self.fillings if filling.page == page)
        inputs = [component for filling in fillings for component in filling.inputs]
        filled = [component for filling in fillings for component in filling.outputs]
        outputs = list(dict.fromkeys([*filled, *inputs, *self.touched.get(page, ())]))
        put_back = {each: self._put_back(each) for each in outputs if is_of_project(each)}

        def fill(session: Session, *values: Any) -> dict[Any, Any]:
            rights.check_page(session, page)
            session.change(page=page)
            turns = session.turns
            answers: dict[Any, Any] = {}
            # A page never shown before is fresh: putting it back would delete what is being typed into it.
            if session.filled.get(page, turns) != turns:
                values = tuple(
                    value if component not in put_back or id(component) in self.addressed
                    else as_built(component)["value"]
                    for component, value in zip(inputs, values, strict=True)
                )  # fmt: skip
                answers = dict(put_back)
            given = iter(values)
            for filling in fillings:
                for component, value in filling.fn(session, *(next(given) for _ in filling.inputs)).items():
                    answers[component] = merged(answers.get(component), value)
            session.filled[page] = max(turns, session.filled.get(page, 0))
            return answers

        return Filling(page, fill, inputs, outputs)

    def fill_when_moved(self, first: str = "") -> None:
        """Fill a page when it is shown, and the current one when project, language or session change.

        Call it once all pages are wired.

        The browser knows which page is current and passes ``moved`` on to that page's own hidden box, so
        that a request carries one page's inputs and outputs only.

        Args:
            first: the page already filled for a new session.
        """
        pages = list(dict.fromkeys(filling.page for filling in self.fillings))
        boxes = [gr.Textbox(visible=False, elem_id=f"ll-moved-{page}") for page in pages]
        held = gr.Textbox(visible="hidden", show_label=False)
        for page, box in zip(pages, boxes, strict=True):
            filling = self.filling(page)
            # In one box for all pages the last of two answers that come together would hide the other.
            told = self.told[page] = gr.Textbox(visible="hidden", show_label=False)
            outputs = {each: each for each in (*filling.outputs, told)}
            placed = {"js": self._placed(page, filling.inputs)}
            for shown in (self.tab[page].select, box.change):
                self.on(shown, leaving_held(filling, told), [*filling.inputs, held], outputs, **placed)
        for told in self.told.values():
            ended = "(told) => window.latticelens.fillingEnded(told)"
            told.change(None, [told], js=ended, api_visibility="private")
        hand_on = f"(moved) => window.latticelens.handOn(moved, {json.dumps(pages)}, {json.dumps(first)})"
        self.moved.change(
            None, [self.moved], boxes, js=hand_on, api_visibility="private", trigger_mode="multiple"
        )
        again = gr.Button(visible="hidden", elem_id="ll-again")  # where a link led to another place on a page
        fill_again = f"() => window.latticelens.fillAgain({json.dumps(pages)})"
        again.click(None, outputs=boxes, js=fill_again, api_visibility="private")

    def server(self, fn: Callable[..., Reply]) -> Callable[[Any], Reply]:
        """Wrap ``fn(session)`` or ``fn(session, payload)`` as a server function for a widget.

        Scripts call it by ``askServer(server, name, {…})`` of ``page/session.js``, which adds the token and
        the project that the page shows.
        The second parameter is annotated with a `Payload`, which validates what the browser sends.

        Returns:
            The JSON that ``fn`` returns, with ``ok``; for an error see `refused`.
        """
        page, kind = self.page, payload_of(fn)

        def call(payload: Any = None) -> Reply:
            language: Language | None = None  # unknown if the session has expired
            try:
                session = self.session_of(payload.get("token") if isinstance(payload, dict) else "")
                language = session.language
                rights.check_shown(session, page, _shown_project(payload))
                rights.check_page(session, page)
                with audit.acting(session.user, "page"):
                    answer = fn(session) if kind is None else fn(session, read_payload(kind, payload))
                return {"ok": True, **answer}
            except Exception as error:
                return refused(error, language)

        # Gradio names the server function after __name__; the signature must stay the single payload.
        call.__name__ = fn.__name__
        return call

    def _placed(self, page: str, inputs: Sequence[Any]) -> str:
        """The script of a filling's listener: inputs come from the address; last, the numbers of those that
        the components hold already."""
        names = [self.addressed.get(id(component)) for component in inputs]
        named = [
            name and [name, as_built(component)["value"], has_several(component)]
            for name, component in zip(names, inputs, strict=True)
        ]
        said = f"{json.dumps(page)}, {json.dumps(named)}"
        return f"(...given) => window.latticelens.placed({said}, given)"

    def _listening(self, options: dict[str, Any]) -> dict[str, Any]:
        """``options`` of a listener with the defaults of the app.

        Gradio sets a pending state on every output four times an event, each time walking the whole page,
        even if nothing is shown; so progress is shown on the token alone.
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

    def named(self, outputs: Outputs) -> dict[Any, Any]:
        """Outputs by name; a single output needs none.

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
        hidden = ("tabs", "project", "moved")
        return next((name for name in hidden if getattr(self, name, None) is component), None)

    def _touch(self, filled: Mapping[Any, Any]) -> None:
        """Note what a callback of the page being wired changes.

        What is said of a change of project, such as the name of a new one, belongs to the new project.
        """
        if self.page is not None and not self._moves(filled):
            mine = [component for component in filled.values() if not self._own(component)]
            self.touched.setdefault(self.page, {}).update(dict.fromkeys(mine))

    def _moves(self, filled: Mapping[Any, Any]) -> bool:
        return any(self._own(component) == "moved" for component in filled.values())

    def _put_back(self, component: Block) -> dict[str, Any]:
        """What makes a component as it was built, but for the words that go with the language."""
        words = self.texts.words_of(component)
        return gr.update(**{name: value for name, value in as_built(component).items() if name not in words})

    def _callback(
        self, fn: Callable[..., Any], filled: Mapping[Any, Any], page: str | None = None, **options: bool
    ) -> Callable[..., Any]:
        moves = self._moves(filled)
        return callback(fn, filled, self.session_of, page or self.page, moves=moves, **options)

    def session_of(self, token: object) -> Session:
        """The session of a page's token for one call, asked for by the browser that it was opened in.

        Raises:
            SessionExpired: there is none (any more). OtherLogin: the request has another login, or none.
        """
        session = self.sessions.find(token)
        check_login(session, login_of(LocalContext.request.get(None)))
        return session.of_call()


def _shown_project(payload: Any) -> int | None:
    """The project that the page of a widget shows, where the widget says it."""
    project = payload.get("project") if isinstance(payload, dict) else None
    return project if isinstance(project, int) and project else None


def _events(triggers: Any) -> set[str | None]:
    """The names of the events; the custom ones of gr.HTML have none."""
    several = triggers if isinstance(triggers, (list, tuple)) else (triggers,)
    return {getattr(trigger, "event_name", None) for trigger in several}


def _tells_of_a_choice(triggers: Any) -> bool:
    """Whether gradio should queue the last event that comes during a call, instead of dropping it.

    Widgets with custom events keep the order themselves.
    """
    names = _events(triggers)
    return bool(names & CHOICES) and "click" not in names
