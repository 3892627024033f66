"""The tables, as numbered migrations; what was applied is recorded in the file.

Documents are numbered by AUTOINCREMENT: a browser may still hold an unsent edit of a purged document, and its
number must never come to mean another one.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from core.store.db.distant_tables import DISTANT_TABLES
from core.store.db.earlier_lexicon_changes import carry_earlier_changes
from core.store.db.lexicon_list_tables import LABEL_WORD_TABLES, LEXICON_LIST_TABLES
from core.store.db.looked_tables import LOOKED_TABLES
from core.store.db.lookup_tables import LOOKUP_TABLES

APPLICATION_ID = 0x4C4C4E53  # "LLNS": tells our files from everybody else's

migrations = Migrations("latticelens")

# Times are milliseconds since 1970 in UTC. JSON columns hold arrays of [start, end, label] or
# [start, end, label, score]; offsets are code points, end exclusive.
_FIRST = """
CREATE TABLE projects (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created INTEGER NOT NULL, trashed INTEGER,
    serving_run TEXT, previous_run TEXT, last_saved INTEGER) STRICT;

CREATE TABLE labels (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, position INTEGER NOT NULL,
    name TEXT NOT NULL, colour TEXT NOT NULL, hotkey TEXT NOT NULL, description TEXT NOT NULL,
    PRIMARY KEY (project_id, name)) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, name TEXT NOT NULL,
    content_hash TEXT NOT NULL, text TEXT NOT NULL,
    meta TEXT NOT NULL DEFAULT '{}',
    split TEXT NOT NULL DEFAULT 'none' CHECK (split IN ('train', 'dev', 'test', 'none')),
    status TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'in_progress', 'done')),
    revision INTEGER NOT NULL DEFAULT 0, rejected TEXT NOT NULL DEFAULT '[]',
    imported INTEGER NOT NULL, trashed INTEGER,
    UNIQUE (project_id, content_hash), UNIQUE (project_id, name)) STRICT;
CREATE INDEX documents_in_order ON documents (project_id, trashed, id, status, split, revision);

CREATE TABLE spans (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label TEXT NOT NULL, score REAL,
    revision INTEGER NOT NULL, CHECK (0 <= start AND start < "end"),
    PRIMARY KEY (document_id, start, "end", label)) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, revision INTEGER NOT NULL,
    user TEXT NOT NULL, at INTEGER NOT NULL, action TEXT NOT NULL, added TEXT NOT NULL, removed TEXT NOT NULL,
    rejected TEXT NOT NULL, status TEXT NOT NULL, run TEXT, client_edit TEXT,
    PRIMARY KEY (document_id, revision)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_once ON events (document_id, client_edit) WHERE client_edit IS NOT NULL;

CREATE TABLE runs (
    name TEXT PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    tagger TEXT NOT NULL, folder TEXT NOT NULL, status TEXT NOT NULL, parent TEXT, replaced TEXT,
    created INTEGER NOT NULL, finished INTEGER, scores TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE INDEX runs_of_project ON runs (project_id, created);

CREATE TABLE predictions (
    run TEXT NOT NULL REFERENCES runs(name) ON DELETE CASCADE,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    spans TEXT NOT NULL, least_score REAL, PRIMARY KEY (run, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX predictions_by_confidence ON predictions (run, document_id, least_score);
CREATE INDEX predictions_of_document ON predictions (document_id);

CREATE TABLE corrections (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    run TEXT NOT NULL REFERENCES runs(name) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('missed', 'spurious', 'boundary', 'type', 'confirmed')),
    before TEXT, after TEXT, user TEXT NOT NULL, at INTEGER NOT NULL,
    CHECK (before IS NOT NULL OR after IS NOT NULL)) STRICT;
CREATE INDEX corrections_of_document ON corrections (document_id);

CREATE TABLE lexicon_changes (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL, word TEXT NOT NULL, change TEXT NOT NULL CHECK (change IN ('added', 'removed')),
    type TEXT NOT NULL DEFAULT '', user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER) STRICT;
CREATE INDEX lexicon_changes_by_word ON lexicon_changes (project_id, word, id);
"""


@migrations()
def m001_first_tables(db: Database) -> None:
    """Projects, labels, documents, events and their view, runs, predictions, corrections, words."""
    _execute_all(db, _FIRST)


@migrations()
def m002_declined_runs(db: Database) -> None:
    """When a person looked at a run and kept the old one serving."""
    db.execute("ALTER TABLE runs ADD COLUMN declined INTEGER")


# What several people, several sources of suggestions and several orders of work need beside the first tables.
# A copy is one person's own annotation of a document, kept apart until a reviewer merges it; `spans` and
# `events` stay the project's one agreed annotation.
_PEOPLE = """
ALTER TABLE projects ADD COLUMN workflow TEXT NOT NULL DEFAULT 'together'
    CHECK (workflow IN ('together', 'separate'));
ALTER TABLE projects ADD COLUMN overlap INTEGER NOT NULL DEFAULT 1 CHECK (overlap >= 1);

CREATE TABLE members (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, user TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('annotator', 'reviewer', 'manager')), since INTEGER NOT NULL,
    PRIMARY KEY (project_id, user)) STRICT, WITHOUT ROWID;

CREATE TABLE assignments (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, user TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (document_id, user)) STRICT, WITHOUT ROWID;
CREATE INDEX assignments_of_user ON assignments (user, document_id);

CREATE TABLE copies (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, user TEXT NOT NULL,
    revision INTEGER NOT NULL, spans TEXT NOT NULL, rejected TEXT NOT NULL DEFAULT '[]',
    status TEXT NOT NULL CHECK (status IN ('new', 'in_progress', 'done')), updated INTEGER NOT NULL,
    PRIMARY KEY (document_id, user)) STRICT, WITHOUT ROWID;

CREATE TABLE copy_events (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, user TEXT NOT NULL,
    revision INTEGER NOT NULL, at INTEGER NOT NULL, action TEXT NOT NULL, added TEXT NOT NULL,
    removed TEXT NOT NULL, rejected TEXT NOT NULL, status TEXT NOT NULL, run TEXT, client_edit TEXT,
    PRIMARY KEY (document_id, user, revision)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX copy_events_once ON copy_events (document_id, user, client_edit)
    WHERE client_edit IS NOT NULL;

CREATE TABLE decisions (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused')), category TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '', user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER,
    CHECK (0 <= start AND start < "end")) STRICT;
CREATE INDEX decisions_of_document ON decisions (document_id);

CREATE TABLE reviews (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL, strategy TEXT NOT NULL,
    before INTEGER NOT NULL, after INTEGER NOT NULL, status TEXT NOT NULL, seen TEXT NOT NULL,
    settled TEXT NOT NULL, undone INTEGER) STRICT;
CREATE INDEX reviews_of_document ON reviews (document_id, undone);
CREATE INDEX reviews_of_batch ON reviews (batch);

CREATE TABLE comments (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER, "end" INTEGER, label TEXT, text TEXT NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL,
    resolved INTEGER, trashed INTEGER, client_edit TEXT UNIQUE) STRICT;
CREATE INDEX comments_of_document ON comments (document_id);

CREATE TABLE looked (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, start INTEGER NOT NULL,
    "end" INTEGER NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL, CHECK (0 <= start AND start < "end"),
    PRIMARY KEY (document_id, start, "end")) STRICT, WITHOUT ROWID;

CREATE TABLE patterns (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    pattern TEXT NOT NULL, label TEXT NOT NULL, enabled INTEGER NOT NULL DEFAULT 1, user TEXT NOT NULL,
    at INTEGER NOT NULL, trashed INTEGER) STRICT;
CREATE INDEX patterns_of_project ON patterns (project_id);

CREATE TABLE project_settings (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, key TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (project_id, key)) STRICT, WITHOUT ROWID;

CREATE TABLE queue_scores (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, strategy TEXT NOT NULL,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, score REAL,
    made_for TEXT NOT NULL, PRIMARY KEY (project_id, strategy, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX queue_scores_in_order ON queue_scores (project_id, strategy, score, document_id);
CREATE INDEX queue_scores_of_document ON queue_scores (document_id);

CREATE TABLE label_changes (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('rename', 'merge', 'delete')), change TEXT NOT NULL,
    user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER) STRICT;
"""


@migrations()
def m003_people_suggestions_and_orders(db: Database) -> None:
    """Own copies, decisions, comments; looked-at regions, patterns, settings, orders, label changes."""
    _execute_all(db, _PEOPLE)


# From words to a tagger. A version of a word list is a batch; `lexicon_changes` says which entries (a word
# with a type) came and went with each: what stood at any version is the present minus what came since.
# `lexicon_words` is what stands now, with the columns that the page sorts and searches by. A `masked` entry
# takes the word out of the base dictionary. `origin` is the batch that first brought an entry.
# `conflict`: 1 where a word has several types, 2 where a person said that all of them hold.
_WORDS = """
ALTER TABLE lexicon_changes RENAME TO lexicon_changes_earlier;
DROP INDEX lexicon_changes_by_word;

CREATE TABLE lexicon_batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove', 'edit', 'import', 'gazetteer', 'undo', 'revert')),
    source TEXT NOT NULL DEFAULT '', user TEXT NOT NULL, at INTEGER NOT NULL,
    added INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
    target INTEGER, undone INTEGER) STRICT;
CREATE INDEX lexicon_batches_of_project ON lexicon_batches (project_id, id);

CREATE TABLE lexicon_changes (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL, word TEXT NOT NULL, type TEXT NOT NULL, frequency INTEGER NOT NULL,
    masked INTEGER NOT NULL, came INTEGER NOT NULL, origin INTEGER NOT NULL) STRICT;
CREATE INDEX lexicon_changes_of_batch ON lexicon_changes (project_id, batch);

CREATE TABLE lexicon_words (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    word TEXT NOT NULL, type TEXT NOT NULL, frequency INTEGER NOT NULL, masked INTEGER NOT NULL,
    origin INTEGER NOT NULL, length INTEGER NOT NULL, conflict INTEGER NOT NULL DEFAULT 0,
    documents INTEGER) STRICT;
CREATE UNIQUE INDEX lexicon_words_by_word ON lexicon_words (project_id, masked, word, type);
CREATE INDEX lexicon_words_by_type ON lexicon_words (project_id, masked, type, word);
CREATE INDEX lexicon_words_by_frequency ON lexicon_words (project_id, masked, frequency);
CREATE INDEX lexicon_words_by_length ON lexicon_words (project_id, masked, length);
CREATE INDEX lexicon_words_by_origin ON lexicon_words (project_id, masked, origin);
CREATE INDEX lexicon_words_by_documents ON lexicon_words (project_id, masked, documents);
CREATE INDEX lexicon_words_in_conflict ON lexicon_words (project_id, conflict, word) WHERE conflict > 0;

CREATE TABLE lexicon_state (
    project_id INTEGER PRIMARY KEY REFERENCES projects(id) ON DELETE CASCADE,
    revision INTEGER NOT NULL) STRICT;
"""


@migrations()
def m004_from_words_to_a_tagger(db: Database) -> None:
    """Words with several types and frequencies, their versions; what people changed before comes along."""
    _execute_all(db, _WORDS)
    carry_earlier_changes(db.conn)
    db.execute("DROP TABLE lexicon_changes_earlier")


@migrations()
def m005_quick_lists_and_searches(db: Database) -> None:
    """The labels of a document in its row, lists by score, the text index, label changes in steps."""
    for statement in LOOKUP_TABLES:
        db.execute(statement)


@migrations()
def m006_distant_labels_and_candidates(db: Database) -> None:
    """What a dictionary labelled, batch by batch; candidates for the dictionary that were rejected."""
    for statement in DISTANT_TABLES:
        db.execute(statement)


@migrations()
def m007_word_lists_that_are_exchanged(db: Database) -> None:
    """A project's words hang on a list, so that a long change can write another one and exchange the two."""
    for statement in LEXICON_LIST_TABLES:
        db.execute(statement)


@migrations()
def m008_looked_at_copies_and_steps(db: Database) -> None:
    """What people looked at in their copies, and the history of it; words that go along with a label."""
    for statement in (*LOOKED_TABLES, *LABEL_WORD_TABLES):
        db.execute(statement)


VERSION = 8  # how many migrations this program knows; a test compares it with the list above


def _execute_all(db: Database, script: str) -> None:
    # One by one: sqlite3's executescript would commit the transaction that the migration runs in.
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)
