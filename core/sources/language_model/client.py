"""Requests to an OpenAI-compatible server: chat completions, tried again where it helps.

Nothing is sent but to the configured address: no proxy of the environment, no redirect. The key is in one
header and nowhere else; no error and no log holds it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx

from core.runtime.message import Message, _
from core.sources.contract import SourceError

ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between attempts, doubled each time
STEP = 0.2  # seconds between two looks whether to stop
LONGEST_ANSWER = 4_000_000  # bytes
AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
Sleep = Callable[[float], None]


class Unanswered(Exception):
    """One request failed for good; others may succeed. ``message`` says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class FormatRefused(Exception):
    """The server does not know ``response_format`` or ``logprobs``."""


class ChatClient:
    """A server's chat completions.

    Args:
        address: up to the version, such as ``http://127.0.0.1:8080/v1``.
        key: reads the secret. seconds: until a request is given up.
        pause: called while waiting; may raise to stop.

    Raises:
        SourceError: the address is none.
    """

    def __init__(
        self,
        address: str,
        *,
        key: Callable[[], str | None] = lambda: None,
        seconds: float = 60.0,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[], None] = lambda: None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._url = completions_url(address)
        self._key, self._pause, self._sleep = key, pause, sleep
        self._seconds = seconds
        self._client = httpx.Client(
            timeout=seconds, trust_env=False, follow_redirects=False, transport=transport
        )

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """The server's answer to a request.

        Raises:
            Unanswered: it gave none, or none that can be read, in `ATTEMPTS` attempts.
            FormatRefused: it refuses a field of the request.
            SourceError: no request will succeed: the key, the model or the address is wrong.
        """
        wait = FIRST_WAIT
        for attempt in range(1, ATTEMPTS + 1):
            self._pause()
            later, problem = None, _("The server gave no answer.")
            try:
                status, headers, content = self._ask(body)
            except httpx.TimeoutException:
                problem = _("The server did not answer within {seconds:g} s.", seconds=self._seconds)
            except (httpx.HTTPError, httpx.InvalidURL, OSError):
                problem = _("The server was not reached, or broke off. Check that it runs at this address.")
            else:
                if 200 <= status < 300:
                    answer = _parsed(content)
                    if answer is not None:
                        return answer
                    problem = _("The server answered with something that is no chat completion.")
                elif status in AGAIN:
                    later = _retry_after(headers)
                    problem = _refused(status, content)
                else:
                    self._give_up(status, content, body)
            if attempt < ATTEMPTS:
                self._wait(min(LONGEST_WAIT, later if later is not None else wait))
                wait *= 2
        raise Unanswered(problem)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, body: dict[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        headers = {"Content-Type": "application/json", "User-Agent": "LatticeLens"}
        key = self._key()
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = self._client.build_request(
            "POST", self._url, content=json.dumps(body, ensure_ascii=False).encode(), headers=headers
        )
        began, content = time.monotonic(), bytearray()
        response = self._client.send(request, stream=True)
        try:
            for piece in response.iter_bytes():
                self._pause()
                content += piece
                if len(content) > LONGEST_ANSWER:
                    raise httpx.ReadError("the answer is too long")
                # httpx limits each read; a server that sends byte after byte would go on for ever.
                if time.monotonic() - began > self._seconds:
                    raise httpx.ReadTimeout("the answer takes too long")
        finally:
            response.close()
        return response.status_code, response.headers, bytes(content)

    def _give_up(self, status: int, content: bytes, body: dict[str, Any]) -> None:
        if status in (400, 422) and ("response_format" in body or "logprobs" in body):
            raise FormatRefused
        if status in (401, 403):
            raise SourceError(
                "The server refused the key ({status}). Enter it again in the settings of the source.",
                status=status,
            )
        if status == 404:
            raise SourceError(
                "The server knows no such model or no such address (404). The address ends with the version, "
                "as in http://127.0.0.1:8080/v1."
            )
        if 300 <= status < 400:
            raise SourceError(
                "The server redirects to another address ({status}). Redirects are not followed: enter that "
                "address instead.",
                status=status,
            )
        raise Unanswered(_refused(status, content))

    def _wait(self, seconds: float) -> None:
        left = seconds
        while left > 0:
            self._pause()
            self._sleep(min(STEP, left))
            left -= STEP


def completions_url(address: str) -> str:
    """The URL that is asked, of the address of a server.

    Raises:
        SourceError: it is no address, or holds a password.
    """
    address = address.strip()
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise SourceError(
            "{address} is no address of a server; one looks like http://127.0.0.1:8080/v1.",
            address=repr(address[:100]),
        )
    if parts.username or parts.password:
        raise SourceError("Leave the password out of the address and enter it as the key.")
    path = parts.path.rstrip("/")
    path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _parsed(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
        message = value["choices"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None
    return value if isinstance(message, dict) and isinstance(message.get("content"), str) else None


def _refused(status: int, content: bytes) -> Message:
    """What the server says, shortened; its words are shown as text only."""
    try:
        error = json.loads(content)["error"]
        said = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError, RecursionError):
        said = ""
    if not isinstance(said, str) or not said.strip():
        return _("The server answered {status}.", status=status)
    return _("The server answered {status}: {said}", status=status, said=repr(" ".join(said.split())[:200]))


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds to wait, if the server says so in seconds."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_WAIT else LONGEST_WAIT
