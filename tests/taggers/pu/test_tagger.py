"""The PU tagger: what teaches it, how characters become spans, and what it refuses."""

import itertools
import random

import pytest
import torch

from core.layers.pu_risk import pu_risk
from core.lexicon.segmentation import word_lengths, word_numbers
from core.taggers.base.config_fields import ConfigError, config_from_settings
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.pu.config import PuConfig
from core.taggers.pu.encoder import KINDS, kind_of
from core.taggers.pu.priors import priors_for, read_priors, write_priors
from core.taggers.pu.tagger import Pu
from core.taggers.pu.type_runs import read_runs, run_log_probability
from core.text import Document, Span
from tests.taggers.small_flat import DOCUMENTS, LABELS
from tests.taggers.small_taggers import OPTIONS, small_tagger
from tests.taggers.tiny_bert import tiny_bert


def in_part(document, *regions):
    return Document(
        document.id, document.text, document.spans, {"annotated_regions": [list(r) for r in regions]}
    )


def test_what_nobody_looked_at_is_learned_by_the_risk_of_the_batch():
    tagger = small_tagger("pu", prior="0.2", m=0.5).eval()
    documents = [in_part(DOCUMENTS[0]), in_part(DOCUMENTS[2])]
    batch = tagger.collate(documents)
    scores = tagger.scores(batch)[batch.mask]
    risk = pu_risk(
        scores,
        batch.types[batch.mask],
        torch.ones_like(scores, dtype=torch.bool),
        torch.full((3,), 0.2),
        m=0.5,
    )
    expected = len(scores) * risk.objective.sum() / 2
    torch.testing.assert_close(tagger.loss(batch), expected)


def test_what_somebody_looked_at_is_learned_by_cross_entropy():
    tagger = small_tagger("pu").eval()
    document = DOCUMENTS[0]
    batch = tagger.collate([in_part(document, (4, 8))])
    tagger.config = PuConfig(**{**OPTIONS["pu"], "risk": "known"})
    scores = tagger.scores(batch)[0]
    expected = 0.0
    spans = {label: set() for label in LABELS}
    for span in document.spans:
        spans[span.label].update(range(span.start, span.end))
    for at in {*range(4, 8), *range(3)}:  # looked at, or under a span
        for k, label in enumerate(LABELS):
            z = scores[at, k]
            expected = expected - torch.log(torch.sigmoid(z if at in spans[label] else -z))
    torch.testing.assert_close(tagger.loss(batch), expected)


def test_a_document_with_everything_open_gives_no_token_decisions():
    tagger = small_tagger("pu")
    scores = tagger.token_scores(tagger.collate([in_part(DOCUMENTS[0])]))
    assert not scores.mask.any()
    half = tagger.token_scores(tagger.collate([in_part(DOCUMENTS[0], (0, 4))]))
    assert half.mask[0, :, 0].tolist() == [True] * 4 + [False] * 6


def test_runs_are_read_as_the_most_likely_type_where_any_is_more_likely_than_not():
    scores = torch.tensor([[2.0, 1.0], [0.5, 3.0], [-1.0, 2.0], [-2.0, -0.1], [1.0, -1.0]])
    assert [span.key for span in read_runs(scores, ("A", "B"))] == [(0, 1, "A"), (1, 3, "B"), (4, 5, "A")]


def test_the_score_of_a_run_is_its_share_of_all_readings():
    """Against the sum over all answers of all characters, each by its product."""
    scores = torch.randn(5, 1, generator=torch.Generator().manual_seed(2))
    yes = scores.sigmoid()[:, 0].tolist()

    def probability(start, end):
        total = 0.0
        for answers in itertools.product((0, 1), repeat=5):
            chance = 1.0
            for answer, p in zip(answers, yes, strict=True):
                chance *= p if answer else 1 - p
            whole = all(answers[start:end]) and not (start and answers[start - 1])
            total += chance * (whole and not (end < 5 and answers[end]))
        return total

    for start, end in itertools.combinations(range(6), 2):
        found = run_log_probability(scores[None], torch.tensor([5]), start, end, 0).exp().item()
        assert found == pytest.approx(probability(start, end), abs=1e-6)
    for span in read_runs(scores, ("A",)):
        assert span.score == pytest.approx(probability(span.start, span.end), abs=1e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("0.04", {"": 0.04}),
        ("PER=0.04, LOC = 0.02", {"PER": 0.04, "LOC": 0.02}),
        ("a=b=0.5", {"a=b": 0.5}),
        ('{"甲，乙": 0.1}', {"甲，乙": 0.1}),
    ],
)
def test_priors_read_as_people_write_them(text, expected):
    assert read_priors(text) == expected
    assert read_priors(write_priors(expected)) == expected


@pytest.mark.parametrize("prior", ["0", "1", "PER=0", "LOC=0.3, PER=1", "-0.2", "nan", "1.5", '{"PER": 1}'])
def test_a_prior_of_nothing_or_all_is_refused_in_a_sentence(prior):
    with pytest.raises(ConfigError, match=r"between 0 and 1, both excluded.*nothing to learn"):
        config_from_settings(PuConfig, {"prior": prior})


@pytest.mark.parametrize("prior", ["much", "PER", "PER=", "=0.1", "{", '{"PER": []}', "[1]"])
def test_a_prior_that_does_not_read_is_refused(prior):
    with pytest.raises(ConfigError, match="does not read as"):
        PuConfig(prior=prior)


def test_a_prior_that_is_not_given_is_what_is_labelled_by_the_recall():
    documents = [in_part(Document("a", "x" * 50, (Span(0, 5, "PER"),))), Document("b", "y" * 100)]
    assert priors_for(("PER",), {}, documents, 0.5) == {"PER": pytest.approx(0.2)}
    assert priors_for(("PER",), {"": 0.3}, documents, 0.5) == {"PER": 0.3}
    assert priors_for(("LOC",), {}, documents, 0.5)["LOC"] == pytest.approx(1 / 150)


def test_labels_that_cover_too_much_for_a_prior_are_refused():
    covered = [in_part(Document("a", "x" * 10, (Span(0, 6, "PER"),)))]
    with pytest.raises(ConfigError, match=r"60% of all characters are labelled PER.*below 1"):
        priors_for(("PER",), {}, covered, 0.5)


@pytest.mark.parametrize("prior", ["PRE=0.1", "PER=0.1;LOC=0.2"])
def test_a_share_of_what_is_no_type_is_refused(prior):
    with pytest.raises(ConfigError, match=r"there is no type .* to learn; there are: LOC, PER"):
        priors_for(("LOC", "PER"), read_priors(prior), [], 0.5)


def test_kinds_of_characters():
    shown = dict(
        zip(
            "Aaж한汉3 。ǅ",
            ["upper", "lower", "lower", "letter", "han", "digit", "blank", "other", "upper"],
            strict=True,
        )
    )
    assert {character: KINDS[kind_of(character) - 1] for character in shown} == shown
    assert KINDS[kind_of("𠮷") - 1] == "han"


def test_with_a_transformer_under_it_it_is_saved_and_loaded_the_same(tmp_path):
    tagger = small_tagger("pu", encoder=tiny_bert(), layer_mix="scalar_mix", encoder_rate=0.5).eval()
    assert [group["lr_scale"] for group in tagger.parameter_groups()] == [1.0, 0.5]
    (trace,) = tagger.trace(tagger.collate(DOCUMENTS[:1]))
    assert trace.attention
    assert trace.mixes
    tagger.save(tmp_path / "model")
    assert tag(load_tagger(tmp_path / "model"), DOCUMENTS) == tag(tagger, DOCUMENTS)


NAMES = [a + b + c for a in "林周赵孙钱吴" for b in "晓一天" for c in "平鸣悦明"]


def sentences(count, chance):
    """Invented sentences with one name each, and where it stands."""
    for number in range(count):
        name = chance.choice(NAMES)
        before, after = chance.choice(
            [("昨天", "来过这里"), ("请问", "在家吗"), ("我和", "去看雨"), ("", "没有说话")]
        )
        text = before + name + after
        yield Document(str(number), text, (Span(len(before), len(before) + 3, "PER"),))


def found_of_the_unlisted(everything, listed, seen):
    """Share of the names that are not listed which a tagger taught by ``seen`` finds."""
    torch.manual_seed(0)
    config = PuConfig(
        prior="0.37", hidden=32, embedding_dropout=0.2, char_dim=24, char_vectors="", bigram_dim=0
    )
    tagger = Pu.build(config, ("PER",), Resources(seen))
    optimiser = torch.optim.AdamW(tagger.parameters(), 5e-3)
    tagger.train()
    for _ in range(12):
        for start in range(0, len(seen), 50):
            optimiser.zero_grad()
            tagger.loss(tagger.collate(seen[start : start + 50])).backward()
            optimiser.step()
    unlisted = [document for document in everything if name_in(document) not in listed]
    assert len(unlisted) > 200
    answers = tag(tagger, [document.with_spans(()) for document in unlisted])
    right = (
        [span.key for span in answer.spans] == [document.spans[0].key]
        for answer, document in zip(answers, unlisted, strict=True)
    )
    return sum(right) / len(unlisted)


def name_in(document):
    return document.text[document.spans[0].start : document.spans[0].end]


@pytest.mark.exhaustive
def test_it_finds_what_the_word_list_does_not_have():
    """A third of the names is labelled, nothing else is known; most others are found all the same."""
    chance = random.Random(1)
    everything = list(sentences(400, chance))
    listed = set(chance.sample(NAMES, len(NAMES) // 3))
    labelled = [
        document if name_in(document) in listed else document.with_spans(()) for document in everything
    ]
    as_unlabelled = found_of_the_unlisted(everything, listed, [in_part(d) for d in labelled])
    as_negative = found_of_the_unlisted(everything, listed, labelled)
    assert as_unlabelled > 0.75
    assert as_negative < 0.5


def test_the_characters_of_a_word_answer_together():
    tagger = small_tagger("pu").eval()
    text = "我要买羊绒大衣"
    batch = tagger.collate([Document("a", text), Document("b", "大衣")])
    bounds = list(itertools.accumulate(word_lengths(text), initial=0))
    assert len(bounds) < len(text)  # some word has two characters or more
    scores = tagger.scores(batch)[0]
    for start, end in itertools.pairwise(bounds):
        torch.testing.assert_close(scores[start:end], scores[start].expand(end - start, -1))
    tagger.config = PuConfig(**{**OPTIONS["pu"], "unit": "characters"})
    alone = tagger.scores(tagger.collate([Document("a", text)]))[0]
    for start, end in itertools.pairwise(bounds):
        torch.testing.assert_close(scores[start], alone[start:end].mean(0))


def test_no_span_cuts_a_word():
    torch.manual_seed(3)
    tagger = small_tagger("pu").eval()
    texts = ["我要买羊绒大衣修身款", "电脑风扇和移动电源", "华为荣耀magic手机壳"] * 5
    for text, answer in zip(texts, tag(tagger, [Document("a", text) for text in texts]), strict=True):
        bounds = set(itertools.accumulate(word_lengths(text), initial=0))
        assert all({span.start, span.end} <= bounds for span in answer.spans)


def test_the_score_of_a_run_counts_every_word_once():
    """Against the sum over all answers of all words: 2, 1 and 2 characters long."""
    lengths = (2, 1, 2)
    log_odds = torch.randn(3, 1, generator=torch.Generator().manual_seed(5))
    yes = log_odds.sigmoid()[:, 0].tolist()
    scores = log_odds.repeat_interleave(torch.tensor(lengths), dim=0)
    shares = torch.tensor([1 / size for size in lengths for _ in range(size)])
    bounds = list(itertools.accumulate(lengths, initial=0))
    for first, last in itertools.combinations(range(4), 2):
        expected = 0.0
        for answers in itertools.product((0, 1), repeat=3):
            alone = all(answers[first:last]) and not any((*answers[:first][-1:], *answers[last:][:1]))
            chance = 1.0
            for answer, p in zip(answers, yes, strict=True):
                chance *= p if answer else 1 - p
            expected += chance * alone
        place = bounds[first], bounds[last]
        found = run_log_probability(scores[None], torch.tensor([5]), *place, 0, shares[None]).exp().item()
        assert found == pytest.approx(expected, abs=1e-6)
        for span in read_runs(scores, ("A",), shares):
            if (span.start, span.end) == place:
                assert span.score == pytest.approx(expected, abs=1e-6)


def test_a_trace_shows_the_answers_behind_the_spans():
    tagger = small_tagger("pu", prior="PER=0.2, LOC=0.1, ORG=0.3").eval()
    batch = tagger.collate([Document("", ""), *DOCUMENTS])
    scores = tagger.scores(batch).sigmoid().detach()
    for row, (trace, spans) in enumerate(zip(tagger.trace(batch), tagger.decode(batch), strict=True)):
        length = len(trace.text)
        assert trace.pu.labels == tagger.labels
        torch.testing.assert_close(torch.from_numpy(trace.pu.probabilities.T.copy()), scores[row, :length])
        expected = [-1] * length
        for span in spans:
            expected[span.start : span.end] = [tagger.labels.index(span.label)] * len(span)
        assert trace.pu.chosen.tolist() == expected
        assert trace.pu.units.tolist() == word_numbers(trace.text)
        told = dict(zip(trace.pu.labels, trace.pu.priors.tolist(), strict=True))
        assert told == pytest.approx({"PER": 0.2, "LOC": 0.1, "ORG": 0.3})
