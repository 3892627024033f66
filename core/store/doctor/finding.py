"""One thing the doctor found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "integrity", "foreign key", "orphan", "damaged row", "span beyond the text", "changed text",
    "revision without event", "view differs from events", "wrong count", "search index", "run without folder",
    "folder without run", "dead job", "leftover file",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, where, and what would mend it.

    Args:
        where: table and key, or a path below the workspace; never a text.
        remedy: what ``--fix`` does, or what a person can do if ``mend`` is None.
        mend: does it in an open write transaction.
    """

    kind: Kind
    where: str
    what: str
    remedy: str
    mend: Callable[[sqlite3.Connection], None] | None = field(default=None, compare=False)


RESTORE = "restore a backup (latticelens workspace restore)"
