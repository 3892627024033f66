"""What makes a large project quick to search and to list: the tables, the indexes and what keeps them true.

``documents.labels`` names every label on a current span, each between two line feeds (no label holds one), so
that an index over documents alone answers which documents have a label. Triggers keep it, whoever writes
spans. ``text_blocks`` and ``text_postings`` are the text index of ``core.store.document.text_index``.
"""

from __future__ import annotations

LOOKUP_TABLES = (
    "ALTER TABLE documents ADD COLUMN labels TEXT NOT NULL DEFAULT ''",
    """
    UPDATE documents SET labels = (SELECT group_concat(mark, '') FROM (
        SELECT DISTINCT char(10) || label || char(10) AS mark FROM spans WHERE document_id = documents.id))
    WHERE id IN (SELECT document_id FROM spans)""",
    "DROP INDEX documents_in_order",
    """
    CREATE INDEX documents_in_order ON documents (project_id, trashed, id, status, split, revision, labels)
    """,
    """
    CREATE TRIGGER label_came AFTER INSERT ON spans BEGIN
        UPDATE documents SET labels = labels || char(10) || NEW.label || char(10)
        WHERE id = NEW.document_id AND instr(labels, char(10) || NEW.label || char(10)) = 0;
    END""",
    """
    CREATE TRIGGER label_went AFTER DELETE ON spans BEGIN
        UPDATE documents SET labels = replace(labels, char(10) || OLD.label || char(10), '')
        WHERE id = OLD.document_id AND NOT EXISTS (
            SELECT 1 FROM spans WHERE document_id = OLD.document_id AND label = OLD.label);
    END""",
    """
    CREATE TRIGGER label_turned AFTER UPDATE OF label ON spans WHEN OLD.label <> NEW.label BEGIN
        UPDATE documents SET labels = replace(labels, char(10) || OLD.label || char(10), '')
        WHERE id = OLD.document_id AND NOT EXISTS (
            SELECT 1 FROM spans WHERE document_id = OLD.document_id AND label = OLD.label);
        UPDATE documents SET labels = labels || char(10) || NEW.label || char(10)
        WHERE id = NEW.document_id AND instr(labels, char(10) || NEW.label || char(10)) = 0;
    END""",
    "CREATE INDEX predictions_in_order ON predictions (run, least_score, document_id)",
    """
    CREATE INDEX queue_scores_from_the_top ON queue_scores (project_id, strategy, -score, document_id)
    """,
    """
    CREATE TABLE text_blocks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        first INTEGER NOT NULL, last INTEGER NOT NULL, documents INTEGER NOT NULL,
        CHECK (first <= last)) STRICT""",
    "CREATE INDEX text_blocks_of_project ON text_blocks (project_id, last)",
    # Numbered so that what a search reads lies together: project, bucket, block.
    "CREATE TABLE text_postings (id INTEGER PRIMARY KEY, postings BLOB NOT NULL) STRICT",
    """
    CREATE TRIGGER text_of_project_went AFTER DELETE ON projects BEGIN
        DELETE FROM text_postings WHERE id >= OLD.id << 44 AND id < (OLD.id + 1) << 44;
    END""",
    # A merge or a removal goes document by document, in many short writes; each document's former state waits
    # here for an undo, and `state` says what a process that ended in the middle has to finish.
    """
    ALTER TABLE label_changes ADD COLUMN state TEXT NOT NULL DEFAULT 'done'
        CHECK (state IN ('carrying', 'done', 'returning'))""",
    "CREATE INDEX label_changes_under_way ON label_changes (project_id) WHERE state <> 'done'",
    """
    CREATE TABLE label_change_documents (
        change_id INTEGER NOT NULL REFERENCES label_changes(id) ON DELETE CASCADE,
        document_id INTEGER NOT NULL, saved TEXT NOT NULL,
        PRIMARY KEY (change_id, document_id)) STRICT, WITHOUT ROWID""",
)

# What a backup may hold: these, word for word.
_WORDS = (statement.split() for statement in LOOKUP_TABLES)
TRIGGERS = frozenset(" ".join(words) for words in _WORDS if words[:2] == ["CREATE", "TRIGGER"])
