"""Builds the one `gr.Blocks`: the row above, the pages, the status bar, and what joins them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gradio as gr

from app.annotate import page as annotate
from app.compare import page as compare
from app.dashboard import page as dashboard
from app.data import page as data
from app.dictionary import page as dictionary
from app.i18n import LANGUAGES, _, language_of
from app.i18n.binding import Texts
from app.inspect import page as inspect
from app.ledger import page as ledger
from app.review import page as review
from app.services.errors import sentence
from app.services.identity.logins import login_of
from app.services.limits.asker import asker_of
from app.services.limits.table import ALONE, Limits
from app.services.rights import place
from app.services.session import Session, Sessions
from app.settings import page as settings
from app.setup import wizard as setup
from app.setup.wizard import SetupComponents
from app.tag import page as tag
from app.tour import tour
from app.train import page as train
from app.ui.filling import told_of
from app.ui.frame import PAGES, Frame
from app.ui.headings import page_heading
from app.ui.widgets.page_code import page_opening
from app.ui.window import banner, left_empty, palette, status_bar
from app.ui.window.banner import Notice
from app.ui.window.navigation import project_choices
from core.store.project import members, projects

PAGE_NAMES = {
    "data": _("Data"),
    "annotate": _("Annotate"),
    "review": _("Review"),
    "train": _("Train"),
    "tag": _("Tag"),
    "inspect": _("Inspect"),
    "compare": _("Compare"),
    "ledger": _("Ledger"),
    "dictionary": _("Dictionary"),
    "dashboard": _("Dashboard"),
    "settings": _("Settings"),
}

MODULES: dict[str, ModuleType] = {
    "data": data,
    "annotate": annotate,
    "review": review,
    "train": train,
    "tag": tag,
    "inspect": inspect,
    "compare": compare,
    "ledger": ledger,
    "dictionary": dictionary,
    "dashboard": dashboard,
    "settings": settings,
}

FIRST = "annotate"
FIRST_SCRIPTS = ("annotator/workbench.js", "widgets/status_bar.js")  # of the first page
TURN = "() => ({ selected: window.latticelens.goal || window.latticelens.page, __type__: 'update' })"
START = "async (token, language, user, project, ...rest) => [...(await window.latticelens.start()), ...rest]"
THEME = "() => { window.latticelens.switchTheme(); }"


@dataclass
class Top:
    """The row above the pages."""

    language: gr.Button
    theme: gr.Button
    turn: gr.Button
    asked_language: gr.Textbox
    asked_user: gr.Textbox
    asked_project: gr.Textbox
    setup: SetupComponents


def build(sessions: Sessions, limits: Limits = ALONE, notice: Notice | None = None) -> gr.Blocks:
    """The whole interface; starts nothing and opens no file.

    Args:
        limits: of those who use it. notice: what the line above every page says; None: there is none.
    """
    frame = Frame(Texts(), sessions)
    kept = int(limits.kept_seconds)
    with gr.Blocks(
        title="LatticeLens",
        analytics_enabled=False,
        fill_width=True,
        delete_cache=(max(60, kept // 24), kept),
    ) as demo:
        top = _top(frame, notice)
        components: dict[str, Any] = {}
        with gr.Tabs(selected=FIRST, elem_id="ll-pages") as frame.tabs:
            for page in PAGES:
                tab = frame.texts.bind(gr.Tab(id=page, elem_id=f"ll-tab-{page}"), label=PAGE_NAMES[page])
                frame.tab[page] = tab
                frame.page = page
                with tab:
                    page_heading(frame.texts, PAGE_NAMES[page])
                    components[page] = MODULES[page].layout(frame)
                frame.name(components[page])
        frame.page = None
        left_empty.layout(frame)
        status_bar.layout(frame)
        for page in PAGES:
            frame.page = page
            MODULES[page].wire(components[page], frame)
        frame.page = None
        frame.fill_when_moved(first=FIRST)
        _wire(demo, frame, top)
    page_opening("demo", f"window.latticelens.demo = {json.dumps(limits.demo)};")
    page_opening("place", f"window.latticelens.openAt({json.dumps(list(PAGES))}, {json.dumps(FIRST)});")
    page_opening("listeners", "window.latticelens.settleListeners();")
    page_opening("texts", f"window.latticelens.speak({json.dumps(_other_languages(frame.texts))});")
    return demo


def _other_languages(texts: Texts) -> dict[str, Any]:
    """The texts of the window in the languages it is not built in, for the browser."""
    return {language: texts.by_component(language) for language in LANGUAGES if language != texts.language}


def _top(frame: Frame, notice: Notice | None) -> Top:
    with gr.Row(elem_id="ll-top", equal_height=True):
        brand = '<a id="ll-skip" href="#ll-pages">${value}</a><p>LatticeLens</p>'
        frame.texts.bind(
            gr.HTML(html_template=brand, apply_default_css=False, elem_id="ll-brand"),
            value=_("Skip to the text"),
        )
        frame.project = frame.texts.bind(
            gr.Dropdown(
                elem_id="ll-project", show_label=False, container=False, interactive=True, filterable=True
            ),
            label=_("Project"),
        )
        new_project = setup.layout(frame)
        palette.layout(frame)
        tour.layout(frame)
        language = frame.texts.button(_("中文"), elem_id="ll-language", size="sm")
        theme_button = frame.texts.button(_("Light or dark"), elem_id="ll-theme", size="sm")
    turn = gr.Button(visible="hidden", elem_id="ll-turn")  # Back and forward turn the pages with it
    banner.layout(frame, notice)
    frame.token = gr.Textbox(visible="hidden", elem_id="ll-token", show_label=False)
    frame.moved = gr.Textbox(visible="hidden", elem_id="ll-moved", show_label=False)
    asked_language = gr.Textbox(visible="hidden", show_label=False)
    asked_user = gr.Textbox(visible="hidden", show_label=False)
    asked_project = gr.Textbox(visible="hidden", show_label=False)
    return Top(language, theme_button, turn, asked_language, asked_user, asked_project, new_project)


def _wire(demo: gr.Blocks, frame: Frame, top: Top) -> None:
    texts = frame.texts
    first = frame.filling(FIRST)

    def open_page(
        token: str, language: str, user: str, project: str, request: gr.Request, *values: Any
    ) -> Any:
        try:
            login = login_of(request)
            session = frame.sessions.open(
                login.user if login else " ".join(user.split())[:40] or "me",
                language_of(language),
                token,
                logged_in=login is not None,
                login=login.id if login else "",
                project=int(project) if re.fullmatch("[0-9]{1,15}", project) else None,
                page=request.session_hash,
                asker=asker_of(request),
            )
            choices = project_choices(session)
        except Exception as error:
            return {frame.told[FIRST]: told_of("", sentence(error, language_of(language)))}
        try:
            shown = first.fn(session, *values)
        except Exception as error:
            # The other pages still work, so the window opens.
            shown = {frame.told[FIRST]: told_of(FIRST, sentence(error, session.language))}
        return {frame.token: session.token, frame.project: choices, frame.moved: place(session), **shown}

    demo.load(
        open_page,
        [frame.token, top.asked_language, top.asked_user, top.asked_project, *first.inputs],
        [frame.token, frame.project, frame.moved, frame.told[FIRST], *first.outputs],
        js=START,
        api_visibility="private",
        show_progress="hidden",
        show_progress_on=[frame.token],
        concurrency_limit=8,
    )
    frame.on(frame.project.input, choose_project, [frame.project], [frame.moved])
    setup.wire(top.setup, frame)

    def switch_language(session: Session) -> Any:
        session.change(language=LANGUAGES[(LANGUAGES.index(session.language) + 1) % len(LANGUAGES)])
        return {frame.moved: place(session), **texts.updates(session.language)}

    for page, tab in frame.tab.items():
        here = f"() => {{ window.latticelens.shown({json.dumps(page)}); }}"
        tab.select(None, js=here, api_visibility="private", trigger_mode="always_last")
    top.turn.click(None, outputs=[frame.tabs], js=TURN, api_visibility="private", trigger_mode="multiple")
    worded = [frame.moved, *texts.components]
    frame.on(top.language.click, switch_language, [], {each: each for each in worded})
    top.theme.click(None, js=THEME, api_visibility="private")


def choose_project(session: Session, project_id: int) -> str | dict[str, Any]:
    """Turn to another project; the one that is open already changes nothing.

    A picker fires twice for one choice (the click, then the loss of focus). Two answers in a row would make
    the hidden ``moved`` box swing between its two values for ever.

    Raises:
        NotFound: it is not there any more. NotAllowed: it is closed to the person.
    """
    if project_id == session.project_id:
        return gr.skip()
    project = projects.get(session.workspace, project_id).id
    members.check(session.workspace, project, session.user, "annotate")
    session.turn_to(project)
    return place(session)
