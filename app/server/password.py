"""One password for all visitors: without it, every address but those of probes answers with a
form.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter
from http import HTTPStatus
from pathlib import Path
from typing import Any, ClassVar

from bokeh.server.tornado import BokehTornado
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule

from ..asset_files import read_html
from ..compat.server import add_first_rules, is_visit
from .http import PROBES, Answer

COOKIE = "polhode_password"
SHORTEST_PASSWORD = 8
"""Characters."""
DELAY = 1.0
"""Seconds that a wrong password takes."""
MOST_ATTEMPTS = 10
"""Wrong passwords of one address that take this time at once; further ones are refused."""


def read_password(file: str | None) -> str:
    """Return the password in a file, without the line's end; empty without a file."""
    if file is None:
        return ""
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "it is not text in UTF-8")
        raise ValueError(f"the password file cannot be read: {reason}") from error
    if len(text) < SHORTEST_PASSWORD:
        raise ValueError(
            f"a password must have at least {SHORTEST_PASSWORD} characters; {file} has {len(text)}"
        )
    return text


def ask(application: BokehTornado, password: str, secret: bytes, secure: bool) -> None:
    """Answer requests of visitors who have not entered the password with a form.

    The cookie is signed with the secret, which servers behind one proxy can share; it lasts until
    the browser ends.
    """
    proof = hmac.digest(secret, password.encode(), "sha256").hex()
    words = {"password": password, "proof": proof, "secure": secure}
    add_first_rules(application, [Rule(_Unknown(proof), _Form, words)])


class _Unknown(Matcher):
    """Matches a request without proof that its visitor knows the password."""

    def __init__(self, proof: str) -> None:
        self._proof = proof

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Admit probes, the server itself, and whoever has the cookie."""
        cookie = request.cookies.get(COOKIE)
        known = cookie is not None and hmac.compare_digest(
            cookie.value.encode(), self._proof.encode()
        )
        return None if known or request.path.endswith(PROBES) or is_visit(request) else {}


class _Form(Answer):
    """Asks for the password at any address, and leads back to it."""

    attempts: ClassVar[Counter[str | None]] = Counter()
    """Wrong passwords that are being delayed, by address."""

    def initialize(self, password: str, proof: str, secure: bool) -> None:
        """Keep what is asked for, and the cookie."""
        self._password = password.encode()
        self._proof = proof
        self._secure = secure

    def get(self) -> None:
        """Send the form."""
        self._send("This lab has a password.")

    async def post(self) -> None:
        """Check the password first: whoever knows it is admitted whatever others try."""
        address = self.request.remote_ip
        if hmac.compare_digest(self.get_body_argument("password", "").encode(), self._password):
            self.set_cookie(
                COOKIE, self._proof, path="", httponly=True, secure=self._secure, samesite="Lax"
            )
            here = self.request.path.rpartition("/")[2]
            self.redirect(
                f"./{here}{self.request.query and '?'}{self.request.query}",
                status=HTTPStatus.SEE_OTHER,
            )
        elif _Form.attempts[address] >= MOST_ATTEMPTS:
            self._send("Too many people enter a password just now. Try again in a few seconds.")
        else:
            _Form.attempts[address] += 1
            try:
                await asyncio.sleep(DELAY)
            finally:
                _Form.attempts -= Counter([address])  # which keeps no address without attempts
            self._send("This is not the password.")

    def _send(self, sentence: str) -> None:
        self.set_status(HTTPStatus.UNAUTHORIZED)
        self.set_header("Cache-Control", "no-store")
        self.finish(read_html("password", SENTENCE=sentence))
