"""Whether a cluster can tag in bulk."""

from __future__ import annotations

from functools import partial
from typing import Any

from core.bulk.errors import WORK, BulkError
from core.bulk.worker import WorkerOptions, check_node
from core.cluster.nodes import ask_nodes, working_nodes


def check_cluster(ray: Any, options: WorkerOptions, gpus: float) -> None:
    """Check that every machine on which a worker may run has the package, the model and the output folder.

    Raises:
        ClusterError: one of them has not, or no machine has a GPU though workers ask for one.
    """
    if gpus and not any(node["Resources"].get("GPU") for node in working_nodes(ray)):
        raise BulkError(
            "no machine of the cluster has a GPU; leave --gpus-per-worker out to tag on processors"
        )
    ask_nodes(ray, partial(check_node, options), WORK)
