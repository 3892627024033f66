"""Every error of the API as JSON, ``{"error": {"code", "message"}}``, with the sentence a page would show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.api.payloads import AnnotationReply
from app.i18n import Language, Message, _, accepted_language
from app.services.errors import AppError, sentence
from app.services.limits.refusals import OverLimit
from app.ui.server_function import ServerError
from core.runtime.message import Told
from core.store.annotation.annotations import StaleRevision
from core.store.db.errors import DamagedRow, NotAWorkspace, NotFound, StoreBusy, StoreFull, StoreReadOnly
from core.store.project.members import NotAllowed
from core.text import UnknownLabelError


class InvalidRequest(AppError, ValueError):
    """A request that can never succeed as it is; the message names the field."""


class TooLarge(AppError):
    """The body is larger than the API reads."""


class NoAccess(AppError):
    """No token, or one that opens nothing."""


# The first that fits gives code and status.
_CODES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, int], ...] = (
    (StaleRevision, "conflict", 409),
    (NoAccess, "no_access", 401),
    (OverLimit, "over_limit", 429),
    (NotAllowed, "forbidden", 403),
    (NotFound, "not_found", 404),
    (TooLarge, "too_large", 413),
    (StoreBusy, "busy", 503),
    (StoreFull, "full", 507),
    ((DamagedRow, NotAWorkspace, StoreReadOnly, OSError), "failed", 500),
    ((KeyError, IndexError), "failed", 500),  # a fault of ours, but for the next
    ((ValueError, LookupError), "invalid", 422),
    (Told, "refused", 409),
)
_OF_STATUS = {404: "not_found", 405: "method_not_allowed"}
_STATUS_NAMES = {
    404: _("There is no such address in this API; its reference lists them all."),
    405: _("This address does not take this method; the reference of the API lists what it takes."),
}
_UNREADABLE = _("The request cannot be read. The reference of the API says what this address takes.")

# By pydantic's type of error.
_FAULTS = {
    "missing": _("is missing"),
    "extra_forbidden": _("is not known here"),
    "string_type": _("must be text"),
    "string_unicode": _("contains an incomplete character"),
    "string_too_long": _("has more than {max_length} characters"),
    "string_too_short": _("is empty"),
    "string_pattern_mismatch": _("is not written as it must be"),
    "int_type": _("must be a whole number"),
    "int_parsing": _("must be a whole number"),
    "int_from_float": _("must be a whole number"),
    "int_parsing_size": _("is too large a number"),
    "float_type": _("must be a number"),
    "finite_number": _("must be a number"),
    "bool_type": _("must be true or false"),
    "bool_parsing": _("must be true or false"),
    "list_type": _("must be a list"),
    "dict_type": _("must be an object"),
    "model_type": _("must be an object"),
    "model_attributes_type": _("must be an object"),
    "literal_error": _("must be one of {expected}"),
    "greater_than_equal": _("must be {ge} or more"),
    "less_than_equal": _("must be {le} or less"),
    "too_long": _("has more than {max_length} items"),
    "too_short": _("is empty"),
    "json_invalid": _("is not JSON"),
}
_NOT_VALID = _("is not valid")


class ToldRoute(APIRoute):
    """A route whose errors are all answered here, none by a page of the server."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        handle = super().get_route_handler()

        async def telling(request: Request) -> Response:
            try:
                return await handle(request)
            except Exception as error:
                return refused(error, language_for(request))

        return telling


def refused(error: Exception, language: Language, headers: dict[str, str] | None = None) -> JSONResponse:
    """The reply for an error; a `StaleRevision` brings the ``current`` annotation along."""
    details: dict[str, Any] = {}
    if isinstance(error, HTTPException) and isinstance(error.__cause__, TooLarge):
        error = error.__cause__
    elif isinstance(error, HTTPException):
        code = _OF_STATUS.get(error.status_code, "invalid" if error.status_code < 500 else "failed")
        return _reply(code, error.status_code, AppError(_STATUS_NAMES.get(error.status_code, _UNREADABLE)),
                      language, headers=headers)  # fmt: skip
    elif isinstance(error, RequestValidationError):
        error = InvalidRequest(_fault(error.errors()[0]))
    elif isinstance(error, ServerError):
        details = error.details
        error = InvalidRequest(message_of_reason(error))
    elif isinstance(error, StaleRevision):
        details = {"current": AnnotationReply.of(error.current).model_dump()}
    code, status = _code(error)
    if isinstance(error, OverLimit):
        status, headers = error.status, {**(headers or {}), **error.headers}
    return _reply(code, status, error, language, details, headers)


def message_of_reason(error: ServerError) -> Message:
    """The message of what a server function of a page refused."""
    reason = error.reason
    return reason.message if isinstance(reason, Told) else Message("{error}", values={"error": str(reason)})


def language_for(request: Request) -> Language:
    """The language that the caller asks for first."""
    return accepted_language(request.headers.get("accept-language", ""))


async def no_such_address(request: Request, error: Exception) -> JSONResponse:
    """The reply for an address or a method that no route has."""
    return refused(error, language_for(request))


def _code(error: Exception) -> tuple[str, int]:
    if isinstance(error, UnknownLabelError):  # a KeyError that a caller can act on
        return "invalid", 422
    for kinds, code, status in _CODES:
        if isinstance(error, kinds):
            return code, status
    return "failed", 500


def _reply(
    code: str,
    status: int,
    error: Exception,
    language: Language,
    details: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    said = {"code": code, "message": sentence(error, language), **(details or {})}
    return JSONResponse({"error": said}, status, headers)


def _fault(error: Any) -> Message:
    """The first fault that pydantic found, with its field; texts of documents are not quoted."""
    place = error["loc"][1:]  # after body, query or path
    if error["type"] == "json_invalid":
        place = ()
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    reason = _FAULTS.get(error["type"], _NOT_VALID)
    values = {
        name: value for name, value in (error.get("ctx") or {}).items() if isinstance(value, (str, int))
    }
    return _(
        "{field}: {reason}.",
        field=field.removeprefix(".")[:200] or _("the body of the request"),
        reason=reason.with_values(**values),
    )
