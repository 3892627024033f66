"""What the HTTP API adds: a page of documents of a large project, and tagging against the tagger alone.

    python -m benchmarks.http_api [--documents 50000] [--calls 200] [--json]

A server listens on a port of this machine and is asked over one kept connection, as a client would. The
tagger is the demo's. Times are milliseconds: the median and the 95th percentile. What the API adds is
measured with a tagger that answers at once: beside a real one the machine's other work weighs more.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette

from app.api.application import PREFIX, api_routes
from app.server.first_run import prepare
from app.services.device import DeviceInfo, DeviceProbe
from app.services.workbench import Workbench
from core.runtime.message import Message
from core.store.document import documents
from core.store.project import projects, tokens
from core.text import Document, Span

WORDS = ("北京", "大学", "公司", "先生", "记者", "市场", "中国", "发布", "研究")
SENTENCE = "吴重阳先生，中国国籍，大学本科，教授级高工，曾任中国石油化工集团公司董事长。"
PAGE = 50


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), arguments.documents, arguments.calls)
    if arguments.json:
        print(json.dumps(found))
        return
    print(f"{platform.machine()}, Python {platform.python_version()}, {arguments.documents:,} documents")
    for name, (median, high) in found.items():
        print(f"{name:44} {median:8.2f} ms {high:8.2f} ms (95 %)")


def measure(folder: Path, count: int, calls: int) -> dict[str, tuple[float, float]]:
    """Median and 95th percentile in ms, by what was done."""
    bench = Workbench(folder / "workspace", DeviceProbe(known=DeviceInfo("cpu", Message("measured on it"))))
    try:
        prepare(bench.workspace)
        demo = projects.all_projects(bench.workspace)[0].id
        large = projects.create(bench.workspace, "large").id
        documents.add(bench.workspace, large, made_up(count))
        with serving(bench) as address:
            return {
                **pages(address, token(bench, large), calls),
                **tagging(bench, demo, address, token(bench, demo), calls),
            }
    finally:
        bench.close()


def made_up(count: int) -> Iterator[Document]:
    """Documents of 20 to 120 characters with two spans each."""
    random_of = random.Random(7)
    letters = [chr(0x4E00 + at) for at in range(3000)]
    for number in range(count):
        text = "".join(random_of.choices(letters, k=random_of.randint(16, 116))) + random_of.choice(WORDS) * 2
        spans = (Span(0, 2, "PER"), Span(len(text) - 2, len(text), "LOC"))
        yield Document(f"d-{number}", text, spans)


def token(bench: Workbench, project: int) -> str:
    return tokens.make(bench.workspace, project, "benchmark", "manager", user="me")[1]


@contextmanager
def serving(bench: Workbench) -> Iterator[str]:
    """The API on a free port of this machine."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    # By host and port, as the app's own: on a socket made here asyncio would not set TCP_NODELAY.
    app = Starlette(routes=api_routes(bench))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}{PREFIX}"
    server.should_exit = True
    thread.join(30)


def pages(address: str, text: str, calls: int) -> dict[str, tuple[float, float]]:
    """Pages of documents, from the start and from the middle."""
    with client(address, text) as asked:
        first = asked.get(f"/documents?limit={PAGE}").json()
        middle = first["documents"][0]["id"] + 25_000
        # The last first: after the import the workspace still works in the background for a while.
        one = timed(lambda: checked(asked.get(f"/documents/{middle}")), calls)
        half = timed(lambda: checked(asked.get(f"/documents?limit={PAGE}&after={middle}")), calls)
        start = timed(lambda: checked(asked.get(f"/documents?limit={PAGE}")), calls)
        return {
            f"a page of {PAGE} documents, the first": start,
            f"a page of {PAGE} documents, from the middle": half,
            "one document": one,
        }


def tagging(
    bench: Workbench, project: int, address: str, text: str, calls: int
) -> dict[str, tuple[float, float]]:
    """One sentence by the tagger alone and by the API, in turns, and the API without the tagger."""
    sentence, body = [Document("", SENTENCE)], {"texts": [{"text": SENTENCE}]}
    with client(address, text) as asked:
        checked(asked.post("/tag", json=body))  # loads the tagger
        tag = bench.taggers.tag
        alone, by_api = [], []
        for _turn in range(calls):
            alone.append(once(lambda: tag(project, sentence)))
            by_api.append(once(lambda: checked(asked.post("/tag", json=body))))
        answer = tag(project, sentence)
        bench.taggers.tag = lambda *_arguments, **_options: answer  # type: ignore[method-assign]
        added = timed(lambda: checked(asked.post("/tag", json=body)), calls)
    return {
        "a sentence by the tagger alone": summary(alone),
        "a sentence by /tag": summary(by_api),
        "/tag with a tagger that answers at once": added,
    }


def client(address: str, text: str) -> httpx.Client:
    return httpx.Client(
        base_url=address, headers={"Authorization": f"Bearer {text}"}, timeout=120, trust_env=False
    )


def checked(answer: httpx.Response) -> Any:
    answer.raise_for_status()
    return answer.json()


def timed(call: Callable[[], Any], calls: int) -> tuple[float, float]:
    call()
    return summary([once(call) for _turn in range(calls)])


def once(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def summary(times: list[float]) -> tuple[float, float]:
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    main()
