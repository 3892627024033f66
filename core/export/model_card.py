"""The model card of a run: what it finds, from what it learned, how well, and how to load it.

The front matter is the hub's (Mitchell et al., Model Cards for Model Reporting, FAT* 2019, for the idea).
Texts of the corpus are never in it; names of labels and their guidelines are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.corpus.document_json import read_documents
from core.corpus.errors import CorpusError
from core.corpus.snapshot import Snapshot, read_snapshot
from core.export.card_text import check_licence, markdown_table, plain
from core.export.errors import ExportError
from core.inspection.corpus.significance import CountTable, bootstrap, ratios
from core.taggers.base.model_folder import ModelHeader, read_header
from core.taggers.base.registry import by_name
from core.text import Document
from core.text.annotated_regions import judged
from core.text.language import mostly_chinese
from core.training.run.run_folder import RunFolder

Target = Literal["latticelens", "transformers", "onnx"]
TARGETS: tuple[Target, ...] = ("latticelens", "transformers", "onnx")
FILE = "README.md"


@dataclass(frozen=True)
class RunFacts:
    """What a run folder says of a run.

    Args:
        snapshot: the corpus it was trained on. predictions: its spans, by name of the document.
    """

    snapshot: Snapshot
    predictions: Mapping[str, Document]

    @classmethod
    def of(cls, folder: RunFolder) -> RunFacts | None:
        """The facts of a run folder; None for a folder that is none.

        Raises:
            ExportError: the snapshot or the predictions are damaged.
        """
        if not (folder.snapshot / "manifest.json").is_file():
            return None
        try:
            snapshot = read_snapshot(folder.snapshot)
            predicted: dict[str, Document] = {}
            if folder.predictions_file.is_file():
                predicted = {found.id: found for found in read_documents(folder.predictions_file)}
        except (CorpusError, OSError, ValueError) as error:
            raise ExportError("the run cannot be described: {reason}", reason=error) from error
        return cls(snapshot, predicted)

    def table(self, part: str) -> CountTable | None:
        """Correct, predicted and gold spans of each document of a part; None if not all are predicted."""
        documents = self.snapshot[part]
        if not documents or any(document.id not in self.predictions for document in documents):
            return None
        counts: Counter[tuple[int, ...]] = Counter()
        for document in documents:
            gold = {span.key for span in document.spans}
            found = {span.key for span in judged(document, self.predictions[document.id].spans)}
            counts[len(gold & found), len(found), len(gold)] += 1
        return CountTable.of([list(row) for row in counts], list(counts.values()), 1)


def model_card(
    model: Path,
    target: Target,
    *,
    facts: RunFacts | None = None,
    licence: str = "",
    name: str = "",
    ledger: Mapping[str, int] | None = None,
) -> str:
    """The card as Markdown with front matter.

    Args:
        model: the model folder. target: what the files beside the card are for.
        facts: of the run; None for a model folder alone. licence: its identifier; ``other`` when empty.
        name: of the repository, in the commands; a placeholder when empty.
        ledger: how many corrections have which state, see `core.store.run.ledger`.

    Raises:
        ModelFolderError: the model folder is damaged. ExportError: the licence is no identifier.
    """
    header = read_header(model)
    repository = name or "OWNER/NAME"
    parts = [
        _front_matter(header, target, facts, check_licence(licence or "other"), repository),
        f"# {plain(repository.rpartition('/')[2])}\n",
        f"{by_name(header.tagger).title} for named entity recognition, trained with LatticeLens. "
        f"It finds {len(header.labels)} kinds of spans: {', '.join(map(plain, header.labels)) or 'none'}.\n",
        *_labels(header, facts),
        *_data(facts),
        *_scores(facts),
        *_ledger(facts, ledger),
        *_options(header),
        *_loading(target, repository),
        *_limits(header, facts),
    ]
    return "\n".join(parts)


def _front_matter(
    header: ModelHeader, target: Target, facts: RunFacts | None, licence: str, name: str
) -> str:
    from huggingface_hub import EvalResult, ModelCardData

    results = []
    for part in ("dev", "test"):
        table = None if facts is None else facts.table(part)
        if table is None:
            continue
        for place, metric in enumerate(("precision", "recall", "f1")):
            results.append(
                EvalResult(
                    task_type="token-classification",
                    dataset_type="private",
                    dataset_name=f"the run's {part} documents",
                    dataset_split=part,
                    metric_type=metric,
                    metric_value=round(float(ratios(table.totals)[0, place]), 4),
                )
            )
    languages = None
    if facts is not None and mostly_chinese(document.text for document in facts.snapshot["train"]):
        languages = "zh"
    data = ModelCardData(
        language=languages,
        license=licence,
        library_name="transformers" if target == "transformers" else "latticelens",
        pipeline_tag="token-classification",
        tags=[
            "named-entity-recognition",
            "latticelens",
            header.tagger,
            *(["onnx"] if target == "onnx" else []),
        ],
        model_name=name.rpartition("/")[2] or "model",
        eval_results=results or None,
    )
    return f"---\n{data.to_yaml()}\n---\n"


def _labels(header: ModelHeader, facts: RunFacts | None) -> Iterator[str]:
    yield "## Labels\n"
    known = {} if facts is None else facts.snapshot.descriptions
    rows = [[plain(label), plain(known.get(label, "")) or "(no guideline)"] for label in header.labels]
    yield markdown_table(("label", "guideline"), rows)


def _data(facts: RunFacts | None) -> Iterator[str]:
    if facts is None:
        return
    yield "## Training data\n"
    rows = []
    for part in ("train", "dev", "test"):
        documents = facts.snapshot[part]
        spans = sum(len(document.spans) for document in documents)
        characters = sum(len(document.text) for document in documents)
        rows.append([part, f"{len(documents):,}", f"{spans:,}", f"{characters:,}"])
    yield markdown_table(("part", "documents", "spans", "characters"), rows)


def _scores(facts: RunFacts | None) -> Iterator[str]:
    measured = {part: facts.table(part) for part in ("dev", "test")} if facts is not None else {}
    tables = {part: table for part, table in measured.items() if table is not None}
    if not tables:
        return
    yield "## Scores\n"
    yield (
        "Over exact spans (start, end and label), micro-averaged. In brackets 95 % intervals of the "
        "percentile bootstrap over documents.\n"
    )
    rows = []
    for part, table in tables.items():
        values, intervals = ratios(table.totals)[0], bootstrap(table).scores[0]
        cells = [
            f"{value:.4f} [{low:.4f}, {high:.4f}]"
            for value, (low, high) in zip(values, intervals, strict=True)
        ]
        rows.append([part, *cells, f"{table.documents:,}"])
    yield markdown_table(("part", "precision", "recall", "F1", "documents"), rows)


def _ledger(facts: RunFacts | None, ledger: Mapping[str, int] | None) -> Iterator[str]:
    if ledger:
        yield "## Corrections\n"
        yield "What people corrected in earlier runs, and what this run does there.\n"
        yield markdown_table(
            ("state", "corrections"), [[plain(state), f"{n:,}"] for state, n in ledger.items()]
        )
        return
    table = None if facts is None else facts.table("corrections")
    if table is not None:
        yield "## Corrections\n"
        correct, _predicted, gold = table.totals[0].tolist()
        yield (
            f"On the {table.documents:,} documents in which people corrected earlier runs, it finds "
            f"{correct:,} of the {gold:,} spans. Some of them may be among the training documents.\n"
        )


def _options(header: ModelHeader) -> Iterator[str]:
    yield "## Training\n"
    changed = {name: value for name, value in header.changed().items() if name != "encoder"}
    yield f"Tagger `{header.tagger}`: {plain(by_name(header.tagger).paper)}.\n"
    if encoder := header.config.get("encoder"):
        # Of a folder on somebody's machine only its name.
        yield f"Encoder: {plain(str(encoder) if _is_hub_name(str(encoder)) else Path(str(encoder)).name)}.\n"
    if changed:
        yield "Options that differ from the defaults:\n"
        yield markdown_table(
            ("option", "value"),
            [[plain(name), plain(_value(value))] for name, value in sorted(changed.items())],
        )


def _loading(target: Target, name: str) -> Iterator[str]:
    yield "## How to load it\n"
    if target == "transformers":
        yield (
            "transformers alone, the best tag of each word piece:\n\n"
            "```python\nfrom transformers import pipeline\n\n"
            f'ner = pipeline("token-classification", model="{name}", aggregation_strategy="simple")\n```\n\n'
            "The run's own decoding, a Viterbi path over characters; it runs `latticelens_pipeline.py` of "
            "this repository, so read that file first:\n\n"
            f'```python\nner = pipeline("latticelens-ner", model="{name}", trust_remote_code=True)\n```\n'
        )
        return
    yield f"```\nhf download {name} --local-dir model\npython -m core tag --model model texts.txt\n```\n"
    if target == "onnx":
        yield (
            "Or in Python, without torch:\n\n"
            "```python\nfrom core.export.onnx.runner import OnnxTagger\nfrom core.text import Document\n\n"
            'tagger = OnnxTagger("model")\ntagger.tag([Document("1", "…")])\n```\n'
        )


def _limits(header: ModelHeader, facts: RunFacts | None) -> Iterator[str]:
    yield "## Limits\n"
    yield (
        "It finds what the training documents call a span, in texts like them; scores are the model's own "
        "confidence. The files hold the vocabulary of the training texts and the words of its lexicon."
    )
    if header.config.get("neighbours"):
        yield "They also hold training sentences, which the tagger reads as neighbours of a text."
    if facts is None:
        yield "\nThis card was written from a model folder alone: the data and scores of its run are unknown."


def _value(value: object) -> str:
    """A value; of a path only its name."""
    text = str(value)
    return Path(text).name if "/" in text or "\\" in text else text


def _is_hub_name(encoder: str) -> bool:
    return bool(re.fullmatch(r"[\w.\-]+(/[\w.\-]+)?", encoder)) and not Path(encoder).exists()
