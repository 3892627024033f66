"""Corrections and their states, scenario by scenario, each written out by hand."""

import pytest

from core.store import NotFound, PayloadError
from core.store.annotation import annotations
from core.store.annotation.corrections import compare
from core.store.document import documents, trash
from core.store.project import nesting, projects
from core.store.run import ledger, runs
from core.text import Document, Span
from tests.store.conftest import TEXT

# 林知远先生出任青禾大学附属医院院长。
NAME, HOSPITAL, SCHOOL, TITLE = (0, 3, "PER"), (7, 15, "ORG"), (7, 11, "ORG"), (15, 17, "TITLE")


@pytest.fixture
def say(workspace):
    """``say(document, run, spans, rejected)``: the person saves, looking at what ``run`` said."""

    def save(document_id, run, keys, rejected=(), **more):
        base = annotations.current(workspace, document_id).revision
        spans, refused = [Span(*key) for key in keys], [Span(*key) for key in rejected]
        annotations.save(workspace, document_id, base, spans, refused, user="lin", run=run, **more)

    return save


def claims(workspace, kind=None):
    rows = ledger.page(workspace, 1, kind=kind).rows
    return sorted(
        (
            row.correction.claim.kind,
            row.correction.claim.before and row.correction.claim.before.key,
            row.correction.claim.after and row.correction.claim.after.key,
        )
        for row in rows
    )


def states(workspace, *shown):
    """The one correction's state under each run."""
    (row,) = ledger.page(workspace, 1, runs=shown).rows
    return "".join(row.correction.states[run] for run in shown)


def test_missed_the_run_said_nothing_there(workspace, document_id, answered, say):
    run = answered("flat", document_id).name
    say(document_id, run, [NAME])
    assert claims(workspace) == [("missed", None, NAME)]


def test_spurious_the_person_rejected_it(workspace, document_id, answered, say):
    run = answered("flat", document_id, NAME, TITLE).name
    say(document_id, run, [], rejected=[TITLE])
    assert claims(workspace) == [("spurious", TITLE, None)]


def test_spurious_the_document_is_done_without_it(workspace, document_id, answered, say):
    run = answered("flat", document_id, NAME, TITLE).name
    say(document_id, run, [NAME], status="done")
    assert claims(workspace) == [("confirmed", NAME, NAME), ("spurious", TITLE, None)]


def test_boundary_same_label_other_extent(workspace, document_id, answered, say):
    run = answered("flat", document_id, (0, 2, "PER")).name
    say(document_id, run, [NAME], rejected=[(0, 2, "PER")])
    assert claims(workspace) == [("boundary", (0, 2, "PER"), NAME)]


def test_type_same_extent_other_label(workspace, document_id, answered, say):
    run = answered("flat", document_id, (0, 3, "LOC")).name
    say(document_id, run, [NAME])
    assert claims(workspace) == [("type", (0, 3, "LOC"), NAME)]


def test_confirmed_the_person_accepted_it(workspace, document_id, answered, say):
    run = answered("flat", document_id, NAME, TITLE).name
    say(document_id, run, [NAME], action="accept")
    assert claims(workspace) == [("confirmed", NAME, NAME)]


def test_a_suggestion_nobody_decided_on_is_no_correction(workspace, document_id, answered, say):
    run = answered("flat", document_id, TITLE).name
    say(document_id, run, [NAME])
    assert claims(workspace) == [("missed", None, NAME)]


def test_imported_spans_are_no_corrections_until_the_document_is_done(workspace, project, answered, say):
    gold = Document("g", TEXT, (Span(*NAME), Span(*HOSPITAL)))
    (number,) = documents.add(workspace, project.id, [gold]).ids
    run = answered("flat", number, NAME).name
    say(number, run, [NAME, HOSPITAL, TITLE])
    assert claims(workspace) == [("missed", None, TITLE)]
    say(number, run, [NAME, HOSPITAL, TITLE], status="done")
    assert claims(workspace) == [
        ("confirmed", NAME, NAME),
        ("missed", None, HOSPITAL),
        ("missed", None, TITLE),
    ]


def test_a_nested_span_the_run_lacked_is_missed_not_a_boundary_of_one_it_has(
    workspace, document_id, answered, say
):
    run = answered("flat", document_id, HOSPITAL).name
    say(document_id, run, [HOSPITAL, SCHOOL])
    assert claims(workspace) == [("confirmed", HOSPITAL, HOSPITAL), ("missed", None, SCHOOL)]


def test_each_prediction_is_matched_once_with_the_span_it_overlaps_most():
    predicted = [Span(0, 10, "ORG")]
    annotated = [Span(0, 3, "ORG"), Span(4, 10, "ORG")]
    told = compare(predicted, annotated, [], decided={span.key for span in annotated}, done=False)
    assert {(x.kind, x.before, x.after) for x in told} == {
        ("missed", None, annotated[0]),
        ("boundary", predicted[0], annotated[1]),
    }


def test_type_goes_before_boundary():
    predicted = [Span(0, 4, "LOC"), Span(2, 8, "ORG")]
    told = compare(predicted, [Span(0, 4, "ORG")], [], decided={(0, 4, "ORG")}, done=False)
    assert [(x.kind, x.before) for x in told] == [("type", predicted[0])]


def test_an_undone_correction_vanishes(workspace, document_id, answered, say):
    run = answered("flat", document_id, TITLE).name
    say(document_id, run, [NAME], rejected=[TITLE])
    assert len(claims(workspace)) == 2
    say(document_id, run, [], rejected=[TITLE], action="undo")
    assert claims(workspace) == [("spurious", TITLE, None)]
    say(document_id, run, [], action="undo")
    assert claims(workspace) == []


def test_a_correction_taken_back_while_a_later_run_serves_vanishes_too(workspace, document_id, answered, say):
    first = answered("flat", document_id).name
    say(document_id, first, [NAME])
    second = answered("flat", document_id, NAME).name
    say(document_id, second, [])
    assert claims(workspace) == []


@pytest.mark.parametrize("how", ["offered again", "accepted after all", "reopened"])
def test_a_rejection_of_an_earlier_run_stands_while_the_annotation_still_says_so(
    workspace, document_id, answered, say, how
):
    first = answered("flat", document_id, NAME, TITLE).name
    if how == "reopened":
        say(document_id, first, [NAME], status="done")
    else:
        say(document_id, first, [NAME], rejected=[TITLE])
    later = answered("flat", document_id, NAME).name
    rejected = [] if how == "reopened" else [TITLE]
    say(document_id, later, [NAME, SCHOOL], rejected=rejected)
    assert ("spurious", TITLE, None) in claims(workspace)
    if how == "offered again":
        say(document_id, later, [NAME, SCHOOL])
    elif how == "accepted after all":
        say(document_id, later, [NAME, SCHOOL, TITLE])
    else:
        say(document_id, later, [NAME, SCHOOL], status="in_progress")
    assert ("spurious", TITLE, None) not in claims(workspace)
    assert ("confirmed", NAME, NAME) in claims(workspace)


def test_corrections_without_a_prediction_to_compare_are_not_invented(workspace, document_id, say):
    say(document_id, None, [NAME])
    assert claims(workspace) == []


def test_a_claim_stays_with_the_run_it_was_first_made_on(workspace, document_id, answered, say):
    first = answered("flat", document_id).name
    say(document_id, first, [NAME])
    second = answered("flat", document_id).name
    say(document_id, second, [NAME, TITLE])
    rows = ledger.page(workspace, 1).rows
    assert {(row.correction.run, row.correction.claim.after.key) for row in rows} == {
        (first, NAME),
        (second, TITLE),
    }


def test_a_correction_that_a_later_run_got_right_is_not_counted_again_when_accepted(
    workspace, document_id, answered, say
):
    first = answered("flat", document_id).name
    say(document_id, first, [NAME])
    second = answered("flat", document_id, NAME).name
    say(document_id, second, [NAME], status="done")
    assert claims(workspace) == [("missed", None, NAME)]


SHORT = (0, 2, "PER")


@pytest.mark.parametrize(
    ("said", "truth", "edit", "said_now", "expected"),
    [
        pytest.param([], [NAME], {}, [NAME], "WF", id="fixed: wrong then, right now"),
        pytest.param([SHORT], [NAME], {}, [], "WW", id="still wrong: wrong then and now"),
        pytest.param(
            [SHORT], [NAME], {}, [SHORT, NAME], "WW", id="still wrong: the right span beside the wrong one"
        ),
        pytest.param([TITLE], [], {"rejected": [TITLE]}, [], "WF", id="fixed: a spurious span is gone"),
        pytest.param(
            [NAME], [NAME], {"action": "accept"}, [SHORT], "·B", id="newly broken: confirmed, wrong now"
        ),
        pytest.param(
            [NAME], [NAME], {"action": "accept"}, [NAME, TITLE], "··", id="holds: confirmed, still right"
        ),
    ],
)
def test_the_state_of_a_correction_under_a_later_run(
    workspace, document_id, answered, say, said, truth, edit, said_now, expected
):
    first = answered("flat", document_id, *said).name
    say(document_id, first, truth, **edit)
    second = answered("flat", document_id, *said_now).name
    assert states(workspace, first, second) == expected


def test_newly_broken_right_under_the_active_run_wrong_now(workspace, project, document_id, answered, say):
    first = answered("flat", document_id).name
    say(document_id, first, [NAME])
    active = answered("flat", document_id, NAME).name
    projects.set_active(workspace, project.id, active)
    candidate = answered("flat", document_id).name
    assert states(workspace, first, active, candidate) == "WFB"


def test_a_document_the_run_has_not_answered_is_unknown_not_right(
    workspace, project, document_id, answered, say
):
    first = answered("flat", document_id).name
    say(document_id, first, [NAME])
    silent = runs.create(workspace, project.id, "flat").name
    assert states(workspace, silent) == "?"
    assert ledger.verdict(workspace, silent, first).unknown == 1
    assert ledger.unpredicted(workspace, silent) == [document_id]
    assert ledger.unpredicted(workspace, first) == []


def test_after_promotion_the_column_still_shows_what_the_run_broke(
    workspace, project, document_id, answered, say
):
    first = answered("flat", document_id).name
    say(document_id, first, [NAME])
    second = answered("flat", document_id, NAME).name
    projects.set_active(workspace, project.id, second)
    third = answered("flat", document_id).name
    projects.set_active(workspace, project.id, third)
    assert states(workspace, first, second, third) == "WFB"
    assert ledger.baseline_of(workspace, third) == second
    assert ledger.baseline_of(workspace, first) is None


def test_the_verdict_counts_every_correction_once(workspace, project, answered, say):
    numbers = documents.add(workspace, project.id, [Document(str(i), TEXT) for i in range(4)]).ids
    first = answered("flat", numbers[0])
    answered("flat", numbers[1], run=first)
    answered("flat", numbers[2], NAME, run=first)
    answered("flat", numbers[3], NAME, run=first)
    for number in numbers:
        say(number, first.name, [NAME])
    projects.set_active(workspace, project.id, first.name)
    second = answered("flat", numbers[0], NAME)  # fixed
    answered("flat", numbers[1], run=second)  # still wrong
    answered("flat", numbers[2], run=second)  # newly broken
    answered("flat", numbers[3], NAME, run=second)  # holds
    verdict = ledger.verdict(workspace, second.name, first.name)
    assert (verdict.fixed, verdict.still_wrong, verdict.newly_broken, verdict.holds) == (1, 1, 1, 1)
    assert (verdict.total, verdict.unknown) == (4, 0)
    assert verdict.confirmed == 2


def test_promotion_keeps_the_run_before_and_one_click_takes_it_back(
    workspace, project, document_id, answered
):
    first, second = answered("flat", document_id).name, answered("flat", document_id).name
    projects.set_active(workspace, project.id, first)
    promoted = projects.set_active(workspace, project.id, second)
    assert (promoted.active_run, promoted.previous_run) == (second, first)
    back = projects.roll_back(workspace, project.id)
    assert (back.active_run, back.previous_run) == (first, second)


def test_the_ledger_is_filtered_by_kind_label_and_state_and_paged_newest_first(
    workspace, project, document_id, answered, say
):
    run = answered("flat", document_id, (0, 3, "LOC"), HOSPITAL).name
    say(document_id, run, [NAME, HOSPITAL])
    say(document_id, run, [NAME, HOSPITAL, TITLE])
    every = ledger.page(workspace, project.id)
    assert every.total == 3
    assert every.runs == (run,)
    assert every.rows[0].correction.claim.after.key == TITLE
    assert every.rows[0].document.text == TEXT
    assert claims(workspace, kind="type") == [("type", (0, 3, "LOC"), NAME)]
    assert ledger.page(workspace, project.id, label="LOC").total == 1
    assert ledger.page(workspace, project.id, state="·").total == 1
    assert ledger.page(workspace, project.id, state="W", state_run=run).total == 2
    pages = [ledger.page(workspace, project.id, offset=at, limit=1).rows[0].correction.id for at in range(3)]
    assert pages == sorted(pages, reverse=True)
    with pytest.raises(PayloadError, match="kind must be one of"):
        ledger.page(workspace, project.id, kind="wrong")
    with pytest.raises(PayloadError, match="state must be one of"):
        ledger.page(workspace, project.id, state="X")


def test_documents_in_the_trash_leave_the_ledger_and_come_back(
    workspace, project, document_id, answered, say
):
    run = answered("flat", document_id).name
    say(document_id, run, [NAME])
    trash.trash_documents(workspace, project.id, [document_id])
    assert ledger.page(workspace, project.id).total == 0
    trash.restore_documents(workspace, project.id, [document_id])
    assert ledger.page(workspace, project.id).total == 1


def test_a_run_of_another_project_has_no_place_in_this_ledger(workspace, project, document_id, answered, say):
    run = answered("flat", document_id).name
    say(document_id, run, [NAME])
    other = projects.create(workspace, "other")
    foreign = runs.create(workspace, other.id, "flat").name
    with pytest.raises(NotFound):
        ledger.page(workspace, project.id, runs=[foreign])
    with pytest.raises(NotFound):
        ledger.verdict(workspace, "flat-0099", None)


@pytest.mark.parametrize(("nested", "state"), [(False, "F"), (True, "W")])
def test_a_flat_project_expects_the_longest_of_overlapping_spans(
    workspace, document_id, answered, say, nested, state
):
    nesting.choose(workspace, 1, nested)
    first = answered("flat", document_id, HOSPITAL)
    say(document_id, first.name, [HOSPITAL, SCHOOL])  # the missed one lies inside the other
    again = answered("flat", document_id, HOSPITAL)
    rows = {row.correction.claim.kind: row for row in ledger.page(workspace, 1, runs=[again.name]).rows}
    assert rows["missed"].correction.claim.after.key == SCHOOL
    assert rows["missed"].correction.states[again.name] == state
    assert ledger.verdict(workspace, again.name, first.name).still_wrong == int(nested)


def test_in_a_flat_project_the_inner_span_alone_is_still_wrong(workspace, document_id, answered, say):
    first = answered("flat", document_id)
    say(document_id, first.name, [HOSPITAL, SCHOOL])
    inner = answered("flat", document_id, SCHOOL)
    assert ledger.verdict(workspace, inner.name, first.name).still_wrong == 2
    both = answered("mrc", document_id, SCHOOL, HOSPITAL)
    assert ledger.verdict(workspace, both.name, first.name).fixed == 2
