"""Values for a JSON schema, and values that are almost right: from what the code itself declares."""

import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

STRINGS = (
    "",
    " ",
    "PER",
    "LOC",
    "d-0",
    "raw",
    "lin",
    "北京",
    "me@x",
    "label",
    "in_progress",
    "done",
    "train",
    "1",
    "*",
    "a" * 300,
    "\0",
    "\ud800",
    "‮abc",
    "<img src=x onerror=alert(1)>",
    "../../etc/passwd",
    "'; DROP TABLE spans;--",
    "{0.__class__}",
    "%s%n",
    "=cmd|' /C calc'!A0",
    "(",
    "[a-",
    "(a+)+$",
    "\\",
    "%",
    "_",
    "\n\r\t",
    "flat-0001",
    "NaN",
    "1e999",
    "2026-11-27",
    "C:\\con",
    "a/b",
    "😀",
    "é",
)
INTEGERS = (0, 1, 2, 3, 4, 5, 6, 7, -1, 10, 100, 2**31, 2**53, 2**53 + 1, 2**63, -(2**63), 10**30)
ANYTHING: tuple[Any, ...] = (
    None,
    True,
    False,
    *STRINGS,
    *INTEGERS,
    0.5,
    -0.0,
    1e300,
    float("nan"),
    float("-inf"),
    [],
    {},
    [[]],
    {"": None},
    [None] * 3,
    {"start": 0},
    [{"start": 0, "end": 2, "label": "PER"}],
    [0, 2, "PER"],
)
DEEP: Any = json.loads("[" * 200 + "]" * 200)
HUGE = "字" * 200_000
# Bodies that no client of ours makes: too deep for a parser, cut off, other encodings, numbers JSON has not.
BODIES = (
    b"",
    b"null",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"{",
    b'{"token": "\xff"}',
    b'{"token": "\\ud800"}',
    b'{"token": NaN, "spans": Infinity}',
    b"9" * 5_000,
    b'{"a": 1, "a": 2}',
    "\ufeff{}".encode("utf-16"),
)


def examples(usual: int, of: int) -> Iterator[int]:
    """So many numbers, or as many as this one of ``of`` has room for in ``LATTICELENS_FUZZ_SECONDS``."""
    seconds = float(os.environ.get("LATTICELENS_FUZZ_SECONDS", 0)) / of
    until, at = time.monotonic() + seconds, 0
    while at < usual or time.monotonic() < until:
        yield at
        at += 1


class Values:
    """Random values; the same seed gives the same."""

    def __init__(self, seed: object) -> None:
        self.dice = random.Random(str(seed))

    def fitting(self, schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int = 0) -> Any:
        """A value that the schema takes, or is near to its limits."""
        dice = self.dice
        if "$ref" in schema:
            return self.fitting(defs[schema["$ref"].rsplit("/", 1)[1]], defs, depth)
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema:
                return self.fitting(dice.choice(schema[several]), defs, depth)
        if "const" in schema or "enum" in schema:
            return dice.choice(schema.get("enum") or [schema["const"]])
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema, defs, depth)
        if kind == "array":
            counts = (0, 1, 2, 3) if depth < 4 else (0,)
            items = schema.get("items", {})
            return [
                self.fitting(items, defs, depth + 1)
                for _ in range(max(dice.choice(counts), schema.get("minItems", 0)))
            ]
        if kind == "string":
            fits = [
                one
                for one in STRINGS
                if schema.get("minLength", 0) <= len(one) <= schema.get("maxLength", 10**9)
            ]
            return dice.choice(fits or ["a" * schema.get("minLength", 0)])
        if kind in ("integer", "number"):
            least, most = schema.get("minimum", -(2**60)), schema.get("maximum", 2**60)
            return dice.choice([one for one in INTEGERS if least <= one <= most] or [least])
        if kind == "boolean":
            return dice.random() < 0.5
        return None if kind == "null" else dice.choice(ANYTHING)

    def almost(self, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
        """As ``fitting``, in half of all cases with one or two things in it that are wrong."""
        value = self.fitting(schema, defs)
        for _ in range(self.dice.choice((0, 0, 1, 2))):
            value = self._spoilt(value)
        return value

    def _object(self, schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        made = {
            name: self.fitting(inner, defs, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in required or self.dice.random() < 0.6
        }
        more = schema.get("additionalProperties")
        if isinstance(more, Mapping) and depth < 4:
            made |= {self.dice.choice(STRINGS): self.fitting(more, defs, depth + 1) for _ in range(2)}
        return made

    def _spoilt(self, value: Any) -> Any:
        dice = self.dice
        if isinstance(value, dict) and value and dice.random() < 0.85:
            name = dice.choice(list(value))
            if dice.random() < 0.15:
                return {other: inner for other, inner in value.items() if other != name}
            return {**value, name: self._spoilt(value[name])}
        if isinstance(value, list) and value and dice.random() < 0.6:
            at = dice.randrange(len(value))
            return [*value[:at], self._spoilt(value[at]), *value[at + 1 :]]
        chance = dice.random()
        return DEEP if chance < 0.03 else HUGE if chance < 0.05 else dice.choice(ANYTHING)
