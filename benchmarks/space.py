"""The app as the host of a Space starts it: seconds to the first page, and memory while visitors work.

    python -m benchmarks.space [--python PYTHON] [--visitors 5]
    python -m benchmarks.space --starts 7 [--against REPOSITORY]

The last commit, read-only, in a mount namespace of its own; an unprivileged user without a home that can be
written, `SPACE_ID`, the port from the environment, and nothing on the command line but the ``app_file`` of
README.md's head. Each visitor tags a text and looks into a sentence, all at once. With ``--starts`` there are
no visitors: it is started so many times, in turn with the last commit of another repository, for the medians.
Linux and root only.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sessions import MEGABYTE, SENTENCE, TEXT, config_of, visit

ROOT = Path(__file__).resolve().parents[1]
NOBODY = 65534
START_SECONDS = 120.0
# Nobody can write the tree; of a closed folder such as /root only the interpreter in it is left.
INSIDE = """
set -e
mount --bind {tree} {tree}
mount -o remount,bind,ro {tree}
if [ -n "{closed}" ]; then
  mount --bind {prefix} {stash}
  mount -t tmpfs -o mode=755 tmpfs {closed}
  mkdir -p {prefix}
  mount --bind {stash} {prefix}
fi
cd {tree}
exec setpriv --reuid {nobody} --regid {nobody} --clear-groups --inh-caps=-all --no-new-privs \\
  {python} {app_file}
"""


@dataclass(frozen=True)
class Running:
    """An app of a Space.

    Args:
        log: what it printed. answered, ready: seconds from its start to its first answer, which may be the
            page that announces it, and to the app; worked: of the processor.
    """

    url: str
    pid: int
    log: Path
    answered: float
    ready: float
    worked: float


def app_file() -> str:
    """What the host runs, by the head of README.md."""
    head = (ROOT / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    return next(line.partition(": ")[2] for line in head.splitlines() if line.startswith("app_file: "))


@contextmanager
def space(
    python: str = sys.executable, more: Mapping[str, str] | None = None, repository: Path = ROOT
) -> Iterator[Running]:
    """Start the app as a Space.

    Args:
        python: an interpreter with the packages of requirements.txt. more: of its environment.
        repository: whose last commit it is.

    Raises:
        RuntimeError: it ended, or did not answer.
    """
    folder = Path(tempfile.mkdtemp(prefix="latticelens-space-"))
    log = folder / "log"
    try:
        folder.chmod(0o755)
        tree, stash, home, scratch = (folder / name for name in ("app", "stash", "home", "tmp"))
        for each in (tree, stash, home, scratch):
            each.mkdir()
        os.chown(scratch, NOBODY, NOBODY)
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=repository, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
        port = _free_port()
        prefix = _prefix(python)
        script = INSIDE.format(
            tree=tree, stash=stash, prefix=prefix, closed=_closed(prefix), nobody=NOBODY,
            python=shlex.quote(python), app_file=app_file(),
        )  # fmt: skip
        environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(scratch),
            "SPACE_ID": "somebody/latticelens", "SYSTEM": "spaces", "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_SERVER_PORT": str(port), "PYTHONUNBUFFERED": "1", **(more or {}),
        }  # fmt: skip
        began = time.monotonic()
        with log.open("wb") as written:
            process = subprocess.Popen(
                ["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
                stdout=written, stderr=written, env=environment, start_new_session=True,
            )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}/"
            after = []
            for address in (url, f"{url}readyz"):  # a page that says it is starting, then the app
                while not _answers(address):
                    if process.poll() is not None or time.monotonic() - began > START_SECONDS:
                        said = log.read_text(errors="replace")[-4000:]
                        raise RuntimeError(f"the app did not answer: {said}")
                    time.sleep(0.05)
                after.append(time.monotonic() - began)
            answered, ready = after
            yield Running(url, process.pid, log, answered, ready, _processor_seconds(process.pid))
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def work_together(running: Running, visitors: int) -> tuple[int, list[str]]:
    """Let visitors tag and look inside at the same time.

    Returns:
        The most resident bytes of the app and its children meanwhile, and what went wrong.
    """
    config, wrong = config_of(running.url), list[str]()

    def work(number: int) -> None:
        try:
            with visit(running.url, config) as page:
                page.fire("ll-tab-tag", "select")
                page.fire("tag-go", "click", tag_text=TEXT)
                page.fire("ll-tab-inspect", "select")
                page.fire("inspect-look", "click", inspect_sentence=SENTENCE.format(number=number))
        except Exception as error:
            wrong.append(f"visitor {number}: {error!r}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(visitors)]
    for thread in threads:
        thread.start()
    most = 0
    while any(thread.is_alive() for thread in threads):
        most = max(most, resident(running.pid))
        time.sleep(0.1)
    return max(most, resident(running.pid)), wrong


def resident(pid: int) -> int:
    """Resident bytes of a process and all below it; what they share counts for each."""
    total, waiting = 0, [pid]
    while waiting:
        process = Path("/proc") / str(waiting.pop())
        try:
            status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            total += int(status.get("VmRSS", "0").split()[0]) * 1024
            for task in (process / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:  # it has ended
            continue
    return total


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _prefix(python: str) -> Path:
    told = subprocess.run(
        [python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True
    )
    return Path(told.stdout.strip()).resolve()


def _closed(prefix: Path) -> str:
    """The outermost folder above ``prefix`` that others may not enter; empty if there is none."""
    above = [folder for folder in reversed(prefix.parents) if not folder.stat().st_mode & 0o001]
    return str(above[0]) if above else ""


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return bool(reply.status == 200 and reply.read())
    except (urllib.error.URLError, OSError):
        return False


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def starts(python: str, count: int, repositories: list[Path]) -> None:
    """Start each so many times, in turn, and print the medians."""
    found: dict[Path, list[tuple[float, float, float]]] = {each: [] for each in repositories}
    before = os.getloadavg()[0]
    for _ in range(count):
        for each, times in found.items():
            with space(python, repository=each) as running:
                times.append((running.answered, running.ready, running.worked))
    print(
        f"{count} starts each, load {before:.1f} before and {os.getloadavg()[0]:.1f} after; medians (least)"
    )
    for each, times in found.items():
        columns = zip(("first answer", "the app", "processor"), zip(*times, strict=True), strict=True)
        said = [f"{name} {statistics.median(column):.2f} s ({min(column):.2f})" for name, column in columns]
        print(f"{each.name}: {', '.join(said)}")


def main() -> int:
    """Print what was measured; the status is 1 if a visitor met an error."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="interpreter of the Space")
    parser.add_argument("--visitors", type=int, default=5)
    parser.add_argument("--starts", type=int, default=0, metavar="N")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="REPOSITORY")
    given = parser.parse_args()
    if given.starts:
        starts(given.python, given.starts, [ROOT, *given.against])
        return 0
    with space(given.python) as running:
        began = time.monotonic()
        _answers(running.url)
        again = time.monotonic() - began
        most, wrong = work_together(running, given.visitors)
        told = running.log.read_text(errors="replace")
    print(
        f"first answer: {running.answered:.1f} s after the start; the app: {running.ready:.1f} s, "
        f"{running.worked:.1f} s of processor time; its page again: {again:.2f} s"
    )
    print(f"most resident memory with {given.visitors} visitors: {most / MEGABYTE:.0f} MiB")
    if wrong:
        print("\n".join(wrong), told[-8000:], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
