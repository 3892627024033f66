"""The knowledge base section of the Data page, and what the dialog of the Annotate page finds in it."""

from pathlib import Path

import pytest

from app.data import knowledge
from app.services.errors import AppError
from app.ui.annotation.linking import EntryQuery, find_entries
from core.store.document import documents
from core.text import Document, EntityLink, Span

FILE = (
    "id,name,aliases,description\nQ64,Berlin,柏林,capital of Germany\n"
    "Q82,Berlin,,mills of New Hampshire\n,x,,\nQ64,y,,\n"
)


def _bring(session, tmp_path: Path, **options):
    path = tmp_path / "places.csv"
    path.write_text(FILE, encoding="utf-8")
    told = {"name": "", "mode": knowledge.REPLACE} | options
    return knowledge.bring(session, lambda *counts: None, str(path), told["name"], told["mode"])


def test_an_import_says_what_came_and_what_was_refused_and_is_taken_back(session, tmp_path) -> None:
    assert "No knowledge base yet" in knowledge.show(session)["about"]
    answer = _bring(session, tmp_path)
    assert answer["result"] == "Imported 2 entries into `places`. Refused lines: 1."
    assert [row[0] for row in answer["refusals"]["value"]["data"]] == [4, 5]
    assert answer["table"]["value"]["data"] == [["places", "2", "places.csv", session.user]]
    assert [row[0] for row in knowledge.find(session, "柏林")["found"]["value"]["data"]] == ["Q64"]
    assert knowledge.find(session, "nowhere")["nothing"]
    gone = knowledge.delete(session, answer["chosen"]["value"])
    assert gone["table"]["value"]["data"] == []
    assert len(knowledge.undo(session)["table"]["value"]["data"]) == 1
    with pytest.raises(AppError):
        knowledge.undo(session)
    with pytest.raises(AppError, match="Choose a file"):
        knowledge.bring(session, lambda *counts: None, None, "", knowledge.REPLACE)


def test_candidates_are_ranked_by_the_text_around_and_by_earlier_links(session, tmp_path) -> None:
    linked = Span(0, 2, "LOC", link=EntityLink("Q64", "Berlin", "places"))
    texts = [Document("a", "the mills of Berlin"), Document("b", "伯林", (linked,)), Document("c", "in 伯林")]
    a, _, c = documents.add(session.workspace, session.project_id, texts).ids
    query = EntryQuery(document=a, start=13, end=19)
    assert find_entries(session, query) == {"entries": [], "bases": 0}
    _bring(session, tmp_path)
    found = find_entries(session, query)
    assert [one["id"] for one in found["entries"]] == ["Q82", "Q64"]
    # The surface 伯林 is no name in the knowledge base, but was linked before.
    (earlier,) = find_entries(session, EntryQuery(document=c, start=3, end=5))["entries"]
    assert (earlier["id"], earlier["parts"]["earlier"]) == ("Q64", 1.0)
    typed = find_entries(session, EntryQuery(document=c, start=3, end=5, text="Q82"))
    assert [one["id"] for one in typed["entries"]] == ["Q82"]
