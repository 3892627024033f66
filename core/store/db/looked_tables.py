"""What people looked at, copy by copy and step by step: the tables of migration 8.

``looked`` holds the marks of the agreed annotation, ``copy_looked`` those of one person's copy. Each change
of either is an event: ``copy`` names whose copy it was made in, empty for the agreed annotation;
``revision`` is the annotation's at that moment, so that marks and edits have one order; ``came`` and ``gone``
are JSON lists of the stretches ``[start, end]`` that came to be marked and that no longer are.
"""

from __future__ import annotations

LOOKED_TABLES = (
    """
    CREATE TABLE copy_looked (
        document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, user TEXT NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, at INTEGER NOT NULL,
        CHECK (0 <= start AND start < "end"),
        PRIMARY KEY (document_id, user, start, "end")) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE looked_events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, copy TEXT NOT NULL,
        revision INTEGER NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL,
        action TEXT NOT NULL CHECK (action IN ('mark', 'undo', 'redo')),
        came TEXT NOT NULL, gone TEXT NOT NULL) STRICT""",
    "CREATE INDEX looked_events_of_document ON looked_events (document_id, copy)",
)
