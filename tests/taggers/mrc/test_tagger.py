"""BERT-MRC: what it answers, against loops over all pairs; nested spans; its queries; its folder."""

import json
from functools import cache

import numpy as np
import pytest
import torch

from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import ModelFolderError, Resources
from core.taggers.base.tagging import tag
from core.taggers.mrc import tagger as mrc
from core.taggers.mrc.batch import collate
from core.taggers.mrc.config import MrcConfig
from core.taggers.mrc.loss import SpanScores, mrc_loss, training_pairs
from core.taggers.mrc.tagger import Mrc
from core.text import Document, Span
from tests.layers.span_oracle import published_match
from tests.taggers.small_flat import train
from tests.taggers.tiny_bert import tiny_bert

LABELS = ("LOC", "ORG")
# One span in another of another label, and of its own label.
NESTED = (
    Document("1", "林晚晴在清河大学教书", (Span(4, 6, "LOC"), Span(4, 8, "ORG"))),
    Document("2", "昨天清河下雨", (Span(2, 4, "LOC"),)),
    Document("3", "人大河大学机构", (Span(0, 7, "ORG"), Span(2, 5, "ORG"), Span(2, 3, "LOC"))),
)
LONG = Document("5", "没去下雨教书" * 7 + "清河", (Span(42, 44, "LOC"),))  # longer than a window
LATIN = Document("4", "Lin of Qinghe University", (Span(7, 24, "ORG"), Span(7, 13, "LOC")))


def small_mrc(seed=0, labels=LABELS, descriptions=None, documents=NESTED, **options):
    torch.manual_seed(seed)
    config = MrcConfig(**{"encoder": tiny_bert(), "encoder_rate": 1.0, "dropout": 0.0, **options})
    return Mrc.build(config, labels, Resources(documents, descriptions=descriptions or {}))


@cache
def learned() -> Mrc:
    """One that has learned these sentences by heart."""
    return train(small_mrc(match_weight=1.0), (*NESTED, LATIN, LONG), 120, rate=3e-3)


def keys(documents):
    return [{span.key for span in document.spans} for document in documents]


@torch.no_grad()
def brute_force(tagger, document):
    """Every pair of characters of one text under every query; kept where three probabilities are high."""
    found = {}
    batch = tagger.collate([document])
    for row, label in enumerate(tagger.labels):
        states = tagger.features(batch.pieces).mixed.hidden[[row]]
        start = tagger.scorer.start(states)[0, :, 0].sigmoid()
        end = tagger.scorer.end(states)[0, :, 0].sigmoid()
        match = published_match(tagger.scorer, states)[0].sigmoid()
        bound = tagger.config.threshold
        for i in range(len(document.text)):
            for j in range(i, len(document.text)):
                probabilities = (start[i], end[j], match[i, j])
                allowed = batch.starts[0, i] and batch.ends[0, j]
                if allowed and all(p > bound for p in probabilities):
                    found[i, j + 1, label] = float(torch.stack(probabilities).prod())
    return found


@pytest.mark.parametrize("threshold", [0.01, 0.3, 0.5])
def test_it_finds_what_loops_over_all_pairs_find(threshold):
    tagger = learned()
    other = small_mrc(threshold=threshold)
    other.load_state_dict(tagger.state_dict())
    total = 0
    for document in (*NESTED, LATIN):
        (spans,) = other.eval().decode(other.collate([document]))
        expected = brute_force(other, document)
        assert {span.key for span in spans} == set(expected)
        for span in spans:
            assert span.score == pytest.approx(expected[span.key], abs=1e-5)
        total += len(spans)
    assert total >= 8


def test_nested_spans_are_learned():
    assert keys(tag(learned(), [*NESTED, LATIN])) == keys([*NESTED, LATIN])


def test_no_span_is_longer_than_allowed():
    other = small_mrc(longest_span=3)
    other.load_state_dict(learned().state_dict())
    expected = [{key for key in spans if key[1] - key[0] <= 3} for spans in keys(NESTED)]
    assert keys(tag(other.eval(), NESTED)) == expected


MANY = ("LOC", "ORG", "PER", "TIME", "DRUG", "BOOK")


def test_training_reads_what_is_answered_and_some_of_what_is_not():
    tagger = small_mrc(labels=MANY, unanswered_queries=2, match_weight=1.0).train()
    drawn = set()
    for epoch in range(12):
        tagger.begin_epoch(epoch)
        batch = tagger.collate(NESTED)
        again = tagger.collate(NESTED)
        assert torch.equal(batch.encoded, again.encoded), "the same epoch draws the same"
        rows = batch.encoded.view(len(NESTED), len(MANY))
        assert len(batch.pieces.characters) == rows.sum()
        for document, own in zip(NESTED, rows.tolist(), strict=True):
            answered = {span.label for span in document.spans}
            read = {label for label, is_read in zip(MANY, own, strict=True) if is_read}
            assert answered <= read
            assert len(read) == len(answered) + 2
            drawn |= read - answered
    assert drawn == set(MANY) - {"LOC"}, "every document has a LOC; every other query is sometimes drawn"
    assert tagger.eval().collate(NESTED).encoded is None, "answers are never drawn"


def test_what_is_not_asked_is_as_if_it_were_not_there():
    torch.manual_seed(3)
    tagger = small_mrc(labels=MANY, unanswered_queries=1, candidates="all", match_weight=1.0).train()
    tagger.features.encoder.eval()
    batch = tagger.collate(NESTED)
    expected = []
    for document, own in zip(NESTED, batch.encoded.view(len(NESTED), -1).tolist(), strict=True):
        labels = [label for label, is_read in zip(MANY, own, strict=True) if is_read]
        queries = [tagger.queries[MANY.index(label)] for label in labels]
        alone = collate([document], labels, queries, tagger.features.encoder)
        states = tagger.features(alone.pieces).mixed.hidden
        start, end = tagger.scorer.boundaries(states)
        pairs = training_pairs("all", start, end, alone)
        scores = SpanScores(start, end, pairs, tagger.scorer.match(states, pairs))
        expected.append(mrc_loss(scores, alone, tagger.config.loss_weights))
    loss, scores = tagger.loss_and_scores(batch)
    torch.testing.assert_close(loss, torch.cat(expected).mean())
    assert not scores.mask.flatten(0, 1)[~batch.encoded].any()
    loss.backward()
    assert all(weight.grad is None or weight.grad.isfinite().all() for weight in tagger.parameters())


@pytest.mark.exhaustive
def test_nested_spans_are_learned_from_a_part_of_the_queries():
    tagger = small_mrc(labels=MANY, match_weight=1.0, unanswered_queries=1)
    optimiser = torch.optim.Adam(tagger.parameters(), lr=3e-3)
    for epoch in range(120):
        tagger.train().begin_epoch(epoch)
        optimiser.zero_grad()
        tagger.loss(tagger.collate(NESTED)).backward()
        optimiser.step()
    assert keys(tag(tagger.eval(), NESTED)) == keys(NESTED)


def test_the_company_of_a_sentence_and_of_a_query_changes_nothing():
    tagger = learned()
    both = tagger.collate([NESTED[1], NESTED[0]])
    with torch.no_grad():
        together = tagger.features(both.pieces).mixed.hidden
        start, end = tagger.scorer.boundaries(together)
        for row, (document, query) in enumerate(
            [(document, query) for document in (NESTED[1], NESTED[0]) for query in tagger.queries]
        ):
            pieces = tagger.features.encoder.tokenize([document.text], [query])
            alone = tagger.scorer.boundaries(tagger.features(pieces).mixed.hidden)
            length = len(document.text)
            torch.testing.assert_close(start[row, :length], alone[0][0], atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(end[row, :length], alone[1][0], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("candidates", ["all", "gold", "pred_and_gold"])
def test_the_loss_of_sentences_is_the_mean_of_each(candidates):
    tagger = small_mrc(candidates=candidates).eval()
    documents = [*NESTED, LATIN, Document("5", "没去"), Document("6", "")]
    with torch.no_grad():
        together = tagger.loss(tagger.collate(documents)).item()
        alone = [tagger.loss(tagger.collate([document])).item() for document in documents]
    assert together == pytest.approx(np.mean(alone), rel=1e-4)
    assert alone[-1] == 0.0
    assert alone[-2] > 0.0, "a sentence without an answer teaches that there is none"


def test_empty_texts_have_a_loss_with_a_gradient():
    tagger = small_mrc()
    loss = tagger.loss(tagger.collate([Document("1", ""), Document("2", "")]))
    loss.backward()
    assert loss.item() == 0.0


def test_loss_and_scores_are_those_of_one_pass():
    tagger = small_mrc().eval()
    batch = tagger.collate(NESTED)
    loss, scores = tagger.loss_and_scores(batch)
    torch.testing.assert_close(loss, tagger.loss(batch))
    torch.testing.assert_close(scores.logits, tagger.token_scores(batch).logits)


def test_token_scores_say_of_every_character_whether_it_is_a_start_and_an_end():
    tagger = learned()
    scores = tagger.token_scores(tagger.collate([*NESTED, LATIN]))
    assert scores.logits.shape == (4, len(LABELS), len(LATIN.text), 2, 2)
    right = scores.logits.argmax(-1) == scores.gold
    assert bool(right[scores.mask].all())
    assert int(scores.gold[0].sum()) == 4
    assert scores.gold[0, 1, :, 0].nonzero().flatten().tolist() == [4], (
        "ORG starts at 4 in the first sentence"
    )
    assert scores.gold[0, 1, :, 1].nonzero().flatten().tolist() == [7]


def test_a_span_that_ends_inside_a_piece_is_learned_to_its_edge():
    odd = Document("1", "Lin of Qinghe University", (Span(1, 16, "ORG"), Span(0, 3, "NEW")))
    batch = small_mrc().collate([odd])
    assert batch.spans.tolist() == [[1, 0, 23]], (
        "row of ORG; whole Lin, whole University; NEW is not asked for"
    )


def test_the_description_of_a_label_is_its_query_and_changes_the_answer():
    plain, told = small_mrc(), small_mrc(descriptions={"LOC": "找出河名"})
    assert plain.queries == ("文中提到了哪些地名？", "文中提到了哪些机构？")
    assert told.queries == ("找出河名", "文中提到了哪些机构？")
    with torch.no_grad():
        first, second = (t.eval().token_scores(t.collate(NESTED)).logits for t in (plain, told))
    assert not torch.allclose(first[:, 0], second[:, 0], atol=1e-3)
    torch.testing.assert_close(first[:, 1], second[:, 1], atol=1e-5, rtol=1e-5)


def test_queries_follow_the_style_the_language_and_the_longest():
    assert small_mrc(query_style="synonyms", query_language="en").queries[1].startswith("organization, ")
    assert small_mrc(documents=[LATIN]).queries[0] == "Which location is mentioned in the text?"
    assert small_mrc(descriptions={"LOC": "地" * 50}, longest_query=7).queries[0] == "地" * 7


def test_a_text_longer_than_a_window_is_read_in_several():
    tagger = learned()
    batch = tagger.collate([LONG])
    assert len(batch.pieces.ids) > len(LABELS)
    assert keys(tag(tagger, [LONG])) == keys([LONG])


def test_the_encoder_learns_at_its_own_rate_and_may_be_frozen():
    tagger = small_mrc(encoder_rate=0.05, frozen_epochs=1)
    heads, encoder = tagger.parameter_groups()
    assert (heads["lr_scale"], encoder["lr_scale"]) == (1.0, 0.05)
    assert {id(p) for p in encoder["params"]} == {id(p) for p in tagger.features.encoder.parameters()}
    assert not any(p.requires_grad for p in encoder["params"])
    assert tagger.embedding_weights() == []
    tagger.begin_epoch(1)
    assert all(p.requires_grad for p in encoder["params"])
    assert [len(weight) for weight in tagger.embedding_weights()] == [
        len(tagger.features.encoder.word_embeddings)
    ]


def test_a_trace_holds_the_answers_to_every_query():
    tagger = learned()
    (trace,) = tagger.trace(tagger.collate(NESTED[:1]))
    answers = trace.mrc
    assert (answers.labels, answers.queries, answers.complete) == (LABELS, tagger.queries, True)
    length = len(NESTED[0].text)
    assert answers.start.shape == answers.end.shape == (2, length)
    assert len(answers.pairs) == 2 * length * (length + 1) // 2
    matrix = answers.matrix(1)
    assert np.isnan(matrix[4, 3])
    assert bool(np.isfinite(matrix[np.triu_indices(length)]).all())
    batch = tagger.collate(NESTED[:1])
    with torch.no_grad():
        oracle = published_match(tagger.scorer, tagger.features(batch.pieces).mixed.hidden).sigmoid()
    np.testing.assert_allclose(matrix[np.triu_indices(length)], oracle[1][np.triu_indices(length)], atol=1e-5)
    (span,) = [span for span in trace.spans if span.label == "ORG"]
    assert span.score == pytest.approx(answers.start[1, 4] * answers.end[1, 7] * matrix[4, 7], abs=1e-5)


def test_a_trace_of_a_long_text_holds_the_candidates_only(monkeypatch):
    monkeypatch.setattr(mrc, "TRACED", 20)
    tagger = learned()
    (trace,) = tagger.trace(tagger.collate(NESTED[:1]))
    assert not trace.mrc.complete
    assert {tuple(pair) for pair in trace.mrc.pairs.tolist()} >= {(0, 4, 5), (1, 4, 7)}
    assert len(trace.mrc.pairs) < 20
    assert {span.key for span in trace.spans} == keys(NESTED)[0]


@pytest.mark.parametrize(("layer_mix", "shown"), [("scalar_mix", True), ("dynamic", False), ("last", False)])
def test_a_trace_holds_the_weights_of_layers_that_all_queries_share(layer_mix, shown):
    tagger = small_mrc(layer_mix=layer_mix, first_layer=0)
    (trace,) = tagger.trace(tagger.collate(NESTED[:1]))
    assert bool(trace.mixes) == shown == tagger.mixes_layers(tagger.config)
    for mix in trace.mixes:
        np.testing.assert_allclose(mix.weights, [1 / 3] * 3, rtol=1e-5)


def test_a_trace_holds_the_attention_behind_one_query_with_its_pieces_named():
    tagger = learned()
    document = NESTED[0]
    (trace,) = tagger.trace(tagger.collate([document]))
    assert (trace.spans[0].label, trace.mrc.attended) == ("ORG", 1)
    for number, query in enumerate(tagger.queries):
        seen = tagger.with_attention(trace, number)
        assert seen.mrc.attended == number
        pieces = tagger.features.encoder.tokenize([document.text], [query])
        spelt = tagger.features.encoder.piece_texts(pieces)[0]
        first = spelt.index("[SEP]")
        assert seen.keys == ("[CLS]", *(f"?{piece}" for piece in spelt[1:first]), *spelt[first:])
        assert seen.pieces.query.tolist() == [1 <= place < first for place in range(len(spelt))]
        covered = seen.pieces.end > seen.pieces.start
        assert [seen.text[start] for start in seen.pieces.start[covered]] == list(document.text)
        given = tagger.features.encoder.model(
            input_ids=pieces.ids, token_type_ids=pieces.types, output_attentions=True
        )
        for layer, weights in enumerate(given.attentions):
            np.testing.assert_allclose(seen.attention[layer], weights[0].detach().numpy(), atol=1e-5)
        for layer, vectors in enumerate(zip(seen.query_key.queries, seen.query_key.keys, strict=True)):
            queries, keys = map(torch.from_numpy, vectors)
            scores = (queries @ keys.transpose(1, 2)) / queries.shape[-1] ** 0.5
            np.testing.assert_allclose(seen.attention[layer], scores.softmax(-1), atol=1e-5)


def test_a_query_there_is_not_and_a_text_without_pieces_have_no_attention():
    tagger = learned()
    (trace,) = tagger.trace(tagger.collate([Document("blank", " ")]))
    assert (trace.attention, trace.pieces, trace.spans) == ((), None, ())
    with pytest.raises(ValueError, match="no query 2"):
        tagger.with_attention(trace, 2)


def test_what_a_batch_costs_goes_by_the_square_and_the_queries():
    tagger = small_mrc()
    length = len(NESTED[0].text) + max(map(len, tagger.queries))
    assert tagger.cost(NESTED[0]) ** 2 == pytest.approx(len(LABELS) * length**2, rel=0.1)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"encoder": "/nowhere/at all"}, "/nowhere/at all"),
        ({"start_weight": 0.0, "end_weight": 0.0, "match_weight": 0.0}, "one of them must be above 0"),
        ({"labels": ()}, "at least one label"),
    ],
)
def test_what_cannot_be_built_is_refused(options, reason):
    with pytest.raises(ConfigError, match=reason):
        small_mrc(**options)


@pytest.fixture
def folder(tmp_path):
    small_mrc(descriptions={"LOC": "找出地名"}).save(tmp_path / "model")
    return tmp_path / "model"


def test_a_folder_holds_its_queries_and_needs_no_other_folder(folder):
    tagger = load_tagger(folder)
    assert tagger.queries == ("找出地名", "文中提到了哪些机构？")
    config = json.loads((folder / "config.json").read_text())
    config["config"]["encoder"] = "/nowhere"
    (folder / "config.json").write_text(json.dumps(config))
    assert load_tagger(folder).config.encoder == "/nowhere"


def write(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("queries.json", lambda value: [], r"queries\.json must hold one query for each label"),
        ("queries.json", lambda value: {"LOC": "x"}, r"queries\.json must hold one query for each label"),
        ("queries.json", lambda value: {**value, "ORG": 7}, r"the query of ORG must be a text"),
        ("queries.json", lambda value: {**value, "ORG": "x" * 10**6}, r"the query of ORG must be a text"),
        ("config.json", lambda value: {**value, "labels": []}, r"config\.json: mrc needs labels"),
        (
            "encoder/config.json",
            lambda value: {**value, "hidden_size": 32},
            r"model\.safetensors: .* has shape",
        ),
        ("encoder/config.json", lambda value: {**value, "vocab_size": 10**12}, r"encoder.*vocab_size"),
    ],
)
def test_a_hostile_folder_is_refused_by_name(folder, name, change, reason):
    write(folder / name, change(json.loads((folder / name).read_text(encoding="utf-8"))))
    with pytest.raises(ModelFolderError, match=reason):
        load_tagger(folder)


@pytest.mark.parametrize("name", ["queries.json", "encoder/config.json", "encoder/tokenizer.json"])
@pytest.mark.parametrize("damage", [None, b"", b"\xff\x00\x93"])
def test_a_missing_or_damaged_file_is_refused(folder, name, damage):
    (folder / name).unlink()
    if damage is not None:
        (folder / name).write_bytes(damage)
    with pytest.raises(ModelFolderError):
        load_tagger(folder)


def test_batches_of_another_tagger_are_refused():
    from tests.taggers.small_flat import small_flat

    with pytest.raises(TypeError, match="BERT-MRC reads batches of its own"):
        learned().decode(small_flat().collate(NESTED))


def test_other_queries_hold_for_the_block_only_and_answer_as_a_tagger_built_with_them():
    tagger = small_mrc()
    own, text = tagger.queries, Document("x", "林晚晴在清河大学教书")
    other = small_mrc(descriptions={"ORG": "找出机构"})
    expected = other.trace(other.collate([text]))[0].mrc
    with tagger.replaced_queries({"ORG": " 找出机构\n", "LOC": " "}):
        found = tagger.trace(tagger.collate([text]))[0].mrc
    assert found.queries == expected.queries
    np.testing.assert_allclose(found.start, expected.start, atol=1e-6)
    np.testing.assert_allclose(found.match, expected.match, atol=1e-6)
    assert tagger.queries == own


def test_queries_are_put_back_after_an_error_and_cut_as_for_training():
    tagger = small_mrc(longest_query=4)
    own = tagger.queries
    with tagger.replaced_queries({"ORG": "找出机构名"}):
        assert tagger.queries[1] == "找出机构"
    with pytest.raises(RuntimeError), tagger.replaced_queries({"ORG": "机构"}):
        raise RuntimeError
    with pytest.raises(KeyError), tagger.replaced_queries({"PER": "谁"}):
        pass
    assert tagger.queries == own
