"""The compute device and the reason for it, detected in the background, as torch takes seconds to load."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass

from app.i18n import Language, Message, _, text
from app.services.errors import message_for
from core.store.db.background import DaemonThreads


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """``name`` as torch spells it, and why it was chosen."""

    name: str
    reason: Message

    def why(self, language: Language) -> str:
        return text(self.reason, language)


class DeviceProbe:
    """Detects the device once, in a background thread.

    Args:
        wanted: ``auto``, ``cpu``, ``cuda`` or ``mps``. If missing, the best device is used, and the reason
            says so.
        known: the result, to skip detection.
    """

    def __init__(self, wanted: str = "auto", known: DeviceInfo | None = None) -> None:
        self.wanted = wanted
        self._found: Future[DeviceInfo] | None = None
        self._lock = threading.Lock()
        if known is not None:
            self._found = Future()
            self._found.set_result(known)

    def start(self) -> Future[DeviceInfo]:
        """Start the detection unless it has started; called when the first page is shown."""
        with self._lock:
            if self._found is None:
                self._found = DaemonThreads("device-probe", 1).submit(self._probe)
            return self._found

    @property
    def info(self) -> DeviceInfo | None:
        """The device, or None while torch is still loading."""
        probed = self._found
        return probed.result() if probed is not None and probed.done() else None

    def wait(self, seconds: float | None = None) -> DeviceInfo | None:
        """The device, after waiting at most this long."""
        wait_for([self.start()], seconds)
        return self.info

    def _probe(self) -> DeviceInfo:
        try:
            return _find(self.wanted)
        except Exception as error:  # torch cannot be loaded: shown in the status bar
            return DeviceInfo("cpu", message_for(error))


def _find(wanted: str) -> DeviceInfo:
    from core.training.device import choose_device
    from core.training.run.errors import TrainingError

    try:
        choice = choose_device(wanted)
    except TrainingError as error:
        choice = choose_device("auto")
        return DeviceInfo(str(choice.device), _("{one}; {after}", one=error, after=choice.why))
    return DeviceInfo(str(choice.device), choice.why)


def describe(info: DeviceInfo | None, language: Language) -> tuple[str, str]:
    """Name and reason for the status bar; ``info`` is None during detection."""
    if info is None:
        return "…", text(_("checking the device"), language)
    return info.name, info.why(language)
