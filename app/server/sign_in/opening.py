"""The whole door, from the flags: middleware and routes for ``run``."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Collection
from dataclasses import dataclass

from starlette.middleware import Middleware
from starlette.routing import Route

from app.server.options import Options
from app.server.sign_in.cookies import DoorCookies
from app.server.sign_in.door import SignInDoor
from app.server.sign_in.login_page import LoginPage
from app.server.sign_in.routes import sign_in_routes
from app.services.identity.identity import Identity
from core.accounts.password_file import PasswordFile
from core.store.db.workspace import Workspace
from core.store.project import projects, provider_roles

log = logging.getLogger("latticelens")


@dataclass(frozen=True)
class Door:
    """What wraps the app, and what the login page asks."""

    middleware: Middleware
    routes: list[Route]


def identity_of(options: Options) -> Identity | None:
    """Who may come in, as the flags say; None where nobody has to say who they are.

    Raises:
        AccountError: the file of accounts cannot be read.
    """
    if not (options.auth or options.provider or options.trust_header):
        return None
    accounts = PasswordFile(options.auth) if options.auth else None
    if accounts and stat.S_IMODE(accounts.path.stat().st_mode) & 0o077:
        log.warning("%s can be read by others than its owner: chmod 600 it", accounts.path)
    return Identity(
        accounts,
        optional=not options.has_login,
        provider=options.provider.shown if options.provider else "",
        proxy=options.trust_header is not None,
    )


def door(
    options: Options, identity: Identity, workspace: Workspace | None, open_paths: Collection[str]
) -> Door:
    """The door around the app.

    Args:
        workspace: whose projects the provider's groups open; None in a demo.
        open_paths: as of `SignInDoor`.
    """
    if options.trust_header is not None:
        # Else uvicorn takes a client's address from a header that a client can send.
        os.environ["FORWARDED_ALLOW_IPS"] = ""
    cookies, page, provider = DoorCookies(str(options.workspace.resolve())), LoginPage(identity), None
    if options.provider is not None:
        from app.server.sign_in.provider import Provider  # Authlib takes half a second to load

        provider = Provider(options.provider, identity, cookies, page, _roles(options, workspace))
    guard = Middleware(
        SignInDoor,
        identity=identity,
        cookies=cookies,
        page=page,
        header=options.trust_header,
        open_paths=open_paths,
    )
    return Door(guard, sign_in_routes(identity, cookies, provider))


def _roles(options: Options, workspace: Workspace | None) -> Callable[[str, Collection[str]], None]:
    """Gives a person the roles of their groups."""
    given = options.provider.roles if options.provider else ()

    def take(user: str, groups: Collection[str]) -> None:
        if workspace is None or not given:
            return
        named = {project.name: project.id for project in projects.all_projects(workspace)}
        wanted: dict[int, list[str]] = {named[one.project]: [] for one in given if one.project in named}
        for one in given:
            if one.group in groups and one.project in named:
                wanted[named[one.project]].append(one.role)
        for missing in {one.project for one in given} - named.keys():
            log.warning("a group has a role in the project %r, which does not exist", missing)
        for project_id, roles in wanted.items():
            provider_roles.take(workspace, project_id, user, roles)

    return take
