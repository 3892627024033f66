"""An import's transaction ends early for whoever waits to save."""

from __future__ import annotations

import threading

from core.store.document import documents
from core.text import Document


def _made(number):
    return [Document(f"d{at}", f"北京{at}") for at in range(number)]


def test_whoever_waits_writes_before_the_import_goes_on(workspace, project, monkeypatch):
    monkeypatch.setattr(documents, "IMPORTED", 50)
    monkeypatch.setattr(documents, "YIELDING", 5)
    add_chunk = documents.add_chunk
    there, saved_at = [], []

    def save():
        with workspace.writing() as db:
            saved_at.extend(db.execute("SELECT count(*) FROM documents").fetchone())

    def interrupted(*given):
        if len(there) == 2:
            other = threading.Thread(target=save)
            other.start()
            while not workspace.lock.is_waited_for:
                assert other.is_alive()
        there.append(given)
        return add_chunk(*given)

    monkeypatch.setattr(documents, "add_chunk", interrupted)
    done = []
    added = documents.add(workspace, project.id, _made(60), progress=done.append)
    assert (done, added.added) == ([15, 50, 60], 60)
    assert saved_at == [15], "of a transaction that ended for it"
    assert not workspace.lock.is_waited_for
