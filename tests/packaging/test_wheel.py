"""The wheel beside other packages and outside the checkout: the program, the package, the app."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("core", "app", "assets", "latticelens")
FILES = (
    "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "NOTICE", "CITATION.cff",
    "CHANGELOG.md",
    "launch.py", "requirements.txt",
)  # fmt: skip
PATIENCE = 240  # seconds for the app to answer on a busy machine

pytestmark = pytest.mark.exhaustive


def run(*command: object, cwd: Path, text: str | None = None, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        input=text,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    """The programs of a fresh environment that sees this one's packages and has the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a copy: a build leaves folders beside what it builds
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))
    for name in FILES:
        shutil.copy2(ROOT / name, source / name)
    build = (
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-cache-dir",
        "-q",
    )
    run(*build, "-w", folder, source, cwd=folder)
    (wheel,) = folder.glob("latticelens-*.whl")
    shutil.rmtree(source)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    site = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).stdout.strip()
    )
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "packages_of_the_tests.pth").write_text("\n".join(packages) + "\n", encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "-q")
    run(*pip, wheel, cwd=folder)
    return python.parent


def test_it_installs_one_package_and_its_licences(environment, tmp_path):
    code = (
        "import importlib.metadata as m, json; d = m.distribution('latticelens');"
        "print(json.dumps([d.read_text('top_level.txt').split(), d.metadata['License-Expression'],"
        " sorted(str(f) for f in d.files)]))"
    )
    top, expression, files = json.loads(run(environment / "python", "-c", code, cwd=tmp_path).stdout)
    assert top == ["latticelens"]
    assert expression == "Apache-2.0"
    assert {"latticelens/py.typed", "latticelens/core/cli.py", "latticelens/assets/app.js"} <= set(files)
    assert {Path(name).name for name in files if "/licenses/" in name} == {
        "LICENSE", "NOTICE", "LICENSE-APACHE",
    }  # fmt: skip
    assert not [name for name in files if name.split("/")[0] in SOURCES[:3]]


def test_it_runs_outside_the_checkout(environment, tmp_path):
    program = environment / "latticelens"
    assert run(program, "--version", cwd=tmp_path).stdout.startswith("LatticeLens ")
    assert run(program, "app", "--version", cwd=tmp_path).stdout.startswith("LatticeLens ")
    where = "import latticelens as ll; print(ll.__file__); print(ll.DEMO_TAGGER)"
    module, demo = run(environment / "python", "-c", where, cwd=tmp_path).stdout.split()
    assert Path(module).is_relative_to(environment.parent)
    tagged = run(program, "tag", "--model", demo, cwd=tmp_path, text="张伟在北京大学学习\n").stdout
    assert {"张伟", "北京大学"} <= {span["text"] for span in json.loads(tagged)["spans"]}


def test_errors_name_the_program(environment, tmp_path):
    refused = run(
        environment / "latticelens", "workspace", "--workspace", "none", "list", cwd=tmp_path, status=2
    )
    assert refused.stderr.startswith("latticelens workspace: there is no workspace in none")


def test_a_worker_process_trains(environment, tmp_path):
    """The app's trainings run in a process that is started by a module's name."""
    code = """
import time
import latticelens as ll
from latticelens.core.corpus.snapshot import Snapshot, write_snapshot
from latticelens.core.jobs.queue import JobQueue
from latticelens.core.training.run.run_request import RunRequest
documents = ll.read(ll.DEMO_CORPUS).documents[:20]
jobs = JobQueue("runs")
request = RunRequest(
    tagger="bilstm_crf", config={"hidden": 8}, settings={"epochs": 1, "threads": 1}, device="cpu")
run = jobs.start(request, lambda folder: write_snapshot(folder / 'snapshot', Snapshot({"train": documents})))
while jobs.state(run).status in ("queued", "running"):
    time.sleep(0.2)
print(jobs.state(run).status, jobs.state(run).error)
"""
    assert run(environment / "python", "-c", code, cwd=tmp_path).stdout == "finished None\n"


def test_the_app_opens(environment, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        environment / "latticelens", "app", "--no-browser", "--port", port, "--workspace", tmp_path / "work",
    ]  # fmt: skip
    log = tmp_path / "log"
    with (
        log.open("wb") as output,
        subprocess.Popen([str(part) for part in command], cwd=tmp_path, stdout=output, stderr=output) as app,
    ):
        try:
            assert _answers(f"http://127.0.0.1:{port}/", app) == 200, log.read_text(encoding="utf-8")
        finally:
            app.terminate()
            app.wait(60)


def _answers(address: str, app: subprocess.Popen) -> int | None:
    """The status of the page once the app answers, or None where it ended or took too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and app.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=10) as page:
                return int(page.status)
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)  # it is not listening yet
    return None
