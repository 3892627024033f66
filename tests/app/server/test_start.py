"""The app starts light, answers, and ends cleanly."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from core.accounts.password_file import PasswordFile
from tests import interrupts

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("torch", "transformers", "bm25s", "numba", "scipy")


def python(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interrupts.heard,
        **options,
    )


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def launching(folder_of_all):
    """Starts the app with some flags; gives process, URL and workspace once it answers."""
    started = []

    def start(*flags):
        port = free_port()
        folder = folder_of_all / "workspace"
        process = python(
            "launch.py", "--workspace", str(folder), "--port", str(port), "--no-browser", *flags,
            env={**os.environ, "TMPDIR": str(folder_of_all)},
        )  # fmt: skip
        started.append(process)
        line = process.stdout.readline()
        assert "LatticeLens is open at" in line, process.stderr.read()
        return process, f"http://127.0.0.1:{port}", folder

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def launched(tmp_path):
    with launching(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """One app without flags for the tests that leave it as it was: starting it takes longest."""
    with launching(tmp_path_factory.mktemp("running")) as start:
        yield start()


def test_the_whole_interface_is_built_without_torch():
    code = (
        "import sys; from app.main import build; from app.services.session import Sessions;"
        "import app.server.run; build(Sessions(lambda token: None));"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    out, err = python("-c", code).communicate(timeout=300)
    assert out.strip() == "[]", err


def test_it_serves_and_ends_cleanly_on_ctrl_c(launched):
    process, url, folder = launched()
    with urlopen(url, timeout=60) as page:
        html = page.read().decode()
    assert "LatticeLens" in html
    assert page.headers.get_all("Content-Security-Policy") == ["frame-ancestors 'self'"]
    loaded = re.findall(r"<(?:script|link)[^>]+(?:src|href)=\"(https?://[^\"]+)", html)
    assert [address for address in loaded if not address.startswith(url)] == []
    assert (folder / "workspace.sqlite").is_file()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "is found again at the next start" in out
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert not (folder / "app.lock").exists()


def test_an_event_of_a_form_that_is_gone_is_answered_in_a_sentence(running):
    _, url, _ = running
    stale = {"data": [], "fn_index": 99_999, "session_hash": "abc", "event_data": None, "trigger_id": 1}
    widget = {"session_hash": "abc", "component_id": 99_999, "fn_name": "save_edit", "data": {}}
    for address, body in (("queue/join", stale), ("component_server", widget)):
        asked = Request(
            f"{url}/gradio_api/{address}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with pytest.raises(HTTPError) as refused:
            urlopen(asked, timeout=60)
        assert refused.value.code == 410
        assert "The form was updated" in json.load(refused.value)["detail"]


def test_the_workspace_cannot_be_downloaded_and_a_second_app_and_other_sites_are_refused(running):
    _, url, folder = running
    for path in (folder / "workspace.sqlite", folder / "app.lock"):
        with pytest.raises(OSError, match=r"40[34]"):
            urlopen(f"{url}/gradio_api/file={path}", timeout=60)
    second = python("launch.py", "--workspace", str(folder), "--no-browser", "--port", str(free_port()))
    _, err = second.communicate(timeout=120)
    assert second.returncode == 1
    assert "is open in another LatticeLens" in err
    assert "Traceback" not in err
    for foreign in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        with pytest.raises(OSError, match="403"):
            urlopen(Request(f"{url}/config", headers=foreign), timeout=60)


def test_a_login_is_asked_for_and_takes_only_a_few_wrong_passwords_at_once(launched, tmp_path):
    users = PasswordFile(tmp_path / "users", create=True)
    for name in ("lin", "wang"):
        users.put(name, f"{name}'s own password")
    _, url, _ = launched("--auth", str(tmp_path / "users"))
    with pytest.raises(OSError, match="401"):
        urlopen(f"{url}/gradio_api/info", timeout=60)
    with urlopen(url, timeout=60) as page:
        assert "password-form" in page.read().decode()

    def log_in(name, password):
        form = urlencode({"username": name, "password": password}).encode()
        try:
            with urlopen(Request(f"{url}/login", form), timeout=60) as answer:
                return answer.status, answer.headers.get_all("Set-Cookie")
        except HTTPError as error:
            return error.code, error.headers["Retry-After"]

    # The sixth and all after it come within the seconds that the fifth made them wait.
    answers = [log_in("lin", "wrong") for _ in range(9)]
    assert answers[:5] == [(400, None)] * 5
    assert 429 in [code for code, _ in answers[5:]]
    status, cookies = log_in("wang", "wang's own password")
    assert status == 200
    assert any(cookie.startswith("latticelens-browser=") for cookie in cookies)
    assert any(cookie.startswith("latticelens-login-") for cookie in cookies)
    for cookie in cookies:
        assert "HttpOnly" in cookie
        assert "samesite=lax" in cookie.lower()
    for address, told in (("healthz", b'{"status":"ok"}'), ("readyz", b'{"status":"ready"}')):
        with urlopen(f"{url}/{address}", timeout=60) as answer:
            assert answer.read() == told, "open without a login"


def test_a_header_is_believed_from_the_proxy_alone_whatever_address_it_claims(launched):
    def asked(url, path, **headers):
        try:
            with urlopen(Request(url + path, headers={"X-User": "lin", **headers}), timeout=60) as answer:
                return answer.status
        except HTTPError as error:
            return error.code

    _, url, _ = launched("--trust-header", "X-User", "--trust-from", "10.9.8.7")
    assert asked(url, "/config") == 403
    assert asked(url, "/config", **{"X-Forwarded-For": "10.9.8.7"}) == 403, "a client may claim any"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_leaves_nothing_behind(launched, tmp_path, number):
    process, _, folder = launched("--demo")
    assert any(path.name.startswith("latticelens-") for path in tmp_path.iterdir())
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (0, False), err
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and list(tmp_path.glob("latticelens-*")):
        time.sleep(0.1)
    assert list(tmp_path.glob("latticelens-*")) == []
    assert not folder.exists()


def test_a_demo_without_room_for_its_workspace_says_so_in_one_line(tmp_path):
    nowhere = str(tmp_path / "missing")
    code = "import runpy, sys, tempfile; tempfile.tempdir = sys.argv.pop(); "
    code += "runpy.run_path('launch.py', run_name='__main__')"
    _, err = python("-c", code, "--demo", "--no-browser", nowhere).communicate(timeout=120)
    assert "LatticeLens cannot start: " in err
    assert "Traceback" not in err


COLLECTING = """
import gc, runpy, sys, threading
from types import SimpleNamespace
import app.server.hosted

hosting = app.server.hosted.hosting

def watched(*given):
    print("loading", gc.isenabled(), gc.get_freeze_count() > 0)
    return hosting(*given)

class Served(threading.Event):
    def wait(self, timeout=None):
        if timeout is None and threading.current_thread() is threading.main_thread():
            print("served", gc.isenabled(), gc.get_freeze_count() > 100_000)
            raise KeyboardInterrupt
        return super().wait(timeout)

app.server.hosted.hosting = watched
import app.server.run
app.server.run.threading = SimpleNamespace(Event=Served, Timer=threading.Timer)
sys.argv = ["launch.py", "--no-browser", "--workspace", sys.argv[1], "--port", sys.argv[2]]
runpy.run_path("launch.py", run_name="__main__")
"""


def test_nothing_looks_for_garbage_until_the_app_is_served_and_never_in_what_was_loaded(tmp_path):
    started = python("-c", COLLECTING, str(tmp_path / "workspace"), str(free_port()))
    out, err = started.communicate(timeout=120)
    assert [line for line in out.splitlines() if line.startswith(("loading", "served"))] == [
        "loading False False",
        "served True True",
    ], err


@pytest.mark.parametrize("make", ["file", "foreign"])
def test_a_workspace_that_cannot_be_opened_is_said_in_one_line(tmp_path, make):
    folder = tmp_path / "workspace"
    if make == "file":
        folder.write_text("a file")
    else:
        folder.mkdir()
        (folder / "workspace.sqlite").write_text("no database at all")
    _, err = python("launch.py", "--workspace", str(folder), "--no-browser").communicate(timeout=120)
    assert "LatticeLens cannot start: " in err
    assert "Traceback" not in err
