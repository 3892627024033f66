"""The tables of distant labels and of candidates that were rejected.

A batch is one labelling of raw documents with the dictionary of one moment; its labels name the change of the
word list (`lexicon_batches.id`) that brought their word.
"""

from __future__ import annotations

DISTANT_TABLES = (
    """
    CREATE TABLE distant_batches (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        version INTEGER NOT NULL, direction TEXT NOT NULL, ambiguous TEXT NOT NULL,
        mode TEXT NOT NULL CHECK (mode IN ('suggest', 'in_progress', 'done')),
        user TEXT NOT NULL, at INTEGER NOT NULL, documents INTEGER NOT NULL DEFAULT 0,
        spans INTEGER NOT NULL DEFAULT 0, undone INTEGER) STRICT""",
    "CREATE INDEX distant_batches_of_project ON distant_batches (project_id, id)",
    """
    CREATE TABLE distant_labels (
        document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        batch INTEGER NOT NULL REFERENCES distant_batches(id) ON DELETE CASCADE,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, label TEXT NOT NULL, origin INTEGER NOT NULL,
        CHECK (0 <= start AND start < "end"),
        PRIMARY KEY (document_id, batch, start, "end", label)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX distant_labels_of_batch ON distant_labels (batch, document_id)",
    """
    CREATE TABLE rejected_candidates (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, batch INTEGER NOT NULL,
        surface TEXT NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER) STRICT""",
    "CREATE INDEX rejected_candidates_of_project ON rejected_candidates (project_id, undone, surface)",
)
