"""Every change of a word list is a version: counted, compared, undone, gone back to, and nothing is lost."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import PayloadError, StoreError, Workspace
from core.store.label import changes as label_changes
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import counts as lexicon_counts
from core.store.lexicon import diff as lexicon_diff
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon import words as lexicon_words
from core.store.lexicon.entries import MASK, WordEntry
from core.store.lexicon.query import WordQuery
from core.store.project import journal, projects
from tests.store.by_hand import add_words, undo_batch
from tests.workspaces import new_workspace


def import_list(workspace, project, words, **more):
    entries = {word: tuple(WordEntry(*entry) for entry in found) for word, found in words.items()}
    return lexicon_import.import_list(workspace, project.id, entries, user="lin", source="list.txt", **more)


def stands(workspace, project):
    words = {(word, e.type, e.frequency) for word, e in lexicon_words.entries(workspace, project.id)}
    out = lexicon_words.entries(workspace, project.id, WordQuery(state="removed"))
    return words, {word for word, _ in out}


def test_an_import_is_one_version_with_its_source_and_counts(workspace, project):
    batch = import_list(workspace, project, {"青禾": [("ORG", 3)], "林知远": [("PER", 1)]})
    assert (batch.kind, batch.source, batch.user, batch.added) == ("import", "list.txt", "lin", 2)
    (row, _) = lexicon_words.page(workspace, project.id, WordQuery(sort="frequency", descending=True)).rows
    assert (row.word, row.type, row.frequency, row.source) == ("青禾", "ORG", 3, "list.txt")
    with pytest.raises(PayloadError, match="nothing changes"):
        import_list(workspace, project, {"青禾": [("ORG", 2)]})
    assert lexicon_batches.versions(workspace, project.id)[1] == 1


def test_a_word_with_two_types_is_a_conflict_and_may_be_kept(workspace, project):
    import_list(workspace, project, {"青禾": [("ORG", 3), ("PER", 5)], "院长": [("TITLE", 1)]})
    counts = lexicon_counts.counts(workspace, project.id)
    assert (counts.entries, counts.conflicts, counts.kept) == (3, 1, 0)
    changes = lexicon_changes.current(workspace, project.id)
    assert (changes.added["青禾"], changes.types) == ("PER", {"青禾": ("ORG", "PER")})
    lexicon_words.resolve(workspace, project.id, ["青禾"], kept=True)
    counts = lexicon_counts.counts(workspace, project.id)
    assert (counts.conflicts, counts.kept) == (0, 1)
    import_list(workspace, project, {"青禾": [("LOC", 1)]}, choice="both")
    assert lexicon_counts.counts(workspace, project.id).conflicts == 1, "a third type is a new question"


def test_the_difference_of_two_versions_is_told_word_by_word(workspace, project):
    first = import_list(
        workspace, project, {"甲一": [("ORG", 1)], "乙一": [("ORG", 1)], "丙一": [("ORG", 1), ("PER", 1)]}
    ).id
    lexicon_changes.remove(workspace, project.id, ["甲一"], user="bo")
    import_list(workspace, project, {"乙一": [("LOC", 4)], "丁一": [("", 1)]})
    (row,) = (
        r for r in lexicon_words.page(workspace, project.id, WordQuery(search="丙一")).rows if r.type == "PER"
    )
    last = lexicon_steps.write(
        workspace, project.id, "edit", ["丙一"], lambda w, b: [e for e in b if e.type != row.type], user="bo"
    ).id
    rows = {one.word: one for one in lexicon_diff.differences(workspace, project.id, first, last)}
    assert {word: one.change for word, one in rows.items()} == {
        "甲一": "removed", "乙一": "changed", "丙一": "changed", "丁一": "added",
    }  # fmt: skip
    assert [e.type for e in rows["乙一"].gone] == ["ORG"]
    assert [(e.type, e.frequency) for e in rows["乙一"].came] == [("LOC", 4)]
    back = {one.word: one.change for one in lexicon_diff.differences(workspace, project.id, last, first)}
    assert back == {"甲一": "added", "乙一": "changed", "丙一": "changed", "丁一": "removed"}
    assert lexicon_diff.differences(workspace, project.id, last, last) == ()


def test_going_back_is_a_version_and_the_way_forwards_stays(workspace, project):
    first = import_list(workspace, project, {"甲一": [("ORG", 1)]}).id
    second = import_list(workspace, project, {"乙一": [("PER", 2)], "甲一": [("LOC", 1)]}, choice="both").id
    there = stands(workspace, project)
    lexicon_returning.revert(workspace, project.id, first, user="mei")
    assert stands(workspace, project) == ({("甲一", "ORG", 1)}, set())
    lexicon_returning.revert(workspace, project.id, 0, user="mei")
    assert stands(workspace, project) == (set(), set())
    lexicon_returning.revert(workspace, project.id, second, user="mei")
    assert stands(workspace, project) == there
    kinds = [batch.kind for batch in lexicon_batches.versions(workspace, project.id)[0]]
    assert kinds == ["revert", "revert", "revert", "import", "import"]
    with pytest.raises(PayloadError, match="nothing changes"):
        lexicon_returning.revert(workspace, project.id, second, user="mei")


def test_versions_of_another_project_are_none(workspace, project):
    other = projects.create(workspace, "other")
    batch = import_list(workspace, other, {"秘密": [("", 1)]})
    for version in (batch.id, 10**9, True, -1, "1"):
        with pytest.raises(StoreError):
            lexicon_returning.revert(workspace, project.id, version, user="mei")
    with pytest.raises(PayloadError):
        lexicon_diff.differences(workspace, project.id, 0, batch.id)
    with pytest.raises(StoreError, match="change"):
        undo_batch(workspace, project.id, batch.id, user="lin")


@pytest.mark.exhaustive
def test_a_cancelled_import_leaves_nothing_behind(workspace, project):
    words = {f"词{n}": [("ORG", n)] for n in range(1, 45_000)}
    told = []

    def progress(done):
        told.append(done)
        if done >= 40_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_list(workspace, project, words, progress=progress)
    assert told == list(range(5_000, 40_001, 5_000))
    assert lexicon_batches.versions(workspace, project.id) == ([], 0)
    assert lexicon_words.page(workspace, project.id).total == 0
    lexicon_lists.finish(workspace)
    with workspace.reading() as db:
        assert db.execute("SELECT count(*) FROM lexicon_changes").fetchone()[0] == 0
        assert db.execute("SELECT count(*) FROM lexicon_words").fetchone()[0] == 0


def test_one_bad_word_in_a_list_leaves_the_whole_list_out(workspace, project):
    for bad in (
        {"好": [("", 1)], "a\tb": [("", 1)]},
        {"好": [("O\nR", 1)]},
        {"好": [("", -1)]},
        {"\ud800": [("", 1)]},
    ):
        with pytest.raises(PayloadError):
            import_list(workspace, project, bad)
    assert lexicon_words.page(workspace, project.id).total == 0


def test_undoing_a_batch_leaves_words_that_were_changed_since(workspace, project):
    first = import_list(workspace, project, {"甲一": [("ORG", 1)], "乙一": [("ORG", 1)]}).id
    add_words(workspace, project.id, {"甲一": "PER"}, user="bo")
    undo_batch(workspace, project.id, first, user="lin")
    assert stands(workspace, project)[0] == {("甲一", "PER", 1)}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (WordQuery(), ["New York", "北京", "北京大学", "大学", "学"]),
        (WordQuery(descending=True), ["学", "大学", "北京大学", "北京", "New York"]),
        (WordQuery(sort="frequency", descending=True), ["大学", "北京大学", "北京", "New York", "学"]),
        (WordQuery(sort="length"), ["学", "北京", "大学", "北京大学", "New York"]),
        (WordQuery(search="大学"), ["北京大学", "大学"]),
        (WordQuery(search="大学", sort="frequency"), ["北京大学", "大学"]),
        (WordQuery(search="北", match="prefix"), ["北京", "北京大学"]),
        (WordQuery(search="大学", match="whole"), ["大学"]),
        (WordQuery(search="学\n"), []),
        (WordQuery(search="%"), []),
        (WordQuery(type="LOC"), ["New York", "北京"]),
        (WordQuery(type=""), ["大学", "学"]),
        (WordQuery(type="LOC", sort="frequency"), ["New York", "北京"]),
        (WordQuery(source="list.txt", search="京"), ["北京", "北京大学"]),
        (WordQuery(source=""), []),
        (WordQuery(state="removed"), ["先生"]),
        (WordQuery(state="removed", search="先"), ["先生"]),
        (WordQuery(state="conflict"), []),
    ],
)
def test_the_list_is_searched_filtered_and_sorted(workspace, project, query, found):
    words = {
        "北京": [("LOC", 5)],
        "北京大学": [("ORG", 8)],
        "大学": [("", 9)],
        "学": [("", 1)],
        "New York": [("LOC", 2)],
    }
    import_list(workspace, project, words)
    lexicon_changes.remove(workspace, project.id, ["先生"], user="bo")
    page = lexicon_words.page(workspace, project.id, query)
    assert [row.word for row in page.rows] == found
    assert page.total == len(found)


def test_pages_follow_each_other_and_none_is_past_the_end(workspace, project):
    import_list(workspace, project, {f"词{n:03}": [("", n)] for n in range(250)})
    seen = []
    for offset in (0, 100, 200, 300):
        page = lexicon_words.page(workspace, project.id, offset=offset, limit=100)
        assert page.total == 250
        seen += [row.word for row in page.rows]
    assert seen == [f"词{n:03}" for n in range(250)]


@pytest.mark.parametrize(
    "field", [{"sort": "id; DROP TABLE"}, {"state": "x"}, {"match": 1}, {"search": "\ud800"}, {"type": 3}]
)
def test_a_hostile_query_is_refused(field):
    with pytest.raises(PayloadError):
        WordQuery(**field)


def test_merged_labels_carry_the_words_of_both_and_come_apart_again(workspace, project):
    import_list(workspace, project, {"青禾": [("ORG", 5), ("PER", 3)], "林知远": [("PER", 1)]})
    before = stands(workspace, project)
    change = label_changes.merge(workspace, project.id, "PER", "ORG", user="lin")
    assert stands(workspace, project)[0] == {("青禾", "ORG", 5), ("林知远", "ORG", 1)}
    journal.undo(workspace, project.id, change.id, user="lin")
    assert stands(workspace, project) == before


WORDS = st.sampled_from(["甲", "乙", "丙"])
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("entries"),
            WORDS,
            st.lists(st.tuples(st.sampled_from(["", "A", "B"]), st.integers(1, 3)), min_size=1, max_size=2),
        ),
        st.tuples(st.just("mask"), WORDS),
        st.tuples(st.just("forget"), WORDS),
        st.tuples(st.just("undo")),
        st.tuples(st.just("revert"), st.integers(0, 8)),
    ),
    max_size=12,
)


@given(STEPS, st.booleans())
def test_any_version_can_be_gone_back_to_whatever_happened(tmp_path_factory, steps, long):
    """The oracle keeps a copy of the whole list after every version."""
    with (
        Workspace.open(new_workspace(tmp_path_factory.mktemp("versions"))) as workspace,
        pytest.MonkeyPatch.context() as patch,
    ):
        if long:
            patch.setattr(lexicon_steps, "AT_ONCE", 0)
            patch.setattr(lexicon_steps, "AT_ONCE_IN_LONG", 0)
            patch.setattr(lexicon_lists, "ROWS", 1)
            patch.setattr(lexicon_lists, "PAUSE", 0)
        project = projects.create(workspace, "p")
        copies = {0: stands(workspace, project)}
        for step in steps:
            try:
                if step[0] == "entries":
                    entries = tuple(WordEntry(*entry) for entry in step[2])
                    made = lexicon_steps.write(
                        workspace, project.id, "edit", [step[1]], lambda w, b, e=entries: e, user="x"
                    )
                elif step[0] == "mask":
                    made = lexicon_steps.write(
                        workspace, project.id, "remove", [step[1]], lambda w, b: (MASK,), user="x"
                    )
                elif step[0] == "forget":
                    made = lexicon_steps.write(
                        workspace, project.id, "edit", [step[1]], lambda w, b: (), user="x"
                    )
                elif step[0] == "undo":
                    _, made = lexicon_returning.undo(workspace, project.id, user="lin")
                else:
                    versions = sorted(copies)
                    wanted = versions[step[1] % len(versions)]
                    made = lexicon_returning.revert(workspace, project.id, wanted, user="x")
                    assert stands(workspace, project) == copies[wanted]
            except StoreError:
                continue
            copies[made.id] = stands(workspace, project)
        for version, expected in copies.items():
            with suppress(PayloadError):  # it is like that already
                lexicon_returning.revert(workspace, project.id, version, user="x")
            assert stands(workspace, project) == expected
