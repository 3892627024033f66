"""The card of a data set: what is in it, its labels with their guidelines, its licence, how to load it.

The front matter is the hub's: ``configs`` names the files of each split and ``dataset_info`` the features.
Texts of the corpus are never in it, nor are names of people.
"""

from __future__ import annotations

from typing import Any

from core.export.card_text import check_licence, markdown_table, plain
from core.export.dataset.folder import Written
from core.formats.shapes.arrow_table import LINK, tag_names
from core.text import LabelSet
from core.text.language import mostly_chinese

FILE = "README.md"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def dataset_card(written: Written, labels: LabelSet, *, title: str, repository: str, licence: str) -> str:
    """The card as Markdown with front matter.

    Args:
        repository: ``owner/name`` in the commands; a placeholder when empty. licence: ``other`` when empty.

    Raises:
        ExportError: the licence is no identifier.
    """
    parts = [
        _front_matter(written, labels, title, check_licence(licence or "other")),
        f"# {plain(title)}\n",
        f"Texts with named entities, marked by people in LatticeLens: {len(labels)} labels, "
        f"{sum(written.labels.values()):,} spans.\n",
        "## Splits\n",
        _splits(written),
        "## Labels\n",
        _labels(written, labels),
        "## Fields\n",
        _FIELDS,
        _nested(written),
        "## How to load it\n",
        "```python\nfrom datasets import load_dataset\n\n"
        f'data = load_dataset("{repository or "OWNER/NAME"}")\n```\n',
    ]
    return "\n".join(part for part in parts if part)


_FIELDS = (
    markdown_table(
        ("field", "holds"),
        [
            ["`id`, `text`", "the document"],
            ["`tokens`, `ner_tags`", "its tokens with BIO tags; of spans in each other the outer one"],
            [
                "`spans`",
                "every span: `start`, `end` (code points of `text`, end exclusive), `label`, `score` "
                "where a tagger gave one, and `link` to the entry of a knowledge base where there is one",
            ],
            ["`meta`", "further fields of the document, as JSON"],
        ],
    )
)  # fmt: skip


def _front_matter(written: Written, labels: LabelSet, title: str, licence: str) -> str:
    from huggingface_hub import DatasetCardData

    total = sum(facts.documents for facts in written.splits.values())
    data = DatasetCardData(
        language="zh" if mostly_chinese(written.excerpt) else None,
        license=licence,
        pretty_name=title,
        task_categories=["token-classification"],
        task_ids=["named-entity-recognition"],
        size_categories=[next((name for most, name in _SIZES if total < most), "n>1M")],
        tags=["latticelens"],
        configs=[
            {
                "config_name": "default",
                "data_files": [
                    {"split": split, "path": f"data/{split}.{written.files}"} for split in written.splits
                ],
            }
        ],
        dataset_info={"features": _features(labels)},
    )
    return f"---\n{data.to_yaml()}\n---\n"


def _features(labels: LabelSet) -> list[dict[str, Any]]:
    """In the spelling that old and new releases of ``datasets`` read."""
    tags = tag_names([label.name for label in labels])
    spans = [("start", "int64"), ("end", "int64"), ("label", "string"), ("score", "float64")]
    link = {"name": "link", "struct": [{"name": name, "dtype": "string"} for name in LINK]}
    return [
        {"name": "id", "dtype": "string"},
        {"name": "text", "dtype": "string"},
        {"name": "tokens", "sequence": "string"},
        {
            "name": "ner_tags",
            "sequence": {"class_label": {"names": {str(n): tag for n, tag in enumerate(tags)}}},
        },
        {"name": "spans", "list": [*({"name": name, "dtype": kind} for name, kind in spans), link]},
        {"name": "meta", "dtype": "string"},
    ]


def _splits(written: Written) -> str:
    rows = [
        [split, f"{facts.documents:,}", f"{facts.spans:,}", f"{facts.characters:,}"]
        for split, facts in written.splits.items()
    ]
    return markdown_table(("split", "documents", "spans", "characters"), rows)


def _labels(written: Written, labels: LabelSet) -> str:
    rows = [
        [plain(label.name), f"{written.labels[label.name]:,}", plain(label.description) or "(no guideline)"]
        for label in labels
    ]
    return markdown_table(("label", "spans", "guideline"), rows)


def _nested(written: Written) -> str:
    nested = sum(facts.nested for facts in written.splits.values())
    return f"{nested:,} spans lie inside or across others and are in `spans` alone.\n" if nested else ""
