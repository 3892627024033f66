"""Distillation against loops over units and tags, and against the sum over all tag sequences."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
import torch

from core.layers import CRF
from core.taggers.base.registry import available, by_name
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span
from core.training.distillation.lesson import Lesson
from core.training.distillation.preparation import taught_documents
from core.training.distillation.settings import DistillationSettings
from core.training.processes import ALONE
from core.training.settings import TrainingSettings
from core.training.strategies.composition import Strategies
from core.training.strategies.distillation import softened_divergence, without_tags
from core.training.strategies.strategy import TrainingContext
from tests.taggers.small_taggers import small_tagger

DOCUMENTS = (
    Document("1", "林晚晴在清河", (Span(0, 3, "PER"), Span(4, 6, "LOC"))),
    Document("2", "清河", (Span(0, 2, "LOC"),)),
    Document("3", "下雨了"),
    Document("4", ""),
)
RAW = taught_documents((), (Document("r", "昨天林晚晴", (), {}),))


def divergence(teacher, student, temperature):
    """KL of two distributions of one unit, both raised to 1 / T and normalised."""
    p = [value ** (1 / temperature) for value in teacher]
    q = [value ** (1 / temperature) for value in student]
    p, q = [value / sum(p) for value in p], [value / sum(q) for value in q]
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_divergence_is_that_of_a_loop_over_units(temperature):
    torch.manual_seed(0)
    teacher = torch.rand(2, 3, 4, dtype=torch.double)
    teacher[0, 1, 2] = 0.0  # what no legal path has
    teacher /= teacher.sum(-1, keepdim=True)
    student = torch.randn(2, 3, 4, dtype=torch.double).log_softmax(-1)
    mask = torch.tensor([[True, True, False], [True, True, True]])
    teacher[0, 2] = 0.0
    expected = sum(
        divergence(teacher[row, at].tolist(), student[row, at].exp().tolist(), temperature)
        for row, at in mask.nonzero().tolist()
    )
    found = softened_divergence(teacher, student, mask, temperature)
    assert float(found) == pytest.approx(expected)
    assert float(softened_divergence(student.exp(), student, mask, temperature)) == pytest.approx(
        0, abs=1e-12
    )


def test_log_marginals_are_sums_over_all_paths_and_have_their_gradient():
    torch.manual_seed(2)
    crf = CRF(3).double()
    emissions = torch.randn(2, 3, 3, dtype=torch.double, requires_grad=True)
    mask = torch.tensor([[True, True, True], [True, True, False]])

    def naive(row, at, tag):
        length = int(mask[row].sum())
        total = part = torch.zeros((), dtype=torch.double)
        for path in product(range(3), repeat=length):
            score = crf.start_transitions[path[0]] + crf.end_transitions[path[-1]]
            score = score + sum(emissions[row, t, k] for t, k in enumerate(path))
            weight = (score + sum(crf.transitions[a, b] for a, b in pairwise(path))).exp()
            total = total + weight
            part = part + weight * (path[at] == tag)
        return (part / total).log()

    logs = crf.log_marginals(emissions, mask)
    for row, at, tag in [(0, 0, 1), (0, 1, 2), (1, 1, 0)]:
        expected = naive(row, at, tag)
        assert float(logs[row, at, tag].detach()) == pytest.approx(float(expected.detach()))
        weights = (emissions, crf.transitions, crf.start_transitions, crf.end_transitions)
        for one, other in zip(
            torch.autograd.grad(logs[row, at, tag], weights, retain_graph=True),
            torch.autograd.grad(expected, weights),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, atol=1e-9)


def lesson_for(tagger, documents, **settings):
    """Random answers to the documents."""
    torch.manual_seed(4)
    tables = [torch.rand(len(d.text), len(tagger.decoder.tags)) for d in documents]
    tables = [table / table.sum(-1, keepdim=True) for table in tables]
    return Lesson(documents, tables, DistillationSettings(model="teacher", **settings)), tables


def objective_of(tagger, lesson, documents, **settings):
    context = TrainingContext(
        tagger, TrainingSettings(**settings), documents, (), lambda found: iter(()), ALONE, 1, lesson
    )
    return Strategies.of(context)


def apart_by_hand(tagger, tables, batch, temperature):
    """The mean over the documents of what each unit's marginals lack to the answers."""
    with torch.no_grad():
        marginals = tagger.crf.marginals(tagger.emissions(batch), batch.mask)
    return sum(
        divergence(teacher.tolist(), student.tolist(), temperature)
        for table, row in zip(tables, marginals, strict=True)
        for teacher, student in zip(table, row, strict=False)
    ) / len(tables)


@pytest.mark.parametrize("head", ["crf", "softmax"])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_the_loss_is_the_share_of_both_by_hand(head, temperature):
    tagger = small_tagger("bilstm_crf", head=head).eval()
    lesson, tables = lesson_for(tagger, DOCUMENTS, share=0.3, temperature=temperature)
    batch = tagger.collate(DOCUMENTS)
    with torch.no_grad():
        found = float(objective_of(tagger, lesson, DOCUMENTS).loss(batch))
        gold = float(tagger.loss(batch))
    apart = apart_by_hand(tagger, tables, batch, temperature)
    assert found == pytest.approx(0.7 * gold + 0.3 * temperature**2 * apart, rel=1e-4)


STUDENTS = [name for name in available() if issubclass(by_name(name), SequenceTagger)]


@pytest.mark.parametrize("name", STUDENTS)
def test_every_tagger_with_a_tag_per_unit_can_learn_so(name):
    tagger = small_tagger(name).eval()
    lesson, tables = lesson_for(tagger, DOCUMENTS, share=0.3)
    batch = tagger.collate(DOCUMENTS)
    loss = objective_of(tagger, lesson, DOCUMENTS).loss(batch)
    gold = float(tagger.loss(batch).detach())
    expected = 0.7 * gold + 0.3 * apart_by_hand(tagger, tables, batch, 1.0)
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)
    loss.backward()
    assert any(parameter.grad is not None and parameter.grad.any() for parameter in tagger.parameters())


@pytest.mark.parametrize(
    "settings", [{"focal": 2.0}, {"label_smoothing": 0.1}, {"r_drop": 0.5}, {"focal": 2.0, "r_drop": 0.5}]
)
def test_beside_other_losses_these_take_the_place_of_the_taggers_own(settings):
    """Without dropout both passes of R-Drop are the same: its own term is 0."""
    tagger = small_tagger("bilstm_crf", head="softmax").eval()
    lesson, tables = lesson_for(tagger, DOCUMENTS, share=0.3, temperature=2.0)
    batch = tagger.collate(DOCUMENTS)
    with torch.no_grad():
        found = float(objective_of(tagger, lesson, DOCUMENTS, **settings).loss(batch))
        untaught = float(objective_of(tagger, None, DOCUMENTS, **settings).loss(batch))
    expected = 0.7 * untaught + 0.3 * 4 * apart_by_hand(tagger, tables, batch, 2.0)
    assert found == pytest.approx(expected, rel=1e-4)


def test_with_no_share_the_loss_is_the_ordinary_one_to_the_bit():
    tagger = small_tagger("bilstm_crf").eval()
    lesson, _ = lesson_for(tagger, DOCUMENTS, share=0.0)
    batch = tagger.collate(DOCUMENTS)
    assert torch.equal(objective_of(tagger, lesson, DOCUMENTS).loss(batch), tagger.loss(batch))


@pytest.mark.parametrize("head", ["crf", "softmax"])
def test_of_a_raw_text_only_the_teacher_tells(head):
    tagger = small_tagger("bilstm_crf", head=head).eval()
    batch = tagger.collate(RAW)
    assert float(tagger.loss(batch).detach()) == pytest.approx(0, abs=1e-5)
    lesson, tables = lesson_for(tagger, RAW, share=1.0)
    with torch.no_grad():
        found = float(objective_of(tagger, lesson, RAW).loss(batch))
        (marginals,) = tagger.crf.marginals(tagger.emissions(batch), batch.mask)
    expected = sum(divergence(p, q, 1.0) for p, q in zip(tables[0].tolist(), marginals.tolist(), strict=True))
    assert found == pytest.approx(expected, rel=1e-4)


def test_labels_that_the_teacher_does_not_know_are_no_span_to_it():
    """It is compared with the sum of no span and of the tags it cannot tell from it."""
    torch.manual_seed(5)
    student = torch.randn(1, 3, 5, dtype=torch.double).log_softmax(-1)
    teacher = torch.rand(1, 3, 5, dtype=torch.double)
    teacher[..., [2, 4]] = 0.0
    teacher /= teacher.sum(-1, keepdim=True)
    p, log_q = without_tags(teacher, student, (2, 4))
    q = student[0].exp().tolist()
    expected = sum(
        divergence([row[0], row[1], row[3]], [own[0] + own[2] + own[4], own[1], own[3]], 2.0)
        for row, own in zip(teacher[0].tolist(), q, strict=True)
    )
    found = softened_divergence(p, log_q, torch.ones(1, 3, dtype=torch.bool), 2.0)
    assert float(found) == pytest.approx(expected)


def test_a_text_on_which_the_teacher_was_not_asked_has_the_loss_of_its_labels():
    tagger = small_tagger("bilstm_crf").eval()
    tables = [torch.zeros(len(d.text), len(tagger.decoder.tags)) for d in DOCUMENTS]
    lesson = Lesson(DOCUMENTS, tables, DistillationSettings(source="LAC", share=0.3))
    batch = tagger.collate(DOCUMENTS)
    loss = objective_of(tagger, lesson, DOCUMENTS).loss(batch)
    assert float(loss.detach()) == pytest.approx(0.7 * float(tagger.loss(batch).detach()), rel=1e-6)
    loss.backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in tagger.parameters())
