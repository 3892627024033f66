"""Candidates are shown where they stand."""

from core.lexicon.discovery.contexts import WIDTH, Context, contexts
from core.text import Document


def test_a_surface_has_one_context_a_document_and_all_its_documents_counted() -> None:
    documents = [Document(f"d{at}", f"在区块链上{at}区块链") for at in range(5)]
    found = contexts(documents, ["区块链", "没有"])
    assert found["区块链"].documents == 5
    assert found["区块链"].contexts == [Context(f"d{at}", 1, "在", f"上{at}区块链") for at in range(3)]
    assert (found["没有"].documents, found["没有"].contexts) == (0, [])


def test_what_is_around_is_cut_to_a_width_in_code_points() -> None:
    (place,) = contexts([Document("d", "𠮷" * 40 + "甲" + "😀" * 40)], ["甲"])["甲"].contexts
    assert (place.start, place.before, place.after) == (40, "𠮷" * WIDTH, "😀" * WIDTH)


def test_what_no_lexicon_can_hold_has_no_context() -> None:
    bad = ["", "长" * 10_000, "a\tb", "\ud800"]
    assert all(not found.contexts for found in contexts([Document("d", "a\tb\r\n长长")], bad).values())
    assert contexts([], []) == {}
