"""The spans of an annotation that a person touched in their sentence, from its events."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.store.db.span_json import load_items
from core.text.annotated_regions import Region

# Actions on spans that the user saw in context.
ON_SCREEN = frozenset(
    ("label", "relabel", "accept", "accept_all", "reject", "delete", "move", "edit", "link")
)
# Not annotating by themselves: undo and redo take back and repeat what other actions annotated.
UNSEEN = frozenset(
    (
        "import",
        "undo",
        "redo",
        "revert",
        "status",
        "done",
        "reopen",
        "ignore",
        "restore",
        "to_check",
        "keep_mine",
        "label_others",
        "merge",
        "replace_labels",
        "accept_many",
        "undo_accept_many",
    )
)

Item = tuple[str, tuple[int, ...]]  # "span" or "rejected", and the stored array
_State = frozenset[Item]


@dataclass(frozen=True, slots=True)
class Edit:
    """An action, and what it added, removed, rejected or restored."""

    action: str
    changed: frozenset[Item]


def edits_of(db: sqlite3.Connection, ids: Collection[int], annotator: str) -> dict[int, list[Edit]]:
    """The edits of an annotator's annotations of documents, oldest first, by document."""
    edits: dict[int, list[Edit]] = defaultdict(list)
    rejected: dict[int, _State] = defaultdict(frozenset)
    rows = db.execute(
        "SELECT document_id, action, added, removed, rejected FROM events WHERE annotator = ? "
        "AND document_id IN (SELECT value FROM json_each(?)) ORDER BY document_id, revision",
        (annotator, json.dumps(list(ids))),
    )
    for row in rows:
        id_, after = row["document_id"], _items("rejected", row["rejected"])
        spans = _items("span", row["added"]) | _items("span", row["removed"])
        edits[id_].append(Edit(row["action"], spans | (rejected[id_] ^ after)))
        rejected[id_] = after
    return edits


def touched(edits: Sequence[Edit]) -> list[Region]:
    """Offsets of the spans that edits on screen changed; an edit that was undone changed none."""
    state: _State = frozenset()
    # The state before each step, and its edits; the next one to undo or redo last.
    past: list[tuple[_State, list[Edit]]] = []
    future: list[tuple[_State, list[Edit]]] = []
    for edit in edits:
        if not edit.changed:
            continue  # a change of the status: nothing to undo
        before, state = state, state ^ edit.changed
        if edit.action == "undo" and (at := _last(past, state)) is not None:
            future.append((before, [one for _, step in past[at:] for one in step]))
            del past[at:]
        elif edit.action == "redo" and (at := _last(future, state)) is not None:
            past.append((before, [one for _, step in reversed(future[at:]) for one in step]))
            del future[at:]
        else:
            past.append((before, [edit]))
            future.clear()
    standing = [edit for _, step in past for edit in step if edit.action in ON_SCREEN]
    return [(item[0], item[1]) for edit in standing for _, item in edit.changed]


def _last(stack: Sequence[tuple[_State, list[Edit]]], state: _State) -> int | None:
    # Several presses of undo may have been saved as one event, so the state can lie deeper than the top.
    return next((at for at in reversed(range(len(stack))) if stack[at][0] == state), None)


def _items(kind: str, column: str) -> _State:
    return frozenset((kind, tuple(item[:3])) for item in load_items(column))
