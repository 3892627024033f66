"""dkpro-cassis, the type systems of files, and the one we write."""

from __future__ import annotations

import io
import re
import stat
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.formats.cas.chains import create_types
from core.formats.framework.errors import RecordError
from core.formats.framework.optional import required
from core.formats.framework.source import FolderSource
from core.formats.shapes.safe_xml import check_xml, tree_of
from core.runtime.message import _

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
RELATION = "webanno.custom.Relation"
TYPES_FILE = "TypeSystem.xml"
_CAS = _("UIMA CAS")
_LARGEST = 256 << 20
_PREFIX = re.compile(rb"""xmlns:([\w.-]+)\s*=\s*["']http:///([\w./-]+?)\.ecore["']""")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def content_of(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        RecordError: the file is too large.
    """
    if path.stat().st_size > _LARGEST:
        raise RecordError("the file has more than {most} MiB", most=_LARGEST >> 20)
    return path.read_bytes()


def types_above(path: Path, source: FolderSource) -> Any:
    """The nearest type system from a file's folder up to the one that was given, or None.

    A file alone has that of its own folder: what lies above was not handed over with it.

    Raises:
        RecordError: a file of that name holds none.
    """
    within = path.parent.relative_to(source.folder).parts
    for depth in range(len(within), -1, -1):
        beside = source.folder.joinpath(*within[:depth], TYPES_FILE)
        try:
            status = beside.stat()
        except OSError:
            status = None
        if status is not None and stat.S_ISREG(status.st_mode):
            return _types_in(beside, (status.st_ino, status.st_size, status.st_mtime_ns))
    return None


@lru_cache(maxsize=8)
def _types_in(path: Path, stamp: tuple[int, ...]) -> Any:
    """The type system in a file, cached until its stamp changes."""
    content = content_of(path)
    check_xml(content)
    try:
        return _parsed_types(content)
    except Exception:  # as for XMI
        raise RecordError(
            "{file} is not a type system that can be read; export it again with the documents",
            file=TYPES_FILE,
        ) from None


@lru_cache(maxsize=2)
def _parsed_types(content: bytes) -> Any:
    """Parse a type system, cached because parsing takes two thirds of the time per document.

    Reading a CAS adds nothing to the type system it is given.
    """
    return cassis().load_typesystem(io.BytesIO(content))


@lru_cache(maxsize=4)
def json_types(types: str) -> Any:
    """The type system in a JSON file, cached."""
    empty = f'{{"%TYPES": {types}, "%FEATURE_STRUCTURES": [], "%VIEWS": {{}}}}'
    return cassis().load_cas_from_json(empty).typesystem


def cassis() -> Any:
    """dkpro-cassis.

    Raises:
        FormatError: it is not installed.
    """
    library = required("cassis", "dkpro-cassis", _CAS)
    _skip_needless_tables()
    return library


@lru_cache(maxsize=1)
def _skip_needless_tables() -> None:
    """Make cassis skip its table of offsets for texts whose UTF-16 units are their code points.

    The table, two dicts with an entry per character, takes a third of the time of a small file. Without it
    cassis leaves offsets unchanged, as the table would.
    """
    converter: Any = required("cassis.cas", "dkpro-cassis", _CAS).Utf16CodepointOffsetConverter
    make_table = converter.create_offset_mapping

    def create_offset_mapping(self: Any, sofa_string: str | None) -> None:
        if sofa_string is None or _ASTRAL.search(sofa_string):
            make_table(self, sofa_string)
        else:
            self._external_to_python = self._python_to_external = None

    converter.create_offset_mapping = create_offset_mapping


@lru_cache(maxsize=2)
def new_types(chained: bool) -> Any:
    """The type system we write: entities, relations, and chains if ``chained``."""
    types = cassis().TypeSystem()
    entity = types.create_type(NAMED_ENTITY, "uima.tcas.Annotation")
    types.create_feature(entity, "value", "uima.cas.String")
    types.create_feature(entity, "identifier", "uima.cas.String")
    relation = types.create_type(RELATION, "uima.tcas.Annotation")
    types.create_feature(relation, "Dependent", NAMED_ENTITY)
    types.create_feature(relation, "Governor", NAMED_ENTITY)
    types.create_feature(relation, "label", "uima.cas.String")
    if chained:
        create_types(types)
    return types


def unknown_types(content: bytes, types: Any) -> dict[str, int]:
    """How many structures an XMI file has of types that a type system does not describe, by name.

    Args:
        content: XML that was checked (`check_xml`).
    """
    prefixes = dict(_PREFIX.findall(content))
    counts: Counter[str] = Counter()
    for element in tree_of(content):
        prefix, _, name = str(element.tag).rpartition(":")
        package = prefixes.get(prefix.encode(), b"").decode("utf-8", "replace").replace("/", ".")
        full = f"{package}.{name}" if package else name
        if package != "uima.cas" and not types.contains_type(full):
            counts[full] += 1
    return dict(counts.most_common())


def new_cas(chained: bool) -> Any:
    """An empty CAS of these types."""
    return cassis().Cas(new_types(chained))
