"""Components that change language in place, without a reload and without losing what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import gradio as gr
from gradio.blocks import Block
from gradio.components import Component as GradioComponent

from app.i18n import Language, Message, text

Component = TypeVar("Component", bound=Block)
# A message, or (message, value) pairs for the choices of a dropdown or radio; a choice that is a bare
# string is a name (a format, a tagger) and stays as it is.
Words = Message | Sequence[tuple[Message | str, Any]]


class Texts:
    """Remembers which property of which component shows which message.

    Use ``texts.bind(gr.Textbox(max_lines=1), label=_("Name"))``; the language switch then updates all of
    them at once. Only for texts that change with the language alone: a switch overwrites what callbacks have
    written.
    """

    def __init__(self, language: Language = "en") -> None:
        self.language = language
        self._bound: list[tuple[Block, dict[str, Words]]] = []

    def __call__(self, message: Message) -> str:
        """``message`` in the language the page is built in."""
        return text(message, self.language)

    def bind(self, component: Component, *, chosen: Any = None, **words: Words) -> Component:
        """Show ``words`` (property name to message) on ``component``, now and after every language switch.

        Args:
            chosen: the value a dropdown or radio starts with; its constructor would miss the choices.
        """
        for name, value in _translate(words, self.language).items():
            setattr(component, name, value)
            if name == "choices":
                # What a session knows of a component is made anew from these; a choice it lacks is refused.
                component.constructor_args[name] = value
        if chosen is not None:
            component.value = chosen  # type: ignore[attr-defined]
            component.constructor_args["value"] = chosen
        self._bound.append((component, words))
        return component

    def button(self, value: Message, **options: Any) -> gr.Button:
        """A button that says ``value``."""
        return self.bind(gr.Button(**options), value=value)

    def hint(self, value: Message, **options: Any) -> gr.Markdown:
        """How to use or to read what stands beside it, in small type."""
        return self.bind(gr.Markdown(elem_classes="ll-how", **options), value=value)

    def purpose(self, value: Message) -> gr.Markdown:
        """What a page or a tab is for."""
        return self.bind(gr.Markdown(elem_classes="ll-purpose"), value=value)

    @property
    def components(self) -> list[Any]:
        return [component for component, _ in self._bound]

    def words_of(self, component: Block) -> frozenset[str]:
        """The names of the properties bound on ``component``."""
        return frozenset(name for bound, words in self._bound if bound is component for name in words)

    def updates(self, language: Language) -> dict[Any, dict[str, Any]]:
        """A ``gr.update`` for each bound component."""
        given: dict[Any, dict[str, Any]] = {}
        for component, words in self._bound:
            given.setdefault(component, {}).update(_translate(words, language))
        return {component: gr.update(**properties) for component, properties in given.items()}

    def by_component(self, language: Language) -> dict[int, dict[str, Any]]:
        """The properties of every bound component as a page gets them, by the component's number.

        The browser puts them into the page before gradio draws it, where it was built in another language.
        """
        given: dict[int, dict[str, Any]] = {}
        for component, words in self._bound:
            properties = _translate(words, language)
            if "value" in properties and isinstance(component, GradioComponent):
                properties["value"] = component.postprocess(properties["value"])
            given.setdefault(component._id, {}).update(properties)
        return given


def _translate(words: dict[str, Words], language: Language) -> dict[str, Any]:
    return {
        name: text(shown, language)
        if isinstance(shown, Message)
        else [(_label(label, language), value) for label, value in shown]
        for name, shown in words.items()
    }


def _label(label: Message | str, language: Language) -> str:
    return text(label, language) if isinstance(label, Message) else label
