"""Several processes on CPUs learn what one learns."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.training.device import choose_device
from core.training.launch import is_launched, is_main
from core.training.processes import ALONE, Processes, join
from core.training.run.errors import TrainingError
from tests.training import two_processes

ROOT = Path(__file__).resolve().parents[2]


def test_one_process_is_alone_and_needs_no_launcher(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert not is_launched()
    assert is_main()
    assert join() is ALONE
    assert ALONE.main
    assert ALONE.share([1, 2, 3]) == ALONE.gather([1, 2, 3]) == [1, 2, 3]
    assert ALONE.any(True)
    assert not ALONE.any(False)


@pytest.mark.parametrize(
    ("environment", "launched", "main"),
    [
        ({"WORLD_SIZE": "1", "RANK": "0"}, False, True),
        ({"WORLD_SIZE": "4", "RANK": "0"}, True, True),
        ({"WORLD_SIZE": "4", "RANK": "3"}, True, False),
        ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1"}, True, False),
        ({"WORLD_SIZE": "many"}, False, True),
    ],
)
def test_the_environment_says_which_process_this_is(monkeypatch, environment, launched, main):
    for name in ("WORLD_SIZE", "RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert (is_launched(), is_main()) == (launched, main)


def test_torch_is_not_needed_to_know_it():
    code = "import sys, core.training.launch; print('torch' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"


class Two(Processes):
    """The second of two processes."""

    count, index, device = 2, 1, torch.device("cpu")


def test_shares_are_every_other_item_and_the_launchers_device_is_taken():
    assert Two().share(range(5)) == [1, 3]
    assert not Two().main
    assert choose_device("auto", Two()).device == torch.device("cpu")
    assert "2 processes" in str(choose_device("cpu", Two()).why)
    with pytest.raises(TrainingError, match="accelerate gave this process cpu"):
        choose_device("cuda", Two())


@pytest.mark.exhaustive
def test_two_processes_learn_what_one_learns(tmp_path, monkeypatch):
    """Shares of unequal size, accumulated batches, attacks, averages and dev scores, over gloo."""
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shared = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    workers = []
    for rank in "01":
        environment = {**shared, "WORLD_SIZE": "2", "RANK": rank, "LOCAL_RANK": rank}
        command = [sys.executable, two_processes.__file__, str(tmp_path / "2")]
        workers.append(
            subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
        )
    two_processes.main(tmp_path / "1")
    for worker in workers:
        _, told = worker.communicate(timeout=300)
        assert worker.returncode == 0, told
    one, two = (json.loads((tmp_path / size / "end.json").read_text()) for size in "12")
    assert two["losses"] == pytest.approx(one["losses"], rel=1e-9)
    assert (two["f1"], two["answers"]) == (one["f1"], one["answers"])
    assert two["passes"] != one["passes"], "each saw its share only"
    learned = load_file(tmp_path / "2" / "end.safetensors")
    for name, value in load_file(tmp_path / "1" / "end.safetensors").items():
        torch.testing.assert_close(learned[name], value, rtol=1e-8, atol=1e-10)


def test_a_gradient_no_process_has_stays_none_and_sums_are_in_place():
    layer = nn.Linear(2, 2)
    layer.weight.grad = torch.ones(2, 2)
    assert ALONE.sum_gradients(list(layer.parameters()), torch.tensor(3.0)) == 3.0
    assert layer.bias.grad is None
