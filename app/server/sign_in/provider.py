"""Sign-in with OpenID Connect: the authorization code flow with PKCE, state and nonce, by Authlib.

OpenID Connect Core 1.0, section 3.1; RFC 7636. The state of a sign-in lies here for ten minutes, under a
cookie of the browser that began it, and is used once.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from joserfc.errors import JoseError
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from app.server.cookies import is_tls
from app.server.sign_in.provider_settings import ProviderSettings
from app.services.errors import AppError
from app.services.identity.logins import LONGEST_AGENT
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_user

if TYPE_CHECKING:
    from starlette.requests import Request

    from app.server.sign_in.cookies import DoorCookies
    from app.server.sign_in.login_page import LoginPage
    from app.services.identity.identity import Identity

COOKIE = "latticelens-sign-in"
WAIT_SECONDS = 600
MOST_BEGUN = 2000  # sign-ins; anybody can begin one
ANSWER_SECONDS = 10.0
LEEWAY_SECONDS = 30  # by which the clocks may differ
# A token signed with the client's secret, or not at all, is not taken, even where the provider offers that.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")

log = logging.getLogger("latticelens")


class ProviderDown(AppError):
    """The provider cannot be reached, or does not answer as one."""

    def __init__(self) -> None:
        super().__init__("The sign-in service does not answer. Try again in a minute.")


class SignInFailed(AppError):
    """What the browser brought back from the provider opens nothing."""

    def __init__(self) -> None:
        super().__init__(
            "The sign-in was not completed: it took too long, was begun in another browser, or its answer "
            "was not valid. Begin again."
        )


class NotAdmitted(AppError):
    """The provider knows the person, and they may not come in."""


class Provider:
    """The two routes of a sign-in.

    Args:
        settings: which provider, and who may come in.
        page: shows what went wrong.
        take_roles: called with name and groups at every sign-in, in a thread.
    """

    def __init__(
        self,
        settings: ProviderSettings,
        identity: Identity,
        cookies: DoorCookies,
        page: LoginPage,
        take_roles: Callable[[str, Collection[str]], None] = lambda user, groups: None,
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._cookies = cookies
        self._page = page
        self._take_roles = take_roles
        self._begun: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()
        self._client = OAuth().register(
            name="provider",
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            server_metadata_url=f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": settings.scopes,
                "code_challenge_method": "S256",
                "timeout": ANSWER_SECONDS,
            },
        )

    def routes(self) -> list[Route]:
        """The way to the provider and the way back."""
        return [
            Route("/oidc/login", self._leave, methods=["GET"]),
            Route("/oidc/callback", self._return, methods=["GET"]),
        ]

    async def _leave(self, request: Request) -> Response:
        key, state = secrets.token_urlsafe(32), dict[str, Any]()
        request.scope["session"] = state  # where Authlib puts state, nonce and verifier
        try:
            await self._metadata()
            answer: Response = await self._client.authorize_redirect(request, self._address(request))
        except Exception as error:
            return self._refused(request, _told(error))
        self._begun[key] = (time.monotonic() + WAIT_SECONDS, state)
        while len(self._begun) > MOST_BEGUN:
            self._begun.popitem(last=False)
        answer.headers["Cache-Control"] = "no-store"
        tls = is_tls(request.scope)
        answer.set_cookie(COOKIE, key, WAIT_SECONDS, path="/", httponly=True, samesite="lax", secure=tls)
        return answer

    async def _return(self, request: Request) -> Response:
        until, state = self._begun.pop(request.cookies.get(COOKIE, ""), (0.0, {}))
        request.scope["session"] = state if time.monotonic() < until else {}
        try:
            metadata = await self._metadata()
            claims_options = {
                "iss": {"essential": True, "values": [metadata["issuer"]]},
                "aud": {"essential": True, "values": [self._settings.client_id]},
            }
            token = await self._client.authorize_access_token(
                request, claims_options=claims_options, leeway=LEEWAY_SECONDS
            )
            if "userinfo" not in token:  # no id token
                raise SignInFailed
            claims = await self._claims(token)
            user, groups = self._admitted(claims)
            await run_in_threadpool(self._take_roles, user, groups)
        except Exception as error:
            return self._refused(request, _told(error))
        return self._come_in(request, user, groups)

    def _come_in(self, request: Request, user: str, groups: Collection[str]) -> Response:
        operator = bool(set(self._settings.operators) & set(groups))
        agent = request.headers.get("user-agent", "")[:LONGEST_AGENT]
        _login, cookie = self._identity.logins.open(user, "provider", agent=agent, operator=operator)
        self._identity.tell("signed_in", user, "provider")
        answer = RedirectResponse("../", 303, {"Cache-Control": "no-store"})
        self._cookies.set_login(answer, request.scope, cookie)
        answer.delete_cookie(COOKIE, path="/")
        return answer

    async def _metadata(self) -> dict[str, Any]:
        """What the provider says of itself, if it is the one that was named.

        Raises:
            ProviderDown: it is another, or signs in no way that is taken.
        """
        metadata: dict[str, Any] = await self._client.load_server_metadata()
        issuer, wanted = str(metadata.get("issuer", "")), self._settings.issuer
        if issuer.rstrip("/") != wanted.rstrip("/"):
            log.error("the sign-in service at %s calls itself %.200r", wanted, issuer)
            self._client.server_metadata.pop("_loaded_at", None)
            raise ProviderDown
        offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = [name for name in ALGORITHMS if name in offered]
        return metadata

    async def _claims(self, token: Mapping[str, Any]) -> dict[str, Any]:
        """The claims of the id token, and where one is lacking of the provider's user info."""
        claims = dict(token["userinfo"])
        wanted = {self._settings.name_claim, self._settings.groups_claim}
        if self._settings.domains:
            wanted |= {"email", "email_verified"}
        if wanted <= claims.keys() or "userinfo_endpoint" not in self._client.server_metadata:
            return claims
        more = dict(await self._client.userinfo(token=token))
        if more.get("sub") != claims["sub"]:  # OpenID Connect Core 1.0, section 5.3.2
            raise SignInFailed
        return {**more, **claims}

    def _admitted(self, claims: Mapping[str, Any]) -> tuple[str, frozenset[str]]:
        """Name and groups of somebody who may come in. Raises:
        NotAdmitted: they may not.
        """
        settings = self._settings
        groups = _names(claims.get(settings.groups_claim))
        email = str(claims.get("email", "")).lower() if claims.get("email_verified") is True else ""
        name = email if settings.name_claim == "email" else claims.get(settings.name_claim)
        try:
            user = checked_user(" ".join(name.split()) if isinstance(name, str) else "")
        except PayloadError:
            user = ""
        if not user.isprintable() or not user:
            self._identity.tell("sign_in_failed", "", "provider", reason="no name")
            raise NotAdmitted(
                "The sign-in service did not say your name ({claim}). Ask whoever runs this server.",
                claim=settings.name_claim,
            )
        in_domain = email.rpartition("@")[2] in settings.domains if email else False
        by_name = user in settings.people
        admitted = settings.anybody or in_domain or by_name or bool(groups & settings.admitted_groups)
        if not admitted:
            self._identity.tell("sign_in_failed", user, "provider", reason="not admitted")
            raise NotAdmitted("{user} may not use this server. Ask whoever runs it.", user=user)
        if self._identity.accounts is not None and self._identity.accounts.get(user) is not None:
            self._identity.tell("sign_in_failed", user, "provider", reason="name taken")
            raise NotAdmitted(
                "The name {user} has a password here. Log in with that, or ask whoever runs this server.",
                user=user,
            )
        return user, groups

    def _refused(self, request: Request, error: AppError) -> Response:
        if not isinstance(error, NotAdmitted):
            self._identity.tell("sign_in_failed", "", "provider", reason=type(error).__name__)
        status = 502 if isinstance(error, ProviderDown) else 403 if isinstance(error, NotAdmitted) else 400
        answer = self._page.response(request.scope, error, status)
        answer.delete_cookie(COOKIE, path="/")
        return answer

    def _address(self, request: Request) -> str:
        """Where the provider sends the browser back to."""
        scheme, host = "https" if is_tls(request.scope) else "http", request.headers.get("host", "")
        own = f"{scheme}://{host}{request.scope.get('root_path', '')}"
        return f"{(self._settings.public_url or own).rstrip('/')}/oidc/callback"


def _told(error: Exception) -> AppError:
    """What to say of an error; the log has its kind, and nothing the provider sent but that."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, (AuthlibBaseError, JoseError)):
        log.warning("a sign-in was refused: %s", type(error).__name__)
        return SignInFailed()
    if isinstance(error, (httpx2.HTTPError, httpx2.InvalidURL, OSError)):
        log.warning("the sign-in service does not answer: %s", type(error).__name__)
    else:  # it answers what no provider should
        log.exception("the sign-in service answers wrongly")
    return ProviderDown()


def _names(claim: object) -> frozenset[str]:
    """Groups as providers write them: a list, or one text."""
    if isinstance(claim, str):
        return frozenset((claim,))
    return (
        frozenset(name for name in claim if isinstance(name, str)) if isinstance(claim, list) else frozenset()
    )
