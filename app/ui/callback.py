"""A typed function of a page as gradio calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from functools import wraps
from html import escape
from typing import Any

import gradio as gr

from app.i18n import Language
from app.services import rights
from app.services.errors import AppError, sentence
from app.services.session import OtherProject, Session
from core.store.db import audit

ALONE = ""  # the name of a single output


def callback(
    fn: Callable[..., Any],
    filled: Mapping[Any, Any],
    session_of: Callable[[object], Session],
    page: str | None,
    *,
    moves: bool = False,
    unasked: bool = False,
) -> Callable[..., Any]:
    """Adapt ``fn(session, *values)`` to gradio: token to session, output names to components, errors to
    sentences.

    Tabs report being shown before the page has a token. That is no error: the page is filled once
    there is a session.

    Gradio calls it with the token, the value of ``Frame.moved`` and ``values``. What a page asks while it
    shows another project than the session has is refused: it would be done in that one.

    Args:
        filled: the outputs by name, see `Frame.named`. session_of: finds a token's session.
        page: that it belongs to; who may not see it may not call it. moves: whether it changes the project.
        unasked: whether no person asks it, as with a clock: where it would be refused it answers nothing.
    """
    alone = not filled or ALONE in filled
    nothing = gr.skip() if alone else {next(iter(filled.values())): gr.skip()}

    def placed(answer: Any, session: Session) -> Any:
        if session.is_left and not moves:
            return nothing  # it is about the project that was open when it was asked
        return answer if alone else by_component(fn, filled, answer) or nothing

    if inspect.isgeneratorfunction(fn):

        @wraps(fn)
        def stream(token: str, moved: str = "", *values: Any) -> Generator[Any, None, None]:
            if not token:
                yield nothing
                return
            session = _session_or_error(token, session_of)
            try:
                rights.check_shown(session, page, rights.project_of(moved))
                rights.check_page(session, page)
                for answer in _acting(session, fn(session, *values)):
                    yield placed(answer, session)
            except OtherProject as error:
                if not unasked:
                    raise refusal(error, session.live.language) from error
                yield nothing
            except Exception as error:
                raise refusal(error, session.live.language) from error

        return _given(stream, fn)

    @wraps(fn)
    def call(token: str, moved: str = "", *values: Any) -> Any:
        if not token:
            return nothing
        session = _session_or_error(token, session_of)
        try:
            rights.check_shown(session, page, rights.project_of(moved))
            rights.check_page(session, page)
            with audit.acting(session.user, "page"):
                answer = fn(session, *values)
            return placed(answer, session)
        except gr.Error:
            raise
        except OtherProject as error:
            if not unasked:
                raise refusal(error, session.live.language) from error
            return nothing
        except Exception as error:
            raise refusal(error, session.live.language) from error

    return _given(call, fn)


def _given(call: Callable[..., Any], fn: Callable[..., Any]) -> Callable[..., Any]:
    """``call`` with the parameters that gradio counts: those of ``fn``, and ``moved`` after the first."""
    first, *others = inspect.signature(fn).parameters.values()
    moved = inspect.Parameter("moved", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__signature__ = inspect.Signature([first, moved, *others])  # type: ignore[attr-defined]
    return call


def _session_or_error(token: str, session_of: Callable[[object], Session]) -> Session:
    try:
        return session_of(token)
    except AppError as error:
        raise refusal(error) from error


def _acting(session: Session, answers: Generator[Any, None, None]) -> Generator[Any, None, None]:
    """The answers of a callback; what it records in between is the person's.

    Each step may run in another context, so the actor is named for one at a time.
    """
    while True:
        with audit.acting(session.user, "page"):
            try:
                answer = next(answers)
            except StopIteration:
                return
        yield answer


def refusal(error: BaseException, language: Language | None = None) -> gr.Error:
    """The toast for ``error``, escaped, since a toast is HTML and errors quote data.

    It has no title: app.css hides the one gradio sets.
    """
    return gr.Error(escape(sentence(error, language), quote=False), print_exception=False)


def by_component(fn: Callable[..., Any], filled: Mapping[Any, Any], answer: Any) -> dict[Any, Any]:
    """The values returned by ``fn``, by component.

    Raises:
        TypeError: a name is none of the outputs, or several outputs have no names.
    """
    if ALONE in filled:
        return {filled[ALONE]: answer}
    if not isinstance(answer, Mapping) or answer.keys() - filled.keys():
        got = list(answer) if isinstance(answer, Mapping) else type(answer).__name__
        raise TypeError(f"{fn.__name__} fills {list(filled)}; it answered {got}")
    return {filled[name]: value for name, value in answer.items()}
