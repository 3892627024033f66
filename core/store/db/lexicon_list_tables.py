"""Word lists that are exchanged as a whole: the tables of migration 7.

A project's words hang on a list, and ``lexicon_state.list`` says which list stands: a long change writes
another one beside it and then moves that one number. ``lexicon_batches.place`` is the order in which batches
took effect; none is a batch that is being written. Until now every project had one list: it takes the
project's number.
"""

from __future__ import annotations

# Migration 8: what a merge of labels carried of the words and of their versions, for the way back.
LABEL_WORD_TABLES = (
    """
    CREATE TABLE label_change_words (
        change_id INTEGER NOT NULL REFERENCES label_changes(id) ON DELETE CASCADE, word TEXT NOT NULL,
        PRIMARY KEY (change_id, word)) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE label_change_entries (
        change_id INTEGER NOT NULL REFERENCES label_changes(id) ON DELETE CASCADE, entry INTEGER NOT NULL,
        PRIMARY KEY (change_id, entry)) STRICT, WITHOUT ROWID""",
)
LEXICON_LIST_TABLES = (
    """
    CREATE TABLE lexicon_lists (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        batch INTEGER, at INTEGER NOT NULL) STRICT""",
    "CREATE INDEX lexicon_lists_of_project ON lexicon_lists (project_id)",
    "INSERT INTO lexicon_lists (id, project_id, at) SELECT project_id, project_id, 0 FROM lexicon_state",
    "ALTER TABLE lexicon_state ADD COLUMN list INTEGER",
    "UPDATE lexicon_state SET list = project_id",
    "ALTER TABLE lexicon_batches ADD COLUMN place INTEGER",
    "UPDATE lexicon_batches SET place = id",
    "CREATE INDEX lexicon_batches_in_order ON lexicon_batches (project_id, place)",
    "DROP INDEX lexicon_changes_of_batch",
    "CREATE INDEX lexicon_changes_of_batch ON lexicon_changes (project_id, batch, word)",
    *(
        f"DROP INDEX lexicon_words_{name}"
        for name in (
            "by_word", "by_type", "by_frequency", "by_length", "by_origin", "by_documents", "in_conflict",
        )
    ),
    "ALTER TABLE lexicon_words RENAME TO lexicon_words_earlier",
    """
    CREATE TABLE lexicon_words (
        id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES lexicon_lists(id) ON DELETE CASCADE,
        word TEXT NOT NULL, type TEXT NOT NULL, frequency INTEGER NOT NULL, masked INTEGER NOT NULL,
        origin INTEGER NOT NULL, length INTEGER NOT NULL, conflict INTEGER NOT NULL DEFAULT 0,
        documents INTEGER) STRICT""",
    "INSERT INTO lexicon_words SELECT * FROM lexicon_words_earlier",
    "DROP TABLE lexicon_words_earlier",
    "CREATE UNIQUE INDEX lexicon_words_by_word ON lexicon_words (list, masked, word, type)",
    "CREATE INDEX lexicon_words_by_type ON lexicon_words (list, masked, type, word)",
    "CREATE INDEX lexicon_words_by_frequency ON lexicon_words (list, masked, frequency)",
    "CREATE INDEX lexicon_words_by_length ON lexicon_words (list, masked, length)",
    "CREATE INDEX lexicon_words_by_origin ON lexicon_words (list, masked, origin)",
    "CREATE INDEX lexicon_words_by_documents ON lexicon_words (list, masked, documents)",
    "CREATE INDEX lexicon_words_in_conflict ON lexicon_words (list, conflict, word) WHERE conflict > 0",
)  # fmt: skip
