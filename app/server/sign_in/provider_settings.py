"""Which sign-in service, who may come in by it, and what role they have: flags and environment variables.

The variables are those that a Hugging Face Space sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.store.project.members import ROLES

ISSUER, CLIENT, SECRET = "OPENID_PROVIDER_URL", "OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET"
SCOPES, SPACE_HOST = "OAUTH_SCOPES", "SPACE_HOST"
HUGGING_FACE = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class GroupRole:
    """A group of the provider whose people have a role in a project."""

    group: str
    project: str
    role: str


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """A sign-in service that speaks OpenID Connect.

    Args:
        issuer: its address. scopes: asked for.
        name_claim: of the name under which people work here. groups_claim: of their groups.
        domains: of e-mail addresses that may come in. groups, people: that may, by name. anybody: everybody.
        operators: groups that look after the sessions of others. roles: of groups.
        public_url: of this app, where a proxy gives it another one.
    """

    issuer: str
    client_id: str
    client_secret: str
    scopes: str = "openid profile email"
    name_claim: str = "preferred_username"
    groups_claim: str = "groups"
    domains: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    anybody: bool = False
    operators: tuple[str, ...] = ()
    roles: tuple[GroupRole, ...] = ()
    public_url: str = ""

    def __repr__(self) -> str:
        return f"ProviderSettings({self.issuer!r}, {self.client_id!r})"  # a secret is in no log

    @property
    def admitted_groups(self) -> frozenset[str]:
        """Groups whose people may come in; who has a role or is an operator may."""
        return frozenset((*self.groups, *self.operators, *(role.group for role in self.roles)))

    @property
    def shown(self) -> str:
        """The service in the words of the button."""
        return (
            "Hugging Face"
            if self.issuer.rstrip("/") == HUGGING_FACE
            else urlsplit(self.issuer).hostname or ""
        )


def add_provider_flags(parser: argparse.ArgumentParser) -> None:
    """The flags, each of which begins with ``--oidc``."""
    group = parser.add_argument_group(
        "sign-in with OpenID Connect", f"the client is read from the environment: {CLIENT} and {SECRET}"
    )
    add = group.add_argument
    add("--oidc", type=_address, metavar="ISSUER", help="address of the sign-in service")
    several = (
        ("--oidc-domain", "DOMAIN", "people with a verified e-mail address of this domain may come in"),
        ("--oidc-person", "NAME", "who has this name there may come in"),
        ("--oidc-allow-group", "GROUP", "people of this group may come in"),
        ("--oidc-operators", "GROUP", "people of this group may come in and end the sessions of others"),
    )
    for flag, what, told in several:
        add(flag, action="append", default=[], metavar=what, help=f"{told}; may be repeated")
    add("--oidc-anybody", action="store_true", help="everybody whom the service knows may come in")
    add(
        "--oidc-group",
        action="append",
        default=[],
        type=_group_role,
        metavar="GROUP=PROJECT:ROLE",
        help="people of this group may come in and have this role in the project; may be repeated",
    )
    add(
        "--oidc-name",
        default="preferred_username",
        metavar="CLAIM",
        help="claim with the name, which people must not be able to change (default: %(default)s)",
    )
    add("--oidc-groups", default="groups", metavar="CLAIM", help="claim with groups (default: %(default)s)")
    add(
        "--public-url",
        type=_address,
        metavar="URL",
        help="address of this app as people open it, if a proxy changes host or path",
    )


def provider_settings(
    parser: argparse.ArgumentParser, given: argparse.Namespace, environment: Mapping[str, str]
) -> ProviderSettings | None:
    """The settings, or None where there is no such service; what is lacking ends the program.

    A service that only the environment names is used on a Space, which sets it.
    """
    on_a_space = bool(environment.get("SPACE_ID"))
    issuer = given.oidc or (environment.get(ISSUER, "") if on_a_space else "")
    if not issuer:
        return None
    client, secret = environment.get(CLIENT, ""), environment.get(SECRET, "")
    if not client or not secret:
        if not given.oidc:
            return None  # the Space has no hf_oauth
        parser.error(
            f"--oidc needs the environment variables {CLIENT} and {SECRET}, as the service gave them"
        )
    settings = ProviderSettings(
        issuer=issuer,
        client_id=client,
        client_secret=secret,
        scopes=environment.get(SCOPES)
        or ("openid profile" if issuer == HUGGING_FACE else "openid profile email"),
        name_claim=given.oidc_name,
        groups_claim=given.oidc_groups,
        domains=tuple(domain.lower().removeprefix("@") for domain in given.oidc_domain),
        groups=tuple(given.oidc_allow_group),
        people=tuple(given.oidc_person),
        anybody=given.oidc_anybody or given.demo,
        operators=tuple(given.oidc_operators),
        roles=tuple(given.oidc_group),
        public_url=given.public_url
        or (f"https://{environment[SPACE_HOST]}" if environment.get(SPACE_HOST) else ""),
    )
    if not (settings.anybody or settings.domains or settings.people or settings.admitted_groups):
        parser.error(
            "--oidc needs to know who may come in: --oidc-domain, --oidc-person, --oidc-allow-group, "
            "--oidc-group, or "
            "--oidc-anybody if the service itself only knows people who may"
        )
    return settings


def _address(value: str) -> str:
    parts = urlsplit(value)
    is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or parts.query or parts.fragment or not (
        parts.scheme == "https" or (parts.scheme == "http" and is_here)
    ):  # fmt: skip
        raise argparse.ArgumentTypeError(f"an address that begins with https://, got {value!r:.80}")
    return value


def _group_role(value: str) -> GroupRole:
    group, equals, place = value.partition("=")
    project, colon, role = place.rpartition(":")
    if not (equals and colon and group and project) or role not in ROLES:
        raise argparse.ArgumentTypeError(
            f"GROUP=PROJECT:ROLE with a role of {', '.join(ROLES)}, got {value!r:.80}"
        )
    return GroupRole(group, project, role)
