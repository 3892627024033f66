"""``core best``: a leaderboard and a model, and one line where it cannot."""

import pytest

QUICK = ("--taggers", "bilstm_crf", "--epochs", "2", "--set", "threads=1", "--device", "cpu")


@pytest.mark.exhaustive
def test_a_leaderboard_best_first_and_a_model_to_tag_with(core, corpus, tmp_path):
    out = tmp_path / "search"
    answer = core("best", corpus["train"], "--out", out, "--minutes", "5", "--trials", "2", *QUICK)
    assert answer.status == 0, answer.err
    first, second = answer.lines
    assert (first["rank"], second["rank"]) == (1, 2)
    assert first["f1"] >= second["f1"]
    assert {first["start"], second["start"]} == {"default", "recipe"}
    low, high = first["interval"]
    assert low <= first["f1"] <= high
    assert "5-fold cross-validation" in answer.err
    scored = core("evaluate", "--model", out, "--data", corpus["test"], "--device", "cpu")
    assert scored.json["documents"] == 4
    assert "holds a run already" in core("best", corpus["train"], "--out", out).reason
    assert "TRAIN cannot change" in core("best", corpus["dev"], "--out", out, "--resume").reason
    more = core("best", "--out", out, "--resume", "--trials", "3")
    assert more.status == 0, more.err
    assert len(more.lines) == 3
    assert {line["trial"] for line in more.lines} == {1, 2, 3}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "TRAIN is needed"),
        (("--resume",), "holds no search to resume"),
        (("no such file",), "there is no file"),
    ],
)
def test_what_is_missing_is_one_line(core, tmp_path, arguments, expected):
    assert expected in core("best", "--out", tmp_path / "out", *arguments).reason


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--taggers", "crf"), "the search does not try a tagger 'crf'"),
        (("--taggers", "bert"), "only with a pretrained encoder"),
        (("--encoder", "no such/folder"), "no such/folder"),
        (("--minutes", "0"), "minutes"),
        (("--set", "learning_rat=1"), "learning_rat"),
    ],
)
def test_an_option_that_does_not_fit_is_one_line_and_nothing_is_written(
    core, corpus, tmp_path, options, expected
):
    assert expected in core("best", corpus["train"], "--out", tmp_path / "out", *options).reason
    assert not (tmp_path / "out").exists()


def test_a_corpus_without_two_labelled_texts_is_refused(core, tmp_path):
    (tmp_path / "one.bmes").write_text("林 B-PER\n晓 E-PER\n", encoding="utf-8")
    answer = core("best", tmp_path / "one.bmes", "--out", tmp_path / "out")
    assert answer.status == 2
    assert "at least two different texts, and has 1" in answer.err
    assert not (tmp_path / "out").exists()
