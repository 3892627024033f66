"""Identifies a process by its pid and start time, as pids are reused."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def process_identity(pid: int) -> str | None:
    """An identity of the living process ``pid`` that a later process with the same pid does not share; None
    if there is none.

    A zombie process does not count as living.
    """
    if pid <= 0:
        return None
    if sys.platform.startswith("linux"):
        return _linux(pid)
    if sys.platform == "win32":
        return _windows(pid)
    return _posix(pid)


def is_alive(pid: int | None, identity: str | None) -> bool:
    """Whether the process that had this pid and identity is still running."""
    return pid is not None and identity is not None and process_identity(pid) == identity


def _linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The program's name is in brackets and may contain blanks and brackets.
    values = stat[stat.rindex(")") + 2 :].split()
    state, start = values[0], values[19]
    if state in ("Z", "X"):
        return None
    boot = ""
    with suppress(OSError):  # start times are in ticks since boot, so the boot is part of the identity
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}:{start}"


def _posix(pid: int) -> str | None:
    """macOS and the BSDs, where ``ps`` is the portable way."""
    try:
        answer = subprocess.run(  # noqa: S603 - a fixed program, the pid is a number
            ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None
    state, _, start = answer.partition(" ")
    return None if not start or state.startswith("Z") else start.strip()


def _windows(pid: int) -> str | None:
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    limited_information, still_active = 0x1000, 259
    handle = kernel.OpenProcess(limited_information, False, pid)
    if not handle:
        return None
    try:
        code = ctypes.c_ulong()
        times = [ctypes.c_ulonglong() for _ in range(4)]
        if not kernel.GetExitCodeProcess(handle, ctypes.byref(code)) or code.value != still_active:
            return None
        if not kernel.GetProcessTimes(handle, *[ctypes.byref(value) for value in times]):
            return None
        return str(times[0].value)
    finally:
        kernel.CloseHandle(handle)
