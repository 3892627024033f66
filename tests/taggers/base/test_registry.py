"""Taggers are found by name, and a new module is found without a list."""

import subprocess
import sys

import pytest

from core.taggers.base import registry
from core.taggers.base.tagger import Tagger
from core.taggers.flat.tagger import Flat


def test_flat_is_found_by_name():
    assert registry.by_name("flat") is Flat
    assert Flat.name == "flat"


def test_modules_are_discovered():
    assert "flat" in registry.available()


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(registry.UnknownTaggerError, match=r"there is no tagger 'elmo'; there are: .*flat"):
        registry.by_name("elmo")


def test_a_taken_name_is_refused():
    with pytest.raises(ValueError, match=r"'flat' is taken by core\.taggers\.flat\.tagger\.Flat"):
        registry.register("flat")(type("Other", (Tagger,), {}))


def test_every_tagger_says_what_a_card_shows():
    for name in registry.available():
        tagger = registry.by_name(name)
        assert tagger.name == name
        assert all([tagger.title, tagger.summary, tagger.paper, tagger.Config])
        assert isinstance(tagger.Config(), tagger.Config)


def test_forms_and_traces_are_made_without_torch():
    modules = "core.taggers.base.config_fields, core.taggers.base.trace, core.text.outermost"
    code = f"import sys, {modules}; assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
