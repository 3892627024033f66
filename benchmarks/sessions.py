"""What the app keeps of sessions that are over: memory, threads, descriptors and ended processes.

    python -m benchmarks.sessions [--sessions 200] [--every 20] [--demo]

A real app on a fresh workspace with the demo project. Each session opens the page over HTTP as the browser
does, turns to every page, tags a text, looks into a sentence, opens a document, saves a span in it, and
closes. With ``--demo`` each is a visitor with a copy of the workspace. Memory is the resident set of the
app's process; Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.browser.app_server import AppServer

PAGES = (
    "data", "train", "tag", "inspect", "compare", "ledger", "dictionary", "dashboard", "settings",
)  # fmt: skip
TEXT = "昨天下午，周敏从南京到苏州出差。\n林浩在上海的医院工作。"
SENTENCE = "周敏从南京到苏州出差，第{number}次。"
MEGABYTE = 1 << 20


class Visit:
    """One page of one person, as the browser holds it, without a browser.

    Args:
        url: of a running app. config: what ``/config`` answers, which is the same for all.

    Raises:
        OSError: the app does not answer. AssertionError: it answers with an error.
    """

    def __init__(self, url: str, config: dict[str, Any]) -> None:
        self.url = url.rstrip("/")
        self.hash = uuid.uuid4().hex[:12]
        self._ids = {
            component["props"]["elem_id"]: component["id"]
            for component in config["components"]
            if component["props"].get("elem_id")
        }
        self._dependencies = config["dependencies"]
        self._values = {each["id"]: each["props"].get("value") for each in config["components"]}
        for each in config["components"]:
            if each["type"] == "textbox":  # the browser sends an empty text where there is none
                self._values[each["id"]] = self._values[each["id"]] or ""
        self._get("/")
        place = urlsplit(self.url)
        # Open as long as the page: the server takes its end for the end of the page.
        self._heartbeat = socket.create_connection((place.hostname, place.port), timeout=60)
        request = f"GET /gradio_api/heartbeat/{self.hash} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n"
        self._heartbeat.sendall(request.encode())
        load = next(x for x in self._dependencies if any(event == "load" for _, event in x["targets"]))
        self._send(load, ["", "en", "me", "", *[self._values[each] for each in load["inputs"][4:]]])
        self._token = self._values[load["outputs"][0]]

    def close(self) -> None:
        """Close the page."""
        self._heartbeat.close()

    def fire(self, elem_id: str, event: str, **given: Any) -> None:
        """Send the event of a component, with the values that the page holds or those ``given``."""
        for name, value in given.items():
            self._values[self._ids[name.replace("_", "-")]] = value
        target = [self._ids[elem_id], event]
        for dependency in self._dependencies:
            if target in dependency["targets"] and dependency["backend_fn"]:
                values = [self._values.get(each) for each in dependency["inputs"]]
                self._send(dependency, [self._token, *values[1:]])

    def ask(self, elem_id: str, name: str, **fields: Any) -> dict[str, Any]:
        """What the server function ``name`` of a component answers."""
        return self._post(
            "/gradio_api/component_server",
            {
                "session_hash": self.hash,
                "component_id": self._ids[elem_id],
                "fn_name": name,
                "data": {"token": self._token, **fields},
            },
        )

    def _send(self, dependency: dict[str, Any], data: list[Any]) -> None:
        body = {"data": data, "fn_index": dependency["id"], "session_hash": self.hash, "trigger_id": None}
        self._post("/gradio_api/queue/join", body)
        address = f"{self.url}/gradio_api/queue/data?session_hash={self.hash}"
        with urllib.request.urlopen(address, timeout=120) as stream:
            for line in stream:
                message = json.loads(line[5:]) if line.startswith(b"data:") else {}
                if message.get("msg") == "process_completed":
                    assert message["success"], (dependency["targets"], message)
                    self._take_in(dependency["outputs"], message["output"].get("data", []))
                    return
        raise ConnectionError("the app ended its answer early")

    def _take_in(self, outputs: list[int], data: list[Any]) -> None:
        for component, value in zip(outputs, data, strict=False):
            if isinstance(value, dict) and value.get("__type__") == "update":
                if "value" in value:
                    self._values[component] = value["value"]
            else:
                self._values[component] = value

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path, timeout=120) as reply:
            return bytes(reply.read())

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.loads(reply.read())


@contextlib.contextmanager
def visit(url: str, config: dict[str, Any]) -> Iterator[Visit]:
    """A page that is closed at the end."""
    page = Visit(url, config)
    try:
        yield page
    finally:
        page.close()


def work_through(page: Visit, number: int) -> None:
    """What a person does in one session; ``number`` makes its sentence one that was never asked."""
    for name in PAGES:
        page.fire(f"ll-tab-{name}", "select")
    page.fire("tag-go", "click", tag_text=TEXT)
    page.fire("inspect-look", "click", inspect_sentence=SENTENCE.format(number=number))
    opened = page.ask("annotate", "open_document", document=1)
    assert opened["ok"], opened
    saved = page.ask(
        "annotate", "save_edit", document=1, base_revision=opened["document"]["revision"], action="label",
        client_edit=f"session-{number:06d}", spans=[{"start": number % 3, "end": 4, "label": "PER"}],
        rejected=[], status="in_progress", run=None,
    )  # fmt: skip
    assert saved["ok"], saved


def config_of(url: str) -> dict[str, Any]:
    """The configuration of the app's page."""
    with urllib.request.urlopen(f"{url.rstrip('/')}/config", timeout=120) as reply:
        answer: dict[str, Any] = json.loads(reply.read())
        return answer


def measure(pid: int) -> dict[str, int]:
    """Resident bytes, threads, open descriptors and ended children of a process."""
    process = Path("/proc") / str(pid)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return {
        "resident": int(status["VmRSS"].split()[0]) * 1024,
        "threads": int(status["Threads"]),
        "descriptors": len(list((process / "fd").iterdir())),
        "zombies": len(zombies_of(pid)),
    }


def zombies_of(pid: int) -> list[int]:
    """The ended children that a process has not waited for."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                if state == "Z" and int(parent) == pid:
                    found.append(int(folder.name))
    return found


def main() -> None:
    """Print a row for every so many sessions, and the growth from the first row to the last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--demo", action="store_true")
    arguments = parser.parse_args()
    flags = ["--demo"] if arguments.demo else []
    with tempfile.TemporaryDirectory() as folder, AppServer(Path(folder) / "workspace", *flags) as server:
        config = config_of(server.url)
        print("sessions  resident MiB  threads  descriptors  zombies  seconds each", flush=True)
        resident = []
        began = time.monotonic()
        for number in range(1, arguments.sessions + 1):
            with visit(server.url, config) as page:
                work_through(page, number)
            if number % arguments.every and number != 1:
                continue
            seconds = (time.monotonic() - began) / (arguments.every if number > 1 else 1)
            time.sleep(1.0)  # the app notices the end of the page
            seen = measure(server.pid)
            if number > 1:
                resident.append(seen["resident"])
            print(
                f"{number:8}  {seen['resident'] / MEGABYTE:12.0f}  {seen['threads']:7}"
                f"  {seen['descriptors']:11}  {seen['zombies']:7}  {seconds:12.2f}",
                flush=True,
            )
            began = time.monotonic()
        print(f"growth: {resident[-1] / resident[0] - 1:+.1%}")


if __name__ == "__main__":
    main()
