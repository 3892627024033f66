"""``python -m tests.faults.read_mutations FOLDER SEED SECONDS COUNT FORMAT…``: read spoilt files.

A process of its own, because its memory is limited. The file being read lies in the folder, so that it is
still there if the process dies of it. Prints one JSON line per fault, and at the end how many were read.
"""

import io
import json
import random
import resource
import signal
import sys
import time
import traceback
import zipfile
from pathlib import Path

from core.formats import FormatError, available, by_name, read_file, writable
from core.text import Document, Span
from tests.formats.samples import SAMPLES

MEMORY = 1 << 30
SECONDS = 10
TOKENS = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b"'",
    b"<",
    b">",
    b"&",
    b"&#0;",
    b"]]>",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\t",
    b"\n",
    b"\r\n",
    b"\\",
    b"\\ud800",
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"null",
    b"true",
    b"9" * 30,
    b"B-",
    b"I-X",
    b"O",
    b"PK\x03\x04",
    b"../",
    b"%s",
    b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"|",
    b"#",
)


def valid(name: str) -> bytes:
    """A file of the format that is as it should be."""
    if name in SAMPLES:
        return SAMPLES[name].encode()
    spans = (Span(0, 2, "PER"), Span(3, 5, "LOC"))
    documents = [Document(f"d{n}", "拜登在北京会见😀记者。", spans) for n in range(3)]
    target = io.BytesIO()
    by_name(name).write_binary(documents, target)
    return target.getvalue()


def spoilt(content: bytes, dice: random.Random) -> bytes:
    """The file with some bytes changed, or inside one of the files of an archive."""
    if content.startswith(b"PK\x03\x04") and dice.random() < 0.7:
        target = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
            names = old.namelist()
            chosen = dice.choice(names)
            for name in names:
                inner = old.read(name)
                new.writestr(name, spoilt(inner, dice) if name == chosen else inner)
        return target.getvalue()
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(content) + 1)
        end = min(len(content), at + dice.choice((0, 1, 4, 30)))
        how = dice.randrange(6)
        if how == 0:
            content = content[:at] + dice.choice(TOKENS) + content[end:]
        elif how == 1:
            content = content[:at] + dice.randbytes(end - at) + content[end:]
        elif how == 2:
            content = content[:at] + content[at:end] * dice.choice((2, 50)) + content[end:]
        elif how == 3:
            content = content[:at] + content[end:]
        elif how == 4:
            content = content[:at]
        else:
            other = dice.randrange(len(content) + 1)
            content = content[:at] + content[other : other + 40] + content[at:]
    return content


def main(folder: Path, seed: str, seconds: float, count: int, names: list[str]) -> None:
    """Read ``count`` spoilt files of each format, or as many as ``seconds`` have room for."""
    samples = {name: valid(name) for name in names}
    for name, content in samples.items():  # everything is loaded before memory is limited
        read(folder, name, content)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    dice, done, until = random.Random(seed), 0, time.monotonic() + seconds
    while done < count * len(names) or time.monotonic() < until:
        name = names[done % len(names)]
        fault = read(folder, dice.choice((name, None)), spoilt(samples[name], dice))
        done += 1
        if fault is not None:
            kept = folder / f"fault-{done}"
            (folder / "file").replace(kept)
            print(json.dumps({"format": name, "file": str(kept), "fault": fault}), flush=True)
    print(json.dumps({"read": done}))


def read(folder: Path, name: str | None, content: bytes) -> str | None:
    """Read the content as a file; what went wrong, or None."""
    path = folder / "file"
    path.write_bytes(content)
    signal.alarm(SECONDS)
    try:
        result = read_file(path, name)
        for document in result.documents:
            document.text.encode()
            if any(span.end > len(document.text) for span in document.spans):
                return "a span beyond the text"
        return None
    except FormatError as error:
        return None if str(error) else "a refusal without a word"
    except BaseException:  # the alarm's, MemoryError
        return traceback.format_exc()
    finally:
        signal.alarm(0)


def overdue(number: int, frame: object) -> None:
    raise TimeoutError(f"not read within {SECONDS} s")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, overdue)
    chosen = sys.argv[5:] or [name for name in available() if name in SAMPLES or name in writable()]
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), chosen)
