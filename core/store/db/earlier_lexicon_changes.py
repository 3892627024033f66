"""Word lists of workspaces from before versions: what was changed then, told again as batches.

Then a row was a word that was added or removed, and an undone batch was only marked; what stood was the
latest row of each word that was not marked. Here every undo becomes a batch of its own.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import NamedTuple

from core.store.lexicon.entries import MASK, WordEntry, change_of


class _Event(NamedTuple):
    at: int
    is_undo: bool
    batch: int


def carry_earlier_changes(db: sqlite3.Connection) -> None:
    """Fill the tables of migration 4 from ``lexicon_changes_earlier``; runs inside its transaction."""
    db.row_factory = sqlite3.Row
    rows: dict[int, dict[int, list[sqlite3.Row]]] = defaultdict(lambda: defaultdict(list))
    for row in db.execute("SELECT * FROM lexicon_changes_earlier ORDER BY project_id, batch, id"):
        rows[row["project_id"]][row["batch"]].append(row)
    for project_id, batches in rows.items():
        _Replay(db, project_id, batches).run()


class _Replay:
    def __init__(
        self, db: sqlite3.Connection, project_id: int, batches: dict[int, list[sqlite3.Row]]
    ) -> None:
        self.db, self.project_id, self.batches = db, project_id, batches
        self.standing: set[int] = set()
        self.entries: dict[str, WordEntry] = {}
        self.of_word: dict[str, list[sqlite3.Row]] = defaultdict(list)
        for batch_rows in batches.values():
            for row in batch_rows:
                self.of_word[row["word"]].append(row)
        self.numbers: dict[int, int] = {}  # earlier batch to the present one

    def run(self) -> None:
        for event in sorted(self._events()):
            if event.is_undo:
                self.standing.discard(event.batch)
            else:
                self.standing.add(event.batch)
            self._tell(event)
        self.db.executemany(
            "INSERT INTO lexicon_words (project_id, word, type, frequency, masked, origin, length) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (self.project_id, word, e.type, e.frequency, e.masked, e.origin, len(word))
                for word, e in self.entries.items()
            ],
        )
        self.db.execute("INSERT INTO lexicon_state VALUES (?, 1)", (self.project_id,))

    def _events(self) -> list[_Event]:
        made = [_Event(rows[0]["at"], False, batch) for batch, rows in self.batches.items()]
        undone = [
            _Event(rows[0]["undone"], True, batch)
            for batch, rows in self.batches.items()
            if rows[0]["undone"] is not None
        ]
        return made + undone

    def _tell(self, event: _Event) -> None:
        """Write one batch: what each of its words was before and what it is after."""
        rows = self.batches[event.batch]
        kind = "undo" if event.is_undo else "add" if rows[0]["change"] == "added" else "remove"
        target = self.numbers.get(event.batch) if event.is_undo else None
        number = self.db.execute(
            "INSERT INTO lexicon_batches (project_id, kind, user, at, target) VALUES (?, ?, ?, ?, ?)",
            (self.project_id, kind, rows[0]["user"], event.at, target),
        ).lastrowid
        assert number is not None
        if event.is_undo:
            self.db.execute("UPDATE lexicon_batches SET undone = ? WHERE id = ?", (number, target))
        else:
            self.numbers[event.batch] = number
        counts = {"added": 0, "removed": 0, "changed": 0}
        for word in dict.fromkeys(row["word"] for row in rows):
            before, after = self.entries.pop(word, None), self._stands(word)
            if after is not None:
                self.entries[word] = after
            if before == after:
                continue
            counts[change_of([before] if before else [], [after] if after else [])] += 1
            for came, entry in ((0, before), (1, after)):
                if entry is not None:
                    self.db.execute(
                        "INSERT INTO lexicon_changes "
                        "(project_id, batch, word, type, frequency, masked, came, origin) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        (self.project_id, number, word, *entry[:3], came, entry.origin),
                    )
        self.db.execute(
            "UPDATE lexicon_batches SET added = :added, removed = :removed, changed = :changed "
            "WHERE id = :id",
            {**counts, "id": number},
        )

    def _stands(self, word: str) -> WordEntry | None:
        rows = [row for row in self.of_word[word] if row["batch"] in self.standing]
        if not rows:
            return None
        latest = max(rows, key=lambda row: row["id"])
        entry = MASK if latest["change"] == "removed" else WordEntry(latest["type"])
        return entry._replace(origin=self.numbers[latest["batch"]])
