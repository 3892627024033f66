"""For whom a request counts."""

from __future__ import annotations

from typing import Any, NamedTuple


class Asker(NamedTuple):
    """Somebody whose requests are counted together.

    Args:
        name: which tells nothing but who is the same. people: who may be behind it, at most.
    """

    name: str
    people: int = 1


def asker_of(request: Any) -> Asker | None:
    """For whom a request was counted, of Gradio or of Starlette; None where nothing is counted."""
    inner = getattr(request, "request", request)
    asker = getattr(inner, "scope", {}).get("state", {}).get("asker")
    return asker if isinstance(asker, Asker) else None
