"""Passwords: what may be one, its hash, and one-time passwords.

Hashes are Argon2id with the parameters of argon2-cffi, which are those RFC 9106 recommends (section 4, second
choice: 64 MiB, three passes); a hash carries its own, so they can rise.
"""

from __future__ import annotations

import secrets
import unicodedata
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from core.runtime.message import ToldValueError

SHORTEST, LONGEST = 8, 1000  # characters
# Of one-time passwords, without what looks alike; 16 of them are 79 bits.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class PasswordError(ToldValueError):
    """The password cannot be one; the message says why."""


class Passwords:
    """Hashes passwords and compares them.

    Args:
        hasher: with other costs than the recommended ones, for tests.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()

    @cached_property
    def _of_nobody(self) -> str:
        """Compared with for names that do not exist, so that time does not tell them."""
        return self._hasher.hash(secrets.token_hex(16))

    def hash(self, password: str) -> str:
        """The hash of a password, in PHC's string format."""
        return self._hasher.hash(_bytes(password))

    def matches(self, known: str | None, password: str) -> bool:
        """Whether the hash is of this password; False for None (an unknown name), after the same time."""
        try:
            self._hasher.verify(known or self._of_nobody, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False
        return known is not None

    def is_outdated(self, known: str) -> bool:
        """Whether the hash has other parameters than new ones get."""
        return self._hasher.check_needs_rehash(known)


def is_hash(text: str) -> bool:
    """Whether this is a hash that `Passwords` reads, by its form."""
    return text.startswith("$argon2id$")


def checked_password(password: object, name: str) -> str:
    """A password that somebody chose, if it may be one.

    There is no rule about kinds of characters: length is what counts (NIST SP 800-63B, section 5.1.1.2).

    Raises:
        PasswordError: too short, too long, or the person's own name.
    """
    if not isinstance(password, str) or not SHORTEST <= len(password) <= LONGEST:
        raise PasswordError(
            "A password has {shortest} to {longest} characters. Choose another one.",
            shortest=SHORTEST,
            longest=LONGEST,
        )
    if password.strip().casefold() == name.casefold() or len(set(password)) == 1:
        raise PasswordError("That password is too easy to guess. Choose another one.")
    return password


def one_time_password() -> str:
    """A random password to hand to somebody, in four groups that can be read out."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(16))
    return "-".join(letters[at : at + 4] for at in range(0, 16, 4))


def _bytes(password: str) -> bytes:
    """The same for every keyboard: composed and decomposed letters are one (NFKC)."""
    return unicodedata.normalize("NFKC", password[: 2 * LONGEST]).encode("utf-8", "surrogatepass")
