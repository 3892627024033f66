"""``python -m core simulate`` from its words to its files."""

import json
import xml.etree.ElementTree as ET

import pytest

from core.cli import main
from core.commands.arguments.project_corpus import split_in_two
from core.commands.simulate_pictures import mean_curves, write_svg
from core.formats import read_file
from core.learning.active_learning.simulation import Point
from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.project import projects
from core.store.suggest import distant
from core.text import Document, Span
from tests.store.by_hand import number_of


def rows(count):
    places = ["清河", "青岛", "海州"]
    for n in range(count):
        start = 3 + len(str(n))
        yield {
            "text": f"第{n}天在{places[n % 3]}",
            "spans": [{"start": start, "end": start + 2, "label": "LOC"}],
        }


@pytest.fixture
def files(tmp_path):
    found = {}
    for part, count in (("train", 14), ("test", 5)):
        path = tmp_path / f"{part}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(count)), "utf-8")
        found[part] = str(path)
    return found


def words(files, out, *more):
    return [
        "simulate", "--train", files["train"], "--test", files["test"], "--out", str(out), "--seed-size", "4",
        "--step", "2,4", "--most", "10", "--until", "1", "--least-steps", "20", "--epochs", "10",
        "--seeds", "1", "--set", "char_dim=8", "--set", "hidden=8", "--set", "bigram_dim=0",
        "--set", "learning_rate=0.05", "--strategies", "mnlp", *more,
    ]  # fmt: skip


def test_it_writes_points_results_and_pictures(files, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(words(files, out)) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(point["strategy"], point["documents"]) for point in printed] == [
        ("full", 14), ("random", 4), ("random", 6), ("random", 10), ("mnlp", 4), ("mnlp", 6), ("mnlp", 10),
    ]  # fmt: skip
    assert all("chosen" not in point for point in printed)
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert result["points"] == printed
    assert {saving["strategy"] for saving in result["savings"]} == {"random", "mnlp"}
    assert result["request"]["train"]["documents"] == 14
    page = (out / "curves.html").read_text(encoding="utf-8")
    assert "mnlp" in page
    assert "cdn.plot.ly" not in page.split("<script", 1)[0], "the page needs no network"
    root = ET.fromstring((out / "curves.svg").read_text(encoding="utf-8"))
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 2


@pytest.mark.exhaustive
def test_started_again_it_goes_on_where_it_was(files, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(words(files, out)) == 0
    whole = capsys.readouterr().out
    lines = (out / "points.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    # A kill in the middle of the fifth line: it is dropped and made again.
    (out / "points.jsonl").write_text("".join(lines[:4]) + lines[4][:20], encoding="utf-8")
    assert main(words(files, out)) == 0
    again = capsys.readouterr().out

    def plain(text):
        drop = {"seconds", "asking"}
        return [{k: v for k, v in json.loads(line).items() if k not in drop} for line in text.splitlines()]

    assert plain(again) == plain(whole)
    assert main(words(files, out)) == 0
    assert len((out / "points.jsonl").read_text(encoding="utf-8").splitlines()) == 7


@pytest.mark.exhaustive
def test_more_strategies_and_seeds_join_the_same_folder(files, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(words(files, out)) == 0
    assert main([*words(files, out), "--strategies", "boundary"]) == 0
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert {point["strategy"] for point in result["points"]} == {"full", "random", "mnlp", "boundary"}


def without_settings(given):
    """The words without any ``--set``."""
    return [word for at, word in enumerate(given) if word != "--set" and given[at - 1] != "--set"]


def test_an_attack_that_would_do_nothing_at_any_point_is_refused(files, tmp_path, capsys):
    given = without_settings(words(files, tmp_path / "out", "--tagger", "bert"))
    assert main([*given, "--set", "fgm=1", "--set", "frozen_epochs=-1"]) == 2
    assert "fgm: there is nothing to disturb" in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "out" / "points.jsonl").exists()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--strategies", "nonsense"), "choose from"),
        (("--strategies", "disagreement"), "choose from"),
        (("--seeds", "a"), "whole numbers"),
        (("--step", "0"), "at least 1"),
        (("--seed-size", "0"), "at least 1"),
        (("--seed-size", "99"), "at least --seed-size"),
        (("--seed-size", "99", "--most", "200"), "has only 14 documents"),
        (("--until", "1.5"), "at most 1"),
        (("--tagger", "dictionary"), "does not learn"),
        (("--tagger", "nothing"), "nothing"),
        (("--set", "no_such=1"), "no such field"),
    ],
)
def test_words_that_make_no_sense_are_refused_in_one_line(files, tmp_path, capsys, more, told):
    given = words(files, tmp_path / "out", *more)
    if more[0] == "--tagger":  # whose fields the words do not name
        given = without_settings(given)
    assert main(given) == 2
    error = capsys.readouterr().err
    assert told in error.splitlines()[-1]
    assert not (tmp_path / "out" / "points.jsonl").exists()


@pytest.mark.exhaustive
def test_another_plan_or_corpus_does_not_mix_with_the_points_there(files, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(words(files, out)) == 0
    assert main(words(files, out, "--set", "hidden=5")) == 2
    assert "other config" in capsys.readouterr().err
    other = {**files, "train": files["test"]}
    assert main(words(other, out)) == 2


def test_a_folder_with_something_else_is_left_alone(files, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine", encoding="utf-8")
    assert main(words(files, out)) == 2
    assert "something else" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


@pytest.mark.exhaustive
def test_a_damaged_line_is_named(files, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(words(files, out)) == 0
    with (out / "points.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"strategy": "mnlp"}\n')
    assert main(words(files, out)) == 2
    assert "line 8" in capsys.readouterr().err


def test_a_tagger_that_learns_nothing_is_told(files, tmp_path, capsys):
    assert main(words(files, tmp_path / "out", "--set", "learning_rate=1e-7", "--epochs", "1")) == 1
    assert "learned nothing" in capsys.readouterr().err


def test_texts_without_labels_are_refused(files, tmp_path, capsys):
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"text": "没有标注"}\n', encoding="utf-8")
    assert main(words({**files, "test": str(bare)}, tmp_path / "out")) == 2
    assert "no document has a labelled span" in capsys.readouterr().err


# ---------------------------------------------------------------------- pictures


def point(strategy, documents, f1, seed=1):
    return Point(strategy, seed, documents, 10 * documents, documents, f1, 1.0, 0.0)


def test_a_curve_is_the_mean_where_all_its_seeds_have_a_point():
    points = [point("a", 10, 0.2), point("a", 10, 0.4, 2), point("a", 20, 0.8), point("b", 10, 0.5)]
    assert mean_curves(points, "characters") == {"a": [(100.0, pytest.approx(0.3))], "b": [(100.0, 0.5)]}


def test_without_points_the_picture_is_empty_axes():
    assert ET.fromstring(write_svg([], 0.95)).tag.endswith("svg")


def test_names_in_the_picture_are_escaped():
    ET.fromstring(write_svg([point("<script>", 10, 0.5), point("full", 20, 0.9)], 0.95))


@pytest.fixture
def project(tmp_path):
    """A project with documents of people, one looked at in part, one that a dictionary alone labelled."""
    folder = tmp_path / "workspace"
    with Workspace.open(folder) as workspace:
        made = projects.create(workspace, "news").id
        found = [
            Document(str(at), row["text"], (Span(**row["spans"][0]),)) for at, row in enumerate(rows(30))
        ]
        documents.add(workspace, made, found)
        partly, raw = documents.add(workspace, made, [Document("p", "他在清河"), Document("r", "青岛")]).ids
        annotations.save(workspace, partly, 0, [Span(2, 4, "LOC")], user="lin", action="label_others")
        labelled = [distant.DistantLabels(raw, (Span(0, 2, "LOC"),), {})]
        how = {"version": 1, "direction": "forward", "ambiguous": "skip", "user": "lin"}
        distant.put(workspace, made, labelled, "in_progress", **how)
    return folder


def of_project(folder, out, *more):
    given = words({"train": "x", "test": "x"}, out, "--project", "news", "--workspace", str(folder), *more)
    return [given[0], *given[5:]]


@pytest.mark.exhaustive
def test_a_projects_own_documents_are_replayed_and_kept_as_they_were(project, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(of_project(project, out)) == 0
    whole = capsys.readouterr().out
    kept = {part: read_file(out / f"{part}.jsonl").documents for part in ("train", "test")}
    assert len(kept["train"]) + len(kept["test"]) == 30, "neither in part nor by the dictionary alone"
    assert min(map(len, kept.values())) > 0
    with Workspace.open(project) as workspace:  # people go on labelling: the same words go on all the same
        number = number_of(workspace, 1, "0")
        annotations.save(workspace, number, 1, [], user="lin")
    lines = (out / "points.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (out / "points.jsonl").write_text("".join(lines[:4]), encoding="utf-8")
    assert main(of_project(project, out)) == 0
    again = capsys.readouterr().out

    def scores(text):
        return [(one["strategy"], one["documents"], one["f1"]) for one in map(json.loads, text.splitlines())]

    assert scores(again) == scores(whole)


def test_the_documents_to_score_on_are_those_of_the_test_split_then_of_dev():
    found = [
        Document(str(at), f"第{at}天", (), {"split": split} if split else {})
        for at, split in enumerate(["train", "test", "dev", None])
    ]

    def names(documents):
        return {part: [one.id for one in group] for part, group in split_in_two(documents, "p").items()}

    assert names(found) == {"train": ["0", "2", "3"], "test": ["1"]}
    assert names([found[0], *found[2:]]) == {"train": ["0", "3"], "test": ["2"]}
    many = [Document(str(at), f"第{at}天") for at in range(200)]
    parts = names(many)
    assert 20 < len(parts["test"]) < 60
    assert set(names(many[::2])["test"]) <= set(parts["test"]), "told by the text alone"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--train", "a.jsonl"], "either --train FILE and --test FILE, or --project"),
        (["--project", "no"], "'no' is not in this workspace"),
        (["--workspace", "/nowhere"], "there is no workspace in"),
    ],
)
def test_a_project_that_cannot_be_replayed_is_refused(project, tmp_path, capsys, more, said):
    assert main(of_project(project, tmp_path / "out", *more)) == 2
    assert said in capsys.readouterr().err


def test_a_project_with_too_few_documents_says_how_many(tmp_path, capsys):
    with Workspace.open(tmp_path / "w") as workspace:
        made = projects.create(workspace, "news").id
        documents.add(workspace, made, [Document("a", "清河", (Span(0, 2, "LOC"),)), Document("b", "无")])
    assert main(of_project(tmp_path / "w", tmp_path / "out")) == 2
    assert "1 fully annotated documents" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
