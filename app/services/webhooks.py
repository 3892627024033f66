"""Sends webhooks in the background: signed, with a timeout, tried again, and never into the own network.

A manager of a project chooses the address; `app/services/addresses.py` says which may be called, and
redirects are not followed. The operator may allow a host by its name (``--webhook-host``).

The signature is ``sha256=`` and the HMAC-SHA256 (RFC 2104) of the body with the webhook's secret, in hex.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Collection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from app.services.addresses import Resolve, address_of, resolved
from app.services.errors import AppError
from core.store.db.workspace import Workspace
from core.store.project import webhooks

if TYPE_CHECKING:
    from core.store.project.webhooks import Delivery, Webhook

SECONDS = 10.0  # for an attempt, from connecting to the answer
SIGNATURE = "X-LatticeLens-Signature"
FLAG = "--webhook-host"

log = logging.getLogger("latticelens")


def signature(secret: str, body: bytes) -> str:
    """The value of the signature header."""
    return "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()


class Webhooks:
    """Delivers what is due; `look` is called every second and returns at once.

    Args:
        workspace: whose webhooks. allowed: hosts that may be private.
        client: made for every round, for tests.
    """

    def __init__(
        self,
        workspace: Workspace,
        allowed: Collection[str] = (),
        *,
        resolve: Resolve = resolved,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._workspace = workspace
        self.allowed = tuple(allowed)
        self._resolve = resolve
        self._transport = transport

    def look(self) -> None:
        """Begin a round in the background, unless one is under way."""
        self._workspace.background.ask("webhooks", self.deliver)

    def check(self, url: str) -> None:
        """Refuse an address that would not be called.

        Raises:
            AppError: as `address_of`.
        """
        address_of(url, self.allowed, self._resolve, flag=FLAG)

    def deliver(self) -> int:
        """Attempt every delivery that is due; the number of attempts."""
        due = webhooks.due(self._workspace)
        if not due:
            return 0
        # No proxy and no .netrc of the server: they would lead where the check does not look.
        with httpx.Client(
            timeout=SECONDS, trust_env=False, follow_redirects=False, transport=self._transport
        ) as client:
            for webhook, delivery in due:
                self._workspace.background.pause()
                status, error = self._attempt(client, webhook, delivery)
                webhooks.record(self._workspace, delivery, status, error)
        return len(due)

    def _attempt(self, client: httpx.Client, webhook: Webhook, delivery: Delivery) -> tuple[int | None, str]:
        body = json.dumps(told(webhook, delivery), ensure_ascii=False).encode()
        try:
            host, port, address = address_of(webhook.url, self.allowed, self._resolve, flag=FLAG)
        except AppError:
            return None, "address"
        parts = urlsplit(webhook.url)
        place = f"[{address}]" if ":" in address else address
        # To the address that was checked: a second look-up could give another one (DNS rebinding).
        request = client.build_request(
            "POST",
            urlunsplit((parts.scheme, f"{place}:{port}", parts.path or "/", parts.query, "")),
            content=body,
            headers={
                "Host": parts.netloc,
                "Content-Type": "application/json",
                "User-Agent": "LatticeLens",
                "X-LatticeLens-Event": delivery.event.kind,
                "X-LatticeLens-Delivery": str(delivery.id),
                SIGNATURE: signature(webhook.secret, body),
            },
            extensions={"sni_hostname": host},
        )
        try:
            answer = client.send(request, stream=True)
            answer.close()  # its body is nothing to us, and may be endless
        except httpx.TimeoutException:
            return None, "timeout"
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            log.info("webhook %s was not reached: %s", webhook.id, type(error).__name__)
            return None, "unreachable"
        return answer.status_code, "" if answer.is_success else "refused"


def told(webhook: Webhook, delivery: Delivery) -> dict[str, Any]:
    """What a webhook is told, as JSON."""
    event = delivery.event
    return {
        "delivery": delivery.id,
        "project": webhook.project_id,
        "event": event.id,
        "kind": event.kind,
        "at": event.at,
        "user": event.user,
        "document": event.document_id,
        "annotator": event.annotator,
        "revision": event.revision,
        "run": event.run,
    }
