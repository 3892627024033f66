"""The annotator's calls as its page sends them, over HTTP, without a browser."""

import http.client
import json
import urllib.request
import uuid
from typing import Any
from urllib.parse import urlsplit


class AnnotatorClient:
    """One page of one person: a session token, then the server functions of the annotator.

    Args:
        url: of a running app. user: the name chosen in Settings.

    Raises:
        OSError: the app does not answer (any more).
    """

    def __init__(self, url: str, user: str = "me") -> None:
        self.url = url.rstrip("/")
        self.page = uuid.uuid4().hex[:12]
        config = json.loads(self._get("/config"))
        self.annotator = next(
            x["id"] for x in config["components"] if x["props"].get("elem_id") == "annotate"
        )
        load = next(x for x in config["dependencies"] if any(event == "load" for _, event in x["targets"]))
        place = urlsplit(self.url)
        self._connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
        self.token = self._event(load["id"], ["", "en", user, ""])[0]

    def rested(self) -> None:
        """Let the next call open a connection of its own: the server closes one nobody used for a while."""
        self._connection.close()

    def ask(self, name: str, **fields: Any) -> dict[str, Any]:
        """What the server function ``name`` answers."""
        return self._post(
            "/gradio_api/component_server",
            {
                "session_hash": self.page,
                "component_id": self.annotator,
                "fn_name": name,
                "data": {"token": self.token, **fields},
            },
        )

    def save(self, document: int, base: int, spans: list[dict[str, Any]], edit: str) -> dict[str, Any]:
        """Save ``spans`` as the edit with this id."""
        return self.ask(
            "save_edit", document=document, base_revision=base, client_edit=edit, action="label",
            spans=spans, rejected=[], status="in_progress", run=None,
        )  # fmt: skip

    def _event(self, number: int, data: list[Any]) -> list[Any]:
        body = {"data": data, "fn_index": number, "session_hash": self.page, "trigger_id": None}
        self._post("/gradio_api/queue/join", body)
        stream = urllib.request.urlopen(
            f"{self.url}/gradio_api/queue/data?session_hash={self.page}", timeout=60
        )
        with stream:
            for line in stream:
                message = json.loads(line[5:]) if line.startswith(b"data:") else {}
                if message.get("msg") == "process_completed":
                    assert message["success"], message
                    return list(message["output"]["data"])
        raise ConnectionError("the app ended its answer early")

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path, timeout=60) as reply:
            return bytes(reply.read())

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", path, json.dumps(body), headers)
        reply = self._connection.getresponse()
        content = reply.read()
        assert reply.status == 200, f"{path}: {reply.status} {content[:300]!r}"
        return json.loads(content)
