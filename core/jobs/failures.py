"""Errors of a run as sentences."""

from __future__ import annotations

from core.cluster.errors import ClusterError
from core.corpus.errors import CorpusError, DiskFullError
from core.runtime.message import Message, _, message_of
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder


def error_message(error: Exception, folder: RunFolder) -> Message:
    """One sentence that says what was wrong and what to do."""
    if isinstance(error, (TrainingError, ClusterError)):
        return error.message
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, (CorpusError, DiskFullError)) or kinds & {
        "ModelFolderError",
        "LexiconError",
        "MissingPackage",
    }:
        return message_of(error)
    text = str(error).split("\n", 1)[0][:300]
    if isinstance(error, MemoryError) or "OutOfMemoryError" in kinds or "DefaultCPUAllocator" in text:
        return _(
            "there was not enough memory; start a new run with a smaller batch size or batch area, "
            "or choose the CPU"
        )
    return _(
        "an error in the program stopped the run; {file} in its folder shows the details, and the run can be "
        "resumed",
        file=folder.log_file.name,
    )
