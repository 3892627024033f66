"""The queries of BERT-MRC, one per label (Li et al., ACL 2020, sections 3.1 and 5.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.taggers.base import model_folder
from core.taggers.base.tagger import ModelFolderError
from core.taggers.mrc.label_words import label_words
from core.text.segmentation import windows

FILE = "queries.json"
LONGEST = 1000  # most characters of a query
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[A-Za-z]+")
_TEMPLATES = {"en": "Which {} is mentioned in the text?", "zh": "文中提到了哪些{}？"}


@dataclass(frozen=True, slots=True)
class _Subject:
    """The label that a query is about.

    Args:
        label: its name. guideline: its description, or empty. number: its position in the list, from 1.
        language: of the words added to the query.
    """

    label: str
    guideline: str
    number: int
    language: str

    @property
    def keyword(self) -> str:
        return label_words(self.label, self.language).keyword


def _guideline(subject: _Subject) -> str:
    return subject.guideline or _template(subject)


def _keyword(subject: _Subject) -> str:
    return subject.keyword


def _synonyms(subject: _Subject) -> str:
    words = label_words(subject.label, subject.language)
    return ("、" if subject.language == "zh" else ", ").join((words.keyword, *words.synonyms))


def _template(subject: _Subject) -> str:
    return _TEMPLATES[subject.language].format(subject.keyword)


def _name(subject: _Subject) -> str:
    return subject.label


def _position(subject: _Subject) -> str:
    return str(subject.number)


# The paper's Table 5 without Wikipedia definitions, which may serve as guidelines.
_STYLES: dict[str, Callable[[_Subject], str]] = {
    "guideline": _guideline,
    "keyword": _keyword,
    "synonyms": _synonyms,
    "template": _template,
    "name": _name,
    "position": _position,
}
STYLES = tuple(_STYLES)


def make_queries(
    labels: Sequence[str],
    descriptions: Mapping[str, str],
    style: str = "guideline",
    language: str = "en",
    longest: int = LONGEST,
) -> tuple[str, ...]:
    """One query per label, in order, none of them empty.

    ``guideline`` is the label's description, or ``template`` if it has none; ``keyword`` and ``synonyms`` are
    words for the label (``core.taggers.mrc.label_words``), or its name if there are none; ``position`` is the
    label's number, which carries no meaning.

    Args:
        style: one of ``STYLES``. language: ``en`` or ``zh``, of all words outside the description.
        longest: maximum characters of a query; a longer one is cut at a sentence end if possible.
    """
    queries = []
    for number, label in enumerate(labels, start=1):
        guideline = " ".join(descriptions.get(label, "").split())
        query = _STYLES[style](_Subject(label, guideline, number, language))
        queries.append(truncate(query, longest))
    return tuple(queries)


def truncate(query: str, longest: int) -> str:
    """``query`` truncated to ``longest`` characters, at a sentence end if possible."""
    start, end = windows(query, longest)[0]
    return query[start:end].strip()


def text_language(texts: Iterable[str]) -> str:
    """``zh`` if Han characters outnumber words of Latin letters, else ``en``."""
    balance = 0
    for text in texts:
        balance += len(_HAN.findall(text)) - len(_LETTER.findall(text))
    return "zh" if balance > 0 else "en"


def write_queries(folder: Path, labels: Sequence[str], queries: Sequence[str]) -> None:
    """Write ``queries.json``."""
    model_folder.write_json(folder / FILE, dict(zip(labels, queries, strict=True)))


def read_queries(folder: Path, labels: Sequence[str]) -> tuple[str, ...]:
    """The queries of these labels, in order.

    Raises:
        ModelFolderError: the file is missing, or does not hold one query for each label.
    """
    path = folder / FILE
    value = model_folder.read_json(path)
    if not isinstance(value, dict) or set(value) != set(labels):
        raise ModelFolderError(
            "{path} must hold one query for each label; {hint}", path=path, hint=model_folder.HINT
        )
    for label, query in value.items():
        if not isinstance(query, str) or not query.strip() or len(query) > LONGEST:
            raise ModelFolderError(
                "{path}: the query of {label} must be a text of 1 to {longest} characters; {hint}",
                path=path,
                label=label,
                longest=LONGEST,
                hint=model_folder.HINT,
            )
    return tuple(value[label] for label in labels)
