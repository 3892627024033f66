"""Asks every machine of a cluster a question before work begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core import __version__
from core.cluster.errors import ClusterError, ray_library, reason_of
from core.runtime.message import Message, message_of

ANSWERS_WITHIN = 120.0  # seconds; a worker process starts and imports the package


def ask_nodes(ray: Any, question: Callable[[], None], what: Message) -> None:
    """Check that every machine on which a worker may run has the package, and passes a question.

    Args:
        question: raises what is wrong there; a function that the machine can import, with its arguments.
        what: the work that needs it.

    Raises:
        ClusterError: what a machine says is wrong; names the machine.
    """
    affinity = ray_library("ray.util.scheduling_strategies", what).NodeAffinitySchedulingStrategy
    task = ray.remote(num_cpus=0, max_retries=1)(_answer)
    asked = {
        node["NodeManagerHostname"]: task.options(
            scheduling_strategy=affinity(node["NodeID"], soft=False)
        ).remote(question)
        for node in working_nodes(ray)
    }
    for machine, answer in asked.items():
        try:
            version, problem = ray.get(answer, timeout=ANSWERS_WITHIN)
        except Exception as error:  # whatever Ray makes of a missing package or a dead machine
            raise ClusterError(
                "the worker machine {machine} cannot run LatticeLens ({reason}); install "
                "latticelens[cluster] {version} there",
                machine=machine,
                reason=reason_of(error),
                version=__version__,
            ) from error
        if problem is not None:
            raise ClusterError(message_of(problem))
        if version != __version__:
            raise ClusterError(
                "the worker machine {machine} has LatticeLens {found}, this one {version}; install the same",
                machine=machine,
                found=version,
                version=__version__,
            )


def working_nodes(ray: Any) -> list[dict[str, Any]]:
    """The machines on which a worker may run: those alive that give processors."""
    return [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]


def _answer(question: Callable[[], None]) -> tuple[str, Exception | None]:
    try:
        question()
    except Exception as error:
        return __version__, error
    return __version__, None
