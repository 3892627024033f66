"""Rounds of self-training: which are taken, who judges them, and a whole run in a folder."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from core.corpus.corrected_case import CASES, CorrectedCase, cases_of
from core.corpus.errors import CorpusError
from core.corpus.snapshot import Snapshot, write_snapshot
from core.jobs.execution import execute
from core.learning.self_training import run as module
from core.learning.self_training.run import SelfTraining
from core.learning.self_training.selection import confident
from core.learning.self_training.settings import SelfTrainingSettings
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.text import Document, Span
from core.training.preparation import Prepared
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

GOLD = Document("gold", "陈禾来了", (Span(0, 2, "PER"),))
RAW = Document("raw", "林晓去了", ())
CORRECTED = Document("corrected", "陈禾去了", (Span(0, 2, "PER"),))
CASE = CorrectedCase(frozenset([(0, 2, "PER")]), (0, 1, "PER"))


class Trainings:
    """Stands in for the trainings: each gives the next tagger, told by its dev F1 and what it predicts."""

    def __init__(self, *taggers):
        self.taggers, self.learned = list(taggers), []

    def train(self, training, shown=False):
        self.learned.append(list(training.documents))
        return self.taggers.pop(0)

    def end(self):
        pass


def tagger(f1, on_raw=(), on_corrected=((0, 2, "PER"),)):
    spans = {"raw": [Span(*key) for key in on_raw], "corrected": [Span(*key) for key in on_corrected]}
    return SimpleNamespace(f1=f1, spans=spans)


@pytest.fixture
def learn(monkeypatch):
    """Self-training over trainings that are told; gives the result, and what was logged."""
    monkeypatch.setattr(
        module,
        "tag",
        lambda one, documents, progress=None: [d.with_spans(one.spans[d.id]) for d in documents],
    )
    monkeypatch.setattr(module, "evaluate", lambda one, _: SimpleNamespace(micro=SimpleNamespace(f1=one.f1)))

    def run(*taggers, rounds=5, cases=((CORRECTED.id, CASE),)):
        told, trainings = [], Trainings(*taggers)
        work = SelfTraining(
            RunRequest(tagger="bilstm_crf"), SelfTrainingSettings(rounds, 0.9),
            Prepared((GOLD,), (GOLD,), ("PER",), ()), [RAW], cases, [CORRECTED], trainings,
            lambda event: told.append(event["message"]), lambda: False,
        )  # fmt: skip
        return work.learn(), work, trainings, told

    return run


SURE, UNSURE = (0, 2, "PER", 0.95), (0, 2, "PER", 0.5)


def test_rounds_go_on_while_dev_rises_and_each_learns_what_the_last_one_is_sure_of(learn):
    first, second = tagger(0.5, [SURE]), tagger(0.6, [SURE, (2, 4, "PER", 0.3)])
    third, fourth = tagger(0.7, [SURE]), tagger(0.7, [SURE])
    best, work, trainings, told = learn(first, second, third, fourth)
    assert best is third
    assert [record["taken"] for record in work.records] == [True, True, False]
    assert work.taken == 2
    assert trainings.learned[0] == [GOLD]
    for learned, source in zip(trainings.learned[1:], (first, second, third), strict=True):
        predicted = [RAW.with_spans(source.spans["raw"])]
        assert learned == [GOLD, *confident(predicted, 0.9)]
    assert "is not kept: dev F1 is" in str(told[-1])


def test_a_round_that_breaks_a_corrected_case_is_not_taken_and_the_run_says_so(learn):
    first, second = tagger(0.5, [SURE]), tagger(0.9, [SURE], on_corrected=[(0, 1, "PER")])
    best, work, _, told = learn(first, second)
    assert best is first
    assert (work.taken, work.records[0]["broken"]) == (0, 1)
    assert "corrected cases that were right are wrong again" in str(told[-1])
    assert told[-1]["values"]["names"] == "corrected"
    # One that was wrong before cannot break.
    wrong = tagger(0.5, [SURE], on_corrected=())
    assert learn(wrong, second, tagger(0.1))[0] is second


def test_without_a_confident_span_there_is_nothing_more_to_learn(learn):
    first = tagger(0.5, [UNSURE])
    best, work, trainings, told = learn(first)
    assert best is first
    assert (len(trainings.learned), work.records) == (1, [])
    assert "sure of no span" in str(told[-1])
    second = tagger(0.6, [SURE])
    assert learn(tagger(0.5, [SURE]), second, rounds=1)[0] is second, "there is no second round"


def test_a_case_is_right_with_what_is_expected_and_without_what_is_refused():
    assert CASE.is_right({(0, 2, "PER"), (3, 4, "LOC")})
    assert not CASE.is_right({(0, 2, "PER"), (0, 1, "PER")})
    assert not CASE.is_right(set())
    assert cases_of(Document("a", "陈禾", (), {CASES: [CASE.to_json()]})) == (CASE,)
    assert cases_of(Document("a", "陈禾")) == ()
    for damaged in ([{}], [{"expected": [[0, 1]], "refused": None}], "x", [{"expected": 3, "refused": None}]):
        with pytest.raises(CorpusError, match="corrected_cases"):
            cases_of(Document("a", "陈禾", (), {CASES: damaged}))


NAMES = ("陈禾", "林晓", "张伟", "王芳", "李雷", "赵敏", "周杰", "吴迪")
TRAIN = [Document(f"t{n}", f"{name}来了", (Span(0, 2, "PER"),)) for n, name in enumerate(NAMES[:5])]
DEV = [Document(f"d{n}", f"{name}去了", (Span(0, 2, "PER"),)) for n, name in enumerate(NAMES[3:])]
SMALL = {"hidden": 8, "char_dim": 8, "char_vectors": "", "bigram_dim": 0}


def folder_of(path, *, raw, tagger="bilstm_crf", **more):
    folder = RunFolder(path)
    corrections = (replace(TRAIN[0], meta={CASES: [CASE.to_json()]}),)
    parts = {"train": TRAIN, "dev": DEV, "test": DEV[:1], "corrections": corrections, "unlabelled": raw}
    write_snapshot(folder.snapshot, Snapshot({name: tuple(part) for name, part in parts.items()}))
    folder.write_request(
        RunRequest(
            tagger=tagger,
            config=SMALL if tagger == "bilstm_crf" else {},
            settings={"epochs": 25, "seed": 1, "learning_rate": 0.02, "batch_size": 1},
            self_training={"self_training_rounds": 2, "self_training_confidence": 0.3},
            **more,
        )
    )
    return folder


def test_a_run_learns_raw_texts_but_none_of_dev_and_leaves_a_model_that_tags(tmp_path):
    raw = [Document(f"r{n}", f"{name}走了") for n, name in enumerate(NAMES)]
    folder = folder_of(tmp_path / "run", raw=[*raw, Document("copy", DEV[0].text)])
    assert execute(folder, lambda: False).status == "finished"
    scores = folder.scores()
    told = scores["self_training"]
    assert (told["raw_texts"], told["cases"]) == (len(raw), 1)
    assert 1 <= len(told["rounds"]) <= 2
    taken = [record for record in told["rounds"] if record["taken"]]
    assert told["taken"] == len(taken)
    best = taken[-1]["dev_f1"] if taken else scores["dev"]["f1"]
    assert scores["dev"]["f1"] == pytest.approx(best)
    model = load_tagger(folder.model)
    assert [d.text for d in tag(model, raw)] == [d.text for d in raw]
    assert not (folder.path / "rounds").exists()
    assert folder.predictions_file.is_file()


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    raw = [Document(f"r{n}", f"{name}走了") for n, name in enumerate(NAMES)]
    whole, parted = (folder_of(tmp_path / name, raw=raw) for name in ("whole", "parted"))
    assert execute(whole, lambda: False).status == "finished"
    steps = iter([False] * 15 + [True] * 10_000)
    assert execute(parted, lambda: next(steps)).status == "interrupted"
    assert execute(parted, lambda: False).status == "finished"
    one, other = load_tagger(whole.model).state_dict(), load_tagger(parted.model).state_dict()
    assert all(torch.equal(value, other[name]) for name, value in one.items())
    assert whole.scores()["self_training"] == parted.scores()["self_training"]


def test_without_raw_text_only_labels_are_learned_and_the_log_says_so(tmp_path):
    folder = folder_of(tmp_path / "run", raw=[Document("copy", TRAIN[0].text)])
    events = []
    assert execute(folder, lambda: False, events.append).status == "finished"
    assert folder.scores()["self_training"]["rounds"] == []
    assert any("no raw text to predict" in str(event.get("message")) for event in events)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"tagger": "dictionary"}, "learns nothing"),
        ({"tagger": "none"}, "none"),
        ({"teacher": {"model": "x"}}, "no teacher"),
    ],
)
def test_what_cannot_learn_from_itself_is_refused(tmp_path, more, message):
    state = execute(folder_of(tmp_path / "run", raw=[RAW], **more), lambda: False)
    assert state.status == "failed"
    assert message in str(state.error)
    for odd in ({"self_training_rounds": -1}, {"self_training_confidence": 1.5}, {"rounds": 2}):
        with pytest.raises(TrainingError, match="self-training setting"):
            SelfTrainingSettings.from_values(odd)
