"""Knowledge bases: import of versions, undo, search against reading every name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import NotFound, PayloadError, Project, Workspace, annotations, documents, projects
from core.store.knowledge import bases, earlier_links, search
from core.store.knowledge.bases import KIND, VersionGone
from core.store.lexicon import word_import
from core.store.lexicon.entries import WordEntry
from core.store.project import journal
from core.text import Document, EntityLink, Span
from core.text.knowledge_entry import KnowledgeEntry, folded

BERLIN = KnowledgeEntry("Q64", "Berlin", ("柏林", "Spree-Athen"), "city", "capital of Germany")
NEW_HAMPSHIRE = KnowledgeEntry(
    "Q821244", "Berlin", ("Berlin, New Hampshire",), "city", "in the White Mountains"
)
PARIS = KnowledgeEntry("Q90", "Paris", ("\uff30aris",), "city")


def _put(workspace: Workspace, project: Project, *entries: KnowledgeEntry, **options) -> bases.Imported:
    numbered = enumerate(entries, 2)
    return bases.put(workspace, project.id, "Wikidata", numbered, user="me", **options)


def _ids(workspace: Workspace, project: Project, text: str) -> list[str]:
    return [one.entry.id for one in search.search(workspace, project.id, text)]


def test_the_best_match_comes_first_whatever_case_width_and_script(
    workspace: Workspace, project: Project
) -> None:
    _put(workspace, project, BERLIN, NEW_HAMPSHIRE, PARIS)
    for text, ids in {
        "Q90": ["Q90"], "BERLIN": ["Q64", "Q821244"], "柏": ["Q64"], "柏林": ["Q64"],
        "hampshire": ["Q821244"], "\uff50\uff41\uff52\uff49\uff53": ["Q90"],
        "athen": ["Q64"], "x": [], "  ": [], "Berlim": [], "%_'\"*": [],
    }.items():  # fmt: skip
        assert _ids(workspace, project, text) == ids, text


def test_a_new_version_replaces_or_merges_and_is_taken_back(workspace: Workspace, project: Project) -> None:
    first = _put(workspace, project, BERLIN, PARIS, file="first.csv")
    merged = _put(workspace, project, KnowledgeEntry("Q90", "Lutetia"), NEW_HAMPSHIRE, merge=True)
    assert (first.read, merged.read, merged.kept, merged.base.entries) == (2, 2, 1, 3)
    assert _ids(workspace, project, "paris") == []
    assert _ids(workspace, project, "柏林") == ["Q64"]
    journal.undo(workspace, project.id, merged.step, user="me", kinds=[KIND])
    assert _ids(workspace, project, "paris") == ["Q90"]
    _put(workspace, project, NEW_HAMPSHIRE)
    assert _ids(workspace, project, "柏林") == []
    assert [base.entries for base in bases.listed(workspace, project.id)] == [1]
    _put(workspace, project, PARIS)
    with pytest.raises(VersionGone):
        journal.undo(workspace, project.id, first.step, user="me")


def test_deleting_is_taken_back_and_leaves_the_links(
    workspace: Workspace, project: Project, document_id: int
) -> None:
    base = _put(workspace, project, BERLIN).base
    linked = Span(0, 3, "PER", link=EntityLink("Q64", "Berlin", "Wikidata"))
    annotations.save(workspace, document_id, 0, [linked], user="me")
    step = bases.delete(workspace, project.id, base.id, user="me")
    assert bases.listed(workspace, project.id) == []
    assert _ids(workspace, project, "berlin") == []
    assert annotations.current(workspace, document_id).document.spans == (linked,)
    with pytest.raises(NotFound):
        bases.delete(workspace, project.id, base.id, user="me")
    journal.undo(workspace, project.id, step, user="me")
    assert _ids(workspace, project, "berlin") == ["Q64"]


def test_repeated_ids_are_told_by_line_and_an_import_without_entries_changes_nothing(
    workspace: Workspace, project: Project
) -> None:
    made = _put(workspace, project, BERLIN, PARIS, KnowledgeEntry("Q64", "another"))
    assert (made.read, made.repeated) == (2, ((4, "Q64"),))
    for entries, name in (((), "Wikidata"), ((PARIS,), " "), ((PARIS,), "a\nb")):
        with pytest.raises(PayloadError):
            bases.put(workspace, project.id, name, enumerate(entries), user="me")
    assert _ids(workspace, project, "berlin") == ["Q64"]


def test_a_cancelled_import_leaves_the_version_before(workspace: Workspace, project: Project) -> None:
    _put(workspace, project, BERLIN)

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    many = [KnowledgeEntry(str(number), f"name {number}") for number in range(1_500)]
    with pytest.raises(KeyboardInterrupt):
        _put(workspace, project, *many, progress=stop)
    assert _ids(workspace, project, "berlin") == ["Q64"]
    with workspace.reading() as db:
        assert db.execute("SELECT count(*) FROM knowledge_entries").fetchone()[0] == 1


def test_the_words_of_the_dictionary_are_a_knowledge_base(workspace: Workspace, project: Project) -> None:
    with pytest.raises(PayloadError, match="no entries"):
        bases.put_words(workspace, project.id, "dictionary", user="me")
    word_import.import_list(
        workspace, project.id, {"青禾大学": (WordEntry("ORG", 3),)}, user="me", source="words.txt"
    )
    bases.put_words(workspace, project.id, "dictionary", user="me")
    (found,) = search.search(workspace, project.id, "青禾")
    assert (found.entry.id, found.entry.type, found.source) == ("青禾大学", "ORG", "dictionary")


def test_earlier_links_are_counted_by_surface_and_told_with_their_context(
    workspace: Workspace, project: Project
) -> None:
    link, other = EntityLink("Q64", "Berlin", "W"), EntityLink("Q6", "", "W")
    texts = [
        Document(str(at), f"No. {at}: in Berlin there is snow", (Span(10, 16, "LOC", link=link),))
        for at in range(3)
    ]
    texts.append(Document("3", "Berlin, NH", (Span(0, 6, "LOC", link=other), Span(8, 10, "LOC", link=other))))
    ids = documents.add(workspace, project.id, texts).ids
    assert earlier_links.on_surface(workspace, project.id, "Berlin") == {link: 3, other: 1}
    assert earlier_links.on_surface(workspace, project.id, "Berlin", but=ids[3]) == {link: 3}
    told = earlier_links.contexts(workspace, project.id, [link, EntityLink("Q9")])
    assert sorted(told) == [("W", "Q64")]
    assert sorted(told["W", "Q64"]) == [text.text for text in texts[:3]]


_NAMES = st.lists(
    st.text("abAB北京 É😀'\"", min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=8
)


@given(names=_NAMES, search_for=st.text("abAB北京 é😀", min_size=2, max_size=3))
def test_search_finds_what_reading_every_name_finds(
    names: list[str], search_for: str, tmp_path_factory
) -> None:
    wanted = folded(search_for)
    expected = {str(at) for at, name in enumerate(names) if wanted and wanted in folded(name)}
    if len(wanted) == 1 and len(wanted.encode("utf-16-be")) == 2:
        expected = {str(at) for at, name in enumerate(names) if folded(name).startswith(wanted)}
    with Workspace.open(tmp_path_factory.mktemp("kb")) as workspace:
        number = projects.create(workspace, "p").id
        entries = ((at, KnowledgeEntry(str(at), name)) for at, name in enumerate(names))
        bases.put(workspace, number, "kb", entries, user="me")
        found = search.search(workspace, number, search_for, limit=50)
    assert {one.entry.id for one in found if one.match != "id"} == expected
