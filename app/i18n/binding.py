"""Components that change language in place, without a reload and without losing what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import gradio as gr
from gradio.blocks import Block
from gradio.components import Component as GradioComponent

from app.i18n import Language, catalogue, text

Component = TypeVar("Component", bound=Block)
# One key, or (key, value) pairs for the choices of a dropdown or radio; a choice that is no key is a name
# (a format, a tagger) and stays as it is.
Key = str | Sequence[tuple[str, Any]]


class Texts:
    """Remembers which property of which component shows which key.

    Use ``texts.bind(gr.Button(variant="primary"), value="data.import")``; the language switch then updates
    all of them at once. Only what never changes except by language belongs here: what a callback writes to
    a bound property is overwritten at the next switch.
    """

    def __init__(self, language: Language = "en") -> None:
        self.language = language
        self._bound: list[tuple[Block, dict[str, Key]]] = []

    def __call__(self, key: str) -> str:
        """The text of ``key`` in the language the page is built in."""
        return text(key, self.language)

    def bind(self, component: Component, *, chosen: Any = None, **keys: Key) -> Component:
        """Show ``keys`` (property name to key) on ``component``, now and after every language switch.

        Args:
            chosen: the value a dropdown or radio starts with; its constructor would miss the choices.
        """
        for name, value in _translate(keys, self.language).items():
            setattr(component, name, value)
            if name == "choices":
                # What a session knows of a component is made anew from these; a choice it lacks is refused.
                component.constructor_args[name] = value
        if chosen is not None:
            component.value = chosen  # type: ignore[attr-defined]
        self._bound.append((component, keys))
        return component

    @property
    def components(self) -> list[Any]:
        return [component for component, _ in self._bound]

    def updates(self, language: Language) -> list[dict[str, Any]]:
        """One ``gr.update`` per bound component, in the order of ``components``."""
        return [gr.update(**_translate(keys, language)) for _, keys in self._bound]

    def by_component(self, language: Language) -> dict[int, dict[str, Any]]:
        """The properties of every bound component as a page gets them, by the component's number.

        The browser puts them into the page before gradio draws it, where it was built in another language.
        """
        given: dict[int, dict[str, Any]] = {}
        for component, keys in self._bound:
            properties = _translate(keys, language)
            if "value" in properties and isinstance(component, GradioComponent):
                properties["value"] = component.postprocess(properties["value"])
            given.setdefault(component._id, {}).update(properties)
        return given


def _translate(keys: dict[str, Key], language: Language) -> dict[str, Any]:
    translated: dict[str, Any] = {}
    for name, key in keys.items():
        if isinstance(key, str):
            translated[name] = text(key, language)
        else:
            translated[name] = [(_label(label, language), value) for label, value in key]
    return translated


def _label(label: str, language: Language) -> str:
    return text(label, language) if label in catalogue() else label
