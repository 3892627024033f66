"""Word vectors from raw text: their tokens, their loss, resumed to the bit, and what is refused."""

import errno
import json
import shutil
import threading
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from core.corpus.errors import DiskFullError
from core.encoders.subword_vectors import SubwordVectors, read_subwords, subwords_file
from core.encoders.word_vectors import read_vec
from core.learning.vectors.config import VectorsConfig
from core.learning.vectors.loss import Draw, draw
from core.learning.vectors.model import VectorsModel, buckets_for
from core.learning.vectors.text import counts_of, token_sentences
from core.learning.vectors.training import CHECKPOINT, train_vectors
from core.lexicon import Lexicon
from core.runtime.message import Message
from core.taggers.base.config_fields import ConfigError
from core.text import Document
from core.training.run.errors import TrainingError
from tests.learning.mlm.small_mlm import DOCUMENTS, WORDS
from tests.sweep import sweep
from tests.training.watched import after

CONFIG = VectorsConfig(dimension=8, epochs=3, least_count=2, sampling=0.0, learning_rate=0.05)
MODELS = [
    {"model": model, "architecture": architecture}
    for model in ("word2vec", "fasttext")
    for architecture in ("skipgram", "cbow")
]


def run(folder, config=CONFIG, documents=DOCUMENTS, stop_after=None, report=lambda event: None):
    return train_vectors(
        documents, config, folder=folder, report=report, should_stop=after(stop_after), lexicon=WORDS
    )


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_tokens_are_characters_pairs_and_the_words_of_the_lexicon():
    documents = [Document("a", "林晚晴看书。\n 小鱼\u3000\r\n"), Document("b", " \n")]
    told = {unit: token_sentences(documents, unit, WORDS) for unit in ("characters", "bigrams", "words")}
    assert told["characters"] == [list("林晚晴看书。"), list("小鱼")]
    assert told["bigrams"] == [["林晚", "晚晴", "晴看", "看书", "书。"], ["小鱼"]]
    assert told["words"] == [["林晚晴", "看", "书", "。"], ["小鱼"]]


def test_what_utf8_cannot_write_is_no_token():
    assert token_sentences([Document("a", "水\ud800鱼")], "characters") == [["水", "鱼"]]


@pytest.mark.parametrize(
    "options", sweep(MODELS, MODELS[:1]), ids=lambda o: f"{o['model']} {o['architecture']}"
)
def test_the_files_are_what_taggers_read_and_the_loss_falls(tmp_path, options):
    config = replace(CONFIG, epochs=30, **options)
    result = run(tmp_path, config)
    for unit in result.units:
        assert len(unit.losses) == 30
        assert unit.losses[-1] < 0.98 * unit.losses[0]
        vectors = read_vec(tmp_path / f"{unit.unit}.vec")
        assert vectors.values.shape == (unit.tokens, 8)
        assert subwords_file(tmp_path / f"{unit.unit}.vec").exists() == (options["model"] == "fasttext")
    assert "林晚晴" in read_vec(tmp_path / "words.vec").tokens


def test_the_same_seed_gives_the_same_vectors_and_another_gives_others(tmp_path):
    run(tmp_path / "a")
    run(tmp_path / "b")
    run(tmp_path / "c", replace(CONFIG, seed=2))
    assert contents(tmp_path / "a") == contents(tmp_path / "b") != contents(tmp_path / "c")


@pytest.mark.parametrize("options", MODELS[::3], ids=lambda o: f"{o['model']} {o['architecture']}")
@pytest.mark.parametrize("stop_after", sweep([0, 5, 13, 40, 75], [0, 40]))
def test_a_stopped_training_ends_as_if_never_stopped(tmp_path, options, stop_after):
    config = replace(CONFIG, **options)
    expected = run(tmp_path / "whole", config)
    assert run(tmp_path / "cut", config, stop_after=stop_after).stopped
    again = run(tmp_path / "cut", config)
    assert [u.losses for u in again.units] == [u.losses for u in expected.units]
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_epochs_one_by_one_are_those_of_gensim_in_one_go():
    from gensim.models import Word2Vec

    sentences = token_sentences(DOCUMENTS, "characters")
    own = VectorsModel(sentences, counts_of(sentences), CONFIG)
    for epoch in range(CONFIG.epochs):
        assert not own.run_epoch(epoch, lambda count: False)
    theirs = Word2Vec(
        sentences, vector_size=8, sg=1, negative=5, window=5, sample=0.0, min_count=2, seed=1, workers=1,
        epochs=3, alpha=0.05, min_alpha=0.0001,
    )  # fmt: skip
    assert own.tokens == theirs.wv.index_to_key
    assert own.input_vectors == pytest.approx(theirs.wv.vectors, abs=1e-6)


def test_an_unseen_word_has_the_vector_that_gensim_would_give_it(tmp_path):
    sentences = token_sentences(DOCUMENTS, "words", WORDS)
    config = replace(CONFIG, model="fasttext", shortest_part=2, longest_part=2)
    model = VectorsModel(sentences, counts_of(sentences), config)
    model.run_epoch(0, lambda count: False)
    subwords = model.subword_vectors()
    # all its subwords occur in words of the text, so nothing random is in gensim's vector
    word = "小孩"[0] + "鱼"
    assert word in model.tokens
    ngrams = model._model.wv
    assert subwords.vector("林晚晴") == pytest.approx(
        ngrams.vectors_ngrams[ngrams.buckets_word[ngrams.key_to_index["林晚晴"]]].mean(0), abs=1e-6
    )
    subwords.write(tmp_path / "x.safetensors")
    assert read_subwords(tmp_path / "x.safetensors").vector("林晚晴") == pytest.approx(
        subwords.vector("林晚晴")
    )


def test_few_different_parts_need_few_rows():
    counts = counts_of([["教授"] * 5, ["水"] * 5])
    assert buckets_for(counts, VectorsConfig(model="fasttext")) == 1000
    assert buckets_for(counts, VectorsConfig(model="fasttext", buckets=1500)) == 1000
    many = counts_of([[chr(0x4E00 + n) * 2] * 5 for n in range(2000)])
    assert buckets_for(many, VectorsConfig(model="fasttext", buckets=1500)) == 1500


def test_the_loss_is_that_of_negative_sampling_written_out():
    read, told = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    places = Draw(np.array([[0, 1], [2, -1]]), np.array([3, 0]), np.array([[1, 2], [1, 3]]))
    total = 0.0
    for context, target, negatives in (([0, 1], 3, [1, 2]), ([2], 0, [1, 3])):
        v = read[context].mean(0)
        total -= np.log(1 / (1 + np.exp(-told[target] @ v)))
        total -= sum(np.log(1 / (1 + np.exp(told[n] @ v))) for n in negatives)
    assert places.loss(read, told) == pytest.approx(total / 2, rel=1e-5)


def test_places_are_drawn_from_the_text_with_their_neighbours():
    sentences = [list("abcab"), list("x"), list("ab")]
    rows = {"a": 0, "b": 1, "c": 2}
    options = {"window": 1, "negative": 3, "places": 100, "seed": 1}
    found = draw(sentences, rows, [3, 3, 1], skipgram=False, **options)
    assert found.target.tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert [sorted(set(row) - {-1}) for row in found.context.tolist()] == [
        [1],
        [0, 2],
        [0, 1],
        [1, 2],
        [0],
        [1],
        [0],
    ]
    assert found.negatives.shape == (7, 3)
    assert draw(sentences, rows, [3, 3, 1], skipgram=True, **options).context.shape == (7, 1)
    assert draw([["a"], ["b"]], rows, [3, 3, 1], skipgram=True, **options) is None


@pytest.mark.parametrize(
    "text", ["", "水", " \n ", "水" * 500], ids=["nothing", "one character", "blanks", "one repeated"]
)
def test_a_text_too_small_is_refused(tmp_path, text):
    lexicon_only_characters = replace(CONFIG, bigrams=False, words=False)
    with pytest.raises(TrainingError, match="the text is too small"):
        run(tmp_path, lexicon_only_characters, [Document("a", text)])
    assert not list(tmp_path.glob("*.vec"))


def test_a_unit_without_two_frequent_tokens_is_left_out_with_a_word(tmp_path):
    told = []
    result = run(tmp_path, documents=[Document("a", "水鱼" * 3)], report=told.append)
    assert [unit.unit for unit in result.units] == ["characters", "bigrams", "words"]
    result = train_vectors(
        [Document("a", "水鱼" * 3)],
        replace(CONFIG, least_count=3),
        folder=tmp_path / "b",
        report=told.append,
        should_stop=lambda: False,
        lexicon=Lexicon(["水鱼"]),
    )
    assert [unit.unit for unit in result.units] == ["characters"]
    logs = [str(Message.from_json(event["message"])) for event in told if event["event"] == "log"]
    assert "no vectors of words: 1 of them" in logs[-1]


def test_a_checkpoint_of_another_text_or_a_damaged_one_is_refused(tmp_path):
    run(tmp_path, stop_after=20)
    with pytest.raises(TrainingError, match="another training"):
        run(tmp_path, documents=DOCUMENTS[:-1])
    (tmp_path / CHECKPOINT / "state.safetensors").write_bytes(b"{")
    with pytest.raises(TrainingError, match=r"damaged .* delete that folder"):
        run(tmp_path)


def full(*given, **options):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("file", ["characters.vec", "characters.parts.safetensors"])
def test_a_full_disk_leaves_the_vectors_before_and_the_same_training_ends_once_there_is_room(
    tmp_path, monkeypatch, file
):
    config = replace(CONFIG, model="fasttext", bigrams=False, words=False)
    run(tmp_path / "whole", config)
    run(tmp_path / "cut", replace(config, seed=2))
    shutil.rmtree(tmp_path / "cut" / CHECKPOINT)
    before = contents(tmp_path / "cut")
    kind = VectorsModel if file.endswith(".vec") else SubwordVectors

    def half(self, path):
        path.write_bytes(b"half")
        full()

    with monkeypatch.context() as patch:
        patch.setattr(kind, "write", half)
        with pytest.raises(DiskFullError, match=f"{file} could not be written.*Free some space"):
            run(tmp_path / "cut", config)
    assert contents(tmp_path / "cut") == before, "both files are of the training before, and no half is left"
    run(tmp_path / "cut", config)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_full_disk_at_a_checkpoint_keeps_the_one_before(tmp_path, monkeypatch):
    expected = run(tmp_path / "whole")
    save, calls = safetensors.numpy.save_file, iter(range(100))

    def filling(tensors, path):
        if next(calls) == 2:
            path.write_bytes(b"half")
            full()
        save(tensors, path)

    with monkeypatch.context() as patch:
        patch.setattr("safetensors.numpy.save_file", filling)
        with pytest.raises(DiskFullError, match="what was saved before is unchanged"):
            run(tmp_path / "cut")
    done = json.loads((tmp_path / "cut" / CHECKPOINT / "checkpoint.json").read_text())["done"]
    assert len(done["characters"]["losses"]) == 2
    assert [unit.losses for unit in run(tmp_path / "cut").units] == [unit.losses for unit in expected.units]
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


@pytest.mark.parametrize("model", ["word2vec", "fasttext"])
def test_what_goes_wrong_while_gensim_reads_ends_the_training(tmp_path, model):
    """It happens in gensim's thread, which would die of it while the others wait for its next sentence."""
    raised = []

    def report(event):
        if event["event"] == "step":
            raise OSError(errno.ENOSPC, "no room for the event")

    def learn():
        try:
            run(tmp_path / "v", replace(CONFIG, model=model), report=report)
        except OSError as error:
            raised.append(error.errno)

    learning = threading.Thread(target=learn, daemon=True)
    learning.start()
    learning.join(60)
    assert raised == [errno.ENOSPC]


def test_options_that_contradict_each_other_are_named():
    with pytest.raises(ConfigError, match="choose at least one"):
        VectorsConfig(characters=False, bigrams=False, words=False)
    with pytest.raises(ConfigError, match="longest_part"):
        VectorsConfig(shortest_part=5, longest_part=3)
    with pytest.raises(ConfigError, match="last_rate"):
        VectorsConfig(learning_rate=0.01, last_rate=0.02)
