"""An ensemble against its definition: means of probabilities by hand, and every legal tag sequence."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from core.inspection.sentence.attribution import integrated_gradients
from core.taggers.base.calibration import Calibration, Scaling
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger, read_json, write_json
from core.taggers.base.registry import available, by_name
from core.taggers.base.tagger import ModelFolderError, Resources
from core.taggers.base.tagging import tag
from core.taggers.ensemble.agreement import EnsembleError
from core.taggers.ensemble.tagger import Ensemble
from core.text import Document, Span
from core.text.tag_schemes import SCHEMES, decode
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger
from tests.taggers.test_every_tagger import ODD, assert_same_spans, keys

FLAT = tuple(
    document.with_spans(span for span in document.spans if span.key != (4, 6, "LOC"))
    for document in WITH_TEXT
)


def build(name, labels=LABELS, seed=0, **options):
    torch.manual_seed(seed)
    kind = by_name(name)
    return kind.build(kind.Config(**{**OPTIONS[name], **options}), labels, Resources(DOCUMENTS, LEXICON))


def saved(folder, *taggers):
    """An ensemble of these taggers, by way of their model folders."""
    folders = [folder / f"run{number}" for number in range(len(taggers))]
    for tagger, path in zip(taggers, folders, strict=True):
        tagger.save(path)
    return Ensemble.of_folders(folders)


@pytest.fixture(scope="module")
def tagged(tmp_path_factory):
    """A BiLSTM-CRF, a softmax tagger with its labels in another order, and a FLAT, half trained, as one."""
    members = (
        train(build("bilstm_crf", seed=1), WITH_TEXT, 40),
        train(build("bilstm_crf", tuple(reversed(LABELS)), seed=2, head="softmax"), WITH_TEXT, 40),
        train(build("flat", seed=3), WITH_TEXT, 20),
    )
    members[0].calibration = Calibration(Scaling(2.0, -0.5), {"PER": Scaling(1.5, 0.25)}, 30)
    return saved(tmp_path_factory.mktemp("tags"), *members)


@pytest.fixture(scope="module")
def spanned(tmp_path_factory):
    """Three span taggers, half trained."""
    members = (
        train(build("span", seed=1), WITH_TEXT, 15),
        train(build("span", tuple(reversed(LABELS)), seed=2), WITH_TEXT, 15),
        train(build("span", seed=3, scorer="biaffine"), WITH_TEXT, 15),
    )
    members[1].calibration = Calibration(Scaling(1.7, 0.3), {"LOC": Scaling(0.8, -0.4)}, 30)
    return saved(tmp_path_factory.mktemp("spans"), *members)


@pytest.fixture(params=["tags", "spans"])
def ensemble(request, tagged, spanned):
    return tagged if request.param == "tags" else spanned


def naive_marginals(member, text, tags):
    """Marginals by summing over every legal sequence, in the order of ``tags``, ``[T, K]``."""
    batch = member.collate([Document("one", text)])
    with torch.no_grad():
        emissions = member.emissions(batch)[0].double().numpy()
    start, moves, end = (
        scores.detach().double().numpy()
        for scores in (member.crf.start_transitions, member.crf.transitions, member.crf.end_transitions)
    )
    own = member.decoder.tags
    total = np.zeros((len(text), len(tags)))
    for path in legal_paths(own, len(text)):
        score = start[path[0]] + end[path[-1]] + sum(emissions[at, row] for at, row in enumerate(path))
        weight = np.exp(score + sum(moves[a, b] for a, b in pairwise(path)))
        for at, row in enumerate(path):
            total[at, tags.index(own[row])] += weight
    return total / total[0].sum()


def legal_paths(tags, length):
    rules = SCHEMES["BMES"]
    for path in product(range(len(tags)), repeat=length):
        names = [None, *(tags[at] for at in path), None]
        if all(rules.is_legal(a, b) for a, b in pairwise(names)):
            yield path


@pytest.mark.parametrize("text", ["清", "清河", "林晚晴", "林在清河"])
def test_the_mean_of_marginals_is_decoded_as_the_best_of_all_legal_sequences(tagged, text):
    tags = tagged.average.decoder.tags
    mean = np.mean([naive_marginals(member, text, tags) for member in tagged.taggers], axis=0)
    batch = tagged.collate([Document("one", text)])
    with torch.no_grad():
        found = tagged.average.marginals(batch.members)[0]
    np.testing.assert_allclose(found, mean, atol=1e-5)

    def score(path):
        return sum(np.log(mean[at, row]) for at, row in enumerate(path))

    best = max(legal_paths(tags, len(text)), key=score)
    expected = decode([tags[at] for at in best], "BMES", "discard")
    (trace,) = tagged.trace(batch)
    assert tuple(trace.crf.path) == best
    assert [span.key for span in tagged.decode(batch)[0]] == [span.key for span in expected]


def test_the_mean_of_span_probabilities_is_decoded_as_by_hand(spanned):
    document = Document("one", "林晚晴在清河大学教书，昨天下雨")
    (found,) = spanned.decode(spanned.collate([document]))
    places = [
        (start, end, label)
        for start in range(len(document.text))
        for end in range(start + 1, len(document.text) + 1)
        for label in LABELS
    ]

    def mean(key):
        return np.mean(
            [
                float(member.span_log_probability(member.collate([document]), Span(*key)).exp().detach())
                for member in spanned.taggers
            ]
        )

    def required(label):
        shifts = [member.calibration.of(label).shift for member in spanned.taggers]
        return np.mean([1 / (1 + np.exp(-shift)) for shift in shifts])

    above = {key: mean(key) for key in places if mean(key) > required(key[2])}
    assert above
    # Of the training spans LOC lies in ORG; other pairs of labels do not overlap.
    odds = {
        key: np.log(p / (1 - p)) - np.log(required(key[2]) / (1 - required(key[2])))
        for key, p in above.items()
    }
    taken = []
    for key in sorted(odds, key=lambda key: -odds[key]):
        clash = [
            o for o in taken if key[0] < o[1] and o[0] < key[1] and not nests(key, o) and not nests(o, key)
        ]
        if not clash:
            taken.append(key)
    assert {span.key: pytest.approx(span.score, abs=1e-5) for span in found} == {k: above[k] for k in taken}


def nests(inner, outer):
    """Whether one may lie inside the other as a LOC in an ORG."""
    return (
        (inner[2], outer[2]) == ("LOC", "ORG")
        and outer[0] <= inner[0]
        and inner[1] <= outer[1]
        and inner[:2] != outer[:2]
    )


def test_the_probability_of_a_span_is_the_mean_of_its_calibrated_ones(ensemble):
    batch = ensemble.collate(WITH_TEXT[:1])
    spans = [Span(0, 3, "PER"), Span(4, 8, "ORG"), Span(1, 2, "LOC")]
    for span in spans:
        parts = [
            float(member.span_log_probability(part, span).exp().detach())
            for member, part in zip(ensemble.taggers, batch.members, strict=True)
        ]
        mean = float(ensemble.span_log_probability(batch, span).exp().detach())
        assert mean == pytest.approx(np.mean(parts), rel=1e-4)
    decoded, weights = ensemble.decode_and_score(batch, spans)
    expected = [float(ensemble.span_log_probability(batch, span).exp().detach()) for span in spans]
    np.testing.assert_allclose(weights[0], expected, rtol=1e-4)
    assert decoded == ensemble.decode(batch)


def test_a_predicted_span_has_its_probability(ensemble):
    batch = ensemble.collate(WITH_TEXT)
    found = [span for spans in ensemble.decode(batch) for span in spans]
    assert found
    for document in WITH_TEXT:
        one = ensemble.collate([document])
        for span in ensemble.decode(one)[0]:
            probability = float(ensemble.span_log_probability(one, span).exp().detach())
            assert span.score == pytest.approx(probability, rel=1e-4)


@pytest.mark.parametrize("name", ["bilstm_crf", "flat", "span"])
def test_a_tagger_with_itself_answers_as_it_does_alone(name, tmp_path):
    member = learned_tagger(name)
    ensemble = saved(tmp_path, member, member)
    assert_same_spans(tag(ensemble, [*DOCUMENTS, *ODD]), tag(member, [*DOCUMENTS, *ODD]))


def test_it_answers_the_same_after_saving_and_loading_without_the_runs(ensemble, tmp_path):
    ensemble.save(tmp_path / "model")
    torch.manual_seed(5)
    before = torch.get_rng_state()
    loaded = load_tagger(tmp_path / "model")
    assert torch.equal(torch.get_rng_state(), before)
    assert (type(loaded), loaded.config, loaded.labels) == (Ensemble, ensemble.config, ensemble.labels)
    assert tag(loaded, [*DOCUMENTS, *ODD]) == tag(ensemble, [*DOCUMENTS, *ODD])


def test_padding_changes_nothing_and_any_text_is_tagged(ensemble):
    documents = [*DOCUMENTS, *ODD]
    together = tag(ensemble, documents, budget=100_000)
    assert_same_spans(together, [tag(ensemble, [document])[0] for document in documents])
    for document in together:
        assert all(0 <= span.start < span.end <= len(document.text) for span in document.spans)
        assert all(0.0 <= span.score <= 1.0 for span in document.spans)


def test_a_trace_says_what_was_predicted(ensemble):
    batch = ensemble.collate([*DOCUMENTS, *ODD[:6]])
    for document, trace, spans in zip(
        batch.documents, ensemble.trace(batch), ensemble.decode(batch), strict=True
    ):
        assert (trace.text, trace.tagger) == (document.text, "ensemble")
        assert list(trace.spans) == spans
        if trace.crf is not None and document.text:
            np.testing.assert_allclose(trace.crf.marginals.sum(-1), 1.0, atol=1e-3)
            assert np.isfinite(trace.crf.emissions).all()
        if trace.span_scores is not None:
            for span in spans:
                at = trace.span_scores.labels.index(span.label)
                assert trace.span_scores.matrix(at)[span.start, span.end - 1] == pytest.approx(
                    span.score, abs=1e-5
                )
                assert span.score > trace.span_scores.thresholds[at]


def test_calibration_changes_probabilities_and_no_prediction(ensemble, tmp_path):
    many = [
        Document(f"{number}", *rest) for number in range(12) for rest in [(d.text, d.spans) for d in FLAT]
    ]
    before = ensemble.decode(ensemble.collate(FLAT))
    try:
        ensemble.calibrate(ensemble.collate([document]) for document in many)
        assert ensemble.calibration.spans > 20
        ensemble.calibration = Calibration(Scaling(2.0, -1.0))
        after = ensemble.decode(ensemble.collate(FLAT))
        assert [[s.key for s in spans] for spans in after] == [[s.key for s in spans] for spans in before]
        assert after != before
        ensemble.save(tmp_path / "model")
        assert load_tagger(tmp_path / "model").calibration == ensemble.calibration
        (trace,) = ensemble.trace(ensemble.collate(FLAT[:1]))
        assert [span.key for span in trace.spans] == [span.key for span in after[0]]
        # Another batch: sums may be rounded otherwise.
        scores = [span.score for span in after[0]]
        assert [span.score for span in trace.spans] == pytest.approx(scores, abs=1e-5)
    finally:
        ensemble.calibration = Calibration()


def test_attributions_are_complete_and_stand_at_characters(ensemble):
    document = WITH_TEXT[0]
    (spans, *_) = ensemble.decode(ensemble.collate([document]))
    shares = integrated_gradients(ensemble, document.text, spans[0])
    assert shares.is_complete
    assert shares.tokens.any()
    assert len(shares.words) == 0


def test_another_lexicon_reaches_all_members_that_read_one(tagged):
    assert tagged.uses_lexicon
    before = tagged.lexicon
    try:
        tagged.lexicon = before.without_words(["清河大学"])
        assert "清河大学" not in tagged.taggers[2].lexicon
    finally:
        tagged.lexicon = before
    changed = tagged.collate_with(WITH_TEXT, [before.without_words(["清河"])] * len(WITH_TEXT))
    assert keys([d.with_spans(s) for d, s in zip(WITH_TEXT, tagged.decode(changed), strict=True)])


def test_without_a_lexicon_none_can_be_given(spanned):
    with pytest.raises(NotImplementedError, match="Ensemble reads no lexicon"):
        spanned.collate_with(WITH_TEXT, [LEXICON] * len(WITH_TEXT))


def words(labels=LABELS):
    torch.manual_seed(0)
    kind = by_name("bilstm_crf")
    documents = (Document("1", "Lin teaches at Qinghe University", (Span(0, 3, "PER"),)),)
    return kind.build(kind.Config(hidden=6, unit="word", word_dim=5), labels, Resources(documents))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda: small_tagger("mrc"), "run1 is BERT-MRC, which an ensemble cannot average"),
        (lambda: small_tagger("span"), "run1 gives span scores, but .*run0 gives tags"),
        (
            lambda: build("bilstm_crf", ("LOC", "ORG", "GPE")),
            "run1 has other labels than .*run0: GPE against PER",
        ),
        (lambda: build("bilstm_crf", ("LOC",)), "run1 has other labels than .*run0: LOC against ORG, PER"),
        (words, "run1 tags words, but .*run0 tags characters"),
        (lambda: build("flat", scheme="BIOES"), "run1 has scheme BIOES, but .*run0 has BMES"),
    ],
)
def test_members_that_do_not_fit_are_refused_by_name(other, reason, tmp_path):
    with pytest.raises(EnsembleError, match=reason):
        saved(tmp_path, build("bilstm_crf"), other())


def test_span_scores_of_unlike_decoding_are_refused(tmp_path):
    with pytest.raises(EnsembleError, match=r"run1 has decoding nested, but .*run0 has learned"):
        saved(tmp_path, small_tagger("span"), small_tagger("span", decoding="nested"))


def test_an_ensemble_of_one_and_one_of_ensembles_are_refused(tagged, tmp_path):
    with pytest.raises(EnsembleError, match="an ensemble has 2 to 64 members, got 1"):
        saved(tmp_path, build("bilstm_crf"))
    with pytest.raises(EnsembleError, match="run1 is an ensemble itself; name its members instead"):
        saved(tmp_path, build("bilstm_crf"), tagged)


def test_it_is_not_built_from_documents_nor_offered():
    assert by_name("ensemble") is Ensemble
    assert "ensemble" not in available()
    for refused in (
        lambda: Ensemble.check_config(Ensemble.Config()),
        lambda: Ensemble.build(Ensemble.Config(), LABELS, Resources()),
    ):
        with pytest.raises(ConfigError, match="made of trained runs, not of documents"):
            refused()


def test_a_damaged_folder_is_refused_by_name(tagged, tmp_path):
    tagged.save(tmp_path / "model")
    (tmp_path / "model" / "members" / "2" / "model.safetensors").unlink()
    with pytest.raises(ModelFolderError, match=r"2/model\.safetensors is missing"):
        load_tagger(tmp_path / "model")
    tagged.save(tmp_path / "other")
    header = read_json(tmp_path / "other" / "config.json")
    write_json(tmp_path / "other" / "config.json", {**header, "labels": ["X", "Y", "Z"]})
    with pytest.raises(ModelFolderError, match="has other labels than its members"):
        load_tagger(tmp_path / "other")
    write_json(tmp_path / "other" / "config.json", {**header, "config": {"members": 3}, "labels": ["LOC"]})
    tagged.save(tmp_path / "other" / "members" / "3")
    with pytest.raises(ModelFolderError, match="3 is an ensemble itself"):
        load_tagger(tmp_path / "other")
