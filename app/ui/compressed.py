"""A body that many browsers ask for, kept in memory and compressed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import brotli
from starlette.datastructures import Headers
from starlette.responses import Response

QUALITY = 5
MINIMUM = 400  # bytes; compression does not shorten less


class Compressed:
    """A body, sent with Brotli to whoever reads it and as it is to all others.

    Args:
        body: the bytes. headers: sent with them, as their type.
    """

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        self.body = body
        self._headers = headers

    @cached_property
    def _short(self) -> bytes:
        return brotli.compress(self.body, quality=QUALITY)

    def response(self, asked: Headers) -> Response:
        """The response to a request with these headers."""
        headers = {**self._headers, "Vary": "Accept-Encoding"}
        if len(self.body) >= MINIMUM and "br" in asked.get("accept-encoding", ""):
            return Response(self._short, headers={**headers, "Content-Encoding": "br"})
        return Response(self.body, headers=headers)
