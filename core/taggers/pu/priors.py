"""Class priors: the share of a type's characters among all, given or estimated from labels."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence

from core.runtime.message import _
from core.taggers.base.config_fields import ConfigError, ConfigField
from core.text import Document
from core.text.annotated_regions import annotated_regions

PRIOR_HELP = (
    "share of all characters that are of a type: one number, or PER=0.04, LOC=0.02; empty estimates it"
)
PRIOR = ConfigField("prior", str, "", PRIOR_HELP).in_error
ALL_TYPES = ""  # stands for all types


def read_priors(text: str) -> dict[str, float]:
    """Priors by type; a single number is stored under `ALL_TYPES`; empty if they are to be estimated.

    Raises:
        ConfigError: naming what cannot be parsed.
    """
    text = text.strip()
    if not text:
        return {}
    try:
        pairs = json.loads(text).items() if text.startswith("{") else _pairs(text)
        priors = {str(name).strip(): float(share) for name, share in pairs}
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(
            "{field}: {text} does not read as one share, or as TYPE=share with commas between",
            field=PRIOR,
            text=repr(text[:60]),
        ) from None
    for name, share in priors.items():
        if not 0 < share < 1 or not math.isfinite(share):
            of = _(" of {name}", name=name) if name else ""
            raise ConfigError(
                "{field}: the share{of} must lie between 0 and 1, both excluded, got {share:g}: "
                "0 would say that no character is of the type and 1 that all are, and then "
                "there is nothing to learn",
                field=PRIOR,
                of=of,
                share=share,
            )
    return priors


def check_types(given: Mapping[str, float], labels: Collection[str]) -> None:
    """Refuse priors of unknown types, such as misspelt ones.

    Raises:
        ConfigError: names the type, and lists those there are.
    """
    unknown = next((name for name in given if name != ALL_TYPES and name not in labels), None)
    if unknown is not None:
        raise ConfigError(
            "{field}: there is no type {unknown} to learn; there are: {labels}",
            field=PRIOR,
            unknown=repr(unknown[:60]),
            labels=list(labels),
        )


def write_priors(priors: Mapping[str, float]) -> str:
    """The inverse of ``read_priors``, for any type names."""
    return json.dumps({name: round(share, 8) for name, share in priors.items()}, ensure_ascii=False)


def _pairs(text: str) -> list[tuple[str, str]]:
    if "=" not in text:
        return [(ALL_TYPES, text)]
    pairs = []
    for part in text.split(","):
        name, equals, share = part.rpartition("=")
        if not equals or not name.strip():
            raise ValueError(part)
        pairs.append((name, share))
    return pairs


def labelled_shares(documents: Sequence[Document], labels: Sequence[str]) -> dict[str, float]:
    """The share of characters under spans of each type, in documents that are not fully annotated.

    Fully annotated documents need no prior. Empty if the others have no characters.
    """
    partial = [document for document in documents if annotated_regions(document) is not None]
    total = sum(len(document.text) for document in partial)
    counts = dict.fromkeys(labels, 0)
    for document in partial:
        for span in document.spans:
            if span.label in counts:
                counts[span.label] += len(span)
    return {label: count / total for label, count in counts.items()} if total else {}


def priors_for(
    labels: Sequence[str], given: Mapping[str, float], documents: Sequence[Document], recall: float
) -> dict[str, float]:
    """The prior of each type: as given, or the labelled share divided by ``recall``.

    A type without labels gets the share of one labelled character.

    Raises:
        ConfigError: the labels cover so much that a prior would be 1 or more, or a prior is given for an
            unknown label.
    """
    check_types(given, labels)
    shares = labelled_shares(documents, labels)
    least = 1 / max(2, sum(len(document.text) for document in documents))
    priors = {}
    for label in labels:
        share = given.get(label, given.get(ALL_TYPES))
        if share is None:
            share = shares.get(label, 0.0) / recall or least
            if share >= 1:
                raise ConfigError(
                    "{covered:.0f}% of all characters are labelled {label}: with a recall of "
                    "{recall:g} that makes a share of {share:.2f}, but a prior lies below 1. "
                    "Take words out of the list, or give the prior",
                    covered=100 * shares[label],
                    label=label,
                    recall=recall,
                    share=share,
                )
        priors[label] = share
    return priors
