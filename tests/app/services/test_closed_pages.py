"""Which pages are closed in a project without members."""

from app.services.rights import closed_pages
from core.store.document import documents
from core.store.project import assignments
from core.text import Document


def test_the_review_page_opens_once_a_document_is_given_to_somebody(filled):
    assert "review" in closed_pages(filled)
    ids = documents.add(filled.workspace, filled.project_id, [Document("two", "两人各标一遍。")]).ids
    assignments.hand_out(filled.workspace, filled.project_id, ["ana"], by="lin", among=ids)
    assert "review" not in closed_pages(filled)
