"""Chooses the device to compute on, with the reason."""

from __future__ import annotations

from typing import NamedTuple

import torch

from core.runtime.message import Message, _, ngettext
from core.training.processes import ALONE, Processes
from core.training.run.errors import TrainingError


class DeviceChoice(NamedTuple):
    """A device, and the sentence that the page shows about it."""

    device: torch.device
    why: Message


def choose_device(name: str = "auto", processes: Processes = ALONE) -> DeviceChoice:
    """Choose a device.

    Args:
        name: ``auto`` (CUDA, else Apple's GPU, else CPU), ``cpu``, ``cuda``, ``cuda:1``, … or ``mps``.
        processes: if a launcher assigned a device to each process, that one is used.

    Raises:
        TrainingError: the device is not available, there is no such name, or the launcher chose another.
    """
    if processes.device is not None:
        return _given(name, processes.device, processes.count)
    if name == "auto":
        return _best()
    if name == "cpu":
        return DeviceChoice(torch.device("cpu"), _("{cpu}, as asked.", cpu=_cpu()))
    if name == "mps":
        if not torch.backends.mps.is_available():
            raise TrainingError("this machine has no Apple GPU that torch can use; choose auto or cpu")
        return DeviceChoice(torch.device("mps"), _("Apple GPU, as asked."))
    if name == "cuda" or (name.startswith("cuda:") and name[5:].isdecimal()):
        return _cuda(name)
    raise TrainingError("there is no device {name}; choose auto, cpu, cuda or mps", name=repr(name))


def _given(name: str, device: torch.device, count: int) -> DeviceChoice:
    if name not in ("auto", device.type):
        raise TrainingError(
            "device {name} was asked for, but accelerate gave this process {device}; leave the "
            "device at auto, or add --cpu to accelerate launch to compute on the processor",
            name=name,
            device=device,
        )
    return DeviceChoice(
        device, _("{processes} processes, this one on {device}.", processes=count, device=device)
    )


def _best() -> DeviceChoice:
    if torch.cuda.is_available():
        device = torch.device("cuda")
        title = torch.cuda.get_device_name(device)
        return DeviceChoice(device, _("GPU {title}: found on this machine.", title=title))
    if torch.backends.mps.is_available():
        return DeviceChoice(torch.device("mps"), _("Apple GPU: found on this machine."))
    return DeviceChoice(torch.device("cpu"), _("{cpu}: torch finds no GPU here.", cpu=_cpu()))


def _cuda(name: str) -> DeviceChoice:
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    index = int(name.partition(":")[2] or 0)
    if index >= count:
        raise TrainingError(
            "device {name} was asked for, but torch finds {count} CUDA devices; choose auto or cpu",
            name=name,
            count=count,
        )
    title = torch.cuda.get_device_name(index)
    return DeviceChoice(torch.device(name), _("GPU {title}, as asked.", title=title))


def _cpu() -> Message:
    return ngettext("CPU, {count} thread", "CPU, {count} threads", count=torch.get_num_threads())
