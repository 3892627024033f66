"""A sign-in service that speaks OpenID Connect, as an app without a network; it can be made to lie."""

import base64
import hashlib
import hmac
import json
import time
from urllib.parse import parse_qs, urlsplit

import httpx2
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

ISSUER, CLIENT, SECRET = "https://id.example.org/realm", "lens", "hush"
KEY, FOREIGN_KEY = (RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}) for _ in range(2))
PERSON = {
    "sub": "7",
    "preferred_username": "lin",
    "email": "Lin@example.org",
    "email_verified": True,
    "groups": ["staff"],
}


class StandIn:
    """The service; ``lies`` holds what it says otherwise than a service should, by name."""

    def __init__(self):
        self.person, self.more, self.lies, self.codes, self.asked = dict(PERSON), {}, {}, {}, []
        self.app = Starlette(
            routes=[
                Route("/realm/.well-known/openid-configuration", self.discovery),
                Route("/realm/token", self.token, methods=["POST"]),
                Route("/realm/keys", self.keys),
                Route("/realm/me", self.me),
            ]
        )
        self.transport = httpx2.MockTransport(self.answer)

    async def answer(self, request):
        self.asked.append(request.url.path)
        if "down" in self.lies:
            raise httpx2.ConnectError("refused")
        if "status" in self.lies:
            return httpx2.Response(self.lies["status"], text="<html>")
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(self.app)) as client:
            headers = {"authorization": request.headers.get("authorization", "")}
            headers["content-type"] = request.headers.get("content-type", "")
            return await client.request(request.method, request.url, content=request.content, headers=headers)

    async def discovery(self, request):
        said = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
            "userinfo_endpoint": f"{ISSUER}/me",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }
        return JSONResponse({**said, **self.lies.get("discovery", {})})

    async def keys(self, request):
        return JSONResponse({"keys": [KEY.as_dict(private=False)]})

    async def me(self, request):
        return JSONResponse({"sub": self.person["sub"], **self.more})

    def authorize(self, address):
        """What the person's browser brings back from the page of the service."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert urlsplit(address)._replace(query="").geturl() == f"{ISSUER}/authorize"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    async def token(self, request):
        form = await request.form()
        asked = self.codes.pop(form.get("code"), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if (
            asked is None
            or asked["code_challenge"] != base64.urlsafe_b64encode(verifier).decode().rstrip("=")
            or asked["redirect_uri"] != form.get("redirect_uri")
            or request.headers["authorization"] != f"Basic {basic}"
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        at = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": CLIENT,
            "iat": at,
            "exp": at + 60,
            "nonce": asked["nonce"],
            **self.person,
        }
        claims = {
            name: value
            for name, value in {**claims, **self.lies.get("claims", {})}.items()
            if value is not None
        }
        token = {"access_token": "a", "token_type": "Bearer", "id_token": self.signed(claims)}
        return JSONResponse(
            {name: value for name, value in {**token, **self.lies.get("token", {})}.items() if value}
        )

    def signed(self, claims):
        how = self.lies.get("signed", "RS256")
        if how == "none":
            return ".".join((encoded({"alg": "none"}), encoded(claims), ""))
        if how == "HS256":  # with the public key as the secret
            signed = f"{encoded({'alg': 'HS256', 'kid': 'one'})}.{encoded(claims)}"
            made = hmac.new(KEY.as_pem(private=False), signed.encode(), "sha256").digest()
            return f"{signed}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"
        key = FOREIGN_KEY if how == "foreign" else KEY
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)
        if how == "changed":
            head, _, tail = token.split(".")
            return ".".join((head, encoded({**claims, "preferred_username": "root"}), tail))
        return token


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
