"""A name that a proxy puts into a header, believed only where the request comes from the proxy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from app.services.errors import AppError
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_user

if TYPE_CHECKING:
    from starlette.types import Scope

Network = IPv4Network | IPv6Network


class HeaderRefused(AppError):
    """The header came from somewhere else, or names nobody."""


@dataclass(frozen=True)
class TrustedHeader:
    """The header and who may send it.

    Args:
        name: of the header. networks: of the proxy's addresses.
    """

    name: str
    networks: Sequence[Network]

    def user(self, scope: Scope) -> str | None:
        """Whom the proxy names; None if it names nobody, or the request has not come through it.

        The address is that of the connection; run.py has uvicorn leave it so.

        Raises:
            HeaderRefused: somebody else sent the header, it came twice, or no name is in it.
        """
        given = Headers(scope=scope).getlist(self.name)
        if not given:
            return None
        if not self.is_proxy(scope):
            raise HeaderRefused(
                "This request says by its header {header} who it is from, but it has not come through the "
                "proxy. Open the address of the proxy, or leave the header out.",
                header=self.name,
            )
        try:
            # Headers are Latin-1 by the standard; a proxy sends UTF-8.
            name = checked_user(" ".join(given[0].encode("latin-1").decode("utf-8").split()))
        except (UnicodeError, PayloadError):
            name = ""
        if len(given) > 1 or not name.isprintable() or not name:
            raise HeaderRefused(
                "The proxy sent no usable name in its header {header}. Ask whoever runs it.", header=self.name
            )
        return name

    def is_proxy(self, scope: Scope) -> bool:
        """Whether the connection comes from one of the addresses."""
        client = scope.get("client")
        try:
            address = ip_address(client[0] if client else "")
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        return any(address in network for network in self.networks)
