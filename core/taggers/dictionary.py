"""The dictionary baseline: maximum matching over words of known types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from torch import Tensor

from core.lexicon import Lattice, Lexicon, Match
from core.lexicon.maximum_matching import DIRECTIONS, Direction, Extent, segment
from core.taggers.base import model_folder
from core.taggers.base.config_fields import option
from core.taggers.base.registry import register
from core.taggers.base.surface_labels import surface_labels
from core.taggers.base.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig, TokenScores
from core.taggers.base.trace import LatticeTrace, Trace
from core.text import Document, Span

SURFACES = "surfaces.json"


@dataclass(frozen=True)
class DictionaryConfig(TaggerConfig):
    """Options of the dictionary tagger."""

    matching: str = option("bidirectional", "where matching begins", choices=DIRECTIONS, basic=True)
    use_lexicon: bool = option(True, "also match words of the lexicon whose type is a label", basic=True)
    ambiguous: str = option(
        "most frequent",
        "the label of a surface that had several in training, or leave it out",
        choices=("most frequent", "leave out"),
        basic=True,
    )
    least_share: float = option(
        0.0, "leave out surfaces of which a smaller share was labelled in training", bounds=(0.0, 1.0)
    )


@dataclass(frozen=True)
class DictionaryBatch(Batch):
    """Sentences with the lexicon to match in each.

    Args:
        lexicons: one per sentence.
    """

    lexicons: tuple[Lexicon, ...]


@register("dictionary")
class DictionaryTagger(Tagger):
    """Tags occurrences of words of known type; maximum matching resolves overlaps.

    The words are the labelled surfaces of the training documents, and words of the lexicon whose type is one
    of the labels; for a word in both, the lexicon's type counts. The score of a span is the share of its
    surface's occurrences in the training documents with this label (occurrences inside longer surfaces do not
    count), and 1 for a type of the lexicon.

    Args:
        config: the options. labels: their names.
        surfaces: label and share of the surfaces of the training documents.
        lexicon: all words to match; a word without a type gets its label from ``surfaces``.
    """

    title: ClassVar[str] = "Dictionary"
    summary: ClassVar[str] = (
        "Finds what it has seen labelled, and typed dictionary words: no training, a baseline"
    )
    paper: ClassVar[str] = (
        "CDWS, a word segmentation system for Chinese, J. Chinese Information Processing, 1987"
    )
    uses_lexicon = True
    needs_training: ClassVar[bool] = False
    has_span_probabilities: ClassVar[bool] = False
    Config: ClassVar[type[TaggerConfig]] = DictionaryConfig
    config: DictionaryConfig

    def __init__(
        self,
        config: DictionaryConfig,
        labels: Sequence[str],
        surfaces: Mapping[str, tuple[str, float]],
        lexicon: Lexicon,
    ) -> None:
        super().__init__()
        self.config = config
        self.labels = tuple(labels)
        self.surfaces = dict(surfaces)
        self._words = lexicon

    @property
    def lexicon(self) -> Lexicon | None:
        """All words to match. Setting another lexicon takes effect at once; None stands for an empty one."""
        return self._words

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon | None) -> None:
        self._words = lexicon if lexicon is not None else Lexicon()

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> DictionaryTagger:
        options = cast(DictionaryConfig, config)
        given = resources.lexicon if options.use_lexicon and resources.lexicon is not None else Lexicon()
        # Words whose type is not a label would only slow matching down: jieba has 349,045 of them.
        typed = {entry.word: entry for entry in given if entry.type in labels}
        surfaces = {
            surface: (statistics.label, statistics.share)
            for surface, statistics in surface_labels(resources.documents, labels).items()
            if surface not in given.removed
            and statistics.share >= options.least_share
            and not (statistics.others and options.ambiguous == "leave out")
        }
        untyped = [surface for surface in surfaces if surface not in typed]
        return cls(options, labels, surfaces, Lexicon([*typed.values(), *untyped]))

    def collate(self, documents: Sequence[Document]) -> DictionaryBatch:
        return self.collate_with(documents, [self._words] * len(documents))

    def collate_with(
        self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]
    ) -> DictionaryBatch:
        return DictionaryBatch(
            tuple(documents), tuple(Lexicon() if lexicon is None else lexicon for lexicon in lexicons)
        )

    def loss(self, batch: Batch) -> Tensor:
        raise NotImplementedError("the dictionary tagger has no loss, because it needs no training")

    def token_scores(self, batch: Batch) -> TokenScores:
        raise NotImplementedError(
            "the dictionary tagger has no scores of tokens, because it needs no training"
        )

    def decode(self, batch: Batch) -> list[list[Span]]:
        return [self._spans(text, self._label_scores(text, lexicon)) for text, lexicon in _sentences(batch)]

    def trace(self, batch: Batch) -> list[Trace]:
        traces = []
        for text, lexicon in _sentences(batch):
            scores = self._label_scores(text, lexicon)
            words = [Match(text[start:end], start, end - 1) for start, end in scores if end - start > 1]
            traces.append(
                Trace(
                    text=text,
                    tokens=tuple(text),
                    spans=tuple(self._spans(text, scores)),
                    tagger=self.name,
                    lattice=LatticeTrace.of(Lattice(text, tuple(words)), lexicon),
                )
            )
        return traces

    def cost(self, document: Document) -> int:
        return len(document.text)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        model_folder.write_json(folder / SURFACES, {word: list(pair) for word, pair in self.surfaces.items()})
        self._words.save(folder / model_folder.LEXICON)

    @classmethod
    def load(cls, folder: Path) -> DictionaryTagger:
        header = model_folder.read_header(folder)
        config = cast(DictionaryConfig, header.config_of(folder, cls.Config))
        surfaces = _read_surfaces(folder / SURFACES, header.labels)
        tagger = cls(config, header.labels, surfaces, model_folder.read_lexicon(folder))
        tagger.calibration = header.calibration
        return tagger.eval()

    def _label_of(self, word: str, lexicon: Lexicon) -> tuple[str, float] | None:
        """Label and score of a word of ``lexicon``, None if its type is unknown."""
        kind = lexicon.entry(word).type
        if self.config.use_lexicon and kind in self.labels:
            return kind, 1.0
        return self.surfaces.get(word)

    def _label_scores(self, text: str, lexicon: Lexicon) -> dict[Extent, tuple[str, float]]:
        """Label and score of every occurrence of a word of known type, by head, then single characters."""
        extents = [(start, end) for start, end, _ in lexicon.offsets(text)]
        extents += [(at, at + 1) for at in lexicon.match_characters(text)]
        pairs = ((extent, self._label_of(text[slice(*extent)], lexicon)) for extent in extents)
        return {extent: score for extent, score in pairs if score is not None}

    def _spans(self, text: str, scores: Mapping[Extent, tuple[str, float]]) -> list[Span]:
        segments = segment(len(text), scores, cast(Direction, self.config.matching))
        return self.calibration.scaled(
            Span(*extent, *scores[extent]) for extent in segments if extent in scores
        )


def _sentences(batch: Batch) -> Iterator[tuple[str, Lexicon]]:
    """Every text of a batch with its lexicon."""
    if not isinstance(batch, DictionaryBatch):
        raise TypeError(f"Dictionary reads batches of its own collate, got {type(batch).__name__}")
    for document, lexicon in zip(batch.documents, batch.lexicons, strict=True):
        yield document.text, lexicon


def _read_surfaces(path: Path, labels: Sequence[str]) -> dict[str, tuple[str, float]]:
    """What ``save`` wrote.

    Raises:
        ModelFolderError: it is missing or malformed.
    """
    value: Any = model_folder.read_json(path)
    if not isinstance(value, dict):
        raise ModelFolderError(
            "{path} must be an object of surfaces; {hint}", path=path, hint=model_folder.HINT
        )
    surfaces = {}
    for word, pair in value.items():
        match pair:
            case [str(label), int() | float() as share] if label in labels and 0 <= share <= 1:
                surfaces[word] = (label, float(share))
            case _:
                raise ModelFolderError(
                    "{path}: {word} needs a label of the model and a share from 0 to 1; {hint}",
                    path=path,
                    word=repr(word[:20]),
                    hint=model_folder.HINT,
                )
    return surfaces
