"""Importing the app makes Gradio's import shorter, and leaves Gradio as it is otherwise."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMPORT = """
import ast, inspect
parsed = []
parse = ast.parse
ast.parse = lambda *given, **options: parsed.append(1) or parse(*given, **options)
import {first}gradio
from gradio import component_meta
import gradio.components
assert "create_or_modify_pyi" in inspect.getsource(component_meta)
assert gradio.Textbox(label="name").get_config()["label"] == "name"
assert callable(gradio.Textbox.change)
print(len(parsed))
"""


@pytest.mark.exhaustive
def test_no_source_is_parsed_to_write_stubs():
    """When the second is no more than the first after an update of Gradio, `app.gradio_stubs` can go."""
    sources = [
        subprocess.run(
            [sys.executable, "-c", IMPORT.format(first=first)],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for first in ("app, ", "")
    ]
    assert int(sources[0]) < 20, "what other packages parse"
    assert int(sources[1]) > 100
