"""Addresses that people may have the server call: public ones, and hosts the operator allows.

A person chooses the address, and the server calls it from where it stands: without a rule, that would open to
them whatever the server reaches (server-side request forgery). So every address of the name must be a public
one (``ipaddress.is_global``), and the connection is made to the address that was checked.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx

from app.services.errors import AppError

Resolve = Callable[[str, int], list[str]]


def resolved(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system resolves it.

    Raises:
        OSError: there is none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def address_of(
    url: str, allowed: Collection[str] = (), resolve: Resolve = resolved, *, flag: str
) -> tuple[str, int, str]:
    """Host, port and address to call.

    Args:
        allowed: host names that may be called whatever their address is. flag: the option that allows one.

    Raises:
        AppError: it is no address that may be called; says why.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.password:
        raise AppError("This needs an address such as https://example.org/path, without a password in it.")
    port = port or (443 if parts.scheme == "https" else 80)
    try:
        addresses = resolve(host, port)
    except (OSError, UnicodeError):
        addresses = []
    if not addresses:
        raise AppError("The host {host} has no address. Correct the name.", host=repr(host[:100]))
    if host.lower() not in {name.lower() for name in allowed} and not all(map(_is_public, addresses)):
        raise AppError(
            "The host {host} is not on the public internet, so it is not called. If it should be, start "
            "LatticeLens with {flag} and this name.",
            host=repr(host[:100]),
            flag=flag,
        )
    return host, port, addresses[0]


class CheckedTransport(httpx.HTTPTransport):
    """Connects to public addresses and allowed hosts only, to the very address that was checked.

    Args:
        allowed, flag: as `address_of`.

    A request raises AppError, as `address_of`.
    """

    def __init__(self, allowed: Collection[str], *, flag: str, resolve: Resolve = resolved) -> None:
        super().__init__(trust_env=False)
        self._allowed, self._flag, self._resolve = tuple(allowed), flag, resolve

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """As httpx; the Host header keeps the name."""
        host, port, address = address_of(str(request.url), self._allowed, self._resolve, flag=self._flag)
        # To the address that was checked: a second look-up could give another one (DNS rebinding).
        request.url = request.url.copy_with(host=address, port=port)
        request.extensions = {**request.extensions, "sni_hostname": host}
        return super().handle_request(request)


def _is_public(address: str) -> bool:
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None)
    return ip.is_global and not ip.is_multicast and (mapped is None or mapped.is_global)
