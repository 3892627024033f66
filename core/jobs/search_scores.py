"""What a search scores: one training on its dev documents, a trial with its interval, and two trials."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from core.corpus.atomic import write_json
from core.inspection.corpus.significance import CountTable, bootstrap
from core.learning.search.folds import Fold
from core.learning.search.trials import Trial
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document
from core.text.scoring import Score, score_documents
from core.training.run.run_folder import RunFolder

FOLD = "fold.json"
F1 = 2  # place among precision, recall and F1


@dataclass(frozen=True, slots=True)
class FoldResult:
    """One training of a trial.

    Args:
        counts: correct, predicted and gold spans of each dev document. seconds: of its epochs.
        characters, tagging_seconds: of tagging its dev documents. size: of the model's files, in bytes.
    """

    counts: Sequence[Sequence[int]]
    seconds: float
    characters: int
    tagging_seconds: float
    size: int

    @property
    def f1(self) -> float:
        return micro(self.counts).f1


def score_fold(folder: RunFolder, fold: Fold, device: torch.device, seconds: float) -> FoldResult:
    """Tag a fold's dev documents with the model saved in its folder, and write the result there.

    Raises:
        ModelFolderError: the model cannot be read. DiskFullError: nothing is written.
    """
    size = sum(path.stat().st_size for path in folder.model.rglob("*") if path.is_file())
    result = score_tagger(load_tagger(folder.model).to(device), fold.dev, seconds, size)
    write_json(folder.path / FOLD, asdict(result))
    return result


def score_tagger(tagger: Tagger, dev: Sequence[Document], seconds: float, size: int) -> FoldResult:
    """Tag dev documents with a tagger.

    Args:
        seconds, size: of the result.
    """
    begun = time.perf_counter()
    tagged = tag(tagger, [document.with_spans(()) for document in dev])
    tagging = time.perf_counter() - begun
    scores = [score_documents([gold], [own]).micro for gold, own in zip(dev, tagged, strict=True)]
    counts = [[score.correct, score.predicted, score.gold] for score in scores]
    return FoldResult(counts, seconds, sum(len(document.text) for document in dev), tagging, size)


def finished(trial: Trial, folds: Sequence[FoldResult], cut: bool) -> Trial:
    """The trial with what its trainings came to.

    Args:
        cut: whether time was up before their last epoch.
    """
    counts = [list(row) for result in folds for row in result.counts]
    low, high = interval(counts)
    characters = sum(result.characters for result in folds)
    tagging = sum(result.tagging_seconds for result in folds)
    return replace(
        trial,
        state="finished",
        f1=micro(counts).f1,
        low=low,
        high=high,
        counts=counts,
        cut=cut,
        seconds=round(sum(result.seconds for result in folds), 3),
        characters_per_second=characters / max(tagging, 1e-6),
        size=max(result.size for result in folds),
    )


def read_fold(folder: Path) -> FoldResult | None:
    """The result of a training that is done; None if it is missing or damaged."""
    try:
        return FoldResult(**json.loads((folder / FOLD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def micro(counts: Sequence[Sequence[int]]) -> Score:
    """The micro score of correct, predicted and gold spans by document."""
    correct, predicted, gold = (sum(row[place] for row in counts) for place in range(3))
    return Score(gold, predicted, correct)


def interval(counts: Sequence[Sequence[int]]) -> tuple[float, float]:
    """The 95% bootstrap interval of micro F1."""
    low, high = bootstrap(_table([tuple(row) for row in counts], 1)).scores[0, F1]
    return float(low), float(high)


def gain(base: Trial, other: Trial) -> tuple[float, float, float] | None:
    """The difference in F1 of two finished trials on the same documents, with its 95% bootstrap interval.

    None if one of them was scored on fewer documents, for lack of time.
    """
    if len(base.counts) != len(other.counts):
        return None
    rows = [(*first, *second) for first, second in zip(base.counts, other.counts, strict=True)]
    low, high = bootstrap(_table(rows, 2)).differences[1, F1]
    return (other.f1 or 0.0) - (base.f1 or 0.0), float(low), float(high)


def _table(rows: Sequence[tuple[int, ...]], runs: int) -> CountTable:
    distinct = Counter(rows)
    return CountTable.of(list(distinct), list(distinct.values()), runs)
