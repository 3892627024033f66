"""What a person sets of a source; the secret for an address is not among it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from core.sources.contract import SourceError

Kind = Literal["lac", "spacy", "transformers", "gliner", "language_model"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ASKED_FOR: tuple[Kind, ...] = ("gliner", "language_model")  # kinds that are asked for the project's labels
LONGEST = {"name": 40, "target": 500, "address": 500, "key": 100, "instruction": 4_000}
MOST_EXAMPLES, MOST_PARALLEL, MOST_SECONDS = 20, 16, 600
MOST_LABELS = 500
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class SourceSettings:
    """A source of suggestions.

    Args:
        target: a folder, a name on the hub, a pipeline's name, or the model's name at an address; LAC has
            none.
        address: of an OpenAI-compatible server, up to the version: ``http://127.0.0.1:8080/v1``.
        key: where its secret is: ``""`` there is none, ``"file"`` beside the workspace's database, else the
            name of an environment variable.
        labels: the project's label for each of the source's; ``""`` leaves one out. Those not listed keep
            their name.
        instruction: more for the language model than the guidelines of the labels say.
        examples: how many finished documents a language model is shown with each text.
        read_price, written_price: of a million tokens, in whatever currency.
        seconds: until a request is given up. parallel: requests at the same time.

    Raises:
        SourceError: a value that does not fit; says which.
    """

    kind: Kind
    name: str
    target: str = ""
    address: str = ""
    key: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    instruction: str = ""
    examples: int = 3
    read_price: float = 0.0
    written_price: float = 0.0
    seconds: float = 60.0
    parallel: int = 2

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SourceError("there is no kind of source called {kind}", kind=repr(str(self.kind)[:40]))
        for name, longest in LONGEST.items():
            value = getattr(self, name)
            if not isinstance(value, str) or len(value) > longest:
                raise SourceError("{field} has at most {longest} characters", field=name, longest=longest)
        if not self.name.strip() or not self.name.isprintable():
            raise SourceError("A source needs a name of 1 to {longest} characters.", longest=LONGEST["name"])
        if self.kind != "lac" and not self.target.strip():
            raise SourceError("Say which model it is: a folder, or the name of a model.")
        if self.kind == "language_model" and not self.address.strip():
            raise SourceError("A language model needs the address of its server.")
        if self.key not in ("", "file") and not _VARIABLE.fullmatch(self.key):
            raise SourceError(
                "The name of an environment variable has letters, digits and _ only. The key itself does not "
                "belong in this field."
            )
        self._check_numbers()
        if len(self.labels) > MOST_LABELS or not all(
            isinstance(text, str) for pair in self.labels.items() for text in pair
        ):
            raise SourceError("The labels of a source are pairs of names, at most {most}.", most=MOST_LABELS)

    def _check_numbers(self) -> None:
        limits = {
            "examples": (0, MOST_EXAMPLES), "parallel": (1, MOST_PARALLEL), "seconds": (1, MOST_SECONDS),
            "read_price": (0, 1e6), "written_price": (0, 1e6),
        }  # fmt: skip
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            whole = name in ("examples", "parallel")
            is_number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
            if not is_number or not least <= value <= most:
                raise SourceError("{field} is from {least} to {most}", field=name, least=least, most=most)

    def cost(self, read: int, written: int) -> float:
        """What these tokens cost, in the currency of the prices."""
        return (read * self.read_price + written * self.written_price) / 1e6

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return asdict(self) | {"labels": dict(self.labels)}

    @classmethod
    def from_json(cls, value: Any) -> SourceSettings:
        """Inverse of `to_json`; fields that are left out have their defaults.

        Raises:
            SourceError: a field is unknown, missing or malformed.
        """
        names = {item.name for item in fields(cls)}
        if not isinstance(value, Mapping) or not isinstance(value.get("labels", {}), Mapping):
            raise SourceError("the settings of a source are an object with its kind and name")
        unknown = sorted(str(name) for name in set(value) - names)
        if unknown or not {"kind", "name"} <= set(value):
            raise SourceError(
                "the settings of a source need kind and name, and may have {names}; not {unknown}",
                names=sorted(names - {"kind", "name"}),
                unknown=unknown or "–",
            )
        return cls(**value)
