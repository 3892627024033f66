"""Reviews: what waits, what merging writes, what comes back, and what one undo takes back."""

import pytest

from core.store.annotation import annotations
from core.store.annotation.annotations import StaleRevision
from core.store.db.errors import PayloadError, PeopleError
from core.store.document import documents
from core.store.project import journal, projects
from core.store.project.journal import AlreadyUndone
from core.store.project.members import NotAllowed
from core.store.review import adjudications, decisions, versions
from core.store.run import ledger, predictions, runs
from core.text import Span
from tests.store.by_hand import save_own

PER, ORG = Span(0, 3, "PER"), Span(7, 11, "ORG")


def done(team, document, ana, bo):
    for user, spans in (("ana", ana), ("bo", bo)):
        base = annotations.current(team.workspace, team.ids[document], user).revision
        save_own(team.workspace, team.ids[document], base, spans, user=user, status="done")


def finish(team, document, spans, **options):
    found = versions.versions(team.workspace, team.ids[document], by="rui", finished_only=False)
    given = {"by": "rui", "strategy": "majority", "seen": {one.user: one.revision for one in found}}
    return adjudications.finish(team.workspace, team.ids[document], spans, **(given | options))


def states(team):
    return adjudications.waiting(team.workspace, team.project, by="rui").counts


def listed(team, state):
    rows = adjudications.waiting(team.workspace, team.project, by="rui", state=state).rows
    return [team.ids.index(row.document_id) for row in rows]


def test_a_document_waits_once_everybody_is_done(team):
    assert states(team) == {"ready": 0, "changed": 0, "unfinished": 3, "reviewed": 0}
    done(team, 0, [PER], [ORG])
    save_own(team.workspace, team.ids[1], 1 - 1, [], user="ana", status="done")
    assert listed(team, "ready") == [0]
    (row,) = adjudications.waiting(team.workspace, team.project, by="rui").rows
    assert (row.handed, row.done, row.is_unanimous) == (2, 2, False)


def test_finishing_writes_one_review_event_into_gold(team):
    done(team, 0, [PER], [PER, ORG])
    finish(team, 0, [PER])
    stands = annotations.current(team.workspace, team.ids[0])
    assert (stands.document.spans, stands.status) == ((PER,), "done")
    (event,) = annotations.history(team.workspace, team.ids[0])
    assert (event.action, event.user, event.added) == ("review", "rui", (PER,))
    assert states(team)["reviewed"] == 1


def test_corrections_are_told_when_the_review_is_finished_and_not_before(team):
    run = runs.create(team.workspace, team.project, "flat").name
    predictions.put_one(team.workspace, run, team.ids[0], [Span(0, 2, "PER", 0.9)])
    projects.set_active(team.workspace, team.project, run)
    done(team, 0, [PER], [PER])
    assert ledger.page(team.workspace, team.project, runs=[run]).total == 0
    finish(team, 0, [PER])
    (row,) = ledger.page(team.workspace, team.project, runs=[run]).rows
    claim = row.correction.claim
    assert (claim.kind, claim.before, claim.after) == ("boundary", Span(0, 2, "PER"), PER)


def test_a_version_changed_after_adjudication_reopens_the_document(team):
    done(team, 0, [PER], [PER])
    finish(team, 0, [PER])
    save_own(team.workspace, team.ids[0], 1, [PER, ORG], user="bo")
    assert listed(team, "changed") == [0]
    finish(team, 0, [PER, ORG])
    assert listed(team, "reviewed") == [0]


def test_a_second_review_that_changes_nothing_is_a_review_all_the_same(team):
    done(team, 0, [PER], [PER, ORG])
    finish(team, 0, [PER])
    save_own(team.workspace, team.ids[0], 1, [PER], user="bo")
    finish(team, 0, [PER])
    assert listed(team, "reviewed") == [0]
    assert len(annotations.history(team.workspace, team.ids[0])) == 1


def test_a_version_saved_during_adjudication_stops_it(team):
    done(team, 0, [PER], [ORG])
    with pytest.raises(PeopleError, match="bo changed"):
        finish(team, 0, [PER], seen={"ana": 1, "bo": 0})
    with pytest.raises(PeopleError, match="Nobody has finished"):
        finish(team, 0, [PER], seen={})
    assert annotations.history(team.workspace, team.ids[0]) == []


def test_what_the_strategy_settled_is_kept_and_goes_with_the_undo(team):
    done(team, 0, [PER], [ORG])
    decisions.decide(team.workspace, team.ids[0], [PER], by="rui")
    batch = finish(team, 0, [PER], resolved={ORG.key: False})
    kept = {
        one.span.key: (one.verdict, one.category)
        for one in decisions.current(team.workspace, team.ids[0], by="rui")
    }
    assert kept == {PER.key: ("accepted", ""), ORG.key: ("refused", ":majority")}
    assert journal.undo(team.workspace, team.project, batch, user="rui") == adjudications.Undone(1, 0)
    left = decisions.current(team.workspace, team.ids[0], by="rui")
    assert [one.span for one in left] == [PER]
    stands = annotations.current(team.workspace, team.ids[0])
    assert (stands.document.spans, stands.status) == ((), "new")
    assert listed(team, "ready") == [0]


def test_everything_unanimous_is_merged_at_once_and_taken_back_at_once(team):
    done(team, 0, [PER], [PER])
    done(team, 1, [], [])
    done(team, 2, [], [Span(0, 2, "ORG")])
    found = adjudications.unanimous(team.workspace, team.project, by="rui")
    assert [team.ids.index(row.document_id) for row in found] == [0, 1]
    batch, merged = adjudications.merge_unanimous(team.workspace, team.project, by="rui", limit=1)
    assert batch is not None
    assert merged == 1
    assert adjudications.merge_unanimous(team.workspace, team.project, by="rui", batch=batch) == (batch, 1)
    assert adjudications.merge_unanimous(team.workspace, team.project, by="rui", batch=batch) == (batch, 0)
    assert documents.get(team.workspace, team.ids[0]).spans == (PER,)
    assert documents.get(team.workspace, team.ids[1]).spans == ()
    assert adjudications.last_batch(team.workspace, team.project, by="rui") == (batch, 2)
    assert journal.undo(team.workspace, team.project, batch, user="rui") == adjudications.Undone(2, 0)
    assert documents.get(team.workspace, team.ids[1]).spans == (Span(0, 2, "PER"),)
    assert adjudications.last_batch(team.workspace, team.project, by="rui") is None
    with pytest.raises(AlreadyUndone):
        journal.undo(team.workspace, team.project, batch, user="rui")


def test_a_long_undo_takes_several_transactions_and_counts_all(team, monkeypatch):
    monkeypatch.setattr(adjudications, "DOCUMENTS_AT_ONCE", 1)
    test_everything_unanimous_is_merged_at_once_and_taken_back_at_once(team)


def test_gold_that_was_saved_since_is_not_replaced(team):
    save_own(team.workspace, team.ids[0], 0, [Span(0, 3, "PER")], user="ana", status="done")
    stands = annotations.current(team.workspace, team.ids[0]).revision
    annotations.save(team.workspace, team.ids[0], stands, [Span(0, 2, "PER")], user="mia")
    with pytest.raises(StaleRevision):
        adjudications.finish(
            team.workspace, team.ids[0], [], by="rui", strategy="majority", seen={"ana": 1},
            base_revision=stands,
        )  # fmt: skip
    assert annotations.current(team.workspace, team.ids[0]).document.spans == (Span(0, 2, "PER"),)
    assert adjudications.last_batch(team.workspace, team.project, by="rui") is None


def test_undo_leaves_alone_what_was_annotated_since_and_says_so(team):
    done(team, 0, [PER], [PER])
    batch = finish(team, 0, [PER])
    annotations.save(team.workspace, team.ids[0], 1, [PER, ORG], user="rui")
    assert journal.undo(team.workspace, team.project, batch, user="rui") == adjudications.Undone(0, 1)
    assert documents.get(team.workspace, team.ids[0]).spans == (PER, ORG)


def test_a_document_somebody_decided_on_is_not_merged_over_their_head(team):
    done(team, 0, [PER], [PER])
    decisions.decide(team.workspace, team.ids[0], [], [PER], by="rui", category="type")
    assert adjudications.unanimous(team.workspace, team.project, by="rui") == []


def test_only_reviewers_review(team):
    done(team, 0, [PER], [PER])
    batch = finish(team, 0, [PER])
    for call in (
        lambda: adjudications.waiting(team.workspace, team.project, by="ana"),
        lambda: finish(team, 0, [ORG], by="ana"),
        lambda: adjudications.unanimous(team.workspace, team.project, by="ana"),
        lambda: adjudications.merge_unanimous(team.workspace, team.project, by="ana", batch=1),
        lambda: journal.undo(team.workspace, team.project, batch, user="ana"),
    ):
        with pytest.raises(NotAllowed):
            call()
    with pytest.raises(PeopleError, match="nothing left"):  # somebody else's review is not one's own
        journal.undo(team.workspace, team.project, batch, user="mia")


def test_a_state_that_does_not_exist_is_refused(team):
    with pytest.raises(PayloadError):
        adjudications.waiting(team.workspace, team.project, by="rui", state="lost")
