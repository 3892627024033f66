"""Build corpus.jsonl and the statistics in README.md from zh.txt and en.txt.

    python assets/demo/build.py            write both
    python assets/demo/build.py --check    exit 1 if either is out of date
    python assets/demo/build.py --stats    print the statistics

A source line is ``style<TAB>sentence``; a span is ``[surface|LABEL]`` and may
nest. Blank lines and lines starting with ``#`` are skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
LANGUAGES = ("zh", "en")
STYLES = ("news", "medical", "ecommerce", "company", "resume")
SPLITS = ("train", "dev", "test")
STATS_BEGIN = "<!-- stats:begin -->"
STATS_END = "<!-- stats:end -->"


class MarkupError(ValueError):
    """A source line that breaks the markup rules."""


@dataclass(frozen=True, order=True)
class Span:
    """A labelled stretch of text; offsets are code points, end exclusive."""

    start: int
    end: int
    label: str
    text: str


@dataclass(frozen=True)
class Sentence:
    """One annotated sentence and where the corpus files it."""

    id: str
    text: str
    spans: tuple[Span, ...]
    language: str
    style: str
    split: str

    def as_json(self) -> str:
        """The sentence as one line of corpus.jsonl."""
        record = {
            "id": self.id,
            "text": self.text,
            "spans": [{"start": s.start, "end": s.end, "label": s.label, "text": s.text} for s in self.spans],
            "meta": {"language": self.language, "style": self.style, "split": self.split},
        }
        return json.dumps(record, ensure_ascii=False)


def label_names(folder: Path) -> tuple[str, ...]:
    """The label names, in the order of labels.json."""
    entries = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    return tuple(entry["name"] for entry in entries)


def parse_markup(markup: str, labels: tuple[str, ...]) -> tuple[str, tuple[Span, ...]]:
    """Split inline markup into plain text and spans (outer before inner)."""
    out: list[str] = []
    opened: list[int] = []
    spans: list[Span] = []
    at = 0
    while at < len(markup):
        char = markup[at]
        if char == "[":
            opened.append(len(out))
        elif char == "|":
            if not opened:
                raise MarkupError(f"column {at + 1}: '|' outside a span")
            close = markup.find("]", at)
            if close < 0:
                raise MarkupError(f"column {at + 1}: span is never closed")
            label = markup[at + 1 : close]
            if label not in labels:
                raise MarkupError(f"column {at + 1}: unknown label {label!r}")
            start, end = opened.pop(), len(out)
            surface = "".join(out[start:end])
            if not surface:
                raise MarkupError(f"column {at + 1}: empty span")
            if surface != surface.strip():
                raise MarkupError(f"column {at + 1}: span {surface!r} has blanks at its edge")
            if any(s.start == start and s.end == end for s in spans):
                raise MarkupError(f"column {at + 1}: {surface!r} is marked twice")
            spans.append(Span(start, end, label, surface))
            at = close
        elif char == "]":
            raise MarkupError(f"column {at + 1}: ']' without '|LABEL'")
        else:
            out.append(char)
        at += 1
    if opened:
        raise MarkupError("a '[' is never closed")
    text = "".join(out)
    if not text or text != text.strip():
        raise MarkupError("sentence is empty or has blanks at its edge")
    if not text.isprintable():
        raise MarkupError("sentence holds a control or unprintable character")
    return text, tuple(sorted(spans, key=lambda s: (s.start, -s.end)))


def split_of(position: int) -> str:
    """The split of the position-th sentence (from 1) of its language and style."""
    return {0: "test", 5: "dev"}.get(position % 10, "train")


def read_language(language: str, folder: Path) -> list[Sentence]:
    """Read one source file; raise MarkupError naming file, line and reason."""
    path = folder / f"{language}.txt"
    labels = label_names(folder)
    per_style: Counter[str] = Counter()
    first_line: dict[str, int] = {}
    sentences: list[Sentence] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{path.name}:{number}"
        style, tab, markup = line.partition("\t")
        if not tab:
            raise MarkupError(f"{where}: no tab after the style")
        if style not in STYLES:
            raise MarkupError(f"{where}: unknown style {style!r}")
        try:
            text, spans = parse_markup(markup, labels)
        except MarkupError as error:
            raise MarkupError(f"{where}: {error}") from None
        if text in first_line:
            raise MarkupError(f"{where}: same sentence as line {first_line[text]}")
        first_line[text] = number
        per_style[style] += 1
        sentences.append(
            Sentence(
                id=f"{language}-{len(sentences) + 1:04d}",
                text=text,
                spans=spans,
                language=language,
                style=style,
                split=split_of(per_style[style]),
            )
        )
    return sentences


def read_all(folder: Path) -> list[Sentence]:
    """Every sentence, Chinese first."""
    return [sentence for language in LANGUAGES for sentence in read_language(language, folder)]


def corpus_text(sentences: list[Sentence]) -> str:
    """The contents of corpus.jsonl."""
    return "".join(sentence.as_json() + "\n" for sentence in sentences)


def nested_pairs(sentence: Sentence) -> list[tuple[str, str]]:
    """(inner label, label of the smallest span around it) for each nested span."""
    pairs: list[tuple[str, str]] = []
    for inner in sentence.spans:
        around = [
            s for s in sentence.spans if s is not inner and s.start <= inner.start and inner.end <= s.end
        ]
        if around:
            pairs.append((inner.label, min(around, key=lambda s: s.end - s.start).label))
    return pairs


def table(head: list[str], rows: list[list[str | int]]) -> list[str]:
    """A Markdown table, first column left, the rest right."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def stats_text(sentences: list[Sentence], labels: tuple[str, ...]) -> str:
    """Counts by language, style, split, label and nesting, as Markdown."""
    lines = ["### Sentences", ""]
    rows: list[list[str | int]] = []
    for language in LANGUAGES:
        mine = [s for s in sentences if s.language == language]
        for style in STYLES:
            split = Counter(s.split for s in mine if s.style == style)
            rows.append([f"{language} {style}", split.total(), *(split[k] for k in SPLITS)])
        split = Counter(s.split for s in mine)
        rows.append([f"**{language} all**", split.total(), *(split[k] for k in SPLITS)])
    lines += table(["", "sentences", *SPLITS], rows)

    lines += ["", "### Spans by label", ""]
    used = {
        key: Counter(span.label for s in sentences if s.language == key for span in s.spans)
        for key in LANGUAGES
    }
    different = {
        label: len({span.text for s in sentences for span in s.spans if span.label == label})
        for label in labels
    }
    rows = [[label, *(used[key][label] for key in LANGUAGES), different[label]] for label in labels]
    rows.append(["**all**", *(used[key].total() for key in LANGUAGES), sum(different.values())])
    lines += table(["label", *LANGUAGES, "different surfaces"], rows)

    pairs = Counter(pair for s in sentences for pair in nested_pairs(s))
    lines += ["", "### Nesting", ""]
    rows = [[f"{inner} in {outer}", n] for (inner, outer), n in sorted(pairs.items())]
    rows.append(["**all**", pairs.total()])
    lines += table(["inner in outer", "spans"], rows)

    lengths = sorted(len(s.text) for s in sentences if s.language == "zh")
    bare = sum(not s.spans for s in sentences)
    astral = sum(any(ord(c) > 0xFFFF for c in s.text) for s in sentences)
    lines += [
        "",
        f"Sentences without any span: {bare}. Sentences with a character above U+FFFF: {astral}.",
    ]
    if lengths:
        lines.append(
            f"Chinese sentence length in characters: {lengths[0]} to {lengths[-1]}, "
            f"median {lengths[len(lengths) // 2]}."
        )
    return "\n".join(lines) + "\n"


def with_stats(readme: str, stats: str) -> str:
    """README.md with the part between the markers replaced."""
    before, begin, rest = readme.partition(STATS_BEGIN)
    _, end, after = rest.partition(STATS_END)
    if not begin or not end:
        raise MarkupError(f"README.md: needs {STATS_BEGIN} and {STATS_END}")
    return f"{before}{begin}\n\n{stats}\n{end}{after}"


def main(argv: list[str] | None = None, folder: Path = HERE) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Build the demo corpus from its sources.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--check", action="store_true", help="exit 1 if a file is out of date")
    choice.add_argument("--stats", action="store_true", help="print the statistics")
    options = parser.parse_args(argv)
    corpus, readme = folder / "corpus.jsonl", folder / "README.md"
    try:
        sentences = read_all(folder)
        stats = stats_text(sentences, label_names(folder))
        if options.stats:
            print(stats, end="")
            return 0
        wanted = {
            corpus: corpus_text(sentences),
            readme: with_stats(readme.read_text(encoding="utf-8"), stats),
        }
    except (MarkupError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    stale = [
        path
        for path, text in wanted.items()
        if not path.is_file() or path.read_bytes() != text.encode("utf-8")
    ]
    for path in stale:
        if options.check:
            print(f"{path.name} is out of date; run python assets/demo/build.py", file=sys.stderr)
        else:
            path.write_bytes(wanted[path].encode("utf-8"))
            print(f"wrote {path.name}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
