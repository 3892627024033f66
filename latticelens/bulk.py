"""Datasets of Ray, tagged as a step of a pipeline."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING

from latticelens.errors import LatticeLensError, plain_errors
from latticelens.files import StrPath

if TYPE_CHECKING:
    from ray.data import Dataset


def tag_dataset(
    dataset: Dataset,
    model: StrPath,
    *,
    text_column: str = "text",
    workers: int = 1,
    threads: int = 1,
    gpus_per_worker: float = 0.0,
    device: str = "auto",
) -> Dataset:
    """A Ray dataset with spans: a lazy, streaming step, whose workers each hold the tagger.

    Needs the extra ``cluster``. Ray is started by its own ``ray.init``, as for any dataset.

    Args:
        dataset: rows with a text.
        model: a run folder, a model folder or a ``Run``, at a path that every machine of the cluster sees.
        text_column: column of the text.
        workers: processes. threads: of each. gpus_per_worker: of each; 0.5 puts two on a GPU.
        device: as for ``load``; ``auto`` is the processor where a worker has no GPU.

    Returns:
        the dataset with the columns ``spans`` (a list of ``start``, ``end``, ``label``, ``text``, ``score``),
        ``run``, ``version`` and ``refused``: why a text could not be tagged, whose spans are then null.

    Raises:
        LatticeLensError: Ray is not installed, there is no model, a number is out of range, or columns do not
            fit.
    """
    from core.bulk.dataset import tagged_dataset
    from core.commands.arguments.model_argument import model_path
    from core.commands.tag_bulk import run_name

    if workers < 1 or threads < 1 or gpus_per_worker < 0:
        raise LatticeLensError(
            f"workers and threads must be at least 1 and gpus_per_worker not negative, got {workers}, "
            f"{threads} and {gpus_per_worker}"
        )
    with plain_errors():
        return tagged_dataset(
            dataset,
            model_path(fspath(model)),
            run_name(fspath(model)),
            text_column=text_column,
            workers=workers,
            threads=threads,
            gpus_per_worker=gpus_per_worker,
            device=device if device != "auto" or gpus_per_worker else "cpu",
        )
