"""Learning curves: nested parts, one score each, resumed where they stopped."""

import json

import pytest

from core.corpus.snapshot import Snapshot, write_snapshot
from core.jobs.curve_points import CurvePoint, curve_points, point_folder, read_point
from core.jobs.execution import execute
from core.jobs.learning_curve import epochs_for, nested_parts
from core.text import Document, Span
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

SMALL = {"hidden": 16, "heads": 2, "ffn": 16, "char_dim": 8, "bigram_dim": 0, "word_dim": 8}
SETTINGS = {"epochs": 2, "threads": 1, "learning_rate": 0.01, "batch_size": 4}
SUBJECTS = (
    {"name": "flat-0001", "tagger": "flat", "config": SMALL, "settings": SETTINGS},
    {"name": "bilstm_crf-0001", "tagger": "bilstm_crf", "config": {"hidden": 4}, "settings": SETTINGS},
)
DOCUMENTS = tuple(
    Document(f"d{number}", f"{who}今天在{where}工作", (Span(0, 2, "PER"), Span(5, 7, "LOC")))
    for number, (who, where) in enumerate([("林晓", "青岛"), ("周平", "兰州"), ("孙悦", "大理")] * 6)
)


@pytest.fixture
def prepare(tmp_path):
    """Write a curve that is ready to be executed."""

    def write(parts=None, **request):
        folder = RunFolder(tmp_path / "curve-0001")
        given = {"train": DOCUMENTS[:12], "dev": DOCUMENTS[12:15], "test": DOCUMENTS[15:]}
        write_snapshot(folder.snapshot, Snapshot(given if parts is None else parts))
        (folder.snapshot / "words.txt").write_text("青岛\n今天\n", encoding="utf-8")
        folder.write_request(
            RunRequest(
                **{"kind": "curve", "subjects": SUBJECTS, "shares": (0.5, 1.0, 0.25), "lexicon": "words.txt",
                   "device": "cpu", **request}
            )
        )  # fmt: skip
        return folder

    return write


def test_larger_parts_hold_the_smaller_ones():
    parts = nested_parts(DOCUMENTS, [0.1, 0.25, 1.0])
    assert [len(part) for part in parts] == [2, 4, 18]
    names = [{document.id for document in part} for part in parts]
    assert names[0] < names[1] < names[2] == {document.id for document in DOCUMENTS}
    assert nested_parts(DOCUMENTS, [0.1, 0.25, 1.0]) == parts


def test_small_parts_get_more_epochs_so_that_they_make_as_many_steps():
    assert [epochs_for(share, 10) for share in (1.0, 0.5, 0.25, 0.1)] == [10, 20, 40, 40]
    assert epochs_for(0.5, 800) == 1000, "as many as the settings allow"


def test_every_part_has_something_to_learn():
    blank = [Document(f"b{number}", "今天下雨") for number in range(30)]
    (part,) = nested_parts([*blank, DOCUMENTS[0]], [0.01])
    assert DOCUMENTS[0] in part


def test_every_subject_is_scored_on_every_part(prepare):
    folder = prepare()
    told = []
    assert execute(folder, lambda: False, told.append).status == "finished"
    points = curve_points(folder)
    assert [(point.subject, point.share, point.documents, point.spans) for point in points] == [
        (name, share, documents, 2 * documents)
        for name in ("bilstm_crf-0001", "flat-0001")
        for share, documents in ((0.25, 3), (0.5, 6), (1.0, 12))
    ]
    assert {point.part for point in points} == {"test"}
    assert all(0 <= point.f1 <= 1 for point in points)
    assert [event["share"] for event in told if event["event"] == "point"] == [0.25, 0.25, 0.5, 0.5, 1.0, 1.0]
    fractions = [event["fraction"] for event in told if event["event"] == "step"]
    assert fractions == sorted(fractions), "one bar over all trainings"
    assert folder.scores()["points"][0]["subject"] == "flat-0001"
    small, whole = (RunFolder(point_folder(folder, 0, share)).read_request() for share in (0.5, 1.0))
    assert (small.settings["epochs"], whole.settings["epochs"]) == (4, 2)
    for path in (folder.path / "points").iterdir():
        assert not (path / "model").exists(), "only scores are kept"


@pytest.mark.exhaustive
def test_a_stopped_curve_goes_on_where_it_stood(prepare):
    folder = prepare()
    done = []

    def second_point(event):
        if event["event"] == "point":
            done.append((event["subject"], event["share"]))

    assert execute(folder, lambda: len(done) == 2, second_point).status == "interrupted"
    assert len(curve_points(folder)) == 2
    first = read_point(point_folder(folder, 0, 0.25))
    again = []
    execute(folder, lambda: False, lambda event: again.append(event) if event["event"] == "point" else None)
    assert [(event["subject"], event["share"]) for event in again] == [
        ("flat-0001", 0.5), ("bilstm_crf-0001", 0.5), ("flat-0001", 1.0), ("bilstm_crf-0001", 1.0),
    ]  # fmt: skip
    assert read_point(point_folder(folder, 0, 0.25)) == first


def test_without_dev_documents_the_same_ones_are_held_out_of_every_part(prepare):
    folder = prepare({"train": DOCUMENTS[:12]}, shares=(0.5, 1.0), subjects=SUBJECTS[:1])
    assert execute(folder, lambda: False).status == "finished"
    points = curve_points(folder)
    assert [point.documents for point in points] == [6, 11], "a tenth is held out once for all"
    assert {point.part for point in points} == {"dev"}


def test_a_point_that_cannot_be_trained_fails_in_plain_words(prepare):
    folder = prepare(subjects=({"name": "x", "tagger": "flat", "config": {"hiden": 3}, "settings": {}},))
    state = execute(folder, lambda: False)
    assert state.status == "failed"
    assert "hiden" in str(state.error)


def test_a_damaged_point_counts_as_not_done(tmp_path):
    (tmp_path / "point.json").write_text("{", encoding="utf-8")
    assert read_point(tmp_path) is None
    (tmp_path / "point.json").write_text('{"subject": "x"}', encoding="utf-8")
    assert read_point(tmp_path) is None
    assert CurvePoint("x", 0.5, 1, 2, 0.5, "dev", 1.0).to_json()["f1"] == 0.5


@pytest.mark.parametrize(
    "other",
    [{"f1": "0.5"}, {"f1": None}, {"f1": 1.5}, {"share": float("nan")}, {"subject": 3}, {"spans": []}],
)
def test_so_does_one_that_holds_something_else(tmp_path, other):
    point = CurvePoint("x", 0.5, 1, 2, 0.5, "dev", 1.0).to_json()
    (tmp_path / "point.json").write_text(json.dumps(point), encoding="utf-8")
    assert read_point(tmp_path) == CurvePoint(**point)
    (tmp_path / "point.json").write_text(json.dumps(point | other), encoding="utf-8")
    assert read_point(tmp_path) is None


def test_shares_that_differ_in_the_seventh_digit_have_folders_of_their_own(tmp_path):
    folder = RunFolder(tmp_path)
    assert point_folder(folder, 0, 0.1234567) != point_folder(folder, 0, 0.1234568)
    assert point_folder(folder, 0, 1) == point_folder(folder, 0, 1.0)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"subjects": (), "shares": (0.5,)}, "subjects"),
        ({"subjects": (*SUBJECTS, SUBJECTS[1]), "shares": (0.5,)}, "two subjects .* 'bilstm_crf-0001'"),
        ({"subjects": 3, "shares": (0.5,)}, "subjects"),
        ({"subjects": None, "shares": (0.5,)}, "subjects"),
        ({"subjects": SUBJECTS, "shares": 0.5}, "shares"),
        ({"subjects": ("flat",), "shares": (0.5,)}, "subjects"),
        ({"subjects": SUBJECTS, "shares": ()}, "shares"),
        ({"subjects": SUBJECTS, "shares": (0.5, 2)}, "shares"),
        ({"subjects": SUBJECTS, "shares": ("half",)}, "shares"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(request_, expected):
    with pytest.raises(TrainingError, match=expected):
        RunRequest(kind="curve", **request_)


def test_a_request_is_read_as_it_was_written(prepare):
    folder = prepare()
    request = folder.read_request()
    assert [subject["name"] for subject in request.subjects] == ["flat-0001", "bilstm_crf-0001"]
    assert list(request.shares) == [0.5, 1.0, 0.25]
