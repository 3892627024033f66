"""What the demo corpus in assets/demo promises to those who train on it."""

import importlib.util
import json
import shutil
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DEMO = Path(__file__).resolve().parents[2] / "assets" / "demo"
NEAR_IDENTICAL = 0.6


def load_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_corpus_build", DEMO / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


build = load_build()


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    lines = (DEMO / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def labels() -> list[dict[str, str]]:
    return json.loads((DEMO / "labels.json").read_text(encoding="utf-8"))


def pairs_of(record: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return list(combinations(record["spans"], 2))


def contains(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a["start"] <= b["start"] and b["end"] <= a["end"]


def test_built_files_equal_what_the_sources_build(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--check"]) == 0, capsys.readouterr().err


def test_size_styles_and_splits(records: list[dict[str, Any]]) -> None:
    language = Counter(r["meta"]["language"] for r in records)
    assert len(records) >= 3000
    assert 0.65 <= language["zh"] / len(records) <= 0.75
    cells = Counter((r["meta"]["language"], r["meta"]["style"], r["meta"]["split"]) for r in records)
    for key in build.LANGUAGES:
        shares = [sum(n for cell, n in cells.items() if cell[:2] == (key, style)) for style in build.STYLES]
        assert min(shares) >= 0.08 * sum(shares), "every style has its share"
        for style in build.STYLES:
            for split in build.SPLITS:
                assert cells[key, style, split] > 0
    split = Counter(r["meta"]["split"] for r in records)
    assert 0.78 <= split["train"] / len(records) <= 0.84


def test_ids_and_texts_are_unique(records: list[dict[str, Any]]) -> None:
    assert len({r["id"] for r in records}) == len(records)
    assert len({r["text"] for r in records}) == len(records)


def test_offsets_match_surfaces(records: list[dict[str, Any]]) -> None:
    for record in records:
        for span in record["spans"]:
            assert 0 <= span["start"] < span["end"] <= len(record["text"]), record["id"]
            assert record["text"][span["start"] : span["end"]] == span["text"], record["id"]


def test_spans_nest_but_never_cross(records: list[dict[str, Any]]) -> None:
    nested = 0
    for record in records:
        for a, b in pairs_of(record):
            assert (a["start"], a["end"]) != (b["start"], b["end"]), record["id"]
            apart = a["end"] <= b["start"] or b["end"] <= a["start"]
            inside = contains(a, b) or contains(b, a)
            assert apart or inside, (record["id"], a["text"], b["text"])
            nested += inside
    assert nested >= 1200


def test_every_label_is_described_and_used(
    records: list[dict[str, Any]], labels: list[dict[str, str]]
) -> None:
    names = [label["name"] for label in labels]
    assert len(names) == len(set(names)) >= 6
    for field in ("colour", "hotkey"):
        assert len({label[field] for label in labels}) == len(labels)
    assert all(label["description"] and label["description_zh"] for label in labels)
    used = Counter(span["label"] for r in records for span in r["spans"])
    assert set(used) == set(names)
    assert min(used.values()) >= 400, used


def test_some_sentences_have_no_entity(records: list[dict[str, Any]]) -> None:
    bare = sum(not r["spans"] for r in records)
    assert 0.03 <= bare / len(records) <= 0.12


def test_contains_characters_beyond_the_basic_plane(records: list[dict[str, Any]]) -> None:
    beyond = [r for r in records if any(ord(c) > 0xFFFF for c in r["text"])]
    han = [r for r in beyond if any(0x20000 <= ord(c) < 0x32000 for c in r["text"])]
    assert len(han) >= 3
    assert len(beyond) > len(han)
    assert any(ord(c) > 0xFFFF for r in han for span in r["spans"] for c in span["text"]), (
        "no span holds such a character"
    )


def test_no_two_sentences_are_nearly_the_same(records: list[dict[str, Any]]) -> None:
    grams = [frozenset(r["text"][i : i + 5] for i in range(max(1, len(r["text"]) - 4))) for r in records]
    holders: dict[str, list[int]] = {}
    for index, own in enumerate(grams):
        for gram in own:
            holders.setdefault(gram, []).append(index)
    shared = Counter(pair for indices in holders.values() for pair in combinations(indices, 2))
    alike = [
        (records[a]["text"], records[b]["text"])
        for (a, b), n in shared.items()
        if n / (len(grams[a]) + len(grams[b]) - n) > NEAR_IDENTICAL
    ]
    assert not alike


def test_markup_gives_nested_spans_outer_first() -> None:
    text, spans = build.parse_markup("[[上海|LOC]澄湖医院|ORG]的𠮷野", ("ORG", "LOC"))
    assert text == "上海澄湖医院的𠮷野"
    assert [(s.start, s.end, s.label) for s in spans] == [(0, 6, "ORG"), (0, 2, "LOC")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("news 没有制表符", "no tab"),
        ("poetry\t一句话。", "unknown style"),
        ("news\t[上海|CITY]下雨。", "unknown label"),
        ("news\t[上海|LOC下雨。", "never closed"),
        ("news\t[上海下雨。", "never closed"),
        ("news\t上海|LOC]下雨。", "outside a span"),
        ("news\t上海]下雨。", "without"),
        ("news\t[|LOC]下雨。", "empty span"),
        ("news\t[[上海|LOC]|ORG]下雨。", "marked twice"),
        ("news\t[上海 |LOC]下雨。", "blanks"),
        ("news\t ", "empty"),
        ("news\t一\x07二", "unprintable"),
    ],
)
def test_bad_markup_is_refused_with_file_and_line(tmp_path: Path, line: str, reason: str) -> None:
    shutil.copy(DEMO / "labels.json", tmp_path)
    (tmp_path / "zh.txt").write_text(f"# note\n\n{line}\n", encoding="utf-8")
    with pytest.raises(build.MarkupError, match=rf"^zh\.txt:3: .*{reason}"):
        build.read_language("zh", tmp_path)


def test_the_same_sentence_twice_is_refused(tmp_path: Path) -> None:
    shutil.copy(DEMO / "labels.json", tmp_path)
    (tmp_path / "zh.txt").write_text("news\t下雨。\nnews\t下雨。\n", encoding="utf-8")
    with pytest.raises(build.MarkupError, match=r"zh\.txt:2: same sentence as line 1"):
        build.read_language("zh", tmp_path)


def test_check_notices_a_stale_corpus(tmp_path: Path) -> None:
    for name in ("labels.json", "zh.txt", "en.txt", "README.md", "corpus.jsonl"):
        shutil.copy(DEMO / name, tmp_path)
    assert build.main(["--check"], tmp_path) == 0
    with (tmp_path / "en.txt").open("a", encoding="utf-8") as out:
        out.write("news\tIt rained in [Cork|LOC].\n")
    assert build.main(["--check"], tmp_path) == 1
    assert build.main([], tmp_path) == 0
    assert build.main(["--check"], tmp_path) == 0


def test_thirty_pasted_texts_are_marked_and_not_in_the_corpus(
    records: list[dict[str, Any]], labels: list[dict[str, str]]
) -> None:
    names = tuple(label["name"] for label in labels)
    lines = (DEMO / "pasted.txt").read_text(encoding="utf-8").splitlines()
    parsed = [build.parse_markup(line, names) for line in lines if not line.startswith("#")]
    assert len({text for text, _ in parsed}) == len(parsed) == 30
    assert all(spans for _, spans in parsed)
    assert {span.label for _, spans in parsed for span in spans} == set(names)
    assert not {text for text, _ in parsed} & {record["text"] for record in records}
