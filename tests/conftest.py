"""How the tests run: a process for each core, one thread of torch in each; and what several rooms share."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Before anything loads torch or numpy. The tests' tensors are tiny: a second thread only waits for the first,
# and the other processes have its core.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
# Some eighty processes are started; each would compile the whole project again where bytecode is not kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No deadline: a process that waits for a core is no slow test.
hypothesis.settings.register_profile("quick", deadline=None, max_examples=25)
hypothesis.settings.register_profile("exhaustive", deadline=None, max_examples=100)

TESTS = Path(__file__).resolve().parent
SHARED = TESTS.parents[1] / "shared"
OLDEST_NODE = 18  # of Debian 12
MOST_PROCESSES = 8  # each holds torch, gradio and transformers: about a gigabyte


def _processes() -> int:
    """One for each core that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_PROCESSES)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Give folders of tests to several processes; a file is done before they would have started.

    ``-n``, ``--pdb`` and ``-s`` have the last word, and without pytest-xdist all run in this process.
    """
    option = config.option
    if "PYTEST_XDIST_WORKER" in os.environ:  # one of those processes, which shall not start others
        return
    if not hasattr(option, "numprocesses") or option.numprocesses is not None or option.tx:
        return
    alone = option.usepdb or option.collectonly or option.capture == "no"
    if not alone and all(Path(argument).is_dir() for argument in config.args):
        option.numprocesses = _processes()
        option.dist = "worksteal" if option.dist == "no" else option.dist


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Try few examples of a property every time, and many where the sweeps are asked for too."""
    hypothesis.settings.load_profile("quick" if "not exhaustive" in config.option.markexpr else "exhaustive")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests first: one process begins with them and starts the app, the others do the rest."""
    items.sort(key=lambda item: TESTS / "browser" not in item.path.parents)


@pytest.fixture(autouse=True)
def _one_thread_of_torch() -> Iterator[None]:
    """A training sets how many threads it takes; the next test begins with one."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of measuring data beside the checkout; tests that need it are skipped without it."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"the measuring data is not beside this checkout ({folder} does not exist)")
    return folder


@pytest.fixture(scope="session")
def node() -> str:
    """The program; without it, or with an older one, the test is skipped, but in CI that is a failure."""
    found = shutil.which("node") or shutil.which("nodejs")
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    numbered = re.match(r"v(\d+)", version)
    if found and numbered and int(numbered[1]) >= OLDEST_NODE:
        return found
    reason = (
        f"the scripts are tested with node {OLDEST_NODE} or newer, found {version.strip() or 'none'}; "
        "install Debian's package 'nodejs'"
    )
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)
