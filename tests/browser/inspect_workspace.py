"""A workspace with a small tagger of every kind that has something of its own to show on the Inspect page."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.lexicon import Lexicon
from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.taggers.base.tagging import tag
from core.text import Document, LabelSet, Span
from tests.taggers.small_flat import DOCUMENTS, LABELS, train
from tests.taggers.small_taggers import small_tagger

LAYER_MIXES = ("last", "scalar_mix", "dynamic", "mean")
# Name of the run: the tagger, and what is not its default.
RUNS: dict[str, tuple[str, dict[str, object]]] = {
    "flat-0001": ("flat", {}),
    "flat-0002": ("flat", {"seed": 3}),
    "soft_lexicon-0001": ("soft_lexicon", {}),
    "lattice_lstm-0001": ("lattice_lstm", {}),
    "mrc-0001": ("mrc", {"layer_mix": "scalar_mix"}),
    "span-0001": ("span", {"decoding": "nested"}),
    "elmo_crf-0001": ("elmo_crf", {}),
    **{f"bert-{mix.replace('_', '-')}": ("bert", {"head": "crf", "layer_mix": mix}) for mix in LAYER_MIXES},
}
TEXT = DOCUMENTS[0].text
PLACE = "岭南市"
# A third project, whose tagger reads words.
ENGLISH = Document(
    "en", "Lin O'Neill  left São Paulo.", (Span(0, 11, "PER"), Span(18, 27, "LOC")), {"split": "train"}
)
# A fourth project, in scripts that run from right to left; its tagger reads words and phrases of a lexicon.
ARABIC = Document(
    "ar",
    "زار محمد علي مدينة القاهرة يوم 12 مايو.",
    (Span(4, 12, "PER"), Span(19, 26, "LOC")),
    {"split": "train"},
)
HEBREW = Document(
    "he",
    "דוד כהן גר בתל אביב ליד IBM.",
    (Span(0, 7, "PER"), Span(11, 19, "LOC"), Span(24, 27, "ORG")),
    {"split": "train"},
)
RIGHT_TO_LEFT = "right to left"
# The place is labelled in the first one and not in the second, between the same characters.
CONTRADICTORY = ("大家都说他去了岭南市的公园散步。", "昨天也有人说他去了岭南市的公园散步，雨停了。")


def fill(folder: Path) -> None:
    """Two labelled documents of each split, and every run above with its answers; the first one serves."""
    outermost = [document.with_spans(document.spans[:2]) for document in DOCUMENTS if document.text]
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "lenses")
        labels.put(workspace, project.id, LabelSet().extended(LABELS))
        numbers = []
        for split, ending in (("train", "。"), ("dev", "！"), ("test", "？")):
            batch = [
                Document(f"{split}-{document.id}", document.text + ending, (), {"split": split})
                for document in outermost
            ]
            numbers += documents.add(workspace, project.id, batch).ids
        for number, document in zip(numbers, outermost * 3, strict=True):
            annotations.save(workspace, number, 0, document.spans, user="lin")
            annotations.set_status(workspace, number, "done", user="lin")
        for name, (kind, options) in RUNS.items():
            tagger = train(small_tagger(kind, **options), outermost, 30)
            model = folder / "runs" / name / "model"
            tagger.save(model)
            runs.register(workspace, project.id, name, kind, folder / "runs" / name, {})
            texts = [documents.get(workspace, number).with_spans(()) for number in numbers]
            predictions.put(workspace, name, tag(tagger, texts))
        projects.set_active(workspace, project.id, "flat-0001")
        _contradictory(workspace, folder / "runs" / "flat-0001" / "model")
        _words(workspace, "english", "bilstm_crf", [ENGLISH], hidden=20)
        _words(
            workspace, RIGHT_TO_LEFT, "flat", [ARABIC, HEBREW], lexicon=Lexicon(["محمد علي", "القاهرة", "תל"])
        )


def _contradictory(workspace: Workspace, model: Path) -> None:
    """A second project in which two people contradict each other, with a copy of a run."""
    project = projects.create(workspace, "contradictory")
    labels.put(workspace, project.id, LabelSet().extended(LABELS))
    texts = [Document(f"c{at}", text, (), {"split": "dev"}) for at, text in enumerate(CONTRADICTORY)]
    numbers = documents.add(workspace, project.id, texts).ids
    start = CONTRADICTORY[0].index(PLACE)
    annotations.save(workspace, numbers[0], 0, [Span(start, start + len(PLACE), "LOC")], user="lin")
    for number in numbers:
        annotations.set_status(workspace, number, "done", user="lin")
    run = runs.create(workspace, project.id, "flat")
    shutil.copytree(model, run.folder / "model")
    runs.set_status(workspace, run.name, "finished")
    predictions.put(
        workspace, run.name, [documents.get(workspace, number).with_spans(()) for number in numbers]
    )


def _words(workspace: Workspace, name: str, kind: str, texts: Sequence[Document], **options: Any) -> None:
    """A project of its own with these documents, annotated, and a tagger of words that knows them."""
    project = projects.create(workspace, name)
    labels.put(workspace, project.id, LabelSet().extended(LABELS))
    numbers = documents.add(workspace, project.id, [text.with_spans(()) for text in texts]).ids
    for number, text in zip(numbers, texts, strict=True):
        annotations.save(workspace, number, 0, text.spans, user="lin")
        annotations.set_status(workspace, number, "done", user="lin")
    run = runs.create(workspace, project.id, kind)
    tagger = train(small_tagger(kind, documents=texts, **options), texts, 60)
    tagger.save(run.folder / "model")
    runs.set_status(workspace, run.name, "finished")
    stored = [documents.get(workspace, number).with_spans(()) for number in numbers]
    predictions.put(workspace, run.name, tag(tagger, stored))
    projects.set_active(workspace, project.id, run.name)
