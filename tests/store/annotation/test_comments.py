"""Comments: kept, settled, brought back from the trash, and carried through a file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import NotFound, PayloadError
from core.store.annotation import comments
from core.store.document import comment_meta, documents, trash
from core.store.document.comment_meta import LONGEST_COMMENT
from core.text import Document, Span
from tests.store.by_hand import comments_of
from tests.store.separate import separate

HOSTILE = "'); DROP TABLE comments; -- <img src=x onerror=alert(1)> ${1} {{2}} \u202e 𠮷👩‍👩‍👧\n第二行"


def add(workspace, document_id, text="看不清", **more):
    return comments.add(workspace, document_id, text, **{"user": "lin", **more})


def test_a_comment_on_a_span_and_one_on_the_document_are_read_back_in_order(workspace, document_id):
    on_span = add(workspace, document_id, "全名？", start=0, end=3, label="PER")
    on_document = add(workspace, document_id, user="mei")
    assert comments_of(workspace, document_id) == [on_span, on_document]
    assert (on_span.start, on_span.end, on_span.label, on_span.user) == (0, 3, "PER", "lin")
    assert (on_document.start, on_document.end, on_document.label) == (None, None, None)


def test_hostile_text_is_only_text(workspace, document_id):
    add(workspace, document_id, HOSTILE)
    assert [comment.text for comment in comments_of(workspace, document_id)] == [HOSTILE]


def test_a_repeated_request_adds_one_comment(workspace, document_id):
    first = add(workspace, document_id, client_edit="c-1")
    assert add(workspace, document_id, "anything else", client_edit="c-1") == first
    assert len(comments_of(workspace, document_id)) == 1


def test_settling_reopening_deleting_and_restoring_change_only_that(workspace, document_id):
    made = add(workspace, document_id, start=0, end=3)
    settled = comments.resolve(workspace, document_id, made.id)
    assert settled.resolved is not None
    assert comments.resolve(workspace, document_id, made.id).resolved == settled.resolved
    assert comments.reopen(workspace, document_id, made.id) == made
    gone = comments.trash(workspace, document_id, made.id)
    assert comments_of(workspace, document_id) == []
    assert comments_of(workspace, document_id, trashed=True) == [gone]
    assert comments.restore(workspace, document_id, made.id) == made


def test_only_open_comments_outside_the_trash_are_counted(workspace, project, document_id):
    other = documents.add(workspace, project.id, [Document("b", "别的")]).ids[0]
    for _ in range(4):
        add(workspace, document_id)
    comments.resolve(workspace, document_id, 1)
    comments.trash(workspace, document_id, 2)
    assert comments.open_counts(workspace, [document_id, other], "me") == {document_id: 2}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"text": ""}, "needs some text"),
        ({"text": " \n\t"}, "needs some text"),
        ({"text": None}, "needs some text"),
        ({"text": "长" * (LONGEST_COMMENT + 1)}, f"at most {LONGEST_COMMENT} characters"),
        ({"text": "\ud840"}, "half of a surrogate pair"),
        ({"start": 0, "end": 19}, "outside the text, which has 18 characters"),
        ({"start": 3, "end": 3}, "outside the text"),
        ({"start": -1, "end": 3}, "outside the text"),
        ({"start": 0}, "end of a comment must be a whole number"),
        ({"start": "0", "end": 3}, "start of a comment must be a whole number"),
        ({"start": True, "end": 3}, "start of a comment must be a whole number"),
        ({"start": 0, "end": 3, "label": 7}, "label of a comment"),
        ({"start": 0, "end": 3, "label": "x" * 300}, "label of a comment"),
        ({"user": " "}, "a person's name has"),
        ({"client_edit": "a b"}, "the edit's number"),
    ],
)
def test_what_is_no_comment_is_refused_and_nothing_is_stored(workspace, document_id, more, said):
    with pytest.raises(PayloadError, match=said):
        comments.add(workspace, document_id, **{"text": "好", "user": "lin", **more})
    assert comments_of(workspace, document_id) == []


def test_a_comment_is_changed_only_through_its_own_document(workspace, project, document_id):
    made = add(workspace, document_id)
    other = documents.add(workspace, project.id, [Document("b", "别的")]).ids[0]
    for act in (comments.resolve, comments.reopen, comments.trash, comments.restore):
        with pytest.raises(NotFound):
            act(workspace, other, made.id)
        with pytest.raises(NotFound):
            act(workspace, document_id, made.id + 1)


def test_a_document_in_the_trash_takes_no_comment_and_keeps_its_own(workspace, project, document_id):
    made = add(workspace, document_id)
    trash.trash_documents(workspace, project.id, [document_id])
    with pytest.raises(NotFound):
        add(workspace, document_id)
    trash.restore_documents(workspace, project.id, [document_id])
    assert comments_of(workspace, document_id) == [made]


def test_an_export_carries_comments_and_an_import_brings_them_back(workspace, project, document_id):
    from core.store.project import projects

    add(workspace, document_id, HOSTILE, start=0, end=3, label="PER")
    add(workspace, document_id, "settled", user="mei")
    comments.resolve(workspace, document_id, 2)
    add(workspace, document_id, "deleted")
    comments.trash(workspace, document_id, 3)
    carried = list(
        comment_meta.with_comments(workspace, project.id, documents.iterate(workspace, project.id))
    )
    through_a_file = [
        Document(item.id, item.text, item.spans, json.loads(json.dumps(dict(item.meta)))) for item in carried
    ]
    elsewhere = projects.create(workspace, "elsewhere")
    (copy,) = documents.add(workspace, elsewhere.id, through_a_file).ids

    def told(id_):
        return [
            (c.start, c.end, c.label, c.text, c.user, c.at, c.resolved) for c in comments_of(workspace, id_)
        ]

    assert told(copy) == told(document_id)
    assert len(told(copy)) == 2
    assert "comments" not in documents.get(workspace, copy).meta


def test_importing_the_same_file_again_doubles_no_comment(workspace, project, document_id):
    add(workspace, document_id)
    again = list(comment_meta.with_comments(workspace, project.id, documents.iterate(workspace, project.id)))
    documents.add(workspace, project.id, again)
    assert len(comments_of(workspace, document_id)) == 1


@pytest.mark.parametrize(
    "own", ["fine", 7, {"a": 1}, None, ["x", {"text": ""}, {"text": "a", "start": 90, "end": 99}]]
)
def test_a_field_comments_of_another_program_stays_in_meta(workspace, project, own):
    (id_,) = documents.add(workspace, project.id, [Document("z", "短文", (), {"comments": own})]).ids
    assert documents.get(workspace, id_).meta["comments"] == own
    assert comments_of(workspace, id_) == []
    add(workspace, id_, "ours")
    (carried,) = comment_meta.with_comments(workspace, project.id, [documents.get(workspace, id_)])
    foreign = own if isinstance(own, list) else [own]
    assert carried.meta["comments"][:-1] == foreign
    assert carried.meta["comments"][-1]["text"] == "ours"


SOMETHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "start", "end", "label", "user", "at", "resolved"]), inner)
    ),
    max_leaves=12,
)


@given(items=SOMETHING)
def test_whatever_a_file_holds_is_taken_whole_or_left_where_it_was(items):
    meta = {"comments": items, "other": 1}
    taken = comment_meta.take_from(meta, 4)
    assert meta["other"] == 1
    left = meta.get("comments", [])
    if isinstance(items, list):
        assert len(taken) + len(left) == len(items)
    else:
        assert (taken, left) == ([], items)
    for comment in taken:
        assert comment["text"].strip()
        assert (comment["start"] is None) == (comment["end"] is None)
        if comment["start"] is not None:
            Document("x", "四个字符", (Span(comment["start"], comment["end"], "L"),))


def test_who_labels_apart_is_not_told_how_often_others_commented(workspace, project):
    team = separate(workspace, project)
    first = team.ids[0]
    for user in ("ana", "bo", "rui"):
        comments.add(workspace, first, "？", user=user)
    told = {user: comments.open_counts(workspace, team.ids, user) for user in ("ana", "rui", "mia")}
    assert told == {"ana": {first: 2}, "rui": {first: 3}, "mia": {first: 3}}
