"""Without an optional package what needs it says which to install, and all else goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import main
from core.encoders.elmo.options import ElmoError
from core.formats.framework.errors import FormatError
from core.formats.framework.optional import required
from core.runtime.message import _
from core.runtime.optional_packages import MissingPackage, is_installed, load
from core.text import Span

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def without(monkeypatch):
    def hide(*modules: str) -> None:
        for module in modules:
            for loaded in [name for name in sys.modules if name.partition(".")[0] == module]:
                monkeypatch.delitem(sys.modules, loaded)
            monkeypatch.setitem(sys.modules, module, None)  # which Python takes for one that is not there

    return hide


def test_what_is_there_is_loaded_and_what_is_not_is_named(without):
    assert load("json", "json", _("Reading")).loads("1") == 1
    without("gensim")
    assert not is_installed("gensim")
    with pytest.raises(MissingPackage) as refused:
        load("gensim.models", "gensim", _("Training vectors"))
    assert str(refused.value) == (
        "Training vectors needs the package gensim. Install it with “pip install gensim” and start again."
    )
    with pytest.raises(FormatError, match="pip install gensim"):
        required("gensim", "gensim", _("Training vectors"))


def test_a_package_that_is_broken_is_to_be_installed_again(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import no_such_package_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingPackage, match=r"no_such_package_at_all.*--force-reinstall broken-package"):
        load("broken_package", "broken-package", _("Reading"))


def test_vectors_without_gensim(without, tmp_path, capsys):
    from core.learning.pretraining.pretraining import check_values

    without("gensim")
    with pytest.raises(MissingPackage, match="gensim"):
        check_values("vectors", {})
    assert check_values("mlm", {}) == {}
    texts = tmp_path / "texts.txt"
    texts.write_text("清河大学昨天下雨\n" * 9, encoding="utf-8")
    assert main(["vectors", "train", "--out", str(tmp_path / "out"), "--text", str(texts)]) == 2
    assert "pip install gensim" in capsys.readouterr().err.splitlines()[-1]


def test_published_elmo_weights_without_h5py(without, tmp_path):
    from core.encoders.elmo.folder import read_elmo
    from tests.encoders.published_elmo import write

    folder = write(tmp_path / "elmo")
    without("h5py")
    with pytest.raises(ElmoError, match="pip install h5py"):
        read_elmo(folder)


def test_evidence_without_captum(without):
    from core.inspection.sentence.attribution import integrated_gradients
    from tests.taggers.small_taggers import small_tagger

    without("captum")
    with pytest.raises(MissingPackage, match="pip install captum"):
        integrated_gradients(small_tagger("bilstm_crf").eval(), "清河大学", Span(0, 4, "ORG"))


def test_variants_without_opencc(without):
    from core.inspection.what_if.variants import Subject, make_variants

    subject = Subject("万里在清河大学", Span(3, 7, "ORG"), (), 0)
    assert {"traditional"} <= {variant.name for variant in make_variants(subject)}
    without("opencc")
    assert not {"traditional", "simplified"} & {variant.name for variant in make_variants(subject)}
    assert make_variants(subject)


def test_a_long_word_list_without_numba(without, monkeypatch):
    from core import lexicon
    from core.lexicon import automaton

    monkeypatch.setattr(automaton, "HASHED_FROM", 1)
    without("numba")
    monkeypatch.delitem(sys.modules, "core.lexicon.compiled_trie", raising=False)
    monkeypatch.delattr(lexicon, "compiled_trie", raising=False)  # where another test has loaded it
    matcher = automaton.build(["清河", "清河大学"])
    found = sorted(place[:2] for place in matcher.find_overlapping("在清河大学"))
    assert found == [(1, 3), (1, 5)]
    assert type(matcher).__name__ != "HashedTrie"


@pytest.mark.exhaustive
def test_the_demo_tagger_tags_and_the_app_is_built_without_any_of_them():
    code = (
        "import sys\n"
        "sys.modules |= dict.fromkeys(('numba', 'gensim', 'h5py', 'captum', 'opencc', 'matplotlib'))\n"
        "import latticelens as ll\n"
        "found = ll.load(ll.DEMO_TAGGER, 'cpu').tag(['张伟在北京大学学习'] * 200)\n"
        "assert all(document.spans for document in found)\n"
        "import app.main\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=300)
