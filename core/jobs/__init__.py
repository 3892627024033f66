"""Long work in its own process: the queue, the worker, its run folder. Starts without torch."""

from core.jobs.queue import JobQueue, QueueError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_state import RunState as JobState

__all__ = ["JobQueue", "JobState", "QueueError", "RunFolder", "RunRequest"]
