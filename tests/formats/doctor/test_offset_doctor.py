"""The offset doctor names the convention a file was written under, whichever that was."""

import json

import pytest

from core.formats import FormatError, read_file
from core.formats.doctor.offset_doctor import diagnose
from core.formats.framework.conventions import Convention, by_name, converter, every_convention
from tests.formats.samples import SAMPLES

# Emoji, a flag of two characters, a letter with a mark of its own, CRLF, a character above U+FFFF.
TEXTS = [
    "😀 Joe Biden\r\nis in Paris",
    "🇨🇳 café e\u0301té in 𠮷野家 Tokyo\nagain Osaka",
    "拜登 在 北京",
    "line\none Rome\n\ntwo Oslo",
]
SURFACES = [["Joe", "Paris"], ["e\u0301té", "Tokyo", "Osaka"], ["拜登", "北京"], ["Rome", "Oslo"]]


def counted(text, place, unit, breaks):
    """How far a place is, counted naively."""
    before = text[:place]
    if breaks == "crlf_as_one":
        before = before.replace("\r\n", "\n")
    if breaks == "lf_as_two":
        before = before.replace("\r\n", "\n").replace("\n", "\r\n")
    if unit == "utf16":
        return len(before.encode("utf-16-le")) // 2
    if unit == "utf8":
        return len(before.encode())
    if unit == "tokens":
        return len(before.split())
    if unit == "graphemes":
        import regex

        return len(regex.findall(r"\X", before))
    return len(before)


def corpus(convention, surfaces=True):
    lines = []
    for text, found in zip(TEXTS, SURFACES, strict=True):
        spans = []
        for surface in found:
            start = text.index(surface)
            first = counted(text, start, convention.unit, convention.breaks)
            last = counted(text, start + len(surface), convention.unit, convention.breaks)
            span = {"start": first + convention.one_based, "label": "X"}
            span["end"] = last + convention.one_based - convention.inclusive
            spans.append(span | ({"text": surface} if surfaces else {}))
        lines.append(json.dumps({"text": text, "spans": spans}, ensure_ascii=False))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("convention", every_convention(), ids=lambda one: one.name)
def test_every_convention_is_found_by_surfaces_and_read_with_its_flag(tmp_path, read, convention):
    path = tmp_path / "corpus.jsonl"
    path.write_text(corpus(convention), encoding="utf-8")
    found = diagnose(path)
    assert (found.records, found.surfaces, found.rows[0].fits) == (4, 4, 4)
    assert (found.best, found.decided) == ((convention,), True)
    assert by_name(convention.name) == convention
    documents = read(corpus(convention), "a.jsonl", offsets=found.chosen.name).documents
    assert [[d.surface(s) for s in d.spans] for d in documents] == SURFACES


@pytest.mark.parametrize("name", ["code_points", "utf16", "graphemes", "utf8"])
def test_without_surfaces_the_ends_of_latin_words_tell(tmp_path, name):
    path = tmp_path / "corpus.jsonl"
    path.write_text(corpus(by_name(name), surfaces=False), encoding="utf-8")
    found = diagnose(path)
    assert found.surfaces == 0
    assert by_name(name) in found.best
    assert (found.rows[0].impossible, found.rows[0].odd) == (0, 0)


def test_where_nothing_tells_readings_apart_it_says_so(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "拜登在北京会见记者", "label": [[0, 2, "PER"]]}\n', encoding="utf-8")
    found = diagnose(path)
    assert (found.format, found.decided) == ("doccano", False)
    assert {one.inclusive for one in found.best} == {True, False}
    assert found.chosen == Convention()


def test_offsets_of_another_text_fit_nothing(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "短", "spans": [{"start": 70, "end": 90, "label": "X"}]}\n', encoding="utf-8")
    assert diagnose(path).best == ()


def test_a_majority_is_counted_and_the_rest_stays_visible(tmp_path):
    content = corpus(Convention(inclusive=True)) + corpus(Convention(inclusive=True)) + corpus(Convention())
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    found = diagnose(path)
    figures = {row.convention.name: row.fits for row in found.rows}
    assert (found.records, figures["code_points+inclusive"], figures["code_points"]) == (12, 8, 4)


@pytest.mark.parametrize(
    ("content", "reason"), [("今天\n", "has no offsets"), ('{"text": "a", "spans": []}\n', "has no spans")]
)
def test_a_file_without_offsets_is_refused(tmp_path, content, reason):
    path = tmp_path / "a.data"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=reason):
        diagnose(path)


def test_a_wrong_name_of_a_convention_says_what_names_are_made_of(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(SAMPLES["jsonl"], encoding="utf-8")
    from core.formats import ReadOptions

    with pytest.raises(FormatError, match=r"utf16.*\+inclusive"):
        read_file(path, None, ReadOptions(offsets="bytes"))


@pytest.mark.parametrize("convention", every_convention(), ids=lambda one: one.name)
def test_pairs_outside_or_inside_characters_are_refused_and_others_are_slices(convention):
    text = "a😀\r\ne\u0301 b"
    convert = converter(text, convention)
    for start in range(-2, 16):
        for end in range(-2, 16):
            try:
                begin, stop = convert(start, end)
            except ValueError:
                continue
            assert 0 <= begin < stop <= len(text)
            first = start - convention.one_based
            if convention.unit != "tokens" and convention.breaks != "lf_as_two":
                assert counted(text, begin, convention.unit, convention.breaks) == first
