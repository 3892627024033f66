"""What a page is filled with when it is shown, and the properties of components that fillings set."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from typing import Any

import gradio as gr
from gradio.blocks import Block
from gradio.components.dropdown import DEFAULT_VALUE
from gradio.context import LocalContext

from app.services import rights
from app.services.background.latest import Latest
from app.services.errors import sentence
from app.services.session import Session

# What a callback may change of a component, and what is put back when the project changes.
CHANGEABLE = ("value", "choices", "visible", "interactive", "active")
_fillings = count(1)


@dataclass(frozen=True)
class Filling:
    """One source of a page's contents: ``fn(session, *inputs)`` returns values for some of ``outputs``."""

    page: str
    fn: Callable[..., dict[Any, Any]]
    inputs: Sequence[Any]
    outputs: Sequence[Any]


def told_of(page: str, why_not: str | None = None) -> str:
    """What the browser is told when the app has filled a page, or why it has not; see ``fillingEnded``.

    Args:
        page: empty where there is no session, so no page at all.
    """
    told = f"{page}|{next(_fillings)}"
    return told if why_not is None else f"{told}|{why_not}"


def leaving_held(filling: Filling, told: Any) -> Callable[..., dict[Any, Any]]:
    """A filling that does not set what an input holds already: a person may be typing into it meanwhile.

    One that fails says why in the page, which may have no other contents. Of two places on a page that a
    person turned to the later one is shown, however long the earlier one takes.

    Its last value is JSON, as ``placed`` of app.js sends it: the numbers of those inputs, ``held``, and the
    ``project`` that the page shows. If the session has another one by now, the page says so.

    Args:
        told: a box that gets what `told_of` says.
    """

    def fill(session: Session, *given: Any) -> dict[Any, Any]:
        window = getattr(LocalContext.request.get(None), "session_hash", "")
        # One that was asked in the project before must not take the place of a later one.
        latest = session.fillings.setdefault((window, filling.page, session.turns), Latest())
        return latest.call(lambda: answer(session, *given)) or {}

    def answer(session: Session, *given: Any) -> dict[Any, Any]:
        *values, said = given
        told_by_page = {"held": [], "project": None, **json.loads(said or "{}")}
        begins_afresh = session.filled.get(filling.page, session.turns) != session.turns
        try:
            rights.check_shown(session, filling.page, told_by_page["project"])
            answers = filling.fn(session, *values)
        except Exception as error:
            return {told: told_of(filling.page, sentence(error, session.language))}
        answers[told] = told_of(filling.page)
        if begins_afresh:
            return answers
        for number, (component, value) in enumerate(zip(filling.inputs, values, strict=True)):
            if number in told_by_page["held"] and component in answers:
                answers[component] = _without_value(component, answers[component], value)
        return answers

    return fill


def _without_value(component: Any, answer: Any, held: Any) -> Any:
    """``answer`` without the value that the component holds; a dropdown's shows its choice in new words."""
    if not (isinstance(answer, dict) and "__type__" in answer):
        return gr.skip() if answer == held else answer
    if answer.get("value", ...) != held or (isinstance(component, gr.Dropdown) and "choices" in answer):
        return answer
    return {name: value for name, value in answer.items() if name != "value"}


def merged(earlier: Any, later: Any) -> Any:
    """One update: ``later`` keeps the properties of ``earlier`` that it does not set."""
    both = [value for value in (earlier, later) if isinstance(value, dict) and "__type__" in value]
    return {**earlier, **later} if len(both) == 2 else later


def is_of_project(component: Block) -> bool:
    """Whether it is put back with a change of project; which tab is in front, and notes of that, are not."""
    return not isinstance(component, (gr.Tabs, gr.State))


def has_several(component: Block) -> bool:
    """Whether its value is a list of choices."""
    return isinstance(component, gr.CheckboxGroup) or bool(getattr(component, "multiselect", False))


def as_built(component: Block) -> dict[str, Any]:
    """The properties in `CHANGEABLE` that the component has, as it was built with them."""
    parameters = inspect.signature(type(component).__init__).parameters
    built = {name: parameters[name].default for name in CHANGEABLE if name in parameters}
    built |= {name: value for name, value in component.constructor_args.items() if name in built}
    if built.get("value") is DEFAULT_VALUE:
        built["value"] = vars(component)["value"]  # the first of the choices
    elif isinstance(component, gr.Textbox) and built["value"] is None:
        built["value"] = ""  # as the browser sends an empty one
    return deepcopy(built)
