"""The login page: a page of its own, so that nothing of the app is sent to whoever is not logged in."""

from __future__ import annotations

import json
import re
import secrets
from html import escape
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse

from app.i18n import LANGUAGES, Message, _, accepted_language, pgettext, text
from app.services.errors import message_for
from app.ui.widgets.page_code import read

if TYPE_CHECKING:
    from starlette.types import Scope

    from app.services.identity.identity import Identity

TEXTS = {
    "purpose": _("Label text, train a tagger, look inside it, correct it."),
    "name": pgettext("person", "Name"),
    "password": _("Password"),
    "choose": _("This password was for one time. Choose your own."),
    "new": _("New password"),
    "rule": _("At least 8 characters. A few words are easier to remember than symbols."),
    "again": _("New password again"),
    "differ": _("The two new passwords differ. Type them again."),
    "submit": _("Log in"),
    "or": _("or"),
    "retry": _("Try again"),
    "help": _("No account, or the password forgotten? Ask whoever runs this server."),
    "failed": _("The server does not answer. Check the connection, then try again."),
    "theme": _("Light or dark"),
}
PROVIDER = _("Log in with {provider}")
TAGS = {"zh": "zh-CN"}  # simplified
OWN_NAMES = {"en": "English", "zh": "中文"}


class LoginPage:
    """Makes the page.

    Args:
        identity: which ways in there are.
    """

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._style, self._script = read("login/login.css"), read("login/login.js")
        self._page = read("login/page.html")

    def response(
        self, scope: Scope, error: Exception | None = None, status: int = 200, *, closed: bool = False
    ) -> HTMLResponse:
        """The page as the answer to a request.

        Args:
            error: what went wrong before. closed: logging in here would not help, so it is not offered.
        """
        wrong = message_for(error) if error else None
        language = accepted_language(Headers(scope=scope).get("accept-language", ""))
        texts = {each: self._texts(each, wrong) for each in LANGUAGES}
        said = texts[language]
        other = LANGUAGES[(LANGUAGES.index(language) + 1) % len(LANGUAGES)]
        with_password = self._identity.accounts is not None and not closed
        with_provider = bool(self._identity.provider) and not closed
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        nonce = secrets.token_urlsafe(16)
        shown = {
            **{name: escape(value) for name, value in said.items()},
            "lang": said["tag"],
            "other": texts[other]["own"],
            "other_lang": texts[other]["tag"],
            "root": "../" * (path.count("/") - 1) or "./",
            "nonce": nonce,
            "style": self._style,
            "script": self._script,
            "texts": json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"),
            "wrong_hidden": _hidden(wrong is not None),
            "form_hidden": _hidden(with_password),
            "or_hidden": _hidden(with_password and with_provider),
            "provider_hidden": _hidden(with_provider),
            "provider_class": "secondary" if with_password else "primary",
            "retry_hidden": _hidden(closed),
        }
        return HTMLResponse(_filled(self._page, shown), status, _headers(nonce))

    def _texts(self, language: str, wrong: Message | None) -> dict[str, str]:
        texts = {name: text(message, language) for name, message in TEXTS.items()}
        return texts | {
            "tag": TAGS.get(language, language),
            "own": OWN_NAMES.get(language, language),
            "wrong": text(wrong, language) if wrong else "",
            "provider": text(PROVIDER, language, provider=self._identity.provider),
        }


def _filled(page: str, values: dict[str, Any]) -> str:
    """Fill in the places at once: what is filled in is not read for places."""
    return re.sub(r"\{([a-z_]+)\}", lambda place: str(values[place[1]]), page)


def _hidden(shown: bool) -> str:
    return "" if shown else " hidden"


def _headers(nonce: str) -> dict[str, str]:
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
