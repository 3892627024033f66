"""The labels of a project: name, colour, hotkey and the guideline that is also the MRC query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from core.runtime.message import Told, ToldValueError, _

# Twelve colours that colour-blind readers can tell apart (Okabe and Ito 2008, extended from Tol 2021).
LABEL_COLOURS: tuple[str, ...] = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#8C6BB1",
    "#A6761D",
    "#666666",
    "#117733",
    "#882255",
    "#44AA99",
)

HOTKEYS = "1234567890qwertyuiopasdfghlzxcvbnm"  # j and k move between documents


class UnknownLabelError(Told, KeyError):
    """A label name that the label set does not contain."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        self.name, self.names = name, tuple(names)
        super().__init__(
            "label {name} is not a label of this project: {known}",
            name=repr(name),
            known=self.names or _("none yet"),
        )


@dataclass(frozen=True, slots=True)
class Label:
    """One label. ``description`` is the annotation guideline shown beside the text and the MRC query."""

    name: str
    colour: str = LABEL_COLOURS[0]
    hotkey: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip() or any(c in self.name for c in "\t\r\n"):
            raise ToldValueError(
                "a label name is a non-empty line without outer blanks, got {name}", name=repr(self.name)
            )


class LabelSet:
    """An ordered set of labels with distinct names and hotkeys.

    Raises:
        ValueError: two labels share a name or a non-empty hotkey.
    """

    def __init__(self, labels: Iterable[Label] = ()) -> None:
        self._labels: dict[str, Label] = {}
        hotkeys: dict[str, str] = {}
        for label in labels:
            if label.name in self._labels:
                raise ToldValueError("label {name} is listed twice", name=repr(label.name))
            if label.hotkey and label.hotkey in hotkeys:
                other = hotkeys[label.hotkey]
                raise ToldValueError(
                    "labels {other} and {name} share the key {hotkey}",
                    other=repr(other),
                    name=repr(label.name),
                    hotkey=repr(label.hotkey),
                )
            hotkeys[label.hotkey] = label.name
            self._labels[label.name] = label

    def extended(self, names: Iterable[str]) -> LabelSet:
        """This set with missing ``names`` added in the order given, each with a colour and a free hotkey."""
        labels = list(self)
        taken = {label.hotkey for label in labels}
        for name in dict.fromkeys(names):
            if name in self._labels:
                continue
            hotkey = next((key for key in HOTKEYS if key not in taken), "")
            taken.add(hotkey)
            labels.append(Label(name, LABEL_COLOURS[len(labels) % len(LABEL_COLOURS)], hotkey))
        return LabelSet(labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels.values())

    def __len__(self) -> int:
        return len(self._labels)

    def __contains__(self, name: object) -> bool:
        return name in self._labels

    def __getitem__(self, name: str) -> Label:
        try:
            return self._labels[name]
        except KeyError:
            raise UnknownLabelError(name, self._labels) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelSet) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LabelSet({', '.join(self.names)})"

    def to_json(self) -> list[dict[str, str]]:
        """The labels as objects, in order; inverse of ``from_json``."""
        return [asdict(label) for label in self]

    @classmethod
    def from_json(cls, objects: Iterable[dict[str, Any]]) -> LabelSet:
        """Labels from objects with ``name`` and optionally ``colour``, ``hotkey``, ``description``."""
        return cls(
            Label(
                name=str(item["name"]),
                colour=str(item.get("colour", LABEL_COLOURS[index % len(LABEL_COLOURS)])),
                hotkey=str(item.get("hotkey", "")),
                description=str(item.get("description", "")),
            )
            for index, item in enumerate(objects)
        )
