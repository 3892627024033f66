"""Bulk tagging with Ray: speed against the plain command, memory, killed processes, two machines.

    python -m benchmarks.bulk speed  [--characters N]   the plain command, one worker, two; one thread each
    python -m benchmarks.bulk memory [--megabytes N …]  peak memory by the size of the input
    python -m benchmarks.bulk kills  [--times N]        SIGKILL at random of workers and the driver
    python -m benchmarks.bulk nodes                     Ray nodes in network namespaces (Linux, as root)

Texts are the sentences of the demo corpus with entities swapped for others of their label.
Everything prints a JSON object and takes the demo tagger unless ``--model`` names another.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.formats import read_file
from core.text import Document
from latticelens import DEMO_CORPUS, DEMO_TAGGER

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["speed", "memory", "kills", "nodes"])
    parser.add_argument("--model", type=Path, default=DEMO_TAGGER)
    parser.add_argument("--characters", type=int, default=120_000)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    measure: dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]] = {
        "speed": speed,
        "memory": memory,
        "kills": kills,
        "nodes": nodes,
    }
    os.environ.setdefault("RAY_worker_niceness", "0")  # as the plain command: Ray makes its workers yield
    with tempfile.TemporaryDirectory(prefix="latticelens-bulk-") as folder:
        measured = measure[args.what](args, Path(folder))
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    print(json.dumps({"load_at_the_end": load, "processors": os.cpu_count(), **measured}, indent=1))
    return 0


def sentences(seed: int) -> Iterator[str]:
    """Sentences without end, made from those of the demo corpus by swapping entities of the same label."""
    documents: list[Document] = list(read_file(DEMO_CORPUS).documents)
    surfaces: defaultdict[str, list[str]] = defaultdict(list)
    for document in documents:
        for span in document.spans:
            surfaces[span.label].append(document.surface(span))
    choose = random.Random(seed)
    while True:
        document = choose.choice(documents)
        text, at = [], 0
        for span in sorted(document.spans, key=lambda span: (span.start, -span.end)):
            if span.start < at:
                continue
            text += [document.text[at : span.start], choose.choice(surfaces[span.label])]
            at = span.end
        yield ("".join(text) + document.text[at:]).replace("\n", " ")


def write_texts(path: Path, seed: int, enough: Callable[[int, int], bool]) -> list[str]:
    """Write sentences, one a line, until ``enough(characters, bytes)``; returns the first 100,000."""
    kept: list[str] = []
    characters = size = 0
    with path.open("w", encoding="utf-8") as file:
        for text in sentences(seed):
            file.write(text + "\n")
            characters, size = characters + len(text), size + len(text.encode()) + 1
            if len(kept) < 100_000:
                kept.append(text)
            if enough(characters, size):
                return kept
    raise AssertionError("sentences have no end")


def command(model: Path, source: Path, out: Path, workers: int, *more: str) -> list[str]:
    """The bulk command, one thread a worker."""
    return [
        sys.executable, "-m", "core", "tag", "--engine", "ray", "--model", str(model), "--input", str(source),
        "--out", str(out), "--format", "jsonl", "--workers", str(workers), *more,
    ]  # fmt: skip


def speed(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Seconds of the plain command and of one and two workers; the start of processes apart."""
    source = folder / "texts.txt"
    texts = write_texts(source, args.seed, lambda characters, size: characters >= args.characters)
    few = folder / "few.txt"
    few.write_text(texts[0] + "\n", encoding="utf-8")
    characters = sum(map(len, texts))

    def plain(path: Path) -> float:
        begun = time.perf_counter()
        with (folder / "plain.jsonl").open("wb") as out:
            subprocess.run(
                [
                    sys.executable, "-m", "core", "tag", "--model", args.model, "--threads", "1",
                    "--device", "cpu", path,
                ],
                cwd=ROOT, stdout=out, check=True,
            )  # fmt: skip
        return time.perf_counter() - begun

    result: dict[str, Any] = {"characters": characters, "sentences": len(texts)}
    start = plain(few)
    result["plain"] = {"seconds_without_start": round(plain(source) - start, 1)}
    plain_rows = [json.loads(line)["spans"] for line in (folder / "plain.jsonl").open(encoding="utf-8")]
    for workers in (1, 2):
        begun = time.perf_counter()
        out = folder / f"out{workers}"
        done = subprocess.run(
            command(
                args.model, source, out, workers, "--block-size", str(source.stat().st_size / 16 / (1 << 20))
            ),
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        )
        report = json.loads(done.stdout)
        # Receipts are dated by the system: from the first block's beginning to the last one's end.
        receipts = [(path.stat().st_mtime, json.loads(path.read_text())) for path in out.glob("done/*.json")]
        first = min(at - receipt["seconds"] for at, receipt in receipts)
        result[f"{workers} workers"] = {
            "seconds_without_start": round(max(at for at, _ in receipts) - first, 1),
            "worker_seconds": report["worker_seconds"],
            "whole_command": round(time.perf_counter() - begun, 1),
            "characters_per_second_per_worker": report["characters_per_second_per_worker"],
        }
        rows = [
            row
            for path in sorted(out.glob("parts/*"))
            for row in map(json.loads, path.open(encoding="utf-8"))
        ]
        close = sum(_same(row["spans"], spans) for row, spans in zip(rows, plain_rows, strict=True))
        result[f"{workers} workers"]["sentences_as_the_plain_command"] = close
    one, two = (result[f"{workers} workers"]["seconds_without_start"] for workers in (1, 2))
    result["two_against_one"] = round(one / two, 2)
    result["one_against_plain"] = round(one / result["plain"]["seconds_without_start"], 3)
    return result


def _same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    """Whether spans are equal, scores but for rounding: batches differ."""
    return [(s["start"], s["end"], s["label"]) for s in one] == [
        (s["start"], s["end"], s["label"]) for s in other
    ] and all(
        abs(a["score"] - b["score"]) < 1e-4 for a, b in zip(one, other, strict=True) if a["score"] is not None
    )


def memory(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Peak resident memory of all processes, for inputs of each of the sizes.

    Shared pages are divided among those who share them (PSS of ``/proc``).
    """
    result: dict[str, Any] = {}
    for megabytes in args.megabytes:
        source = folder / f"{megabytes}.txt"
        write_texts(source, args.seed, _of_bytes(megabytes << 20))
        driver = subprocess.Popen(
            command(args.model, source, folder / f"out{megabytes}", 2),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        peak: dict[str, float] = {}
        done = threading.Event()
        watch = threading.Thread(target=_watch, args=(driver.pid, peak, done))
        watch.start()
        out = driver.communicate()[0]
        done.set()
        watch.join()
        report = json.loads(out)
        result[f"{megabytes} MB"] = {
            "peak_megabytes": {name: round(value) for name, value in sorted(peak.items())},
            "documents": report["documents"],
            "seconds": report["seconds"],
            "characters_per_second_per_worker": report["characters_per_second_per_worker"],
        }
    return result


def _of_bytes(most: int) -> Callable[[int, int], bool]:
    return lambda characters, size: size >= most


def _watch(pid: int, peak: dict[str, float], done: threading.Event) -> None:
    while not done.wait(0.5):
        kinds: defaultdict[str, float] = defaultdict(float)
        for process in family(pid):
            name = "driver" if process == pid else "workers" if _name(process).startswith("ray::") else "ray"
            kinds[name] += _pss(process)
        kinds["all"] = sum(kinds.values())
        for name, value in kinds.items():
            peak[name] = max(peak.get(name, 0.0), value)


def family(pid: int) -> list[int]:
    """A process and all below it."""
    parents: defaultdict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int((folder / "stat").read_text().rpartition(")")[2].split()[1])].append(int(folder.name))
        except OSError:
            continue
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += parents[found[-1]]
    return found


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _pss(pid: int) -> float:
    """Megabytes."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return float(rollup.partition("\nPss:")[2].split()[0]) / 1024


def kills(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Kill workers and the driver in turn at random moments, resume, and compare input and output."""
    source, out = folder / "texts.txt", folder / "out"
    texts = write_texts(source, args.seed, lambda characters, size: characters >= args.characters)
    choose = random.Random(args.seed)
    more: list[str] = ["--block-size", str(max(0.001, source.stat().st_size / 60 / (1 << 20)))]
    killed = {"worker": 0, "driver": 0}

    def start(*resume: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command(args.model, source, out, 2, *more, *resume), cwd=ROOT, stdout=subprocess.PIPE, text=True,
            stderr=errors,
        )  # fmt: skip

    errors = (folder / "errors.txt").open("w+")
    driver = start()
    while sum(killed.values()) < args.times:
        before = len(list(out.glob("done/*.json")))
        while driver.poll() is None and len(list(out.glob("done/*.json"))) < before + 1:
            time.sleep(0.05)
        time.sleep(choose.random() * 2)
        if driver.poll() is not None:
            break
        workers = [pid for pid in family(driver.pid) if _name(pid).startswith("ray::MapWorker")]
        if workers and killed["worker"] <= killed["driver"]:
            os.kill(choose.choice(workers), signal.SIGKILL)
            killed["worker"] += 1
        else:
            driver.kill()
            driver.wait()
            killed["driver"] += 1
            driver = start("--resume")
    said = driver.communicate()[0]
    if driver.returncode:
        errors.seek(0)
        return {"killed": killed, "failed": errors.read()[-2000:]}
    report = json.loads(said)
    rows = [
        row for path in sorted(out.glob("parts/*")) for row in map(json.loads, path.open(encoding="utf-8"))
    ]
    return {
        "killed": killed,
        "sentences": len(texts),
        "rows": len(rows),
        "input_is_output": [row["text"] for row in rows] == texts,
        "report": {name: report[name] for name in ("documents", "refused", "blocks", "workers")},
    }


def nodes(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A head without a processor and two worker nodes, each in a network of its own, joined by a bridge."""
    source, out = folder / "texts.txt", folder / "out"
    write_texts(source, args.seed, lambda characters, size: characters >= args.characters)

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True)

    spaces = {f"llb{number}": f"10.99.7.{number}" for number in (1, 2, 3)}
    started: list[str] = []
    try:
        ip("link", "add", "llbr", "type", "bridge")
        ip("link", "set", "llbr", "up")
        for space, address in spaces.items():
            ip("netns", "add", space)
            started.append(space)
            ip("link", "add", f"v{space}", "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", f"v{space}", "master", "llbr")
            ip("link", "set", f"v{space}", "up")
            ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", space, "link", "set", "lo", "up")
        environment = {
            **os.environ,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "PYTHONPATH": str(ROOT),
        }
        (head, at), *others = spaces.items()
        beside = Path(sys.executable).with_name("ray")
        store = ["--object-store-memory", str(100 << 20)]

        def ray(space: str, *words: str) -> None:
            subprocess.run(
                ["ip", "netns", "exec", space, beside, "start", *words, *store],
                check=True, env=environment, stdout=subprocess.DEVNULL, cwd=ROOT,
            )  # fmt: skip

        ray(
            head,
            "--head",
            f"--node-ip-address={at}",
            "--port=6399",
            "--num-cpus=0",
            "--include-dashboard=false",
        )
        for space, address in others:
            ray(space, f"--address={at}:6399", f"--node-ip-address={address}", "--num-cpus=1")
        done = subprocess.run(
            [
                "ip", "netns", "exec", head,
                *command(args.model, source, out, 2, "--ray", f"{at}:6399", "--block-size", "0.002"),
            ],
            cwd=ROOT, capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        receipts = [json.loads(path.read_text()) for path in out.glob("done/*.json")]
        return {
            "status": done.returncode,
            "said": done.stderr.splitlines()[-1:],
            "blocks": len(receipts),
            "workers": sorted({receipt["worker"] for receipt in receipts}),
            "documents": sum(receipt["documents"] for receipt in receipts),
            "namespaces_of_workers": len(spaces) - 1,
        }
    finally:
        for space in started:
            pids = subprocess.run(
                ["ip", "netns", "pids", space], capture_output=True, text=True, check=False
            ).stdout
            for pid in pids.split():
                os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", space], check=False)
        subprocess.run(["ip", "link", "del", "llbr"], check=False)


if __name__ == "__main__":
    raise SystemExit(main())
