"""The tables, package by package, as one migration; the file records what was applied.

Times are milliseconds since 1970 in UTC. Offsets are code points, end exclusive. JSON columns with spans hold
arrays of `span_json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import complete_statement

from sqlite_utils import Database, Migrations

APPLICATION_ID = 0x4C4C4E53  # "LLNS"
DEVELOPMENT = 16  # schemas up to this one belong to development versions, whose workspaces are refused
VERSION = DEVELOPMENT + 1  # and one for each migration below

migrations = Migrations("latticelens")

# `steps` is the journal of undoable steps: `project.journal`. `projects.changes` grows with every change of a
# document that is there, and of an annotated region: triggers see to it.
_PROJECT = """
CREATE TABLE projects (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created INTEGER NOT NULL, trashed INTEGER,
    active_run TEXT, previous_run TEXT, last_saved INTEGER,
    changes INTEGER NOT NULL DEFAULT 0,
    workflow TEXT NOT NULL DEFAULT 'together' CHECK (workflow IN ('together', 'separate')),
    overlap INTEGER NOT NULL DEFAULT 1 CHECK (overlap >= 1)) STRICT;

CREATE TABLE project_settings (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, key TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (project_id, key)) STRICT, WITHOUT ROWID;

CREATE TABLE members (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, user TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('annotator', 'reviewer', 'manager')), since INTEGER NOT NULL,
    PRIMARY KEY (project_id, user)) STRICT, WITHOUT ROWID;

CREATE TABLE assignments (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, user TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (document_id, user)) STRICT, WITHOUT ROWID;
CREATE INDEX assignments_of_user ON assignments (user, document_id);

CREATE TABLE steps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER,
    detail TEXT NOT NULL) STRICT;
CREATE INDEX steps_of_project ON steps (project_id, kind, id);
"""

# For programs beside the app. `event_log` numbers what happened (`project.event_log`); its rows outlive the
# documents and runs they name. Of an access token only the SHA-256 is kept. `webhooks.position` is the last
# event that was made into deliveries; `webhook_deliveries.due` is NULL once one has ended.
_OUTSIDE = """
CREATE TABLE event_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL, at INTEGER NOT NULL, user TEXT NOT NULL, document_id INTEGER,
    annotator TEXT NOT NULL DEFAULT '', revision INTEGER, run TEXT, count INTEGER) STRICT;
CREATE INDEX event_log_of_project ON event_log (project_id, id);

CREATE TABLE api_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL, role TEXT NOT NULL CHECK (role IN ('annotator', 'reviewer', 'manager')),
    user TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, created INTEGER NOT NULL, used INTEGER,
    revoked INTEGER) STRICT;
CREATE INDEX api_tokens_of_project ON api_tokens (project_id);

CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    url TEXT NOT NULL, kinds TEXT NOT NULL, secret TEXT NOT NULL, user TEXT NOT NULL,
    created INTEGER NOT NULL, position INTEGER NOT NULL) STRICT;
CREATE INDEX webhooks_of_project ON webhooks (project_id);

CREATE TABLE webhook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook INTEGER NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
    event INTEGER NOT NULL REFERENCES event_log(id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0, due INTEGER, status INTEGER, error TEXT NOT NULL DEFAULT '',
    ended INTEGER) STRICT;
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due) WHERE due IS NOT NULL;
CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event);
"""

# Everything refers to a label by its id. `position` is its place in the list of labels, NULL if it is not
# listed; `reads_as` is the label itself, the one it was merged into, or NULL if it was deleted. `label_names`
# holds every name a label has had.
_LABEL = """
CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL, colour TEXT NOT NULL, hotkey TEXT NOT NULL, description TEXT NOT NULL,
    position INTEGER, reads_as INTEGER) STRICT;
CREATE INDEX labels_of_project ON labels (project_id);
CREATE UNIQUE INDEX labels_on_the_list ON labels (project_id, name) WHERE position IS NOT NULL;

CREATE TABLE label_names (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    label INTEGER NOT NULL REFERENCES labels(id) ON DELETE CASCADE,
    name TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE INDEX label_names_of_label ON label_names (label);
"""

# `lexicon_state.list` is the current word list of a project: a long change writes a new list and then updates
# that one number. A version is a batch; `lexicon_changes` records which entries (a word with a type) it added
# and removed, so any version is the current list minus the later changes. `place` is the order in which
# batches took effect, NULL while a batch is being written. `step` is
# its step of the journal; a batch that undoes another, or comes with a change of a label, has none.
# A `masked` entry removes the word from the base
# dictionary. `origin` is the batch that brought an entry. `conflict`: 1 where a word has several types, 2
# where a person confirmed all of them.
_LEXICON = """
CREATE TABLE lexicon_state (
    project_id INTEGER PRIMARY KEY REFERENCES projects(id) ON DELETE CASCADE,
    revision INTEGER NOT NULL, list INTEGER) STRICT;

CREATE TABLE lexicon_lists (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    batch INTEGER, at INTEGER NOT NULL) STRICT;
CREATE INDEX lexicon_lists_of_project ON lexicon_lists (project_id);

CREATE TABLE lexicon_words (
    id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES lexicon_lists(id) ON DELETE CASCADE,
    word TEXT NOT NULL, type INTEGER NOT NULL, frequency INTEGER NOT NULL, masked INTEGER NOT NULL,
    origin INTEGER NOT NULL, length INTEGER NOT NULL, conflict INTEGER NOT NULL DEFAULT 0,
    documents INTEGER) STRICT;
CREATE UNIQUE INDEX lexicon_words_by_word ON lexicon_words (list, masked, word, type);
CREATE INDEX lexicon_words_by_type ON lexicon_words (list, masked, type, word);
CREATE INDEX lexicon_words_by_frequency ON lexicon_words (list, masked, frequency);
CREATE INDEX lexicon_words_by_length ON lexicon_words (list, masked, length);
CREATE INDEX lexicon_words_by_origin ON lexicon_words (list, masked, origin);
CREATE INDEX lexicon_words_by_documents ON lexicon_words (list, masked, documents);
CREATE INDEX lexicon_words_in_conflict ON lexicon_words (list, conflict, word) WHERE conflict > 0;

CREATE TABLE lexicon_batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove', 'edit', 'import', 'gazetteer', 'undo', 'revert')),
    source TEXT NOT NULL DEFAULT '', user TEXT NOT NULL, at INTEGER NOT NULL,
    added INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
    target INTEGER, place INTEGER, step INTEGER REFERENCES steps(id)) STRICT;
CREATE INDEX lexicon_batches_of_project ON lexicon_batches (project_id, id);
CREATE UNIQUE INDEX lexicon_batches_of_step ON lexicon_batches (step) WHERE step IS NOT NULL;
CREATE INDEX lexicon_batches_that_undo ON lexicon_batches (target) WHERE kind = 'undo';
CREATE INDEX lexicon_batches_in_order ON lexicon_batches (project_id, place);

CREATE TABLE lexicon_changes (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL, word TEXT NOT NULL, type INTEGER NOT NULL, frequency INTEGER NOT NULL,
    masked INTEGER NOT NULL, came INTEGER NOT NULL, origin INTEGER NOT NULL) STRICT;
CREATE INDEX lexicon_changes_of_batch ON lexicon_changes (project_id, batch, word);
"""

# AUTOINCREMENT: a browser may still hold an unsent edit of a purged document, so ids are never reused.
# `documents.imported` is the moment an import began, the same for all its documents: they are found by it.
# `documents.labels` holds the label ids of the gold spans, each between two commas, which makes filtering by
# label an index scan; `documents.gold_spans` is their number. Whoever writes gold spans, the import and the
# save, writes both with them.
# `document_fields` has the short values of `meta`, to filter by. `document.text_index` makes a table
# `text_index_N` for each project. `document_counts` has how many documents are of each kind, with how many
# characters and gold spans, kept by triggers: counting a million takes longer than all else that a page does.
# Of `trashed`, `revision` and `labels` it has whether they are set: 0 or 1, 0 or 1, '' or ','.
_DOCUMENT = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, name TEXT NOT NULL,
    content_hash TEXT NOT NULL, text TEXT NOT NULL,
    meta TEXT NOT NULL DEFAULT '{}',
    split TEXT NOT NULL DEFAULT 'none' CHECK (split IN ('train', 'dev', 'test', 'none')),
    status TEXT NOT NULL DEFAULT 'new'
        CHECK (status IN ('new', 'in_progress', 'to_check', 'done', 'ignored')),
    revision INTEGER NOT NULL DEFAULT 0, rejected TEXT NOT NULL DEFAULT '[]',
    imported INTEGER NOT NULL, trashed INTEGER, labels TEXT NOT NULL DEFAULT '',
    gold_spans INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, content_hash), UNIQUE (project_id, name)) STRICT;
CREATE INDEX documents_in_order ON documents (project_id, trashed, id, status, split, revision, labels);
CREATE INDEX documents_by_import ON documents (project_id, imported, trashed);
CREATE INDEX documents_by_status ON documents (project_id, trashed, status, id) WHERE status <> 'new';
CREATE INDEX documents_by_split ON documents (project_id, trashed, split, id) WHERE split <> 'none';

CREATE TABLE document_counts (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    trashed INTEGER NOT NULL, status TEXT NOT NULL, split TEXT NOT NULL, revision INTEGER NOT NULL,
    labels TEXT NOT NULL, number INTEGER NOT NULL, characters INTEGER NOT NULL, gold_spans INTEGER NOT NULL,
    PRIMARY KEY (project_id, trashed, status, split, revision, labels)) STRICT, WITHOUT ROWID;

CREATE TRIGGER documents_are_counted AFTER INSERT ON documents
BEGIN
    INSERT INTO document_counts VALUES (new.project_id, new.trashed IS NOT NULL, new.status, new.split,
        new.revision > 0, substr(new.labels, 1, 1), 1, length(new.text), new.gold_spans)
        ON CONFLICT DO UPDATE SET number = number + 1, characters = characters + excluded.characters,
            gold_spans = gold_spans + excluded.gold_spans;
END;

CREATE TRIGGER documents_are_counted_anew AFTER UPDATE ON documents
WHEN (old.trashed IS NULL, old.status, old.split, old.revision > 0, old.labels = '', old.gold_spans)
    <> (new.trashed IS NULL, new.status, new.split, new.revision > 0, new.labels = '', new.gold_spans)
BEGIN
    UPDATE document_counts SET number = number - 1, characters = characters - length(old.text),
            gold_spans = gold_spans - old.gold_spans
        WHERE (project_id, trashed, status, split, revision, labels) =
            (old.project_id, old.trashed IS NOT NULL, old.status, old.split, old.revision > 0,
             substr(old.labels, 1, 1));
    INSERT INTO document_counts VALUES (new.project_id, new.trashed IS NOT NULL, new.status, new.split,
        new.revision > 0, substr(new.labels, 1, 1), 1, length(new.text), new.gold_spans)
        ON CONFLICT DO UPDATE SET number = number + 1, characters = characters + excluded.characters,
            gold_spans = gold_spans + excluded.gold_spans;
END;

CREATE TRIGGER documents_changed AFTER UPDATE ON documents
BEGIN UPDATE projects SET changes = changes + 1 WHERE id = new.project_id; END;

CREATE TRIGGER documents_are_discounted AFTER DELETE ON documents
BEGIN
    UPDATE document_counts SET number = number - 1, characters = characters - length(old.text),
            gold_spans = gold_spans - old.gold_spans
        WHERE (project_id, trashed, status, split, revision, labels) =
            (old.project_id, old.trashed IS NOT NULL, old.status, old.split, old.revision > 0,
             substr(old.labels, 1, 1));
    UPDATE projects SET changes = changes + 1 WHERE id = old.project_id;
END;

CREATE TABLE document_fields (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    field TEXT NOT NULL, value TEXT NOT NULL,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, field, value, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX document_fields_of_document ON document_fields (document_id);
"""

# An annotation belongs to a document and an annotator; annotator '' is the gold annotation. Its revision,
# status and rejected spans are in `documents`, where lists read them, those of annotators' versions in
# `versions`. A version that was never saved equals the import. `annotated_regions` are regions marked as
# exhaustively annotated. Each change is an event: `revision` is the annotation's at that time, which orders
# marks among edits; `came` and `gone` are JSON lists of the regions `[start, end]` added and removed.
# `reason` says why an ignored document is ignored. `spans.link` is `[id, name, source]` as JSON, or NULL.
_ANNOTATION = """
CREATE TABLE spans (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, annotator TEXT NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label INTEGER NOT NULL, score REAL,
    revision INTEGER NOT NULL, link TEXT, CHECK (0 <= start AND start < "end"),
    PRIMARY KEY (document_id, annotator, start, "end", label)) STRICT, WITHOUT ROWID;
CREATE INDEX spans_with_link ON spans (link) WHERE link IS NOT NULL;
CREATE INDEX spans_by_label ON spans (label, document_id) WHERE annotator = '';

CREATE TABLE versions (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    annotator TEXT NOT NULL CHECK (annotator <> ''),
    revision INTEGER NOT NULL, rejected TEXT NOT NULL DEFAULT '[]',
    status TEXT NOT NULL CHECK (status IN ('new', 'in_progress', 'to_check', 'done', 'ignored')),
    updated INTEGER NOT NULL,
    PRIMARY KEY (document_id, annotator)) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, annotator TEXT NOT NULL,
    revision INTEGER NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL, action TEXT NOT NULL,
    added TEXT NOT NULL, removed TEXT NOT NULL, rejected TEXT NOT NULL, status TEXT NOT NULL, run TEXT,
    reason TEXT NOT NULL DEFAULT '', client_edit TEXT,
    PRIMARY KEY (document_id, annotator, revision)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_once ON events (document_id, annotator, client_edit)
    WHERE client_edit IS NOT NULL;
CREATE INDEX events_of_user ON events (user, document_id) WHERE action <> 'import';

CREATE TABLE annotated_regions (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, annotator TEXT NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL,
    CHECK (0 <= start AND start < "end"),
    PRIMARY KEY (document_id, annotator, start, "end")) STRICT, WITHOUT ROWID;

CREATE TRIGGER regions_were_marked AFTER INSERT ON annotated_regions
BEGIN
    UPDATE projects SET changes = changes + 1
        WHERE id = (SELECT project_id FROM documents WHERE id = new.document_id);
END;

CREATE TRIGGER regions_were_unmarked AFTER DELETE ON annotated_regions
BEGIN
    UPDATE projects SET changes = changes + 1
        WHERE id = (SELECT project_id FROM documents WHERE id = old.document_id);
END;

CREATE TABLE region_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, annotator TEXT NOT NULL,
    revision INTEGER NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('mark', 'undo', 'redo')),
    came TEXT NOT NULL, gone TEXT NOT NULL) STRICT;
CREATE INDEX region_events_of_document ON region_events (document_id, annotator);

CREATE TABLE comments (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER, "end" INTEGER, label INTEGER, text TEXT NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL,
    resolved INTEGER, trashed INTEGER, client_edit TEXT UNIQUE) STRICT;
CREATE INDEX comments_of_document ON comments (document_id);
"""

# A batch of distant labels (raw documents labelled with the dictionary) is a step of the journal; `origin` is
# the word list change (`lexicon_batches.id`) that added the word.
_SUGGEST = """
CREATE TABLE distant_labels (
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL REFERENCES steps(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label INTEGER NOT NULL, origin INTEGER NOT NULL,
    CHECK (0 <= start AND start < "end"),
    PRIMARY KEY (document_id, batch, start, "end", label)) STRICT, WITHOUT ROWID;
CREATE INDEX distant_labels_of_batch ON distant_labels (batch, document_id);

CREATE TABLE patterns (
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    pattern TEXT NOT NULL, label INTEGER NOT NULL, enabled INTEGER NOT NULL DEFAULT 1, user TEXT NOT NULL,
    at INTEGER NOT NULL, trashed INTEGER) STRICT;
CREATE INDEX patterns_of_project ON patterns (project_id);
"""

# `labels_at`: the last id of `label_names` when the run was made; its predictions use the names of that time.
# `declined`: when a person reviewed the run and kept the previous one active. `name` never changes: it is the
# run's folder and what other rows refer to; `title` is what a person calls it, '' for its name.
# `prediction_counts` has how many predictions a run has, how many of them have spans with a score, and how
# often they were changed. Its triggers do not see what REPLACE deletes.
_RUN = """
CREATE TABLE runs (
    name TEXT PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    labels_at INTEGER NOT NULL, tagger TEXT NOT NULL, folder TEXT NOT NULL, status TEXT NOT NULL,
    parent TEXT, replaced TEXT,
    created INTEGER NOT NULL, finished INTEGER, scores TEXT NOT NULL DEFAULT '{}', declined INTEGER,
    title TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX runs_of_project ON runs (project_id, created);
CREATE UNIQUE INDEX runs_by_title ON runs (project_id, title) WHERE title <> '';

CREATE TABLE predictions (
    run TEXT NOT NULL REFERENCES runs(name) ON DELETE CASCADE,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    spans TEXT NOT NULL, least_score REAL, PRIMARY KEY (run, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX predictions_by_confidence ON predictions (run, document_id, least_score);
CREATE INDEX predictions_in_order ON predictions (run, least_score, document_id);
CREATE INDEX predictions_of_document ON predictions (document_id);

CREATE TABLE prediction_counts (
    run TEXT PRIMARY KEY REFERENCES runs(name) ON DELETE CASCADE,
    number INTEGER NOT NULL, scored INTEGER NOT NULL, changes INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TRIGGER predictions_are_counted AFTER INSERT ON predictions
BEGIN
    INSERT INTO prediction_counts VALUES (new.run, 1, new.least_score IS NOT NULL, 1)
        ON CONFLICT DO UPDATE SET number = number + 1, scored = scored + excluded.scored,
            changes = changes + 1;
END;

CREATE TRIGGER predictions_are_counted_anew AFTER UPDATE ON predictions
BEGIN
    UPDATE prediction_counts SET changes = changes + 1,
            scored = scored + (new.least_score IS NOT NULL) - (old.least_score IS NOT NULL)
        WHERE run = new.run;
END;

CREATE TRIGGER predictions_are_discounted AFTER DELETE ON predictions
BEGIN
    UPDATE prediction_counts SET number = number - 1, scored = scored - (old.least_score IS NOT NULL),
            changes = changes + 1
        WHERE run = old.run;
END;

CREATE TABLE corrections (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    run TEXT NOT NULL REFERENCES runs(name) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('missed', 'spurious', 'boundary', 'type', 'confirmed')),
    before TEXT, after TEXT, user TEXT NOT NULL, at INTEGER NOT NULL,
    CHECK (before IS NOT NULL OR after IS NOT NULL)) STRICT;
CREATE INDEX corrections_of_document ON corrections (document_id);
"""

# A choice of a link without a `link` says that the span has none.
_REVIEW = """
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused')), category TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '', user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER,
    CHECK (0 <= start AND start < "end")) STRICT;
CREATE INDEX decisions_of_document ON decisions (document_id);

CREATE TABLE link_choices (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label INTEGER NOT NULL, link TEXT,
    user TEXT NOT NULL, at INTEGER NOT NULL, undone INTEGER, CHECK (0 <= start AND start < "end")) STRICT;
CREATE INDEX link_choices_of_document ON link_choices (document_id);

CREATE TABLE adjudications (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    batch INTEGER NOT NULL REFERENCES steps(id), user TEXT NOT NULL, at INTEGER NOT NULL,
    strategy TEXT NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL, status TEXT NOT NULL,
    seen TEXT NOT NULL, resolved TEXT NOT NULL, undone INTEGER) STRICT;
CREATE INDEX adjudications_of_document ON adjudications (document_id, undone);
CREATE INDEX adjudications_of_batch ON adjudications (batch);
"""

# A work set is a filter under a name (`queue.work_sets`). `step_documents` has what was there before in every
# document that a step of `queue.bulk` changed.
_QUEUE = """
CREATE TABLE step_documents (
    step INTEGER NOT NULL REFERENCES steps(id) ON DELETE CASCADE,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    before TEXT NOT NULL, PRIMARY KEY (step, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX step_documents_of_document ON step_documents (document_id);

CREATE TABLE work_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL, filter TEXT NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL,
    UNIQUE (project_id, name)) STRICT;

CREATE TABLE queue_scores (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, acquisition TEXT NOT NULL,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, score REAL,
    made_for TEXT NOT NULL, PRIMARY KEY (project_id, acquisition, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX queue_scores_in_order ON queue_scores (project_id, acquisition, score, document_id);
CREATE INDEX queue_scores_from_the_top ON queue_scores (project_id, acquisition, -score, document_id);
CREATE INDEX queue_scores_of_document ON queue_scores (document_id);

CREATE TABLE queue_score_counts (
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, acquisition TEXT NOT NULL,
    number INTEGER NOT NULL, PRIMARY KEY (project_id, acquisition)) STRICT, WITHOUT ROWID;

CREATE TRIGGER queue_scores_are_counted AFTER INSERT ON queue_scores
BEGIN
    INSERT INTO queue_score_counts VALUES (new.project_id, new.acquisition, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER queue_scores_are_discounted AFTER DELETE ON queue_scores
BEGIN
    UPDATE queue_score_counts SET number = number - 1
        WHERE (project_id, acquisition) = (old.project_id, old.acquisition);
END;
"""

# `settings` and `report` are those of `core.sources`, as JSON; no secret is in them. `source_answers` has a
# row for every document a source was asked about, also where it suggested nothing.
_SOURCES = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    settings TEXT NOT NULL, report TEXT NOT NULL DEFAULT '{}', user TEXT NOT NULL,
    created INTEGER NOT NULL) STRICT;
CREATE INDEX sources_of_project ON sources (project_id);

CREATE TABLE source_answers (
    source INTEGER NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
    document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    spans TEXT NOT NULL, PRIMARY KEY (source, document_id)) STRICT, WITHOUT ROWID;
CREATE INDEX source_answers_of_document ON source_answers (document_id);
"""

# A knowledge base has a version for each import, of which `current` is the one that is searched, NULL once it
# is deleted; `knowledge_versions.entries` is NULL while it is being written. `knowledge_names` has
# every name of an entry, folded; `knowledge.name_index` makes a table `knowledge_index_N` for each version.
_KNOWLEDGE = """
CREATE TABLE knowledge_bases (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL, current INTEGER, UNIQUE (project_id, name)) STRICT;

CREATE TABLE knowledge_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    base INTEGER NOT NULL REFERENCES knowledge_bases(id) ON DELETE CASCADE,
    user TEXT NOT NULL, at INTEGER NOT NULL, file TEXT NOT NULL, entries INTEGER) STRICT;
CREATE INDEX knowledge_versions_of_base ON knowledge_versions (base);

CREATE TABLE knowledge_entries (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES knowledge_versions(id) ON DELETE CASCADE,
    identifier TEXT NOT NULL, name TEXT NOT NULL, aliases TEXT NOT NULL, type TEXT NOT NULL,
    description TEXT NOT NULL, UNIQUE (version, identifier)) STRICT;

CREATE TABLE knowledge_names (
    version INTEGER NOT NULL REFERENCES knowledge_versions(id) ON DELETE CASCADE,
    folded TEXT NOT NULL, entry INTEGER NOT NULL,
    PRIMARY KEY (version, folded, entry)) STRICT, WITHOUT ROWID;
"""

# `db.audit`. Its rows outlive the projects they name. The triggers keep it append-only.
_AUDIT = """
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, user TEXT NOT NULL,
    via TEXT NOT NULL, project_id INTEGER, detail TEXT NOT NULL) STRICT;
CREATE INDEX audit_in_time ON audit (at, id);
CREATE INDEX audit_of_project ON audit (project_id, at);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
"""

_TABLES = (
    _PROJECT, _OUTSIDE, _LABEL, _LEXICON, _DOCUMENT, _ANNOTATION, _KNOWLEDGE, _SUGGEST, _SOURCES, _RUN,
    _REVIEW, _QUEUE, _AUDIT,
)  # fmt: skip


def _statements(script: str) -> Iterator[str]:
    # sqlite3's executescript would commit the migration's transaction.
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if complete_statement(statement):
            yield statement.strip().rstrip(";")
            statement = ""


_STATEMENTS = [statement for tables in _TABLES for statement in _statements(tables)]
TRIGGERS = frozenset(part for part in _STATEMENTS if part.startswith("CREATE TRIGGER"))


@migrations()
def m001_first_tables(db: Database) -> None:
    """Every table of the first released version."""
    for statement in _STATEMENTS:
        db.execute(statement)
