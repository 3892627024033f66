"""``python -m core distant``, ``lexicon discover`` and ``lexicon measure`` from argument line to result."""

import json

import pytest

from core.formats import read_file


@pytest.fixture
def files(tmp_path):
    paths = {name: tmp_path / f"{name}.txt" for name in ("raw", "words", "labelled")}
    paths["raw"].write_text("看长江水\r\n黄河与长江\n没有\n", encoding="utf-8")
    paths["words"].write_text("长江\tLOC\n黄河\tLOC\n黄河\tORG\n", encoding="utf-8")
    paths["labelled"] = tmp_path / "labelled.jsonl"
    rows = [
        {"id": "a", "text": "看长江水", "spans": [{"start": 1, "end": 3, "label": "LOC"}]},
        {
            "id": "b",
            "text": "长江先生和黄河",
            "spans": [{"start": 0, "end": 4, "label": "PER"}, {"start": 5, "end": 7, "label": "LOC"}],
        },
    ]
    paths["labelled"].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    paths["out"] = tmp_path / "out.jsonl"
    return paths


def test_raw_text_is_labelled_and_every_label_keeps_its_source(core, files):
    answer = core("distant", "--text", files["raw"], "--dictionary", files["words"], "--out", files["out"])
    assert (answer.status, answer.err) == (0, "")
    assert answer.json["labels"] == {"LOC": 2}
    assert (answer.json["documents"], answer.json["labelled_documents"]) == (3, 2)
    assert answer.json["words_of_two_types"] == 1
    documents = read_file(files["out"]).documents
    assert [[span.key for span in one.spans] for one in documents] == [[(1, 3, "LOC")], [(3, 5, "LOC")], []]
    assert documents[0].meta["sources"] == [[1, 3, "LOC", "words.txt"]]
    assert documents[0].meta["annotated_regions"] == []


def test_rule_and_completeness_can_be_chosen(core, files):
    more = ("--ambiguous", "keep both", "--complete", "--direction", "forward")
    core("distant", "--text", files["raw"], "--dictionary", files["words"], "--out", files["out"], *more)
    documents = read_file(files["out"]).documents
    assert [span.label for span in documents[1].spans] == ["LOC", "ORG", "LOC"]
    assert "annotated_regions" not in documents[1].meta


def test_words_without_a_type_take_the_one_that_is_given(core, files, tmp_path):
    bare = tmp_path / "bare.txt"
    bare.write_text("长江\n", encoding="utf-8")
    arguments = ("distant", "--text", files["raw"], "--dictionary", bare, "--out", files["out"])
    assert "no word of" in core(*arguments).err
    assert core(*arguments, "--type", "RIVER").json["labels"] == {"RIVER": 2}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"--text": "nowhere.txt"}, "there is no file nowhere.txt"),
        ({"--dictionary": "nowhere.txt"}, "there is no file nowhere.txt"),
        ({"--out": "out.unknown"}, "belongs to no format"),
        ({"--dictionary": "EMPTY"}, "holds no word"),
        ({"--dictionary": "BAD"}, "lines cannot be read"),
        ({"--out": "RAW"}, "both what to read and what to write"),
    ],
)
def test_what_cannot_work_is_one_line(core, files, tmp_path, change, reason):
    made = {"EMPTY": tmp_path / "empty.txt", "BAD": tmp_path / "bad.txt", "RAW": files["raw"]}
    made["EMPTY"].write_text("\n# nothing\n", encoding="utf-8")
    made["BAD"].write_text("长" * 10_000 + "\tLOC\n", encoding="utf-8")
    options = {"--text": files["raw"], "--dictionary": files["words"], "--out": files["out"]}
    options |= {name: made.get(value, value) for name, value in change.items()}
    answer = core("distant", *[part for pair in options.items() for part in pair])
    assert answer.status == 2
    assert reason in answer.err
    assert answer.err.count("\n") == 1


def test_new_words_are_discovered_and_written_as_a_list(core, tmp_path):
    text, out = tmp_path / "text.txt", tmp_path / "new.txt"
    text.write_text("\n".join(f"{a}{b}区块链{b}{a}" for a in "天地人和" for b in "风雨山"), encoding="utf-8")
    arguments = (
        "lexicon",
        "discover",
        "--text",
        text,
        "--cohesion",
        2,
        "--freedom",
        1,
        "--out",
        out,
        "--all",
    )
    answer = core(*arguments)
    assert answer.status == 0
    assert (answer.json["documents"], answer.json["characters"]) == (12, 84)
    (word,) = answer.json["words"]
    assert (word["word"], word["count"], word["documents"]) == ("区块链", 12, 12)
    assert word["contexts"][0] == "天风[区块链]风天"
    assert out.read_text(encoding="utf-8") == "区块链\t12\n"
    assert core(*arguments, "--known", out).json["words"] == []


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [("--count", 1, "at least 2 times"), ("--longest", 50, "2 to 12 tokens"), ("--most", -1, "0 or more")],
)
def test_a_threshold_out_of_range_is_one_line(core, files, option, value, reason):
    answer = core("lexicon", "discover", "--text", files["raw"], option, value)
    assert (answer.status, reason in answer.err) == (2, True)


def test_a_word_list_is_measured_against_labels(core, files):
    answer = core("lexicon", "measure", "--dictionary", files["words"], "--labelled", files["labelled"])
    assert answer.status == 0
    assert answer.json["documents"] == 2
    assert answer.json["coverage"]["LOC"]["held"] == 2
    assert answer.json["matching"]["forward"]["matches"] == {
        "LOC": {"right": 1, "otherwise": 1, "unlabelled": 0}
    }
    assert answer.json["worst"] == [
        {"word": "长江", "type": "LOC", "right": 1, "otherwise": 1, "unlabelled": 0}
    ]
    assert answer.json["missing"] == [{"word": "长江先生", "type": "PER", "count": 1}]
    micro = answer.json["matching"]["bidirectional"]["micro"]
    assert (micro["gold"], micro["predicted"], micro["correct"]) == (3, 2, 1)
