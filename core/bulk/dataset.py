"""Spans for a Ray dataset, as a step of somebody's own pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import __version__
from core.bulk.errors import BulkError, cluster_library
from core.bulk.records import Record, Refused
from core.bulk.rows import span_type, spans_of
from core.bulk.tagging import load_predict, tag_records
from core.runtime.message import _

ADDED = ("spans", "run", "version", "refused")
BATCH = 1024  # rows


class _Tag:
    """The step, as an actor of Ray Data: Arrow tables in and out."""

    def __init__(self, model: str, run: str, text_column: str, device: str, threads: int) -> None:
        self._predict = load_predict(Path(model), device, threads)
        self._run, self._text = run, text_column

    def __call__(self, table: Any) -> Any:
        pa = cluster_library("pyarrow")
        if self._text not in table.column_names:
            raise BulkError(
                "the dataset has no column {column}; its columns are {columns}",
                column=self._text,
                columns=", ".join(table.column_names),
            )
        spans: list[list[dict[str, Any]] | None] = []
        refused: list[str | None] = []
        texts = table.column(self._text).to_pylist()
        records = [_record(number, text, self._text) for number, text in enumerate(texts)]
        for answer in tag_records(self._predict, records):
            if isinstance(answer, Refused):
                spans.append(None)
                refused.append(str(answer.reason))
            else:
                spans.append(spans_of(answer[1]))
                refused.append(None)
        count = table.num_rows
        return (
            table.append_column("spans", pa.array(spans, span_type()))
            .append_column("run", pa.array([self._run] * count, pa.string()))
            .append_column("version", pa.array([__version__] * count, pa.string()))
            .append_column("refused", pa.array(refused, pa.string()))
        )


def _record(number: int, text: object, column: str) -> Record | Refused:
    if isinstance(text, str):
        return Record(number, str(number), text)
    return Refused(number, _("the field {field} is no text", field=column), str(text))


def tagged_dataset(
    dataset: Any,
    model: Path,
    run: str,
    *,
    text_column: str,
    workers: int,
    threads: int,
    gpus_per_worker: float,
    device: str,
) -> Any:
    """The dataset with the columns `ADDED`; lazy, as every step of Ray Data.

    ``refused`` says why a row's text could not be tagged; its spans are then null.

    Raises:
        MissingPackage: Ray is not installed. BulkError: it is no dataset, or its columns do not fit.
    """
    data = cluster_library("ray.data")
    if not isinstance(dataset, data.Dataset):
        raise BulkError(
            "expected a ray.data.Dataset, got {type}; make one with ray.data.read_parquet or from_items",
            type=type(dataset).__name__,
        )
    columns = dataset.columns() or []
    if columns and text_column not in columns:
        raise BulkError(
            "the dataset has no column {column}; its columns are {columns}",
            column=text_column,
            columns=", ".join(columns),
        )
    taken = [name for name in ADDED if name in columns]
    if taken:
        raise BulkError(
            "the dataset has columns that tagging adds: {columns}; rename or drop them",
            columns=", ".join(taken),
        )
    return dataset.map_batches(
        _Tag,
        fn_constructor_args=(str(model.resolve()), run, text_column, device, threads),
        batch_format="pyarrow",
        batch_size=BATCH,
        compute=data.ActorPoolStrategy(size=workers),
        num_cpus=threads,
        num_gpus=gpus_per_worker or None,
    )
