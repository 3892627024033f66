"""Offsets, cuts, intervals and the annotation's bookkeeping, against the plainest way to compute the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.annotate.widget.annotator import ASSETS

pytestmark = pytest.mark.browser

PARTS = ("dom", "cuts", "offsets", "intervals", "suggested", "annotation")
NAMES = "Offsets, cutBlocks, Intervals, Annotation, contradicts, sameSpan, segmenter, everySource"
PIECES = [
    "沈知微在青岛。", "a", "\r\n", "\n", "\u00e9", "e\u0301", "👩‍👩‍👧", "👍🏽", "🇨🇳", "𠮷", "שלום ",
    "مرحبا ", "\u00a0", "\u200b", "\v", "नमस्ते", "x" * 90,
]  # fmt: skip


@pytest.fixture
def parts(page):
    """A page that has the widget's data structures and no widget."""
    source = "\n".join((Path(ASSETS) / "annotator" / f"{part}.js").read_text("utf-8") for part in PARTS)
    page.goto("about:blank")
    page.add_script_tag(content=f"{{ {source}\n Object.assign(window, {{ {NAMES} }}); }}")
    return page


def made_text(seed: int, pieces: int) -> str:
    chosen = random.Random(seed)
    return "".join(chosen.choice(PIECES) for _ in range(pieces))


@pytest.mark.parametrize("seed", range(4))
def test_offsets_are_those_of_python_for_every_unit_and_every_point(parts, seed):
    text = made_text(seed, 300)
    units = [len(text[:point].encode("utf-16-le")) // 2 for point in range(len(text) + 1)]
    found = parts.evaluate(
        """(text) => {
          const offsets = new Offsets(text);
          const all = (length, of) => Array.from({ length: length + 1 }, (_, at) => of(at));
          return {
            length: offsets.length,
            units: all(offsets.length, (point) => offsets.toUnit(point)),
            down: all(text.length, (unit) => offsets.toPoint(unit)),
            up: all(text.length, (unit) => offsets.toPoint(unit, true)),
          };
        }""",
        text,
    )
    assert found["length"] == len(text)
    assert found["units"] == units
    last = units[-1]
    assert found["down"] == [max(p for p, u in enumerate(units) if u <= unit) for unit in range(last + 1)]
    assert found["up"] == [min(p for p, u in enumerate(units) if u >= unit) for unit in range(last + 1)]


@pytest.mark.parametrize("seed", range(4))
def test_blocks_are_short_lose_nothing_and_cut_no_character(parts, seed):
    text = made_text(seed, 3000)
    found = parts.evaluate(
        """(text) => {
          const starts = cutBlocks(text);
          const edges = new Set([...segmenter("grapheme").segment(text)].map((piece) => piece.index));
          return { starts, split: starts.filter((start) => !edges.has(start)) };
        }""",
        text,
    )
    starts = found["starts"]
    units = len(text.encode("utf-16-le")) // 2
    assert found["split"] == []
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert max(b - a for a, b in zip(starts, [*starts[1:], units], strict=True)) <= 1000


def test_a_text_without_any_place_to_cut_is_cut_all_the_same(parts):
    for text in ("x" * 5000, "e" + "\u0301" * 5000, "😀" * 3000, "👩‍👩‍👧" * 700):
        starts = parts.evaluate("(text) => cutBlocks(text)", text)
        raw = text.encode("utf-16-le")
        pieces = [raw[2 * a : 2 * b] for a, b in zip(starts, [*starts[1:], len(raw) // 2], strict=True)]
        assert len(pieces) > 2
        assert max(map(len, pieces)) <= 2 * 1001
        assert "".join(piece.decode("utf-16-le") for piece in pieces) == text  # no pair is torn


def test_blocks_begin_after_line_breaks_and_sentence_ends_where_there_are_any(parts):
    lines = "".join("甲" * 70 + "\n" for _ in range(60))
    sentences = "".join("乙" * 70 + "。" for _ in range(60))
    for text in (lines, sentences):
        starts = parts.evaluate("(text) => cutBlocks(text)", text)
        assert len(starts) > 4
        assert all(start % 71 == 0 for start in starts)


def test_steps_over_characters_do_not_depend_on_the_blocks(parts):
    text = made_text(9, 2500)
    assert (
        parts.evaluate(
            """(text) => {
          const offsets = new Offsets(text);
          const pieces = [...segmenter("grapheme").segment(text)];
          const edges = pieces.map((piece) => offsets.toPoint(piece.index));
          edges.push(offsets.length);
          for (let at = 1; at < edges.length; at += 1) {
            const [left, right] = [edges[at - 1], edges[at]];
            if (offsets.stepBy("grapheme", left, true) !== right) return ["forward", at];
            if (offsets.stepBy("grapheme", right, false) !== left) return ["back", at];
            for (let inside = left + 1; inside < right; inside += 1) {
              const around = [offsets.whole(inside), offsets.whole(inside, true)];
              if (around[0] !== left || around[1] !== right) return ["whole", at];
            }
          }
          return edges.length > 1000;
        }""",
            text,
        )
        is True
    )


def test_intervals_tell_what_lies_over_a_stretch_like_looking_at_all_of_them(parts):
    chosen = random.Random(3)
    spans = [(start, start + chosen.choice([1, 2, 5, 40])) for start in chosen.choices(range(300), k=200)]
    asked = [(start, start + chosen.choice([1, 3, 30])) for start in range(0, 340, 3)]
    found = parts.evaluate(
        """([spans, asked]) => {
          const index = new Intervals(spans.map(([start, end], number) => ({ start, end, number })));
          const over = (start, end) => index.over(start, end).map((span) => span.number);
          return asked.map(([start, end]) => over(start, end).sort((a, b) => a - b));
        }""",
        [spans, asked],
    )
    naive = [[n for n, (s, e) in enumerate(spans) if s < end and start < e] for start, end in asked]
    assert found == naive


def test_open_suggestions_are_those_no_answer_contradicts(parts):
    chosen = random.Random(5)

    def some(count: int) -> list[dict[str, object]]:
        rows = {
            (chosen.randrange(200), chosen.choice([1, 2, 3, 9]), chosen.choice("ABC")) for _ in range(count)
        }
        return [{"start": start, "end": start + length, "label": label} for start, length, label in rows]

    state = {
        "id": 1,
        "text": "字" * 210,
        "status": "new",
        "spans": some(80),
        "rejected": some(80),
        "suggestions": [one | {"source": "tagger", "score": 0.5} for one in some(300)],
    }
    same = parts.evaluate(
        """(state) => {
          const annotation = new Annotation(state);
          const plain = ({ start, end, label }) => `${start}:${end}:${label}`;
          const found = annotation.open(everySource()).map(plain);
          const rejected = (one) => state.rejected.some((other) => sameSpan(other, one));
          const answered = (one) => state.spans.some((span) => contradicts(span, one));
          const naive = state.suggestions.filter((one) => !rejected(one) && !answered(one)).map(plain);
          return [found.length, found.sort().join() === naive.sort().join()];
        }""",
        state,
    )
    assert same[1]
    assert 0 < same[0] < 300


def test_undo_walks_back_through_every_state_and_redo_forth(parts):
    assert (
        parts.evaluate(
            """() => {
          const suggestions =
            Array.from({ length: 40 }, (_, at) => ({ start: at * 3, end: at * 3 + 2, label: "A" }));
          const text = "字".repeat(200);
          const given = { id: 1, text, spans: [], rejected: [], suggestions, status: "new" };
          const annotation = new Annotation(given);
          const keys = (spans) => spans.map((span) => JSON.stringify(span)).sort();
          const shown = () => JSON.stringify([annotation.spans, keys(annotation.rejected)]);
          let seed = 7;
          const pick = (most) => (seed = (seed * 48271) % 2147483647) % most;
          const states = [shown()];
          for (let edit = 0; edit < 200; edit += 1) {
            const one = suggestions[pick(40)];
            const own = annotation.spans[pick(annotation.spans.length || 1)];
            const kind = pick(5);
            const changed =
              kind === 0 ? annotation.accept([one, suggestions[pick(40)]])
              : kind === 1 ? annotation.reject(one)
              : kind === 2 ? own && annotation.remove(own)
              : kind === 3 ? own && annotation.correct(own, { ...own, label: "B" })
              : annotation.take({ spans: annotation.spans.slice(1), rejected: [] });
            if (changed) states.push(shown());
          }
          if (states.length < 100) return "too few edits";
          for (let at = states.length - 2; at >= 0; at -= 1) {
            if (!annotation.undo() || shown() !== states[at]) return `undo ${at}`;
          }
          if (annotation.undo()) return "undo beyond the first";
          for (let at = 1; at < states.length; at += 1) {
            if (!annotation.redo() || shown() !== states[at]) return `redo ${at}`;
          }
          return annotation.redo() ? "redo beyond the last" : true;
        }"""
        )
        is True
    )
