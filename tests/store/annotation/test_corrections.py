"""What must hold of corrections whatever was predicted and annotated."""

from hypothesis import given
from hypothesis import strategies as st

from core.store.annotation.corrections import Claim, compare
from core.store.run.ledger import is_right
from core.text import Span

KEYS = st.tuples(st.integers(0, 7), st.integers(1, 4), st.sampled_from("AB")).map(
    lambda x: (x[0], x[0] + x[1], x[2])
)
SPANS = st.sets(KEYS, max_size=7).map(lambda keys: [Span(*key) for key in sorted(keys)])


@given(predicted=SPANS, annotated=SPANS)
def test_a_done_document_settles_every_prediction_and_every_span_exactly_once(predicted, annotated):
    claims = compare(predicted, annotated, [], decided=(), done=True)
    assert sorted(claim.before.key for claim in claims if claim.before) == sorted(x.key for x in predicted)
    assert sorted(claim.after.key for claim in claims if claim.after) == sorted(x.key for x in annotated)


@given(predicted=SPANS, annotated=SPANS, rejected=SPANS, data=st.data())
def test_nothing_is_claimed_about_what_nobody_decided(predicted, annotated, rejected, data):
    decided = {span.key for span in annotated if data.draw(st.booleans())}
    refused = {span.key for span in rejected}
    for claim in compare(predicted, annotated, rejected, decided=decided, done=False):
        assert claim.after is None or claim.after.key in decided
        if claim.kind == "spurious":
            assert claim.before.key in refused


@given(predicted=SPANS, annotated=SPANS)
def test_each_kind_is_what_its_name_says(predicted, annotated):
    gold, said = {x.key for x in annotated}, {x.key for x in predicted}
    for kind, before, after in (
        (x.kind, x.before, x.after) for x in compare(predicted, annotated, [], decided=(), done=True)
    ):
        if kind == "confirmed":
            assert before == after
            assert after.key in gold & said
        elif kind == "type":
            assert (before.start, before.end) == (after.start, after.end)
            assert before.label != after.label
        elif kind == "boundary":
            assert before.label == after.label
            assert before.overlaps(after)
            assert before != after
        else:
            assert (before is None, after is None) == (kind == "missed", kind == "spurious")
        if kind != "confirmed":
            assert before is None or before.key not in gold
            assert after is None or after.key not in said


@given(predicted=SPANS, annotated=SPANS)
def test_no_two_spans_left_over_could_have_been_a_type_or_a_boundary(predicted, annotated):
    claims = compare(predicted, annotated, [], decided=(), done=True)
    missed = [x.after for x in claims if x.kind == "missed"]
    spurious = [x.before for x in claims if x.kind == "spurious"]
    for after in missed:
        for before in spurious:
            assert not (before.label == after.label and before.overlaps(after))


@given(predicted=SPANS, annotated=SPANS)
def test_the_annotation_itself_gets_every_claim_right_and_the_run_that_erred_none(predicted, annotated):
    gold, said = {x.key for x in annotated}, {x.key for x in predicted}
    for claim in compare(predicted, annotated, [], decided=(), done=True):
        assert is_right(claim, gold)
        assert is_right(claim, said) == (claim.kind == "confirmed")


@given(predicted=SPANS, annotated=SPANS)
def test_scores_and_order_do_not_change_the_claims(predicted, annotated):
    scored = [Span(*span.key, 0.5) for span in reversed(predicted)]
    one = compare(predicted, annotated, [], decided=(), done=True)
    other = compare(scored, list(reversed(annotated)), [], decided=(), done=True)
    assert sorted(map(_plain, one)) == sorted(map(_plain, other))


def _plain(claim: Claim) -> tuple[str, str, str]:
    return (claim.kind, str(claim.before and claim.before.key), str(claim.after and claim.after.key))
