"""When compiled loops are loaded, and that everything works without them."""

import sys

import pytest

from core.layers import compiled_loops
from core.layers.compiled_loops import WORTH_COMPILING

NAME = "core.layers.crf.compiled_paths"


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """As in a process that has loaded none."""
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    compiled_loops._load.cache_clear()
    yield
    compiled_loops._load.cache_clear()


def test_one_text_does_not_wait_for_the_compiler():
    assert compiled_loops.compiled_loops(NAME, WORTH_COMPILING - 1) is None
    assert NAME not in sys.modules


def test_once_loaded_the_loops_serve_small_calls_too():
    pytest.importorskip("numba")
    loaded = compiled_loops.compiled_loops(NAME, WORTH_COMPILING)
    assert loaded is not None
    assert compiled_loops.compiled_loops(NAME, 1) is loaded


def test_without_numba_there_are_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert compiled_loops.compiled_loops(NAME, WORTH_COMPILING) is None


def test_a_compiler_that_fails_is_done_without(monkeypatch):
    def full_disk(name):
        raise OSError("no space left on device")

    monkeypatch.setattr(compiled_loops, "import_module", full_disk)
    assert compiled_loops.compiled_loops(NAME, WORTH_COMPILING) is None
