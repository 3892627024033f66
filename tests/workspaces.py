"""Fresh workspaces for tests, copied: to make the tables each time would take ten times as long."""

import functools
import tempfile
from pathlib import Path

from core.store import Workspace


@functools.cache
def _empty() -> tuple[str, bytes]:
    """The name and the content of the file of a workspace in which nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        with Workspace.open(folder) as workspace:
            file = workspace.file
        return file.name, file.read_bytes()


def new_workspace(folder: Path) -> Path:
    """Make ``folder`` an empty workspace, ready to be opened."""
    folder.mkdir(parents=True, exist_ok=True)
    name, content = _empty()
    with (folder / name).open("xb") as file:  # never over one in which something is
        file.write(content)
    return folder
