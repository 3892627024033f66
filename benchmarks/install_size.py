"""What the packages weigh: ``python -m benchmarks.install_size``, in an environment that has them all.

For the required packages, for each extra of pyproject.toml (what it brings beyond these), and for
requirements.txt: how many distributions, with all that they require, and the megabytes of their files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
UNMEASURED = ("dev", "docs")


def closure(lines: Iterable[str]) -> tuple[dict[str, int], list[str]]:
    """Bytes by distribution, with all that they require; and the names of those that are not installed."""
    sizes: dict[str, int] = {}
    missing = []
    todo = [Requirement(line) for line in lines]
    while todo:
        wanted = todo.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in sizes or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            found = distribution(wanted.name)
        except PackageNotFoundError:
            missing.append(wanted.name)
            continue
        sizes[name] = size_of(found)
        for line in found.requires or []:
            further = Requirement(line)
            extras = wanted.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": each}) for each in extras):
                further.marker = None
                todo.append(further)
    return sizes, missing


def size_of(found: Distribution) -> int:
    """Bytes of the files of a distribution."""
    paths = (Path(str(file.locate())) for file in found.files or [])
    return sum(path.stat().st_size for path in paths if path.is_file())


def main() -> None:
    """Print the table."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required, missing = closure(project["dependencies"])
    rows = [("required", required, missing)]
    for extra, lines in project["optional-dependencies"].items():
        if extra not in UNMEASURED:
            sizes, missing = closure([*project["dependencies"], *lines])
            rows.append((extra, {name: sizes[name] for name in sizes.keys() - required.keys()}, missing))
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    sizes, missing = closure(line for line in text.splitlines() if line and not line.startswith("#"))
    rows.append(("requirements.txt", sizes, missing))
    print(f"{'':18}packages    MB")
    for name, sizes, missing in rows:
        note = f"  not installed: {', '.join(missing)}" if missing else ""
        print(f"{name:18}{len(sizes):8}{sum(sizes.values()) / 1e6:6.0f}{note}")


if __name__ == "__main__":
    main()
