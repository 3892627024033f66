"""Server functions of the word table: its pages, where a word occurs, and the changes a person makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from app.dictionary import word_list_import, word_matches
from app.dictionary.panel import start_list_work
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.rights import check, may, needs
from app.services.session import Session
from app.ui.payload import Count, CountOrNone, InvalidPayload, Payload, Text, TextOrEmpty
from app.ui.server_function import Reply
from core.lexicon import Entry, Lexicon, LexiconError
from core.lexicon.word_list import line_of
from core.store.label import labels
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import counts as lexicon_counts
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon import words as lexicon_words
from core.store.lexicon.entries import MASK, WordEntry, checked_frequency, checked_type, checked_word
from core.store.lexicon.query import WordQuery
from core.store.lexicon.words import WordRow
from core.store.lexicon.writing import Entries
from core.store.queue import queue

PAGE = 100
EXPORTED = 20_000
MOST_MATCHES = 5
Operation = Literal["remove", "retype", "forget", "keep_one", "keep_all", "ask"]


class TableQuery(Payload):
    """Which entries the table shows; null for any, or for what it begins with."""

    search: str | None = None
    match: str | None = None
    state: str | None = None
    type: str | None = None
    source: str | None = None
    sort: str | None = None
    descending: bool = False

    @property
    def query(self) -> WordQuery:
        """The query for the store, which checks what it says. Raises: PayloadError."""
        names = ("search", "match", "state", "type", "source", "sort")
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        return WordQuery(**given, descending=self.descending)


class TablePage(TableQuery):
    """The entries from row ``offset`` on."""

    offset: CountOrNone = 0


class ExportPart(TableQuery):
    """The entries after a word and its type."""

    after: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None


class ManyChange(TableQuery):
    """An operation on the entries ``ids``, or with ``all`` on all that the query finds.

    ``type`` is the new type of ``ids``, ``new_type`` that of all, where ``type`` belongs to the query.
    """

    operation: Operation
    all: bool = False
    ids: list[Count] = Field(default_factory=list)
    new_type: TextOrEmpty = ""


class SomeWords(Payload):
    """Words of a page of the table."""

    words: Annotated[list[str], Field(max_length=PAGE)]


class OneWord(Payload):
    """A word."""

    word: Text


class EntryFields(Payload):
    """Type and frequency of an entry."""

    type: TextOrEmpty = ""
    frequency: int = 1


class NewEntry(EntryFields):
    """A word to add."""

    word: Text


class EntryChange(EntryFields):
    """An entry and what it becomes."""

    id: Count


def dictionary_page(session: Session, asked: TablePage) -> Reply:
    """A page of the table, with counts over the whole list."""
    page = lexicon_words.page(
        session.workspace, session.project_id, asked.query, offset=asked.offset, limit=PAGE
    )
    counts = lexicon_counts.counts(session.workspace, session.project_id)
    return {
        "rows": [row_object(row) for row in page.rows],
        "total": page.total,
        "most_counted": lexicon_counts.MOST_COUNTED,
        "page": PAGE,
        "counts": {
            "entries": counts.entries,
            "removed": counts.removed,
            "conflicts": counts.conflicts,
            "kept": counts.kept,
            "types": dict(list(counts.types.items())[:200]),
            "sources": dict(list(counts.sources.items())[:200]),
        },
        "base": len(Lexicon.jieba()),
        "undoable": lexicon_batches.last_undoable(session.workspace, session.project_id) is not None,
        "labels": label_names(session),
        "see_documents": may(session, "see_documents"),
    }


def dictionary_documents(session: Session, asked: SomeWords) -> Reply:
    """How many documents contain each of the given words."""
    check(session, "see_documents")
    counts, exact = word_matches.documents_of_each(session, [checked_word(word) for word in asked.words])
    return {"documents": counts, "exact": exact}


def dictionary_look(session: Session, asked: OneWord) -> Reply:
    """Information on a word before it is added, with documents for users who may see them."""
    word = checked_word(asked.word)
    query = WordQuery(search=word, match="whole")
    rows = lexicon_words.page(session.workspace, session.project_id, query).rows
    out = lexicon_words.page(
        session.workspace, session.project_id, WordQuery(search=word, match="whole", state="removed")
    ).total
    answer: dict[str, Any] = {"word": word, "own": [row_object(row) for row in rows], "removed": bool(out)}
    base = Lexicon.jieba()
    if word in base:
        entry = base.entry(word)
        answer["base"] = {"frequency": entry.frequency, "type": entry.type}
    if may(session, "see_documents"):
        which = queue.Filter(search=word)
        page = queue.page(session.workspace, session.project_id, which, limit=MOST_MATCHES)
        answer["documents"], answer["more"] = page.total, page.more
        answer["matches"] = [[row.name, " ".join(row.excerpt.split())] for row in page.rows]
    return answer


@needs("change_dictionary")
def dictionary_add(session: Session, asked: NewEntry) -> Reply:
    """Add a word. A word that exists gets the type in addition; an empty type adds none."""
    entry = _entry(asked.word, asked)

    def decide(word: str, before: Entries) -> Entries:
        typed = tuple(e for e in before if e.type)
        if typed and not entry.type:
            return typed
        return (*(e for e in typed if e.type != entry.type), WordEntry(entry.type, entry.frequency))

    return _changed(session, "add", [entry.word], decide)


@needs("change_dictionary")
def dictionary_edit(session: Session, asked: EntryChange) -> Reply:
    """Change the type or frequency of an entry. Without a type, it goes if the word has other types."""
    (row,) = lexicon_words.find(session.workspace, session.project_id, [asked.id])
    entry = _entry(row.word, asked)
    if row.masked:
        raise AppError("This word was removed; restore it to the base dictionary first, or add it.")

    def decide(word: str, before: Entries) -> Entries:
        others = tuple(e for e in before if e.type not in (row.type, entry.type))
        if others and not entry.type:
            return others
        return (*others, WordEntry(entry.type, entry.frequency, False, _origin(before, row.type)))

    return _changed(session, "edit", [row.word], decide)


@needs("change_dictionary")
def dictionary_change(session: Session, asked: ManyChange) -> Reply:
    """Apply one operation to the given entries, or to all that match a query.

    ``remove`` them (a word without any other type is taken out of the base too), ``retype`` them, ``forget``
    that words were taken out, ``keep_one`` type of a word or ``keep_all``, or ``ask`` again.
    """
    operation = asked.operation
    if asked.all:
        return _change_all(session, asked)
    rows = lexicon_words.find(session.workspace, session.project_id, asked.ids)
    words = list(dict.fromkeys(row.word for row in rows))
    if operation in ("keep_all", "ask"):
        kept = operation == "keep_all"
        return {"settled": lexicon_words.resolve(session.workspace, session.project_id, words, kept=kept)}
    chosen: dict[str, set[str]] = {}
    for row in rows:
        chosen.setdefault(row.word, set()).add(row.type)
    new_type = checked_type(asked.type or "")
    decide = _decision(operation, new_type, chosen)
    return _changed(session, "remove" if operation == "remove" else "edit", words, decide)


def _change_all(session: Session, asked: ManyChange) -> Reply:
    operation = asked.operation
    if operation not in ("remove", "retype", "forget"):
        raise InvalidPayload("This is done word by word.", "several words")
    query, new_type = asked.query, checked_type(asked.new_type)

    def make(task: Task[Any]) -> dict[str, Any]:
        chosen: dict[str, set[str]] = {}
        for word, entry in lexicon_words.entries(session.workspace, session.project_id, query):
            chosen.setdefault(word, set()).add(entry.type)
        batch = lexicon_steps.write(
            session.workspace, session.project_id, "remove" if operation == "remove" else "edit", chosen,
            _decision(operation, new_type, chosen), user=session.user,
            progress=lambda done: task.progress("write", done / len(chosen)),
        )  # fmt: skip
        return word_list_import.after(session, batch)

    return start_list_work(session, "change", make)


def _decision(operation: str, new_type: str, chosen: Mapping[str, set[str]]) -> Any:
    def decide(word: str, before: Entries) -> Entries:
        types = chosen[word]
        inside = [entry for entry in before if entry.type in types]
        outside = tuple(entry for entry in before if entry.type not in types)
        if operation == "remove":
            return outside or (MASK,)
        if operation == "forget":
            return tuple(entry for entry in before if not entry.masked)
        if operation == "keep_one":
            return tuple(inside) or before
        if not inside or inside[0].masked:
            return before
        if outside and not new_type:
            return outside
        frequency = max(entry.frequency for entry in inside)
        return (
            *(entry for entry in outside if entry.type != new_type),
            WordEntry(new_type, frequency, False, inside[0].origin),
        )

    return decide


@needs("change_dictionary")
def dictionary_undo(session: Session) -> Reply:
    """Undo the last change."""

    def make(task: Task[Any]) -> dict[str, Any]:
        undone, made = lexicon_returning.undo(
            session.workspace,
            session.project_id,
            user=session.user,
            progress=lambda done: task.progress("write", 0.5),
        )
        return word_list_import.after(session, made) | {"undone": undone.kind, "source": undone.source}

    return start_list_work(session, "undo", make)


@needs("change_dictionary")
def dictionary_count(session: Session) -> Reply:
    """Count the documents each word occurs in, so that the table can be sorted by it."""
    check(session, "see_documents")

    def make(task: Task[Any]) -> dict[str, Any]:
        return {"read": word_matches.count_all(session, lambda share: task.progress("documents", share))}

    return start_list_work(session, "count", make)


def dictionary_export(session: Session, asked: ExportPart) -> Reply:
    """A part of the list as lines of word, frequency and type; ``next`` is where it continues, or None."""
    after = asked.after or ["", ""]
    lines: list[str] = []
    last: list[str] | None = None
    entries = lexicon_words.entries(session.workspace, session.project_id, asked.query, (after[0], after[1]))
    for word, entry in entries:
        lines.append(export_line(word, entry))
        if len(lines) == EXPORTED:
            last = [word, entry.type]
            break
    return {"text": "".join(lines), "next": last}


def export_line(word: str, entry: WordEntry) -> str:
    """A line of a word list that reads back as the same entry."""
    return line_of(Entry(word, entry.frequency, entry.type))


def row_object(row: WordRow) -> dict[str, Any]:
    """An entry as JSON for the table."""
    return {
        "id": row.id, "word": row.word, "type": row.type, "frequency": row.frequency, "removed": row.masked,
        "conflict": row.conflict, "documents": row.documents, "source": row.source, "user": row.user,
        "at": row.at,
    }  # fmt: skip


def label_names(session: Session) -> list[str]:
    """The names of the project's labels, which word types usually are."""
    return list(labels.get(session.workspace, session.project_id).names)


def _entry(word: str, asked: EntryFields) -> Entry:
    try:
        return Entry(checked_word(word), checked_frequency(asked.frequency), checked_type(asked.type))
    except LexiconError as error:
        raise InvalidPayload(error.message, f"word: {error}") from None


def _origin(before: Entries, type_: str) -> int:
    return next((entry.origin for entry in before if entry.type == type_), 0)


def _changed(session: Session, kind: str, words: Sequence[str], decide: Any) -> dict[str, Any]:
    batch = lexicon_steps.write(session.workspace, session.project_id, kind, words, decide, user=session.user)
    word_matches.forget_predictions(session, words)
    return {"added": batch.added, "removed": batch.removed, "changed": batch.changed}
