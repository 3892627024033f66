"""What holds of every tagger, whatever its model: one row in ``small_taggers.OPTIONS`` each."""

import numpy as np
import pytest
import torch

from core.layers import compiled_loops
from core.layers.crf import viterbi
from core.lexicon import Lexicon
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import available, by_name
from core.taggers.base.shared_weights import with_shared_weights
from core.taggers.base.tagging import tag
from core.text import Document
from core.training.precision import Precision
from tests.taggers.small_flat import DOCUMENTS, LABELS, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger, without_gradient

NAMES = tuple(sorted(OPTIONS))
LEARNING = tuple(name for name in NAMES if by_name(name).needs_training)
ODD = (
    Document("empty", ""),
    Document("one", "清"),
    Document("unseen", "鑫淼焱垚，Ωж한글"),
    Document("emoji", "😀👨‍👩‍👧‍👦清河🇨🇳大学é𠮷"),
    Document("blank", " \n\t　"),
    Document("latin", "Qinghe University hired Lin."),
    Document("half", "清河\ud800大学"),  # no file can hold it, a Python string can
    Document("long", "林晚晴在清河大学教书。" * 91),
)


def keys(documents):
    return [[span.key for span in document.spans] for document in documents]


def assert_same_spans(first, second):
    """The same spans with the same scores, up to the order of floating-point sums."""
    assert keys(first) == keys(second)
    for one, other in zip(first, second, strict=True):
        scores = [[span.score for span in document.spans] for document in (one, other)]
        np.testing.assert_allclose(*scores, atol=1e-4)


def test_every_registered_tagger_is_here():
    assert set(available()) == set(OPTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_a_character_has_a_trace_without_a_span(name):
    tagger = small_tagger(name).eval()
    (trace,) = tagger.trace(tagger.collate([Document("empty", "")]))
    assert (trace.text, trace.tokens, trace.spans) == ("", (), ())


@pytest.fixture(scope="module", params=LEARNING)
def learned(request):
    return learned_tagger(request.param)


def test_another_over_the_same_weights_predicts_the_same_and_shares_nothing_else(learned):
    expected = tag(learned, WITH_TEXT)
    twin = with_shared_weights(learned)
    weights = dict(learned.named_parameters())
    assert weights
    for name, parameter in twin.named_parameters():
        assert parameter is not weights[name]
        assert parameter.data_ptr() == weights[name].data_ptr()
    assert_same_spans(tag(twin, WITH_TEXT), expected)
    # As looking inside does: hooks, no gradients, no words of the lexicon.
    seen = []
    for module in twin.modules():
        module.register_forward_hook(lambda *_: seen.append(1))
    twin.requires_grad_(False).train()
    if learned.uses_lexicon:
        twin.lexicon = Lexicon()
    assert any(parameter.requires_grad for parameter in learned.parameters())
    assert not any(module.training for module in learned.modules())
    assert_same_spans(tag(learned, WITH_TEXT), expected)
    assert not seen


def test_its_scores_have_a_class_for_every_decision(learned):
    scores = learned.token_scores(learned.collate(WITH_TEXT))
    assert scores.logits.shape[:-1] == scores.gold.shape == scores.mask.shape
    assert scores.logits.dtype == torch.float32
    assert bool(scores.mask.any())
    assert int(scores.gold.max()) < scores.logits.shape[-1]


def test_it_learns_what_it_is_shown(learned):
    expected = [learned.decode(learned.collate([document]))[0] for document in WITH_TEXT[:2]]
    assert any(expected), "after 60 steps something is found in the training documents"


def test_padding_changes_nothing(learned):
    together = tag(learned, DOCUMENTS, budget=100_000)
    alone = [tag(learned, [document])[0] for document in DOCUMENTS]
    assert_same_spans(together, alone)
    with torch.no_grad():
        batch = [learned.loss(learned.collate([document])).item() for document in WITH_TEXT]
        mean = learned.loss(learned.collate(WITH_TEXT)).item()
    assert mean == pytest.approx(np.mean(batch), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("name", LEARNING)
def test_gradients_reach_every_parameter_that_should_learn(name):
    assert without_gradient(small_tagger(name)) == set()


@pytest.mark.parametrize("name", LEARNING)
def test_the_optimiser_gets_every_parameter_once(name):
    tagger = small_tagger(name)
    given = [id(p) for group in tagger.parameter_groups() for p in group["params"]]
    assert len(given) == len(set(given))
    assert set(given) >= {id(p) for p in tagger.parameters() if p.requires_grad}


@pytest.mark.parametrize("name", LEARNING)
def test_the_same_seed_gives_the_same_result(name):
    first, second = (train(small_tagger(name, seed=3), WITH_TEXT, 3) for _ in range(2))
    for key, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[key]), key
    other = small_tagger(name, seed=4).state_dict()
    assert any(
        not torch.equal(value, other[key]) for key, value in small_tagger(name, seed=3).state_dict().items()
    )


@pytest.mark.parametrize("amp", ["bf16", "fp16"])
@pytest.mark.parametrize("name", LEARNING)
def test_half_precision_gives_about_the_same_loss_and_finite_gradients(name, amp):
    """As ``amp`` of a training has it, whose half types a processor computes too."""
    tagger = small_tagger(name).eval()  # no dropout, whose draws would differ
    whole = tagger.loss(tagger.collate(WITH_TEXT)).item()
    precision = Precision(amp, "cpu")
    with precision.forward():
        loss = tagger.loss(tagger.collate(WITH_TEXT))
    assert loss.item() == pytest.approx(whole, rel=0.03)
    precision.scaled(loss).backward()
    optimiser = torch.optim.SGD(tagger.parameters(), lr=1e-3)
    for _ in range(12):  # fp16's scale halves until gradients are in range
        precision.step(optimiser, list(tagger.parameters()), 0.0)
        gradients = [p.grad for p in tagger.parameters() if p.grad is not None]
        if all(bool(gradient.isfinite().all()) for gradient in gradients):
            break
        optimiser.zero_grad()
        with precision.forward():
            loss = tagger.loss(tagger.collate(WITH_TEXT))
        precision.scaled(loss).backward()
    assert gradients
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)
    assert any(bool(gradient.any()) for gradient in gradients)


def test_it_answers_the_same_after_saving_and_loading(learned, tmp_path):
    learned.save(tmp_path / "model")
    loaded = load_tagger(tmp_path / "model")
    assert type(loaded) is type(learned)
    assert (loaded.config, loaded.labels) == (learned.config, learned.labels)
    assert tag(loaded, [*DOCUMENTS, *ODD]) == tag(learned, [*DOCUMENTS, *ODD])


def test_loading_leaves_torchs_random_numbers_alone(learned, tmp_path):
    learned.save(tmp_path / "model")
    torch.manual_seed(5)
    before = torch.get_rng_state()
    load_tagger(tmp_path / "model")
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("document", ODD, ids=lambda document: document.id)
def test_it_tags_any_text(learned, document):
    (tagged,) = tag(learned, [document])
    assert (tagged.id, tagged.text) == (document.id, document.text)
    for span in tagged.spans:
        assert 0 <= span.start < span.end <= len(document.text)
        assert span.label in LABELS
        assert span.score is not None
        assert 0.0 <= span.score <= 1.0


def test_a_thousand_characters_at_once(learned):
    batch = learned.collate([ODD[-1], DOCUMENTS[0], ODD[0]])
    assert len(ODD[-1].text) > 1000
    spans = learned.decode(batch)
    assert len(spans) == 3
    assert all(span.end <= len(ODD[-1].text) for span in spans[0])


def test_a_trace_says_what_was_seen(learned):
    traces = learned.trace(learned.collate(ODD[:6]))
    answers = learned.decode(learned.collate(ODD[:6]))
    for document, trace, spans in zip(ODD, traces, answers, strict=False):
        assert (trace.text, trace.tagger) == (document.text, learned.name)
        assert [span.key for span in trace.spans] == [span.key for span in spans]
        if trace.crf is not None and document.text:
            np.testing.assert_allclose(trace.crf.marginals.sum(-1), 1.0, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in NAMES), ("soft_lexicon", {"sequence_layer": "transformer", "heads": 2})],
)
def test_a_trace_in_half_precision_is_made_of_plain_numbers(name, options):
    tagger = small_tagger(name, **options).eval()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        (trace,) = tagger.trace(tagger.collate(DOCUMENTS[:1]))
    assert trace.text == DOCUMENTS[0].text
    assert all(weights.dtype == np.float32 for weights in trace.attention)


@pytest.mark.parametrize(
    ("name", "options"), [*((name, {}) for name in LEARNING), ("mrc", {"unanswered_queries": 1})]
)
def test_it_learns_from_any_text(name, options):
    tagger = small_tagger(name, **options).train()
    loss = tagger.loss(tagger.collate([*ODD[:-1], *DOCUMENTS]))
    loss.backward()
    assert torch.isfinite(loss)
    assert all(bool(p.grad.isfinite().all()) for p in tagger.parameters() if p.grad is not None)


def test_a_trace_leaves_the_mode_as_it_was(learned):
    try:
        learned.train()
        learned.trace(learned.collate(DOCUMENTS[:1]))
        assert learned.training
    finally:
        learned.eval()


@pytest.mark.parametrize("name", NAMES)
def test_it_says_who_it_is(name):
    kind = by_name(name)
    assert kind.title
    assert kind.summary
    assert kind.paper
    assert small_tagger(name).cost(DOCUMENTS[0]) >= 1


def test_compiled_loops_change_no_span_and_no_score(learned, monkeypatch):
    pytest.importorskip("numba")
    texts = [*DOCUMENTS, *ODD]
    monkeypatch.setattr(viterbi, "compiled_form", lambda: None)
    monkeypatch.setattr(compiled_loops, "_load", lambda name: None)
    without = tag(learned, texts)
    monkeypatch.undo()
    for module in (compiled_loops, viterbi):
        monkeypatch.setattr(module, "WORTH_COMPILING", 0)
    assert_same_spans(without, tag(learned, texts))


def test_attribution_reaches_what_the_compiled_loops_read(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled_loops, "WORTH_COMPILING", 0)
    tagger = learned_tagger("bilstm_crf")
    batch = tagger.collate(WITH_TEXT[:1])
    with torch.no_grad():
        before = tagger.emissions(batch)
        handle = tagger.characters.register_forward_hook(lambda module, inputs, output: 0.0 * output)
        try:
            without = tagger.emissions(batch)
        finally:
            handle.remove()
        assert torch.equal(before, tagger.emissions(batch))
    assert not torch.allclose(before, without)
