"""Your login on the Settings page: password, sessions, log out; for operators those of everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.services.errors import AppError
from app.services.identity.browser_names import browser_name
from app.services.identity.identity import Identity
from app.services.identity.logins import Login
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.numbers import date
from app.ui.widgets.plain_table import plain_table, table_value

COLUMNS = (
    pgettext("person", "name"),
    _("browser"),
    _("logged in"),
    _("last seen"),
    pgettext("session", "current"),
)
LOG_OUT = "() => window.latticelens.logOut()"


@dataclass
class LoginsComponents:
    """All hidden where nobody logs in; the last part is for operators."""

    section: gr.Column
    summary: gr.Markdown
    log_out: gr.Button
    message: gr.Markdown
    password: gr.Column
    old: gr.Textbox
    new: gr.Textbox
    again: gr.Textbox
    change: gr.Button
    sessions: gr.Column
    table: gr.Dataframe
    chosen: gr.Dropdown
    end: gr.Button
    end_others: gr.Button
    operator: gr.Column
    account: gr.Dropdown
    reset: gr.Button
    one_time: gr.Textbox

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [
            self.section, self.summary, self.log_out, self.password, self.sessions, self.table, self.chosen,
            self.operator, self.account, self.one_time,
        ]  # fmt: skip


def layout(frame: Frame) -> LoginsComponents:
    """Build the section."""
    texts = frame.texts
    with gr.Column(visible=False, elem_id="settings-login") as section:
        section_heading(texts, _("Login and sessions"))
        message = gr.Markdown(elem_id="settings-login-message")
        with gr.Row(equal_height=False):
            with gr.Column(min_width=300):
                summary = gr.Markdown(elem_id="settings-login-summary")
                with gr.Row(elem_classes="ll-buttons"):
                    log_out = texts.button(_("Log out"), elem_id="settings-log-out")
                with gr.Column(visible=False) as password:
                    fields: list[Any] = [_field(frame, *one) for one in _PASSWORD_FIELDS]
                    with gr.Row(elem_classes="ll-buttons"):
                        change = texts.button(_("Change password"), elem_id="settings-change-password")
            with gr.Column(min_width=300, scale=2):
                sessions = _layout_sessions(frame)
                operator = _layout_operator(frame)
    return LoginsComponents(
        section, summary, log_out, message, password, *[*fields, change, *sessions, *operator]
    )


_PASSWORD_FIELDS = (
    ("old", _("Current password"), None),
    ("new", _("New password"), _("At least 8 characters. Your other sessions end.")),
    ("again", _("New password again"), None),
)


def _field(frame: Frame, name: str, label: Any, info: Any) -> gr.Textbox:
    words = {"label": label, **({"info": info} if info else {})}
    return frame.texts.bind(
        gr.Textbox(type="password", max_lines=1, max_length=1000, elem_id=f"settings-password-{name}"),
        **words,
    )


def _layout_sessions(frame: Frame) -> list[Any]:
    texts = frame.texts
    with gr.Column(visible=False) as sessions:
        table = plain_table("settings-sessions", height=300, wrap=True, elem_classes="compare-table")
        chosen = texts.bind(gr.Dropdown([], elem_id="settings-session-choice"), label=_("Which session"))
        with gr.Row(elem_classes="ll-buttons"):
            end = texts.button(_("End session"), elem_id="settings-end-session")
            others = texts.button(_("End all my other sessions"), elem_id="settings-end-others")
    return [sessions, table, chosen, end, others]


def _layout_operator(frame: Frame) -> list[Any]:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="settings-accounts") as operator:
        texts.hint(
            _(
                "You are an operator: you can see and end everybody's sessions, and give somebody a "
                "one-time password."
            )
        )
        account = texts.bind(gr.Dropdown([], elem_id="settings-account"), label=_("Whose password"))
        with gr.Row(elem_classes="ll-buttons"):
            reset = texts.button(
                _("Reset password"), elem_id="settings-reset-password", elem_classes="ll-danger"
            )
        one_time = texts.bind(
            gr.Textbox(
                visible=False, interactive=False, max_lines=1, buttons=["copy"], elem_id="settings-one-time"
            ),
            label=_("The one-time password, shown this once: hand it over now"),
        )
    return [operator, account, reset, one_time]


def show(session: Session) -> dict[str, Any]:
    """Fill the section; a one-time password that was shown is hidden."""
    identity = session.workbench.identity
    hidden: dict[str, Any] = {
        name: gr.update(visible=False) for name in ("section", "log_out", "password", "sessions", "operator")
    }
    if identity is None:
        return hidden
    login = identity.logins.get(session.login) if session.login else None
    is_operator = identity.is_operator(login)
    listed = identity.logins.of(None if is_operator else session.user) if login else []
    accounts = identity.accounts.all() if identity.accounts and is_operator else []
    return {
        "section": gr.update(visible=True),
        "summary": _summary(session, identity, login),
        "log_out": gr.update(visible=login is not None),
        "password": gr.update(visible=login is not None and login.method == "password"),
        "sessions": gr.update(visible=login is not None),
        "table": table_value(session, COLUMNS, [_row(session, one) for one in listed]),
        "chosen": gr.update(
            choices=[(_choice(session, one), one.id) for one in listed if one.id != session.login], value=None
        ),
        "operator": gr.update(visible=bool(accounts)),
        "account": gr.update(choices=[account.name for account in accounts], value=None),
        "one_time": gr.update(value="", visible=False),
    }


def _summary(session: Session, identity: Identity, login: Login | None) -> str:
    user = code_span(session.user)
    if login is None and session.logged_in:
        return session._(
            "You are logged in as {user} through the proxy of your organisation. Log out there.", user=user
        )
    if login is None:
        link = f"[{session._('Log in with {provider}', provider=identity.provider)}](oidc/login)"
        return session.paragraph(session._("You are not logged in, and need not be."), link)
    if login.method == "provider":
        return session._("You are {user}, by {provider}.", user=user, provider=identity.provider)
    return session._("You are {user}.", user=user)


def _row(session: Session, login: Login) -> list[str]:
    browser = session._(browser_name(login.agent))
    this = session._("this session") if login.id == session.login else ""
    return [login.user, browser, date(login.since), date(login.seen), this]


def _choice(session: Session, login: Login) -> str:
    return f"{login.user}, {session._(browser_name(login.agent))}, {date(login.since)}"


def change_password(session: Session, old: str, new: str, again: str) -> dict[str, Any]:
    """Give oneself another password.

    Raises:
        AppError: there is none here, or the new ones differ. WrongPassword, TooManyAttempts: of the old one.
        PasswordError: the new one cannot be one.
    """
    identity, login = _logged_in(session)
    if new != again:
        raise AppError("The two new passwords differ. Type them again.")
    identity.change_password(login, old or "", new or "")
    done = session._("Your password is changed. Your other sessions have ended.")
    return {"message": done, "old": "", "new": "", "again": "", **show(session)}


def end_session(session: Session, chosen: str | None) -> dict[str, Any]:
    """End a session: one's own, or as an operator anybody's.

    Raises:
        AppError: none is chosen, or it has ended. NotAllowed: it is another's.
    """
    identity, login = _logged_in(session)
    if not chosen:
        raise AppError("Choose a session first.")
    ended = identity.end(chosen, login)
    done = session._("The session of {user} has ended: its next call is refused.", user=code_span(ended.user))
    return {"message": done, **show(session)}


def end_others(session: Session) -> dict[str, Any]:
    """End all one's sessions but this one."""
    identity, login = _logged_in(session)
    count = identity.end_others(login)
    done = session.ngettext("{count} session has ended.", "{count} sessions have ended.", count=count)
    return {"message": done, **show(session)}


def reset_password(session: Session, account: str | None) -> dict[str, Any]:
    """Give somebody a one-time password and show it, this once.

    Raises:
        NotAllowed: the person is no operator. AppError: nobody is chosen.
    """
    identity, login = _logged_in(session)
    identity.check_operator(login)
    if not account:
        raise AppError("Choose a person first.")
    password = identity.reset_password(login, account)
    done = session._(
        "{user} logs in with this password once and then chooses another. Their sessions have ended.",
        user=code_span(account),
    )
    return {"message": done, **show(session), "one_time": gr.update(value=password, visible=True)}


def _logged_in(session: Session) -> tuple[Identity, Login]:
    identity = session.workbench.identity
    login = identity.logins.get(session.login) if identity and session.login else None
    if identity is None or login is None:
        raise AppError("You are not logged in here, so there is no password and no session to change.")
    return identity, login


def wire(components: LoginsComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("settings", show, c.shown)
    c.log_out.click(None, js=LOG_OUT, api_visibility="private")
    typed = [c.old, c.new, c.again]
    frame.on([c.change.click, c.again.submit], change_password, typed, [c.message, *typed, *c.shown])
    frame.on([c.end.click], end_session, [c.chosen], [c.message, *c.shown])
    frame.on([c.end_others.click], end_others, [], [c.message, *c.shown])
    frame.on([c.reset.click], reset_password, [c.account], [c.message, *c.shown])
