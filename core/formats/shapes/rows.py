"""Rows of a column file: its sentences, conventions and spans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Refusal
from core.formats.framework.source import Notes, Source, legal_text
from core.formats.shapes.tokens import has_words, is_unspaced, join
from core.runtime.message import message_of
from core.text import Span, sort_spans
from core.text.tag_schemes import Malformed, SchemeName, decode, malformed_positions
from core.text.tokens import Extent

DOCSTART = "-DOCSTART-"
_TAG = re.compile(r"O|[BIMESLU]-\S(?:.*\S)?")
_WITH_DIGIT = re.compile(r"[\u3000-\U0003ffff][0-9]")
_SURVEYED_SENTENCES, _SURVEYED_TOKENS = 2000, 100_000  # whichever is reached first
_ENOUGH_TOKENS = 20
_NUMBERED = 50  # sentences looked at
# What a column of chunks holds, which CoNLL-2003 has beside the entities.
_CHUNKS = frozenset(
    ("NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP", "PNP", "NC", "PC", "VC")
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The rows of one sentence and the line number of the first; ``raw`` if a single line holds them all.

    Attributes:
        originals: the rows as the file has them, where ``rows`` were cut to token and tag.
        fault: why a row could not be cut; the sentence is refused then.
    """

    line: int
    rows: list[str]
    raw: str = ""
    originals: list[str] | None = None
    fault: RecordError | None = None

    def line_of(self, position: int) -> int:
        """The line of the file that holds a row."""
        return self.line if self.raw else self.line + position

    def original(self) -> str:
        """The rows as read, to be stored if the sentence is refused."""
        return self.raw or "".join(row + "\n" for row in self.originals or self.rows)


def scheme_of(prefixes: set[str]) -> SchemeName:
    """The scheme with these prefixes."""
    if prefixes & {"L", "U"}:
        return "BILOU"
    if prefixes & {"E", "S"}:
        return "BMES" if "M" in prefixes or "I" not in prefixes else "BIOES"
    return "BMES" if "M" in prefixes and "I" not in prefixes else "BIO"


def _has_digit(token: str) -> bool:
    """Whether it is a character with the digit of its segmentation."""
    return len(token) == 2 and _WITH_DIGIT.fullmatch(token) is not None


@lru_cache(maxsize=1 << 16)
def is_tag(tag: str) -> bool:
    """Whether this is ``O`` or a prefix of the known schemes, a hyphen and a label."""
    return _TAG.fullmatch(tag) is not None


@lru_cache(maxsize=1 << 16)  # characters with one tag are most rows of a file
def split_row(line: str) -> tuple[str, str] | None:
    """Token and tag: the first and the last column, separated by tabs if there are any, else by blanks.

    A row that begins with its separator has lost a blank as its token, which is restored. None if there is
    only one column.
    """
    separator = "\t" if "\t" in line else " "
    fields = line.split(separator)
    if len(fields) == 2 and fields[0] and fields[1] and not fields[1].endswith(" "):  # nearly every row
        return fields[0].strip(" ") or " ", fields[1].strip(" ")
    if separator == "\t":
        fields = line.rstrip("\t ").split("\t")
    else:
        fields = [""] * line.startswith(" ") + line.strip(" ").split(" ")
    if len(fields) < 2:
        return None
    return fields[0].strip(" ") or " ", fields[-1].strip(" ")


class Sentences:
    """Iterates over the sentences of a column file; ``-DOCSTART-`` only separates.

    Attributes:
        is_numbered: the first column numbers the tokens of each sentence, as in GermEval 2014. It is left
            out, and so are comments before a sentence.

    Args:
        cut: makes a row of token and tag of a row of another layout; None of one that does not fit, and
            ``refuse``, given that row and its line, says why.
    """

    def __init__(
        self,
        source: Source,
        cut: Callable[[str], str | None] | None = None,
        refuse: Callable[[str, int], RecordError] | None = None,
    ) -> None:
        self._source = source
        self._cut = cut
        self._refuse = refuse
        self.is_numbered = cut is None and _is_numbered(source.head())

    def __iter__(self) -> Iterator[Sentence]:
        return self._rows() if self._cut is None else map(self._in_cells, self._rows())

    def _in_cells(self, sentence: Sentence) -> Sentence:
        """The sentence with rows of token and tag."""
        assert self._cut is not None
        cut = list(map(self._cut, sentence.rows))
        rows = [row for row in cut if row is not None]
        if len(rows) < len(cut):
            assert self._refuse is not None
            at = cut.index(None)
            return replace(sentence, fault=self._refuse(sentence.rows[at], sentence.line + at))
        return Sentence(sentence.line, rows, originals=sentence.rows)

    def _rows(self) -> Iterator[Sentence]:
        rows: list[str] = []
        first = 0
        for number, line in self._source.lines():
            if line.strip(" \t"):
                if self.is_numbered:
                    if not rows and line.startswith("#"):
                        continue
                    line = line.partition("\t")[2] or line
                if rows:
                    rows.append(line)
                elif (split_row(line) or ("",))[0] != DOCSTART:
                    first, rows = number, [line]
                continue
            if rows:
                yield Sentence(first, rows)
                rows = []
        if rows:
            yield Sentence(first, rows)


def _is_numbered(head: str) -> bool:
    """Whether every row begins with its number in the sentence, from 1 or 0."""
    blocks = [
        [row for row in block.split("\n") if row.strip() and not row.startswith("#")]
        for block in re.split(r"\n[ \t]*\n", head)[:_NUMBERED]
    ]
    whole = [block for block in blocks[: max(1, len(blocks) - 1)] if block]  # the last one may be cut off
    return any(len(block) > 1 for block in whole) and all(
        row.count("\t") >= 2 and row.partition("\t")[0] == str(number)
        for block in whole
        for number, row in enumerate(block, start=0 if block[0].startswith("0\t") else 1)
    )


@dataclass(frozen=True, slots=True)
class Survey:
    """Conventions found in the first sentences of a file.

    Args:
        prefixes: how often each prefix letter is used.
        iob1: spans begin with I-; B- only separates adjacent spans of one label.
        words: tokens are words of a script with blanks.
        digits: tokens are characters with a segmentation digit.
        nested: the last column but one has the tags of outer spans.
        other: further labels in the last column but one, which is not read.
    """

    prefixes: Counter[str]
    iob1: bool
    words: bool
    digits: bool
    nested: bool = False
    other: tuple[str, ...] = ()

    @classmethod
    def over(cls, sentences: Iterable[Sentence], is_numbered: bool = False) -> Survey:
        """Survey the first sentences.

        Args:
            is_numbered: see `Sentences`; two columns of tags are those of outer and inner spans then.
        """
        prefixes: Counter[str] = Counter()
        alone: Counter[str] = Counter()
        outer: Counter[str] = Counter()
        spaced = unspaced = tokens = with_digit = 0
        for sentence in islice(sentences, _SURVEYED_SENTENCES):
            cells = list(filter(None, map(split_row, sentence.rows)))
            outer.update(filter(is_tag, filter(None, map(_outer_tag, sentence.rows))))
            words = [token for token, _ in cells]
            spaced += has_words(words)
            unspaced += is_unspaced("".join(words))
            tokens += len(words)
            with_digit += sum(map(_has_digit, words)) if max(map(len, words), default=0) > 1 else 0
            tags = [tag for _, tag in cells if is_tag(tag)]
            prefixes.update(tag[0] for tag in tags if tag != "O")
            alone.update(begins(tags))
            if tokens >= _SURVEYED_TOKENS:
                break
        iob1 = set(prefixes) <= {"B", "I"} and alone["I alone"] > 0 and alone["B alone"] == 0
        digits = tokens >= _ENOUGH_TOKENS and with_digit >= 0.95 * tokens
        labels = tuple(sorted({tag[2:] for tag in outer if tag != "O"} - _CHUNKS))
        both = bool(labels) and outer.total() >= 0.9 * tokens
        nested = both and is_numbered
        return cls(prefixes, iob1, spaced > unspaced, digits, nested, labels if both and not nested else ())


def read_sentence(
    sentence: Sentence, survey: Survey, scheme: SchemeName, malformed: Malformed, notes: Notes
) -> tuple[str, list[Extent], list[Span]] | Refusal:
    """Text, token extents and spans over characters; or the refusal."""
    if sentence.fault is not None:
        return Refusal(sentence.line, message_of(sentence.fault), sentence.original())
    outer = [tag_in(_outer_tag(row), scheme) or "O" for row in sentence.rows] if survey.nested else []
    try:
        cells = list(map(split_row, sentence.rows))
        tags = [tag_in(cell[1], scheme) if cell else "" for cell in cells]
        if not all(tags):
            raise _fault_of_row(sentence, cells, tags.index(""))
        tokens = [cell[0] for cell in cells if cell]
        if survey.digits:
            tokens = [token[0] if len(token) == 2 else token for token in tokens]
        text, extents = join(tokens, survey.words)
        legal_text(text)
    except RecordError as error:
        return Refusal(sentence.line, message_of(error), sentence.original())
    if not survey.iob1:
        spelled = partial(_spelled, sentence)
        note_malformed(tags, scheme, malformed, notes, sentence.line_of, spelled)
    how: Malformed = "repair" if survey.iob1 else malformed
    decoded = {span.key: span for layer in (outer, tags) for span in decode(layer, scheme, how)}
    spans = [Span(extents[s.start][0], extents[s.end - 1][1], s.label) for s in decoded.values()]
    return text, extents, list(sort_spans(spans)) if survey.nested else spans


def _spelled(sentence: Sentence, position: int) -> str:
    """A tag as the file has it."""
    return (split_row(sentence.rows[position]) or ("", ""))[1]


@lru_cache(maxsize=1 << 16)
def _outer_tag(row: str) -> str:
    """The last column but one of at least three; empty without."""
    fields = row.rstrip("\t ").split("\t" if "\t" in row else " ")
    return fields[-2] if len(fields) > 2 else ""


def _fault_of_row(sentence: Sentence, cells: Sequence[tuple[str, str] | None], position: int) -> RecordError:
    """What is wrong with a row: it has no second column, or no tag in it."""
    line, cell = sentence.line_of(position), cells[position]
    if cell is not None:
        return _no_tag(cell[1], line)
    row = sentence.rows[position]
    return RecordError(
        "line {line}: {row} has one column; a row needs a token and a tag", line=line, row=repr(row[:40])
    )


def checked_tag(tag: str, scheme: SchemeName, line: int) -> str:
    """The tag with its scheme's prefix.

    Raises:
        RecordError: it is no tag; the message says the line.
    """
    spelled = tag_in(tag, scheme)
    if not spelled:
        raise _no_tag(tag, line)
    return spelled


def _no_tag(tag: str, line: int) -> RecordError:
    return RecordError(
        "line {line}: {tag} is not a tag; a tag is O or B- I- M- E- S- L- U- and a label",
        line=line,
        tag=repr(tag[:40]),
    )


@lru_cache(maxsize=1 << 16)
def tag_in(tag: str, scheme: SchemeName) -> str:
    """The tag with its scheme's prefix: M- and I- are two spellings of one. Empty if it is no tag."""
    if not is_tag(tag):
        return ""
    inside = "M" if scheme == "BMES" else "I"
    role = {"M": inside, "I": inside}
    if scheme == "BILOU":
        role |= {"E": "L", "S": "U"}
    elif scheme in ("BMES", "BIOES"):
        role |= {"L": "E", "U": "S"}
    else:
        role |= {"E": "I", "L": "I", "S": "B", "U": "B"}
    return role.get(tag[0], tag[0]) + tag[1:]


def begins(tags: Sequence[str]) -> Iterator[str]:
    """``I alone`` or ``B alone`` for every tag that begins a span without one of its label before it."""
    before = "O"
    for tag in tags:
        continues = before != "O" and before[2:] == tag[2:]
        if tag[0] in "BI" and not continues:
            yield f"{tag[0]} alone"
        before = tag


def note_malformed(
    tags: Sequence[str],
    scheme: SchemeName,
    malformed: Malformed,
    notes: Notes,
    line_of: Callable[[int], int],
    written: Callable[[int], str],
) -> None:
    """Note every tag that cannot follow the one before it.

    Args:
        line_of: the line of a position. written: its tag as the file has it.
    """
    what = "repaired as conlleval reads it" if malformed == "repair" else "the span was dropped"
    for position in malformed_positions(tags, scheme):
        left = f"after {tags[position - 1]}" if position else "at the beginning of the sentence"
        if position < len(tags):
            text = (
                f"line {line_of(position)}: {written(position)} {left} spells no legal {scheme} span; {what}"
            )
        else:
            last = line_of(position - 1)
            text = f"line {last}: the sentence ends {left}, inside a {scheme} span; {what}"
        notes.add("malformed tags", text)
