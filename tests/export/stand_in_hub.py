"""A stand-in of a hub's HTTP API on this machine, as much of it as an upload asks for."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import huggingface_hub.constants
import pytest

TOKEN = "hf_not_a_real_token_0123456789"


class Hub(BaseHTTPRequestHandler):
    """As much of the API as an upload asks for; every file is sent inside the commit."""

    def log_message(self, *_):
        """Quiet."""

    def do_GET(self):
        server = self.server
        if server.made and f"/{server.made[-1]['name']}" in self.path:  # what is in the repository
            files = [
                {"type": "file", "path": path, "rfilename": path, "oid": "0", "size": 1}
                for path in server.there
            ]
            info = {"id": f"people/{server.made[-1]['name']}", "siblings": files}
            self._answer(200, files if "/tree/" in self.path else info)
        else:
            self._answer(404, {"error": "there is none"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = self._chunks()
        server = self.server
        server.asked.append((self.path, self.headers.get("Authorization")))
        if server.refuse:
            self._answer(server.refuse, {"error": f"no right; got {self.headers.get('Authorization')}"})
        elif self.path == "/api/repos/create":
            server.made.append(json.loads(body))
            self._answer(200, {"url": f"{server.address}/people/{server.made[-1]['name']}"})
        elif self.path.endswith("/preupload/main"):
            files = json.loads(body)["files"]
            self._answer(
                200,
                {
                    "files": [
                        {"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files
                    ]
                },
            )
        elif self.path.endswith("/commit/main"):
            server.open.wait()
            for line in body.splitlines():
                item = json.loads(line)
                if item["key"] == "file":
                    value = item["value"]
                    server.files[value["path"]] = base64.b64decode(value["content"])
            address = f"{server.address}/people/first/commit/{'0' * 40}"
            self._answer(200, {"commitUrl": address, "commitOid": "0" * 40, "success": True})
        else:
            self._answer(200, {})

    def _chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(self, status, value):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def hub(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.address = f"http://127.0.0.1:{server.server_port}"
    server.asked, server.made, server.files, server.refuse, server.there = [], [], {}, 0, [".gitattributes"]
    server.open = threading.Event()  # a test may shut it, so that a commit waits
    server.open.set()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    # Tests are told to stay offline, which this machine's own address is not.
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("LATTICELENS_HUB_OFFLINE", "0")
    yield server
    server.open.set()
    server.shutdown()
    server.server_close()
