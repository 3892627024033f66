"""A local stand-in for an OpenAI-compatible server, which misbehaves as it is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the server does with one request.

    Args:
        content: of the model's message; ``body`` is sent instead where it is given.
        slow: seconds between its bytes.
        cut: close the connection after this many bytes of the body.
    """

    content: str = '{"entities": []}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    slow: float = 0.0
    cut: int | None = None
    tokens: list[tuple[str, float]] | None = None

    @property
    def seconds(self) -> float:
        """How long it takes to send at least."""
        return self.slow * len(self.payload())

    def payload(self) -> bytes:
        if self.body is not None:
            return self.body
        choice: dict[str, Any] = {"message": {"role": "assistant", "content": self.content}}
        if self.tokens is not None:
            choice["logprobs"] = {"content": [{"token": t, "logprob": p} for t, p in self.tokens]}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return json.dumps({"choices": [choice], "usage": usage}, ensure_ascii=False).encode()


Behaviour = Callable[[dict[str, Any], int], Reply]


@dataclass
class StandIn:
    """The running server: its address and the requests that came, as (headers, body)."""

    address: str
    asked: list[tuple[dict[str, str], dict[str, Any]]]


@contextmanager
def stand_in(behave: Behaviour) -> Iterator[StandIn]:
    """A server on a free port; ``behave(body, n)`` decides about the n-th request, from 0."""
    asked: list[tuple[dict[str, str], dict[str, Any]]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(asked)
                asked.append(({"path": self.path, **dict(self.headers)}, body))
            reply = behave(body, number)
            payload = reply.payload()
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(payload)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                payload = payload if reply.cut is None else payload[: reply.cut]
                for place in range(len(payload)) if reply.slow else ():
                    self.wfile.write(payload[place : place + 1])
                    self.wfile.flush()
                    time.sleep(reply.slow)
                if not reply.slow:
                    self.wfile.write(payload)
            except OSError:
                pass  # the client has gone
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield StandIn(f"http://127.0.0.1:{server.server_port}/v1", asked)
    finally:
        server.shutdown()
        server.server_close()
