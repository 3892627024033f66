"""What the login page asks: log in with a password, and log out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from app.i18n import accepted_language
from app.services.errors import AppError, sentence
from app.services.identity.identity import NewPasswordNeeded, TooManyAttempts
from app.services.identity.logins import LONGEST_AGENT
from core.accounts.password_file import AccountError
from core.accounts.passwords import LONGEST, PasswordError

if TYPE_CHECKING:
    from starlette.requests import Request

    from app.server.sign_in.cookies import DoorCookies
    from app.server.sign_in.provider import Provider
    from app.services.identity.identity import Identity

LARGEST_FORM = 16_384  # bytes
UNCACHED = {"Cache-Control": "no-store"}


def sign_in_routes(identity: Identity, cookies: DoorCookies, provider: Provider | None = None) -> list[Route]:
    """The routes ``/login`` and ``/logout``, and those of a provider; open to everybody."""

    async def log_in(request: Request) -> Response:
        if request.method == "GET":
            return RedirectResponse("./", 303)
        if int(request.headers.get("content-length") or 0) > LARGEST_FORM:
            return JSONResponse({"detail": "Content Too Large"}, 413)
        form = await request.form(max_files=0, max_fields=8, max_part_size=LARGEST_FORM)
        name, password, new = (form.get(field) for field in ("username", "password", "new_password"))
        name = " ".join(str(name or "").split())
        scope = request.scope
        try:
            _login, cookie = await run_in_threadpool(
                identity.log_in,
                name,
                str(password or "")[: LONGEST + 1],
                new=None if new is None else str(new),
                device=cookies.device(scope, name),
                agent=request.headers.get("user-agent", "")[:LONGEST_AGENT],
            )
        except (AppError, PasswordError, AccountError, OSError) as error:
            return _refused(error, request)
        answer = JSONResponse({"success": True}, headers=UNCACHED)
        cookies.set_login(answer, scope, cookie)
        cookies.set_device(answer, scope, name)
        return answer

    async def log_out(request: Request) -> Response:
        login = identity.find(cookies.of_login(request.scope))
        if login is not None:
            identity.log_out(login)
        answer = JSONResponse({"success": True}, headers=UNCACHED)
        cookies.drop_login(answer)
        return answer

    routes = [
        Route("/login", log_in, methods=["GET", "POST"]),
        Route("/logout", log_out, methods=["POST"]),
        # Gradio's own would log out by a link, from any site.
        Route("/logout", lambda request: RedirectResponse("./", 303), methods=["GET"]),
    ]
    return [*routes, *(provider.routes() if provider else ())]


def _refused(error: Exception, request: Request) -> Response:
    said: dict[str, object] = {
        "detail": sentence(error, accepted_language(request.headers.get("accept-language", "")))
    }
    if isinstance(error, TooManyAttempts):
        wait = {"Retry-After": str(error.seconds)}
        return JSONResponse(said | {"seconds": error.seconds}, 429, {**UNCACHED, **wait})
    if isinstance(error, NewPasswordNeeded):
        return JSONResponse(said | {"code": "one_time"}, 403, UNCACHED)
    return JSONResponse(said, 500 if isinstance(error, OSError) else 400, UNCACHED)
