"""Metrics for Prometheus, on a port of their own.

Not at an address of the app: behind a proxy every request comes from this machine, so one that is open to
"this machine only" would be open to all. No label holds a name of a person, project, document or run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.process_collector import ProcessCollector

from app.server.logs import route_of
from app.services.limits.refusals import REFUSED

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from app.services.session import Sessions
    from app.services.workbench import Workbench

SAVE_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
MOST_ROUTES = 200  # what comes beyond is counted as "other": a scanner must not fill the memory


class Metrics:
    """Counts saves and requests, and reads the rest when it is asked for.

    Args:
        sessions: of the app. workbenches: in use.
    """

    def __init__(self, sessions: Sessions, workbenches: Callable[[], Iterable[Workbench]]) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "latticelens_requests", "Requests by route and status", ["route", "method", "status"],
            registry=self.registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "latticelens_request_seconds", "Seconds until a request was answered, streams apart", ["route"],
            buckets=REQUEST_SECONDS, registry=self.registry,
        )  # fmt: skip
        self._saves = Histogram(
            "latticelens_save_seconds", "Seconds in which an annotation was saved",
            buckets=SAVE_SECONDS, registry=self.registry,
        )  # fmt: skip
        self._routes: set[str] = set()
        self.registry.register(_Standing(sessions, workbenches))
        ProcessCollector(registry=self.registry)

    def saved(self, seconds: float) -> None:
        """Count a save."""
        self._saves.observe(seconds)

    def serve(self, host: str, port: int) -> Callable[[], None]:
        """Answer Prometheus; returns what ends it.

        Raises:
            OSError: the port is taken.
        """
        server, thread = start_http_server(port, host, self.registry)

        def end() -> None:
            server.shutdown()
            server.server_close()
            thread.join(timeout=2)

        return end

    def answered(self, scope: Scope, status: int, seconds: float, *, streamed: bool) -> None:
        """Count a request."""
        route = route_of(scope) if status != 404 else "not found"
        if route not in self._routes and len(self._routes) >= MOST_ROUTES:
            route = "other"
        self._routes.add(route)
        self._requests.labels(route, scope["method"], str(status)).inc()
        if not streamed:
            self._seconds.labels(route).observe(seconds)


class CountedRequests:
    """ASGI middleware that counts each request.

    Args:
        app: the wrapped app. metrics: where.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        status, streamed, begun = 500, False, time.perf_counter()

        async def noting(message: Message) -> None:
            nonlocal status, streamed
            if message["type"] == "http.response.start":
                status = message["status"]
                streamed = any(
                    name == b"content-type" and value.startswith(b"text/event-stream")
                    for name, value in message["headers"]
                )
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._metrics.answered(scope, status, time.perf_counter() - begun, streamed=streamed)


class _Standing:
    """What is read at the moment of asking."""

    def __init__(self, sessions: Sessions, workbenches: Callable[[], Iterable[Workbench]]) -> None:
        self._sessions = sessions
        self._workbenches = workbenches

    def collect(self) -> Iterator[Any]:
        benches = list(self._workbenches())
        states = [state for bench in benches for state in bench.jobs.states()]
        yield _gauge("sessions", "Sessions of pages that have not expired", len(self._sessions))
        yield _gauge("jobs_queued", "Runs that wait", sum(each.status == "queued" for each in states))
        yield _gauge("jobs_running", "Runs in progress", sum(each.status == "running" for each in states))
        running = [each.fraction for each in states if each.status == "running"]
        yield _gauge("job_progress_ratio", "Share of the running run that is done", max(running, default=0))
        loads = CounterMetricFamily("latticelens_tagger_loads", "Models read into memory")
        loads.add_metric([], sum(bench.taggers.loads for bench in benches))
        yield loads
        refused = CounterMetricFamily(
            "latticelens_refused", "What went beyond a limit, by its name", labels=["limit"]
        )
        for limit, count in sorted(REFUSED.items()):
            refused.add_metric([limit], count)
        yield refused
        failing = sum(bool(bench.backups.lacking()) for bench in benches)
        yield _gauge("backup_failing", "1 if the last scheduled backup failed", failing)
        latest = [kept[0].at / 1000 for bench in benches if (kept := bench.backups.kept())]
        if latest:
            yield _gauge("backup_last_success_timestamp_seconds", "Time of the last backup", max(latest))


def _gauge(name: str, what: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"latticelens_{name}", what, value=value)
