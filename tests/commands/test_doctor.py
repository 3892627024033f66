"""``python -m core doctor`` and reading by what it says."""

import json


def corpus(path, *spans):
    lines = [
        json.dumps({"text": "😀拜登在北京", "spans": [{"start": s, "end": e, "label": "P", "text": "拜登"}]})
        for s, e in spans
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_it_counts_what_fits_and_names_the_flag_that_reads_it(core, tmp_path):
    path = corpus(tmp_path / "a.jsonl", (2, 3), (2, 3), (2, 4))
    report = core("doctor", path).json
    assert (report["format"], report["records"], report["with_surfaces"]) == ("jsonl", 3, 3)
    assert {row["name"]: row["fits"] for row in report["conventions"]}["utf16+inclusive"] == 2
    assert report["read_with"].startswith("--offsets ")
    flag = report["read_with"].split()
    answer = core("convert", path, tmp_path / "out.jsonl", *flag)
    assert (answer.json["read"], answer.json["refused"]) == (2, 1)


def test_what_cannot_be_decided_is_said(core, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "拜登在北京会见记者", "label": [[0, 2, "PER"]]}\n', encoding="utf-8")
    report = core("doctor", path).json
    assert report["verdict"].startswith("undecidable: nothing in the file tells")
    assert report["read_with"] == "--offsets code_points"


def test_a_file_without_offsets_and_a_wrong_flag_are_bad_input(core, tmp_path):
    (tmp_path / "a.txt").write_text("今天\n", encoding="utf-8")
    answer = core("doctor", tmp_path / "a.txt")
    assert answer.status == 2
    path = corpus(tmp_path / "b.jsonl", (1, 3))
    assert core("convert", path, tmp_path / "out.jsonl", "--offsets", "bytes").status == 2
