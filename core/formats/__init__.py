"""File formats: one module each, one way to read them and one to write them."""

from core.formats.format import (
    LOSSES,
    Format,
    FormatError,
    Holds,
    Losses,
    ReadOptions,
    RecordError,
    Refusal,
    WriteOptions,
)
from core.formats.jsonl import to_record
from core.formats.reading import Reading, ReadResult, read_file, write_refused
from core.formats.registry import available, by_extension, by_name, detect
from core.formats.source import Source
from core.formats.writing import write_file

__all__ = [
    "LOSSES",
    "Format",
    "FormatError",
    "Holds",
    "Losses",
    "ReadOptions",
    "ReadResult",
    "Reading",
    "RecordError",
    "Refusal",
    "Source",
    "WriteOptions",
    "available",
    "by_extension",
    "by_name",
    "detect",
    "read_file",
    "to_record",
    "write_file",
    "write_refused",
]
