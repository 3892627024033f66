"""Choices whose list depends on the sentence in view.

Gradio refuses a value that is not in the list of the moment. A person who chooses while another sentence is
still being read sends a value of the list before; that is no error, and the panel that reads it takes the
nearest it has. Values are the browser's word in any case and are checked there.
"""

from __future__ import annotations

from typing import Any

import gradio as gr


class ShiftingRadio(gr.Radio):
    """A radio whose value may be of an earlier list."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        return payload


class ShiftingDropdown(gr.Dropdown):
    """A dropdown whose value may be of an earlier list."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        return payload
