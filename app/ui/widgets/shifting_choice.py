"""Choices whose list depends on what is in view.

Gradio rejects a value that is not among the current choices. A choice made while another sentence is loading
is one of the previous list, and one from the address may come before any list; neither is an error, and the
page takes the nearest it has. Values come from the browser in any case and are checked there.
"""

from __future__ import annotations

from typing import Any

import gradio as gr


class ShiftingRadio(gr.Radio):
    """A radio that accepts values of an earlier list."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        return payload


class ShiftingCheckboxGroup(gr.CheckboxGroup):
    """Checkboxes that accept values of an earlier list."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        return payload


class ShiftingDropdown(gr.Dropdown):
    """A dropdown that accepts values of an earlier list."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        return payload
