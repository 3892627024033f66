"""A kept case is a finished document with claims against the run, and every later run is asked about it."""

import pytest

from core.store import NotFound, PayloadError
from core.store.annotation import annotations
from core.store.document import documents, trash
from core.store.run import ledger, predictions, runs
from core.store.run.cases import Case, CaseExists, keep
from core.text import Span, UnknownLabelError

TEXT = "林 知 远先生去岭南市。"
PERSON, SHORT, PLACE = Span(0, 5, "PER"), Span(0, 3, "PER", 0.6), Span(7, 10, "LOC", 0.9)


@pytest.fixture
def run(workspace, project):
    return runs.create(workspace, project.id, "flat").name


def claims(workspace, project_id):
    rows = ledger.page(workspace, project_id).rows
    return {
        (row.correction.claim.kind, row.correction.claim.before, row.correction.claim.after) for row in rows
    }


def bare(span):
    return Span(*span.key)


def test_what_is_expected_and_what_the_run_said_become_claims_against_it(workspace, project, run):
    case = Case(TEXT, (PERSON, PLACE), run, (SHORT, PLACE), made_from="a")
    number = keep(workspace, project.id, case, user="lin")
    assert claims(workspace, project.id) == {
        ("boundary", bare(SHORT), PERSON),
        ("confirmed", bare(PLACE), bare(PLACE)),
    }
    stands = annotations.current(workspace, number)
    assert (stands.status, stands.document.spans) == ("done", (PERSON, bare(PLACE)))
    assert stands.rejected == (bare(SHORT),)
    assert dict(stands.document.meta) == {"source": "what-if", "run": run, "from": "a"}
    assert predictions.get(workspace, run, number) == (SHORT, PLACE)
    (event,) = annotations.history(workspace, number)
    assert (event.user, event.action, event.run) == ("lin", "case", run)


@pytest.mark.parametrize(
    ("expected", "predicted", "kind"),
    [((), (PLACE,), "spurious"), ((PERSON,), (), "missed"), ((PERSON,), (Span(0, 5, "LOC", 0.5),), "type")],
)
def test_every_kind_of_claim_can_be_kept(workspace, project, run, expected, predicted, kind):
    keep(workspace, project.id, Case(TEXT, expected, run, predicted), user="lin")
    assert {told[0] for told in claims(workspace, project.id)} == {kind}


def test_a_later_run_is_asked_and_its_verdict_counts_the_case(workspace, project, run):
    number = keep(workspace, project.id, Case(TEXT, (PERSON, PLACE), run, (SHORT, PLACE)), user="lin")
    later = runs.create(workspace, project.id, "flat", parent=run).name
    assert ledger.unpredicted(workspace, later) == [number]
    assert ledger.verdict(workspace, later, run).unknown == 2
    predictions.put_one(workspace, later, number, [PERSON, PLACE])
    assert (ledger.verdict(workspace, later, run).fixed, ledger.verdict(workspace, later, run).holds) == (
        1,
        1,
    )
    predictions.put_one(workspace, later, number, [SHORT])
    verdict = ledger.verdict(workspace, later, run)
    assert (verdict.still_wrong, verdict.newly_broken) == (1, 1)


def test_a_text_the_project_has_is_named_and_left_alone(workspace, project, run, document_id):
    first = Case(TEXT, (PERSON,), run, ())
    number = keep(workspace, project.id, first, user="lin")
    with pytest.raises(CaseExists) as error:
        keep(workspace, project.id, Case(TEXT, (PLACE,), run, (PLACE,)), user="zhou")
    assert error.value.document_id == number
    assert error.value.name == documents.get(workspace, number).id
    assert annotations.current(workspace, number).document.spans == (PERSON,)
    own = documents.get(workspace, document_id)
    with pytest.raises(CaseExists) as error:
        keep(workspace, project.id, Case(own.text, (Span(0, 3, "PER"),), run, ()), user="lin")
    assert error.value.document_id == document_id


def test_a_case_from_the_trash_comes_back_with_what_is_expected_now(workspace, project, run):
    number = keep(workspace, project.id, Case(TEXT, (PERSON,), run, ()), user="lin")
    trash.trash_documents(workspace, project.id, [number])
    assert keep(workspace, project.id, Case(TEXT, (PLACE,), run, (SHORT,)), user="lin") == number
    assert annotations.current(workspace, number).document.spans == (bare(PLACE),)
    assert claims(workspace, project.id) == {("missed", None, bare(PLACE)), ("spurious", bare(SHORT), None)}


@pytest.mark.parametrize(
    ("expected", "predicted", "asked", "error"),
    [
        ((), (), None, PayloadError),
        ((Span(0, 1, "NOBODY"),), (), None, UnknownLabelError),
        ((Span(0, 99, "PER"),), (), None, PayloadError),
        ((PERSON,), (), "flat-0404", NotFound),
    ],
)
def test_a_case_that_cannot_be_kept_leaves_no_document_behind(
    workspace, project, run, expected, predicted, asked, error
):
    with pytest.raises(error):
        keep(workspace, project.id, Case(TEXT, expected, asked or run, predicted), user="lin")
    assert documents.count(workspace, project.id)["all"] == 0
