"""``python -m core agree`` from files to coefficients."""

import json

import pytest


@pytest.fixture
def files(tmp_path):
    """Three people on three documents; the third has left one out."""
    texts = ["林知远出任院长", "青禾医院开诊", "周敏介绍新药"]
    spans = {
        "ann": [[(0, 3, "PER")], [(0, 4, "ORG")], [(0, 2, "PER")]],
        "bao": [[(0, 3, "PER")], [(0, 2, "ORG")], [(0, 2, "PER")]],
        "chen": [[(0, 3, "PER")], [(0, 4, "ORG")]],
    }
    paths = []
    for name, per_document in spans.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(
            "".join(
                json.dumps(
                    {
                        "id": str(number),
                        "text": texts[number],
                        "spans": [{"start": a, "end": b, "label": label} for a, b, label in found],
                    },
                    ensure_ascii=False,
                )
                + "\n"
                for number, found in enumerate(per_document)
            ),
            encoding="utf-8",
        )
        paths.append(path)
    return paths


def rows(answer, **wanted):
    return [
        row for row in answer.json["agreement"] if all(row[key] == value for key, value in wanted.items())
    ]


def test_every_pair_and_label_has_its_coefficients(core, files):
    answer = core("agree", *files)
    assert answer.status == 0
    assert answer.json["annotators"] == ["ann", "bao", "chen"]
    assert answer.json["documents"] == 3
    (pair,) = rows(answer, measure="span_f1", annotators=["ann", "bao"], label=None)
    assert (pair["value"], pair["documents"]) == (pytest.approx(2 / 3), 3)
    (same,) = rows(answer, measure="cohen_kappa", annotators=["ann", "chen"], label=None)
    assert (same["value"], same["documents"]) == (1.0, 2)
    (organisations,) = rows(answer, measure="span_f1_relaxed", annotators=["ann", "bao"], label="ORG")
    assert organisations["value"] == 1.0


def test_people_are_named_and_the_table_is_told_beside_the_json(core, files):
    answer = core("agree", f"甲={files[0]}", f"乙={files[1]}", "--table", "--resamples", "0")
    assert answer.json["annotators"] == ["甲", "乙"]
    assert "Krippendorff's alpha" in answer.err
    assert all("interval" not in row for row in answer.json["agreement"])


def test_gamma_without_its_package_says_what_to_install(core, files, monkeypatch):
    monkeypatch.setattr("core.runtime.optional_packages.find_spec", lambda name: None)
    answer = core("agree", *files, "--gamma", "--resamples", "0")
    (found,) = rows(answer, measure="gamma", label=None)
    assert found["value"] is None
    assert "pip install pygamma-agreement" in found["why"]


def test_column_files_are_joined_by_their_texts_where_the_numbers_differ(core, tmp_path):
    first = "林\tB-PER\n知\tI-PER\n\n青\tB-ORG\n禾\tI-ORG\n\n周\tB-PER\n敏\tI-PER\n"
    (tmp_path / "a.bio").write_text(first, encoding="utf-8")
    (tmp_path / "b.bio").write_text("\n".join(first.split("\n")[3:]), encoding="utf-8")
    answer = core("agree", tmp_path / "a.bio", tmp_path / "b.bio", "--resamples", "0")
    assert answer.status == 0
    assert answer.json["documents"] == 2
    (found,) = rows(answer, measure="span_f1", annotators=["a", "b"], label=None)
    assert found["value"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{0}"], "two files or more"),
        (["{0}", "{0}"], "write NAME=FILE"),
        (["{0}", "missing.jsonl"], "there is no file missing.jsonl"),
        (["{0}", "{1}", "--resamples", "-1"], "0 or more"),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(core, files, arguments, said):
    answer = core("agree", *(one.format(*files) for one in arguments))
    assert answer.status == 2
    assert said in answer.err


def test_other_texts_under_the_same_ids_are_refused_by_document(core, files, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": "0", "text": "别的文字", "spans": []}\n', encoding="utf-8")
    answer = core("agree", files[0], other)
    assert answer.status == 2
    assert "document '0' has another text with other than with ann" in answer.err
