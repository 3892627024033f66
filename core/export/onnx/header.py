"""How an exported graph's folder is recognised."""

from __future__ import annotations

from pathlib import Path

HEADER = "onnx.json"
MEMBERS = "members"  # of an ensemble: the folders of their graphs, 1, 2, …


def is_onnx_folder(folder: Path) -> bool:
    """Whether ``folder`` holds an exported graph."""
    return (folder / HEADER).is_file()
