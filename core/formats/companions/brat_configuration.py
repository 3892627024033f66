"""brat's ``annotation.conf``: the types of the spans, relations and attributes of a collection.

Layout: brat's manual, "Configuration" (brat.nlplab.org/configuration.html).
"""

from __future__ import annotations

from core.formats.shapes.file_per_document import Configuration

NAME = "annotation.conf"
_SECTIONS = ("entities", "relations", "events", "attributes")


class BratConfiguration(Configuration):
    """The types that occur in ``.ann`` files, in order of first appearance."""

    def __init__(self) -> None:
        self._documents = 0
        self._entities: dict[str, None] = {}
        self._relations: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        self._symmetric: dict[str, dict[str, None]] = {}
        self._attributes: dict[str, dict[str, None]] = {}

    def add(self, contents: list[str]) -> None:
        """Take note of a text and its annotations, as `core.formats.brat` writes them."""
        self._documents += 1
        types: dict[str, str] = {}
        for line in contents[-1].split("\n"):
            name, _, rest = line.partition("\t")
            kind, *parts = rest.partition("\t")[0].split(" ")
            if name.startswith("T"):
                types[name] = kind
                self._entities.setdefault(kind)
            elif name.startswith("R"):
                for held, part in zip(self._relations.setdefault(kind, ({}, {})), parts, strict=True):
                    held.setdefault(types[part.partition(":")[2]])
            elif name == "*":
                self._symmetric.setdefault(kind, {}).update(dict.fromkeys(types[part] for part in parts))
            elif name.startswith("A"):
                values = self._attributes.setdefault(kind, {})
                if len(parts) > 1:
                    values.setdefault(" ".join(parts[1:]))

    def files(self) -> dict[str, bytes]:
        """The four sections, which brat wants even where they are empty; nothing without a document."""
        if not self._documents:
            return {}
        relations = [
            f"{kind}\tArg1:{'|'.join(first)}, Arg2:{'|'.join(second)}"
            for kind, (first, second) in self._relations.items()
        ]
        relations += [
            f"{kind}\tArg1:{'|'.join(ends)}, Arg2:{'|'.join(ends)}, <REL-TYPE>:symmetric-transitive"
            for kind, ends in self._symmetric.items()
        ]
        attributes = [
            f"{kind}\tArg:<ENTITY>" + (f", Value:{'|'.join(values)}" if values else "")
            for kind, values in self._attributes.items()
        ]
        rows: tuple[list[str], ...] = (list(self._entities), relations, [], attributes)
        sections = (
            "".join(line + "\n" for line in (f"[{name}]", *lines, ""))
            for name, lines in zip(_SECTIONS, rows, strict=True)
        )
        return {NAME: "".join(sections).encode("utf-8", "replace")}
