"""What is refused before Ray begins anything, and what the cluster is asked."""

from __future__ import annotations

import os
from contextlib import nullcontext
from functools import partial

import pytest

from core.cluster import opening
from core.cluster.errors import ClusterError
from core.cluster.opening import _see, opened
from core.cluster.options import WorkerGroup, check_local, check_room
from core.runtime.message import _

WORK = _("Training on Ray")


class Ray:
    """A cluster of these machines, which answer at once."""

    def __init__(self, *resources):
        self._resources = resources

    def nodes(self):
        return [{"Alive": True, "Resources": resources} for resources in self._resources]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"workers": 0}, "--workers 0: expected 1 to"),
        ({"workers": True}, "--workers True"),
        ({"workers": "2"}, "--workers '2'"),
        ({"gpus_per_worker": 2}, "--gpus-per-worker 2: expected 0"),
        ({"gpus_per_worker": -0.5}, "--gpus-per-worker -0.5"),
        ({"threads": 0}, "threads 0"),
        ({"address": 6379}, "address of a cluster must be text"),
    ],
)
def test_a_number_out_of_range_names_its_flag(given, said):
    with pytest.raises(ClusterError, match=said):
        WorkerGroup(**given)


def test_a_group_comes_back_from_a_request_of_a_newer_version():
    group = WorkerGroup(3, 0.5, "head:6379", 2)
    assert WorkerGroup.from_json({**group.to_json(), "zone": "x"}) == group


def test_more_workers_than_processors_are_refused_before_ray_starts():
    here = os.cpu_count() or 1
    check_local(WorkerGroup(here))
    with pytest.raises(ClusterError, match=rf"needs {here + 1} processors, and there are {here}"):
        check_local(WorkerGroup(here + 1))
    check_local(WorkerGroup(10_000, address="head:6379"))


def test_a_worker_needs_room_on_one_machine():
    check_room(Ray({"CPU": 4.0}, {"CPU": 4.0}), WorkerGroup(2, threads=4))
    with pytest.raises(ClusterError, match="needs 12 processors"):
        check_room(Ray({"CPU": 4.0}, {"CPU": 4.0}), WorkerGroup(3, threads=4))
    with pytest.raises(ClusterError, match="needs 6 processors, and there are 6"):
        check_room(Ray({"CPU": 3.0}, {"CPU": 3.0}), WorkerGroup(3, threads=2))
    with pytest.raises(ClusterError, match=r"need 1\.5, and the machines have 1"):
        check_room(Ray({"CPU": 8.0, "GPU": 1.0}, {"GPU": 4.0}), WorkerGroup(3, gpus_per_worker=0.5))


def test_a_machine_that_does_not_see_the_folder_is_named(tmp_path, monkeypatch):
    """The file that is written for it lies elsewhere, and nothing of it is left."""

    def ask(ray, question, what):
        partial(_see, str(tmp_path / "other" / "file"), "x")()

    monkeypatch.setattr(opening, "ray_session", lambda *given: nullcontext(Ray({"CPU": 2.0})))
    monkeypatch.setattr(opening, "ask_nodes", lambda ray, question, what: question())
    folder = tmp_path / "runs" / "first"
    with opened(WorkerGroup(2, address="head:6379"), folder, WORK):
        assert not folder.exists()
    monkeypatch.setattr(opening, "ask_nodes", ask)
    with (
        pytest.raises(ClusterError, match=r"does not see .*other; put it on a disk that all machines share"),
        opened(WorkerGroup(2, address="head:6379"), folder, WORK),
    ):
        pass
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "ray_session", lambda *given: nullcontext(Ray({"CPU": 2.0})))
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ClusterError, match="cannot be written"),
        opened(WorkerGroup(1, address="head:6379"), tmp_path / "file" / "run", WORK),
    ):
        pass
