"""File formats: one module each, one way to read them and one to write them."""

from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import LOSSES, Format, Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.reading import Reading, ReadResult, read_file, write_refused
from core.formats.framework.registry import available, by_extension, by_name, detect, writable
from core.formats.framework.source import Source
from core.formats.framework.writing import write_file
from core.formats.jsonl import to_record

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
    "writable",
    "write_file",
    "write_refused",
]
