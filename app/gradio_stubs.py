"""Gradio without the stub files that it writes for editors.

At each import, Gradio 6.31 parses the source of its 85 component classes to write `.pyi` files beside them,
in its own folder: a third of the time that the import takes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

WRITER = "gradio.component_meta"


class WithoutStubs(MetaPathFinder):
    """Finds the module that writes them, and nothing else."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != WRITER:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Mended(spec.loader)
        return spec


class _Mended(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:  # what tools ask of a loader, the source among it
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        vars(module)["create_or_modify_pyi"] = _write_nothing


def _write_nothing(component_class: type, class_name: str, events: Sequence[Any]) -> None:
    """In place of ``create_or_modify_pyi``."""


def leave_out_stubs() -> None:
    """From now on, if Gradio is not imported yet."""
    if WRITER not in sys.modules:
        sys.meta_path.insert(0, WithoutStubs())
