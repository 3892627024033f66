"""Which device computes, and why; detected in the background because torch takes seconds to load."""

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
    """Detects the device in a background thread, once.

    Args:
        wanted: ``auto``, ``cpu``, ``cuda`` or ``mps``. A device that is not there falls back to the best
            one, and the reason says so.
        known: the result, if it need not be detected.
    """

    def __init__(self, wanted: str = "auto", known: DeviceInfo | None = None) -> None:
        self.wanted = wanted
        self._found: Future[DeviceInfo] | None = None
        self._lock = threading.Lock()
        if known is not None:
            self._found = Future()
            self._found.set_result(known)

    def start(self) -> Future[DeviceInfo]:
        """Start the detection if it has not been started, which is when the first page is shown."""
        with self._lock:
            if self._found is None:
                self._found = DaemonThreads("device-probe", 1).submit(self._probe)
            return self._found

    @property
    def info(self) -> DeviceInfo | None:
        """The device, or None while torch is still loading."""
        found = self._found
        return found.result() if found is not None and found.done() else None

    def wait(self, seconds: float | None = None) -> DeviceInfo | None:
        """The device, after waiting at most so long."""
        wait_for([self.start()], seconds)
        return self.info

    def _probe(self) -> DeviceInfo:
        try:
            return _find(self.wanted)
        except Exception as error:  # torch cannot be loaded: the status bar says why
            return DeviceInfo("cpu", message_for(error))


def _find(wanted: str) -> DeviceInfo:
    from core.training.device import choose_device
    from core.training.run.errors import TrainingError

    try:
        choice = choose_device(wanted)
    except TrainingError as error:
        choice = choose_device("auto")
        return DeviceInfo(
            str(choice.device),
            _("{one}; {after}", one=error, after=choice.why),
        )
    return DeviceInfo(str(choice.device), choice.why)


def describe(info: DeviceInfo | None, language: Language) -> tuple[str, str]:
    """Name and reason for the status bar, which says that it is checking while ``info`` is None."""
    if info is None:
        return "…", text(_("checking the device"), language)
    return info.name, info.why(language)
