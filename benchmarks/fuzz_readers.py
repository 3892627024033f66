"""Every reader of files under a fuzzer that follows which lines an input reaches (atheris): a table of each.

    pip install '.[fuzz]'
    nice -n 19 python -m benchmarks.fuzz_readers [--minutes 10] [--readers jsonl cas_xmi …] [--folder FOLDER]

Every reader has a process of its own and so many minutes of processor time, from one sample of its own and
what `tests.faults.read_mutations` makes of it. An input may take ten seconds of processor time and a gigabyte
of memory beyond what the process had before. What comes of it must be documents whose spans lie in their
texts, or a `FormatError` that says something; anything else is a fault, kept in the folder with its input,
and makes the exit status 1. The memory is the growth of the process at its largest, over all inputs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import atheris

from core.runtime.message import Told
from core.text import Document

READ = ["core.formats", "core.lexicon", "core.linking"]
with redirect_stderr(io.StringIO()), atheris.instrument_imports(include=READ):  # it names every module
    from core.formats import ReadOptions, available, read_file
    from core.formats.doctor.offset_doctor import diagnose
    from core.formats.framework.source import Source
    from core.formats.mapping.guess import guess_of
    from core.formats.mapping.mapping import read_mapping
    from core.lexicon.word_list import read_word_list
    from core.linking.knowledge_file import read_entries
    from tests.faults.read_mutations import spoilt, valid

SECONDS, MEMORY, LONGEST, MOST_FAULTS = 10, 1 << 30, 100_000, 20
DEAD = 60  # seconds of processor time after which an input that cannot be interrupted has had its chance
Reader = Callable[[Path, int], object]


def of_format(name: str) -> Reader:
    """Read under this name, or under the name that the content suggests; the number chooses the options."""

    def read(path: Path, number: int) -> object:
        options = ReadOptions(
            unit=("line", "paragraph", "file")[number % 3],
            offsets=("auto", "utf16", "utf8")[number // 3 % 3],
        )
        return check(read_file(path, name if number % 4 else None, options).documents)

    return read


def with_mapping(path: Path, number: int) -> object:
    """Read with the mapping that the fields suggest."""
    return check(read_file(path, None, ReadOptions(mapping=guess_of(Source(path)))).documents)


def check(documents: Sequence[Document]) -> object:
    """Whether a project could hold them."""
    for document in documents:
        document.text.encode()
        assert document.id, "a document without an id"
        for span in document.spans:
            assert 0 <= span.start < span.end <= len(document.text), (
                f"{span} in {len(document.text)} characters"
            )
    assert len({document.id for document in documents}) == len(documents), "two documents with one id"
    return documents


# Beside the formats: what reads one of several samples, with their names in `available`, or a text.
OTHERS: dict[str, tuple[Reader, tuple[str | bytes, ...]]] = {
    "with a mapping": (with_mapping, ("jsonl", "bmes", "csv", "tsv", "doccano", "parquet", "label_studio")),
    "offset doctor": (lambda path, _number: diagnose(path), ("jsonl", "brat", "doccano", "pubtator")),
    "mapping": (
        lambda path, _number: read_mapping(path),
        (b'{"text": "a.b", "spans": "c", "start": "0", "end": "1", "label": "2", "id": "d"}',),
    ),
    "word list": (
        lambda path, _number: read_word_list(path),
        ("北京\t12\tLOC\n拜登 3 nr\n".encode(), "word,label\n北京,LOC\n".encode()),
    ),
    "knowledge base": (
        lambda path, _number: list(read_entries(path)),
        (
            '{"id": "Q1", "name": "北京", "aliases": ["京"], "type": "LOC"}\n'.encode(),
            "id,name,aliases\nQ1,北京,京|燕京\n".encode(),
        ),
    ),
}  # fmt: skip
READERS = (*available(), *OTHERS)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a reader: numbers of inputs, seconds of the slowest, bytes of the largest, kept faults."""

    inputs: int = 0
    read: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    memory: int = 0
    faults: int = 0

    def __add__(self, other: Tried) -> Tried:
        return Tried(
            self.inputs + other.inputs, self.read + other.read, self.seconds + other.seconds,
            max(self.slowest, other.slowest), max(self.memory, other.memory), self.faults + other.faults,
        )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz one after the other and print a table; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10, metavar="N", help="of each reader (10)")
    parser.add_argument("--readers", nargs="+", default=READERS, choices=READERS, metavar="NAME")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="for faults (a temporary one)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    root = args.folder or Path(tempfile.mkdtemp(prefix="fuzz-"))
    print(
        f"{'reader':<18}{'minutes':>8}{'inputs':>10}{'refused':>9}{'slowest':>9}{'MiB':>6}{'faults':>7}",
        flush=True,
    )
    total = Tried()
    for name in args.readers:
        tried = in_processes(name, root / name.replace(" ", "_"), args.minutes * 60, args.seed)
        total += tried
        print(row(name, tried), flush=True)
    print(row("all", total))
    if total.faults:
        print(f"faults and their inputs: {root}")
    return 1 if total.faults else 0


def row(name: str, tried: Tried) -> str:
    """A line of the table."""
    refused = 1 - tried.read / max(1, tried.inputs)
    return (
        f"{name:<18}{tried.seconds / 60:>8.1f}{tried.inputs:>10,}{refused:>9.0%}"
        f"{tried.slowest:>8.2f}s{tried.memory / 2**20:>6.0f}{tried.faults:>7}"
    )


def in_processes(name: str, folder: Path, seconds: float, seed: int) -> Tried:
    """A process of the reader, and another one each time that one dies of an input."""
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    state, log, total = folder / "state.json", folder / "log", Tried()
    while total.seconds < seconds and total.faults < MOST_FAULTS:
        state.unlink(missing_ok=True)
        child = os.fork()  # what is loaded and instrumented need not be so again
        if child == 0:
            with log.open("w") as said:
                os.dup2(said.fileno(), sys.stderr.fileno())
            fuzz(name, folder, seconds - total.seconds, seed + total.faults)
        _, status = os.waitpid(child, 0)
        tried = Tried(**json.loads(state.read_text())) if state.exists() else Tried()
        if status:
            code, tail = os.waitstatus_to_exitcode(status), log.read_text(errors="replace")[-3000:]
            kept(
                folder,
                f"it ended with {code}, of the input beside this\n{tail}",
                (folder / "input").read_bytes(),
            )
            tried = replace(tried, faults=tried.faults + 1, seconds=tried.seconds + 1)
        total += tried
    return total


def kept(folder: Path, said: str, content: bytes) -> None:
    """Keep a fault and the input that it came of."""
    number = len(list(folder.glob("fault-*.txt")))
    (folder / f"fault-{number}").write_bytes(content)
    (folder / f"fault-{number}.txt").write_text(said, encoding="utf-8", errors="backslashreplace")


def fuzz(name: str, folder: Path, seconds: float, seed: int) -> NoReturn:
    """Feed a reader until its processor time is over; ends this process."""
    read, samples = OTHERS.get(name) or (of_format(name), (name,))
    path = folder / "input"
    for number, sample in enumerate(samples):
        content = valid(sample) if isinstance(sample, str) else sample
        path.write_bytes(content)
        (folder / "corpus" / str(number)).write_bytes(content)
        with suppress(Told):  # what it imports is loaded before memory is limited
            read(path, 1)
    signal.signal(signal.SIGPROF, overdue)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    begun, before, last = time.process_time(), grown(), 0.0
    tried, seen = Tried(), set[str]()

    def one(content: bytes) -> None:
        nonlocal tried, last
        path.write_bytes(content)
        start = time.process_time()
        said, was_read = outcome(read, path, zlib.crc32(content))
        now = time.process_time()
        if said is not None and (where := "\n".join(said.splitlines()[-4:])) not in seen:
            seen.add(where)
            kept(folder, said, content)
        tried = Tried(
            tried.inputs + 1, tried.read + was_read, now - begun, max(tried.slowest, now - start),
            grown() - before, len(seen),
        )  # fmt: skip
        if now - last > 1 or now - begun >= seconds:
            last = now
            (folder / "state.json").write_text(json.dumps(asdict(tried)))
            resource.setrlimit(resource.RLIMIT_CPU, (int(now) + DEAD, resource.RLIM_INFINITY))
        if now - begun >= seconds:
            os._exit(0)

    def mutated(content: bytes, size: int, number: int) -> bytes:
        dice = random.Random(number)
        if dice.random() < 0.5:
            with suppress(Exception):  # of an archive that is broken already
                return spoilt(content, dice)[:size]
        return bytes(atheris.Mutate(content, size))

    # Times and memory are limited above, so that it goes on after an input that takes too much.
    flags = ["-rss_limit_mb=0", "-malloc_limit_mb=0", "-timeout=3600", f"-seed={seed}", f"-max_len={LONGEST}"]
    flags.append(f"-artifact_prefix={folder}/")  # of inputs it thinks slow, by the clock
    atheris.Setup([name, *flags, str(folder / "corpus")], one, custom_mutator=mutated)
    atheris.Fuzz()
    os._exit(1)  # it gave up before its time


def outcome(read: Reader, path: Path, number: int) -> tuple[str | None, bool]:
    """What was wrong, or None; and whether the file was read."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        read(path, number)
        return None, True
    except Told as error:  # FormatError, and what word lists and knowledge bases say
        signal.setitimer(signal.ITIMER_PROF, 0)
        return (None if str(error) else "a refusal without a word"), False
    except BaseException:  # the timer's, MemoryError
        signal.setitimer(signal.ITIMER_PROF, 0)
        return traceback.format_exc(), False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def grown() -> int:
    """The largest memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def overdue(_number: int, _frame: Any) -> None:
    raise TimeoutError(f"not read within {SECONDS} s of processor time")


if __name__ == "__main__":
    sys.exit(main())
