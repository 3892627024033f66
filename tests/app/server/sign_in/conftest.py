"""A door with a password, around an app that says who asks."""

import argon2
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from app.server.cookies import SafeCookies
from app.server.sign_in.cookies import DoorCookies
from app.server.sign_in.door import SignInDoor
from app.server.sign_in.login_page import LoginPage
from app.server.sign_in.routes import sign_in_routes
from app.services.identity.identity import Identity
from app.services.identity.login_limit import LoginLimit
from app.services.identity.logins import login_of
from core.accounts.password_file import PasswordFile
from core.accounts.passwords import Passwords

PASSWORD = "correct horse"


def cheap_passwords():
    return Passwords(argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


async def whoever(request):
    login = login_of(request)
    return JSONResponse({"user": login.user if login else None, "method": login.method if login else None})


async def socket(websocket):
    await websocket.accept()
    await websocket.send_json({"user": websocket.state.login.user})
    await websocket.close()


class Site:
    """The door and what lies behind it; ``browser()`` is a new one."""

    def __init__(self, identity, header=None, provider=None):
        self.identity, self.events = identity, []
        identity.events.attach(self.events.append)
        self.cookies, self.page = DoorCookies("here"), LoginPage(identity)
        self.provider = provider(self) if provider else None
        door = Middleware(
            SignInDoor,
            identity=identity,
            cookies=self.cookies,
            page=self.page,
            header=header,
            open_paths=["/healthz", "/api/v1/"],
        )
        routes = [
            *sign_in_routes(identity, self.cookies, self.provider),
            WebSocketRoute("/socket", socket),
            Route("/{path:path}", whoever, methods=["GET", "POST"]),
        ]
        self.app = Starlette(routes=routes, middleware=[Middleware(SafeCookies), door])

    def browser(self, base="https://ner.example.org", client=("10.0.0.7", 5000), **headers):
        return TestClient(self.app, base, client=client, headers=headers, follow_redirects=False)

    def told(self):
        return [(event.kind, event.user, event.method, event.by, event.reason) for event in self.events]


def log_in(browser, password=PASSWORD, name="lin", **more):
    return browser.post("/login", data={"username": name, "password": password, **more})


@pytest.fixture
def accounts(tmp_path):
    file = PasswordFile(tmp_path / "users", cheap_passwords(), create=True)
    file.put("lin", PASSWORD, operator=True)
    file.put("王", PASSWORD)
    return file


@pytest.fixture
def site(accounts, clock):
    return Site(Identity(accounts, limit=LoginLimit(clock)))
