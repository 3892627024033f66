"""A run from a word list and raw text: all methods end in a tagger; what teaches nothing is refused."""

import json
import random

import pytest

from app.i18n import text
from core.corpus.document_json import read_documents
from core.corpus.snapshot import UNLABELLED, Snapshot, write_snapshot
from core.jobs.execution import execute
from core.learning.pu.corpus import write_typed_words
from core.learning.pu.settings import METHODS, PRIORS
from core.lexicon import Entry
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.text import Document, LabelSet, Span
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from tests.sweep import sweep

NAMES = [a + b + c for a in "林周赵孙钱吴" for b in "晓一天" for c in "平鸣悦明"]
PLACES = [a + b for a in "青兰大苏云白" for b in "岛州理镇山"]
FRAMES = (
    ("昨天", "从", "回来了"),
    ("请问", "住在", "吗"),
    ("听说", "喜欢", "的雨"),
    ("", "没有去过", "附近"),
)
SMALL = {
    "hidden": 16, "char_dim": 12, "char_vectors": "", "bigram_dim": 0, "filters": 8, "embedding_dropout": 0.2
}  # fmt: skip
SETTINGS = {"epochs": 10, "learning_rate": 0.01, "batch_size": 8, "threads": 1}


def corpus(count, seed=0):
    """Invented sentences with a name and a place each, and where they stand."""
    chance = random.Random(seed)
    for number in range(count):
        name, place = chance.choice(NAMES), chance.choice(PLACES)
        before, between, after = chance.choice(FRAMES)
        start = len(before) + len(name) + len(between)
        spans = (Span(len(before), len(before) + len(name), "PER"), Span(start, start + len(place), "LOC"))
        yield Document(f"{seed}-{number}", before + name + between + place + after, spans)


def word_list(share=0.4, seed=5):
    chance = random.Random(seed)
    names = chance.sample(NAMES, round(share * len(NAMES)))
    places = chance.sample(PLACES, round(share * len(PLACES)))
    return [Entry(name, 1, "PER") for name in names] + [Entry(place, 1, "LOC") for place in places]


def prepared(
    path, words, documents=None, train=(), test=(), tagger="pu", config=None, settings=None, **distant
):
    """A run folder that asks for a training from these words."""
    raw = [d.with_spans(()) for d in (corpus(160) if documents is None else documents)]
    folder = RunFolder(path)
    folder.path.mkdir(parents=True)
    parts = {"train": tuple(train), "test": tuple(test), UNLABELLED: tuple(raw)}
    write_snapshot(folder.snapshot, Snapshot(parts, LabelSet().extended(["LOC", "PER"])))
    write_typed_words(folder.snapshot, words)
    folder.write_request(
        RunRequest(
            kind="distant",
            tagger=tagger,
            config=(SMALL if config is None else config) if tagger == "pu" else (config or {}),
            settings={**SETTINGS, **(settings or {})},
            device="cpu",
            distant=distant,
        )
    )
    return folder


def never():
    return False


@pytest.mark.parametrize("method", sweep(METHODS, ["pu"]))
def test_every_method_ends_in_a_tagger_that_serves(tmp_path, method):
    folder = prepared(
        tmp_path / "run", word_list(), test=corpus(40, seed=9), method=method, bags=2, rounds=2, prior="0.2"
    )
    state = execute(folder, never)
    assert state.status == "finished", state.error
    tagger = load_tagger(folder.model)
    assert tagger.labels == ("LOC", "PER")
    assert tagger.name == ("bilstm_crf" if method == "partial_crf" else "pu")
    scores = folder.scores()
    assert scores["test"]["f1"] > (0.05 if method == "direct" else 0.2)
    assert scores["distant"]["matches"]["PER"]["places"] > 20
    assert not (folder.path / "rounds").exists()
    answered = list(read_documents(folder.predictions_file))
    assert len(answered) == 200, "the raw texts are answered too, for suggestions and the queue"
    again = tag(tagger, [document.with_spans(()) for document in answered[:20]])
    assert [[s.key for s in d.spans] for d in again] == [[s.key for s in d.spans] for d in answered[:20]]


@pytest.mark.parametrize("method", sweep(METHODS, ["pu"]))
def test_every_method_works_over_the_encoder_of_another_tagger(tmp_path, method):
    """A partial CRF is then that tagger's own."""
    small = {"over": "soft_lexicon", "hidden": 16, "char_dim": 12, "char_vectors": "", "bigram_dim": 0,
             "embedding_dropout": 0.2, "over_options": "word_dim=8"}  # fmt: skip
    folder = prepared(
        tmp_path / "run", word_list(), list(corpus(60)), config=small, method=method, bags=2, rounds=2,
        prior="0.2", settings={"epochs": 5},
    )  # fmt: skip
    state = execute(folder, never)
    assert state.status == "finished", state.error
    tagger = load_tagger(folder.model)
    whole = method == "partial_crf"
    assert tagger.name == ("soft_lexicon" if whole else "pu")
    read = tagger if whole else tagger.encoder
    assert (read.name, read.config.hidden, read.config.word_dim) == ("soft_lexicon", 16, 8)
    assert tagger.lexicon is not None, "the words of the run"
    found = any(document.spans for document in read_documents(folder.predictions_file))
    assert found or method == "direct", "so short a training that takes the rest for negative says never"


@pytest.mark.parametrize("stop", sweep(["held-out words", "pu risk", "last epoch"], ["pu risk"]))
def test_without_labels_the_epoch_is_chosen_over_any_encoder_too(tmp_path, stop):
    config = {"over": "flat", "over_options": "hidden=16, heads=2, char_vectors=, bigram_dim=0"}
    folder = prepared(
        tmp_path / "run", word_list(), list(corpus(60)), config=config, stop=stop, settings={"epochs": 2}
    )
    state = execute(folder, never)
    assert state.status == "finished", state.error
    scores = folder.scores()
    assert 1 <= scores["best_epoch"] <= 2
    assert ("held_out_words" in scores["distant"]) == (stop == "held-out words")
    assert load_tagger(folder.model).config.over == "flat"


def test_options_that_what_reads_the_text_refuses_end_the_run_with_its_sentence(tmp_path):
    config = {"over": "flat", "over_options": "hidden=10, heads=3"}
    state = execute(prepared(tmp_path / "run", word_list(), config=config, stop="last epoch"), never)
    assert state.status == "failed"
    assert "hidden: 10 is not a multiple of the 3 heads" in str(state.error)


@pytest.mark.exhaustive
def test_it_finds_names_the_list_does_not_have(tmp_path):
    words = word_list()
    folder = prepared(tmp_path / "run", words, method="pu", prior="LOC=0.16, PER=0.24", stop="last epoch",
                      settings={"epochs": 12})  # fmt: skip
    assert execute(folder, never).status == "finished"
    listed = {entry.word for entry in words}
    tagger = load_tagger(folder.model)
    unlisted = [d for d in corpus(160) if d.text[d.spans[0].start : d.spans[0].end] not in listed]
    found = tag(tagger, [document.with_spans(()) for document in unlisted])
    right = sum(d.spans[0].key in {s.key for s in a.spans} for a, d in zip(found, unlisted, strict=True))
    assert right > 0.5 * len(unlisted)


@pytest.mark.exhaustive
def test_a_run_that_was_stopped_goes_on_and_ends_like_one_that_was_not(tmp_path):
    options = {"method": "two_step", "stop": "last epoch"}
    whole = prepared(tmp_path / "whole", word_list(), **options)
    assert execute(whole, never).status == "finished"
    torn = prepared(tmp_path / "torn", word_list(), **options)
    calls = iter(range(10**6))
    assert execute(torn, lambda: next(calls) > 230).status == "interrupted"
    assert (torn.path / "rounds" / "first-step" / "round.json").exists(), "the second training was under way"
    assert execute(torn, never).status == "finished"
    model = "model.safetensors"
    assert (torn.model / model).read_bytes() == (whole.model / model).read_bytes()


def test_a_cancelled_run_says_so(tmp_path):
    folder = prepared(tmp_path / "run", word_list(), method="direct")
    folder.cancel_file.touch()
    assert execute(folder, never).status == "cancelled"


@pytest.mark.exhaustive
def test_the_bar_goes_forward_over_all_trainings(tmp_path):
    folder = prepared(tmp_path / "run", word_list(), method="bagging", bags=2, prior="0.2")
    fractions, rounds = [], []

    def keep(event):
        if event["event"] in ("step", "epoch"):
            fractions.append(event["fraction"])
        if event["event"] == "round":
            rounds.append((event["round"], event["of"]))

    assert execute(folder, never, keep).status == "finished"
    assert fractions == sorted(fractions)
    assert rounds == [(1, 3), (2, 3), (3, 3)]


def true_shares():
    everything = list(corpus(160))
    total = sum(len(document.text) for document in everything)
    return {"PER": 3 * 160 / total, "LOC": 2 * 160 / total}


@pytest.mark.parametrize(
    ("options", "least", "most"),
    sweep(
        [
            ({"prior_from": "recall", "recall": 0.4}, 0.8, 1.25),
            ({"prior_from": "labelled"}, 0.8, 1.25),
            ({"prior_from": "elkan_noto"}, 0.35, 1.25),  # listed words are known by heart: too low
        ],
        [({"prior_from": "recall", "recall": 0.4}, 0.8, 1.25)],
    ),
)
@pytest.mark.exhaustive
def test_the_shares_of_the_types_are_told_and_lie_near_the_truth(tmp_path, options, least, most):
    by_hand = list(corpus(30, seed=3)) if options["prior_from"] == "labelled" else []
    folder = prepared(
        tmp_path / "run", word_list(), train=by_hand, stop="last epoch", settings={"epochs": 12}, **options
    )
    assert execute(folder, never).status == "finished"
    told = folder.scores()["distant"]["priors"]
    for label, share in true_shares().items():
        assert least * share < told[label] < most * share


@pytest.mark.parametrize("prior_from", sweep(PRIORS, ["recall"]))
def test_a_type_that_only_people_labelled_is_learned_too(tmp_path, prior_from):
    """No word of the list has it, so nothing it matches can be divided by a recall."""
    text = "昨天的雨很大，请问明天的雨也大吗？好。"
    weather = Document("hand", text, (Span(3, 4, "WEA"), Span(12, 13, "WEA")))
    folder = prepared(
        tmp_path / "run", word_list(), train=[weather], method="pu", prior_from=prior_from,
        settings={"epochs": 1},
    )  # fmt: skip
    state = execute(folder, never)
    assert state.status == "finished", state.error
    assert load_tagger(folder.model).labels == ("LOC", "PER", "WEA")
    assert folder.scores()["distant"]["priors"]["WEA"] == pytest.approx(2 / len(text))


def said(folder):
    state = execute(folder, never)
    assert state.status == "failed"
    assert text(state.error, "zh") != str(state.error), "in both languages"
    return str(state.error)


def test_an_empty_list_is_refused(tmp_path):
    assert "no word with a type" in said(prepared(tmp_path / "run", []))


def test_a_list_without_types_is_refused(tmp_path):
    assert "no word with a type" in said(prepared(tmp_path / "run", [Entry("林晓平")]))


def test_a_list_that_matches_nothing_is_refused(tmp_path):
    assert "so there is nothing to learn from. Add words" in said(
        prepared(tmp_path / "run", [Entry("海王星", 1, "LOC")])
    )


def test_a_list_with_every_character_is_refused(tmp_path):
    every = sorted({character for document in corpus(160) for character in document.text})
    words = [Entry(character, 1, "PER") for character in every]
    assert "cover 100% of all characters" in said(prepared(tmp_path / "run", words))


@pytest.mark.parametrize("prior", ["0", "1", "PER=0", "PER=1"])
def test_a_prior_of_0_or_1_is_refused(tmp_path, prior):
    assert "between 0 and 1, both excluded" in said(prepared(tmp_path / "run", word_list(), prior=prior))


@pytest.mark.parametrize("method", ["pu", "partial_crf"])
def test_a_prior_of_a_type_that_is_none_is_refused(tmp_path, method):
    error = said(prepared(tmp_path / "run", word_list(), prior="PRE=0.04", method=method))
    assert "no type 'PRE' to learn; there are: LOC, PER" in error


def test_no_text_is_refused(tmp_path):
    assert "no text to learn from" in said(
        prepared(tmp_path / "run", word_list(), documents=[Document("e", "")])
    )


@pytest.mark.exhaustive
def test_a_type_without_a_match_is_left_out_and_told(tmp_path):
    words = [*word_list(), Entry("海王星", 1, "PLANET")]
    folder = prepared(tmp_path / "run", words, method="direct")
    assert execute(folder, never).status == "finished"
    assert load_tagger(folder.model).labels == ("LOC", "PER")
    assert "PLANET" in folder.events_file.read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_a_prior_for_a_type_without_a_match_is_no_obstacle(tmp_path):
    words = [*word_list(), Entry("海王星", 1, "PLANET")]
    folder = prepared(tmp_path / "run", words, prior="PER=0.2, LOC=0.2, PLANET=0.1", stop="last epoch")
    assert execute(folder, never).status == "finished"


def test_a_single_document_is_learned_from_and_remarked_on(tmp_path):
    text = "".join(document.text + "。" for document in corpus(20))
    folder = prepared(
        tmp_path / "run", word_list(), documents=[Document("one", text)], settings={"epochs": 2}
    )
    assert execute(folder, never).status == "finished"
    assert "only one text" in folder.events_file.read_text(encoding="utf-8")


def test_words_of_two_types_are_left_out_or_taken_as_asked(tmp_path):
    words = [*word_list(), *(Entry(entry.word, 5, "LOC") for entry in word_list() if entry.type == "PER")]
    folder = prepared(tmp_path / "skip", words, method="direct", settings={"epochs": 1})
    assert execute(folder, never).status == "finished"
    assert load_tagger(folder.model).labels == ("LOC",)
    folder = prepared(
        tmp_path / "frequent", words, method="direct", ambiguous="most frequent", settings={"epochs": 1}
    )
    assert execute(folder, never).status == "finished"
    assert folder.scores()["distant"]["matches"]["LOC"]["words"] > 20


def test_what_people_said_teaches_beside_the_list(tmp_path):
    """A annotated text whose word of the list was rejected: no span there, for all that the list says."""
    entry = word_list()[0]
    text = f"昨天{entry.word}没有去过附近"
    rejected = Document("hand", text, (), {"annotated_regions": [[0, len(text)]]})
    folder = prepared(
        tmp_path / "run", word_list(), train=[rejected], method="direct", settings={"epochs": 1}
    )
    assert execute(folder, never).status == "finished"
    before = folder.scores()["distant"]["matches"]["PER"]["places"]
    unseen = Document("hand", text, (), {"annotated_regions": []})
    folder = prepared(
        tmp_path / "other", word_list(), train=[unseen], method="direct", settings={"epochs": 1}
    )
    assert execute(folder, never).status == "finished"
    assert folder.scores()["distant"]["matches"]["PER"]["places"] == before + 1


def test_a_method_that_is_of_the_pu_tagger_refuses_another(tmp_path):
    assert "trains the tagger pu, not flat" in said(prepared(tmp_path / "run", word_list(), tagger="flat"))


def test_another_tagger_learns_from_the_list_too(tmp_path):
    folder = prepared(
        tmp_path / "run", word_list(), tagger="bilstm_crf", config={"hidden": 16}, method="direct",
        settings={"epochs": 2},
    )  # fmt: skip
    assert execute(folder, never).status == "finished"
    assert load_tagger(folder.model).name == "bilstm_crf"


def test_a_damaged_list_names_its_line(tmp_path):
    folder = prepared(tmp_path / "run", word_list())
    (folder.snapshot / "typed_words.tsv").write_text("林晓平\tPER\nbad\n", encoding="utf-8")
    state = execute(folder, never)
    assert state.status == "failed"
    assert "typed_words.tsv, line 1" in str(state.error)


def test_the_request_keeps_its_settings(tmp_path):
    folder = prepared(tmp_path / "run", word_list(), method="adapu", rounds=3)
    assert json.loads(folder.request_file.read_text(encoding="utf-8"))["distant"] == {
        "method": "adapu",
        "rounds": 3,
    }
    assert folder.read_request().distant == {"method": "adapu", "rounds": 3}
