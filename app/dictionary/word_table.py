"""Server functions of the word table: its pages, where a word occurs, and the changes a person makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.dictionary import word_list_import, word_matches
from app.dictionary.panel import start_list_work
from app.services.errors import AppError
from app.services.rights import check, may, needs
from app.services.session import Session
from app.services.tasks import Task
from app.ui.payload import InvalidPayload, read_count, read_text
from core.lexicon import Entry, Lexicon, LexiconError
from core.lexicon.word_list import line_of
from core.store.label import labels
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
OPERATIONS = ("remove", "retype", "forget", "keep_one", "keep_all", "ask")


def dictionary_page(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A page of the table, with counts over the whole list."""
    query = read_query(payload)
    page = lexicon_words.page(
        session.workspace, session.project_id, query,
        offset=read_count(payload, "offset", optional=True) or 0, limit=PAGE,
    )  # fmt: skip
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
        "labels": label_names(session),
        "see_documents": may(session, "see_documents"),
    }


def dictionary_documents(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """How many documents contain each of the given words."""
    check(session, "see_documents")
    words = payload.get("words")
    if not isinstance(words, Sequence) or isinstance(words, str) or len(words) > PAGE:
        raise InvalidPayload(f"words must be a list of at most {PAGE}")
    found, exact = word_matches.documents_of_each(session, [checked_word(word) for word in words])
    return {"documents": found, "exact": exact}


def dictionary_look(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Information on a word before it is added, with documents for users who may see them."""
    word = checked_word(read_text(payload, "word"))
    query = WordQuery(search=word, match="whole")
    own = lexicon_words.page(session.workspace, session.project_id, query).rows
    out = lexicon_words.page(
        session.workspace, session.project_id, WordQuery(search=word, match="whole", state="removed")
    ).total
    answer: dict[str, Any] = {"word": word, "own": [row_object(row) for row in own], "removed": bool(out)}
    base = Lexicon.jieba()
    if word in base:
        entry = base.entry(word)
        answer["base"] = {"frequency": entry.frequency, "type": entry.type}
    if may(session, "see_documents"):
        which = queue.Filter(search=word)
        found = queue.page(session.workspace, session.project_id, which, limit=MOST_MATCHES)
        answer["documents"] = found.total
        answer["matches"] = [[row.name, " ".join(row.excerpt.split())] for row in found.rows]
    return answer


@needs("change_dictionary")
def dictionary_add(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Add a word. A word that exists gets the type in addition; an empty type adds none."""
    entry = _entry(payload)

    def decide(word: str, before: Entries) -> Entries:
        typed = tuple(e for e in before if e.type)
        if typed and not entry.type:
            return typed
        return (*(e for e in typed if e.type != entry.type), WordEntry(entry.type, entry.frequency))

    return _changed(session, "add", [entry.word], decide)


@needs("change_dictionary")
def dictionary_edit(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Change the type or frequency of an entry. Without a type, it goes if the word has other types."""
    (row,) = lexicon_words.find(session.workspace, session.project_id, [payload.get("id")])  # type: ignore[list-item]
    entry = _entry({**payload, "word": row.word})
    if row.masked:
        raise AppError("This word was taken out; give it back to the base first, or add it.")

    def decide(word: str, before: Entries) -> Entries:
        others = tuple(e for e in before if e.type not in (row.type, entry.type))
        if others and not entry.type:
            return others
        return (*others, WordEntry(entry.type, entry.frequency, False, _origin(before, row.type)))

    return _changed(session, "edit", [row.word], decide)


@needs("change_dictionary")
def dictionary_change(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Apply one operation to the given entries, or to all that match a query.

    ``remove`` them (a word without any other type is taken out of the base too), ``retype`` them, ``forget``
    that words were taken out, ``keep_one`` type of a word or ``keep_all``, or ``ask`` again.
    """
    operation = read_text(payload, "operation")
    if operation not in OPERATIONS:
        raise InvalidPayload(f"operation is one of {', '.join(OPERATIONS)}")
    if payload.get("all") is True:
        return _change_all(session, operation, payload)
    rows = lexicon_words.find(session.workspace, session.project_id, _ids(payload))
    words = list(dict.fromkeys(row.word for row in rows))
    if operation in ("keep_all", "ask"):
        kept = operation == "keep_all"
        return {"settled": lexicon_words.resolve(session.workspace, session.project_id, words, kept=kept)}
    chosen: dict[str, set[str]] = {}
    for row in rows:
        chosen.setdefault(row.word, set()).add(row.type)
    new_type = read_type(payload.get("type", ""))
    decide = _decision(operation, new_type, chosen)
    return _changed(session, "remove" if operation == "remove" else "edit", words, decide)


def _change_all(session: Session, operation: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    if operation not in ("remove", "retype", "forget"):
        raise InvalidPayload("this is done word by word")
    query, new_type = read_query(payload), read_type(payload.get("new_type", ""))

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
def dictionary_undo(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
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
def dictionary_count(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Count the documents each word occurs in, so that the table can be sorted by it."""
    check(session, "see_documents")

    def make(task: Task[Any]) -> dict[str, Any]:
        return {"read": word_matches.count_all(session, lambda share: task.progress("documents", share))}

    return start_list_work(session, "count", make)


def dictionary_export(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A part of the list as lines of word, frequency and type; ``next`` is where it continues, or None."""
    query = read_query(payload)
    after = payload.get("after") or ["", ""]
    if not isinstance(after, Sequence) or [type(part) for part in after] != [str, str]:
        raise InvalidPayload("after is a word and its type")
    lines: list[str] = []
    last: list[str] | None = None
    found = lexicon_words.entries(session.workspace, session.project_id, query, (after[0], after[1]))
    for word, entry in found:
        lines.append(export_line(word, entry))
        if len(lines) == EXPORTED:
            last = [word, entry.type]
            break
    return {"text": "".join(lines), "next": last}


def export_line(word: str, entry: WordEntry) -> str:
    """A line of a word list that reads back as the same entry."""
    return line_of(Entry(word, entry.frequency, entry.type))


def read_query(payload: Mapping[str, Any]) -> WordQuery:
    """The table's query; ``WordQuery`` checks every field."""
    names = ("search", "match", "state", "type", "source", "sort")
    given = {name: payload[name] for name in names if payload.get(name) is not None}
    return WordQuery(**given, descending=payload.get("descending") is True)


def read_type(value: object) -> str:
    """The type of words in a payload.

    Raises:
        PayloadError: it can be none.
    """
    return checked_type(value)


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


def _entry(payload: Mapping[str, Any]) -> Entry:
    word = checked_word(read_text(payload, "word"))
    frequency = checked_frequency(payload.get("frequency", 1))
    try:
        return Entry(word, frequency, read_type(payload.get("type", "")))
    except LexiconError as error:
        raise InvalidPayload(str(error)) from None


def _ids(payload: Mapping[str, Any]) -> list[int]:
    ids = payload.get("ids")
    if not isinstance(ids, Sequence) or isinstance(ids, str):
        raise InvalidPayload("ids must be a list of numbers")
    return list(ids)


def _origin(before: Entries, type_: str) -> int:
    return next((entry.origin for entry in before if entry.type == type_), 0)


def _changed(session: Session, kind: str, words: Sequence[str], decide: Any) -> dict[str, Any]:
    batch = lexicon_steps.write(session.workspace, session.project_id, kind, words, decide, user=session.user)
    word_matches.forget_predictions(session, words)
    return {"added": batch.added, "removed": batch.removed, "changed": batch.changed}
