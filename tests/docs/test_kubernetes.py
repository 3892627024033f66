"""The Kubernetes manifests of the page on scale: fields that KubeRay knows, commands that are understood."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from core import __version__
from core.cli import _parser

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
TAGGING, TRAINING = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
CLUSTER = TAGGING["spec"]["rayClusterSpec"]
GROUPS = [CLUSTER["headGroupSpec"], *CLUSTER["workerGroupSpecs"]]

# Fields and types that are used here, of the schema of ray.io/v1 RayJob in the operator's chart.
JOB = {"entrypoint": str, "shutdownAfterJobFinishes": bool, "backoffLimit": int, "rayClusterSpec": dict}
OF_CLUSTER = {"rayVersion": str, "headGroupSpec": dict, "workerGroupSpecs": list}
OF_HEAD = {"rayStartParams": dict, "template": dict}
OF_GROUP = {**OF_HEAD, "groupName": str, "replicas": int}


def check(given: dict[str, Any], known: dict[str, type]) -> None:
    assert {name: type(value) for name, value in given.items()} == {name: known[name] for name in given}


def test_every_field_is_one_that_kuberay_knows_and_of_its_type():
    assert (TAGGING["apiVersion"], TAGGING["kind"]) == ("ray.io/v1", "RayJob")
    for job in (TAGGING, TRAINING):
        check(job["spec"], JOB)
    check(CLUSTER, OF_CLUSTER)
    check(CLUSTER["headGroupSpec"], OF_HEAD)
    for group in CLUSTER["workerGroupSpecs"]:
        check(group, OF_GROUP)
    for group in GROUPS:
        # A number here is refused: the operator makes flags of `ray start` of them.
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())


def test_what_pods_mount_is_a_volume_that_they_have_and_where_the_commands_look():
    for group in GROUPS:
        pod = group["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
            places = [mount["mountPath"] for mount in container["volumeMounts"]]
            for path in re.findall(
                r" (/\S+)", TAGGING["spec"]["entrypoint"] + TRAINING["spec"]["entrypoint"]
            ):
                assert any(path.startswith(f"{place}/") for place in places), path


@pytest.mark.parametrize("job", [TAGGING, TRAINING], ids=["tag", "train"])
def test_the_command_is_understood_and_has_the_processors_it_asks_for(job):
    program, *words = shlex.split(job["spec"]["entrypoint"])
    assert program == "latticelens"
    asked = _parser().parse_args(words)
    assert (asked.engine, asked.ray) == ("ray", "auto")
    settings = dict(pair.split("=") for pair in getattr(asked, "set", None) or [])
    there = 0
    for group in CLUSTER["workerGroupSpecs"]:
        for container in group["template"]["spec"]["containers"]:
            resources = container["resources"]
            assert resources["requests"] == resources["limits"], "Ray counts what is its limit"
            there += group["replicas"] * int(resources["limits"]["cpu"])
    assert asked.workers * int(settings.get("threads", 1)) <= there
    assert CLUSTER["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0", "no worker beside the command"


def test_the_image_has_the_versions_that_the_manifest_names():
    (image,) = {
        container["image"] for group in GROUPS for container in group["template"]["spec"]["containers"]
    }
    assert image.endswith(f":{__version__}")
    (made,) = re.findall(r"```dockerfile\n(.*?)```", PAGE, re.DOTALL)
    package, ray = (Requirement(one) for one in re.findall(r"'(\S+?)'", made))
    assert (package.name, package.extras, str(package.specifier)) == (
        "latticelens", {"cluster"}, f"=={__version__}",
    )  # fmt: skip
    assert (ray.name, ray.extras, str(ray.specifier)) == ("ray", {"default"}, f"=={CLUSTER['rayVersion']}")
    assert " wget " in made
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (ours,) = re.findall(r'^cluster = \["(.*)"\]$', project, re.MULTILINE)
    assert Requirement(ours).specifier.contains(CLUSTER["rayVersion"])
