"""Chooses the device to compute on, with the reason."""

from __future__ import annotations

from typing import NamedTuple

import torch

from core.training.processes import ALONE, Processes
from core.training.run.message import Message, TrainingError


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
        return DeviceChoice(torch.device("cpu"), Message(f"{_cpu()}, as asked.", f"按要求使用{_cpu_zh()}。"))
    if name == "mps":
        if not torch.backends.mps.is_available():
            raise TrainingError(
                "this machine has no Apple GPU that torch can use; choose auto or cpu",
                "本机没有 torch 可用的 Apple GPU；请选择 auto 或 cpu",
            )
        return DeviceChoice(torch.device("mps"), Message("Apple GPU, as asked.", "按要求使用 Apple GPU。"))
    if name == "cuda" or (name.startswith("cuda:") and name[5:].isdecimal()):
        return _cuda(name)
    raise TrainingError(f"there is no device {name!r}; choose auto, cpu, cuda or mps")


def _given(name: str, device: torch.device, count: int) -> DeviceChoice:
    if name not in ("auto", device.type):
        raise TrainingError(
            f"device {name} was asked for, but accelerate gave this process {device}; leave the device at "
            "auto, or add --cpu to accelerate launch to compute on the processor",
            f"指定了设备 {name}，但 accelerate 给该进程分配了 {device}；请将设备设为 auto，"
            "或在 accelerate launch 后加上 --cpu",
        )
    return DeviceChoice(
        device, Message(f"{count} processes, this one on {device}.", f"{count} 个进程，本进程使用 {device}。")
    )


def _best() -> DeviceChoice:
    if torch.cuda.is_available():
        device = torch.device("cuda")
        title = torch.cuda.get_device_name(device)
        return DeviceChoice(
            device, Message(f"GPU {title}: found on this machine.", f"使用本机的 GPU：{title}。")
        )
    if torch.backends.mps.is_available():
        return DeviceChoice(
            torch.device("mps"), Message("Apple GPU: found on this machine.", "使用本机的 Apple GPU。")
        )
    return DeviceChoice(
        torch.device("cpu"),
        Message(f"{_cpu()}: torch finds no GPU here.", f"{_cpu_zh().strip()}：torch 未找到 GPU。"),
    )


def _cuda(name: str) -> DeviceChoice:
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    index = int(name.partition(":")[2] or 0)
    if index >= count:
        raise TrainingError(
            f"device {name} was asked for, but torch finds {count} CUDA devices; choose auto or cpu",
            f"指定了 {name}，但 torch 找到 {count} 个 CUDA 设备；请选择 auto 或 cpu",
        )
    title = torch.cuda.get_device_name(index)
    return DeviceChoice(torch.device(name), Message(f"GPU {title}, as asked.", f"按要求使用 GPU：{title}。"))


def _cpu() -> str:
    threads = torch.get_num_threads()
    return f"CPU, {threads} thread{'' if threads == 1 else 's'}"


def _cpu_zh() -> str:
    return f" CPU（{torch.get_num_threads()} 个线程）"
