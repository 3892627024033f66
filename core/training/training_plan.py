"""The settings that must not change when a training is resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.taggers.base.tagger import Tagger
from core.text import Document
from core.text.annotated_regions import annotated_regions
from core.training.settings import TrainingSettings


def training_plan(
    tagger: Tagger,
    settings: TrainingSettings,
    documents: Iterable[Document],
    unlabelled: Sequence[Document] = (),
) -> dict[str, Any]:
    """The plan as JSON, without threads, device and number of processes, which may change."""
    plan = {
        "tagger": tagger.name,
        "config": _plain(asdict(tagger.config)),
        "labels": list(tagger.labels),
        "settings": {name: value for name, value in settings.to_json().items() if name != "threads"},
        "documents": _digest(documents),
    }
    return {**plan, "unlabelled": _digest(unlabelled)} if unlabelled else plan


def _plain(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config as after a round trip through JSON, for comparison."""
    return {
        name: list(value)
        if isinstance(value, tuple)
        else value
        if isinstance(value, (int, float, str, type(None)))
        else str(value)
        for name, value in config.items()
    }


def _digest(documents: Iterable[Document]) -> str:
    digest = hashlib.sha256()
    for document in documents:
        digest.update(repr((document.text, [span.key for span in document.spans])).encode())
        regions = annotated_regions(document)
        if regions is not None:
            digest.update(repr(regions).encode())
    return digest.hexdigest()
