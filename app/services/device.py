"""Which device computes, and why: found out in the background, because torch takes seconds to load."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from app.i18n import Language, _, text


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """``name`` as torch spells it, and why it was chosen, in both languages."""

    name: str
    why_en: str
    why_zh: str

    def why(self, language: Language) -> str:
        return self.why_zh if language == "zh" else self.why_en


class DeviceProbe:
    """Loads torch in a background thread and remembers what it found.

    Args:
        wanted: ``auto``, ``cpu``, ``cuda`` or ``mps``. A device that is not there falls back to the best
            one, and the reason says so.
    """

    def __init__(self, wanted: str = "auto") -> None:
        self.wanted = wanted
        self._info: DeviceInfo | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._probe, name="device-probe", daemon=True)

    def start(self) -> None:
        """Begin, unless it was begun before. Meant for when the first page is drawn."""
        with self._lock:
            if self._thread.ident is None:
                self._thread.start()

    @property
    def info(self) -> DeviceInfo | None:
        """What was found, or None while torch is still loading."""
        return self._info

    def wait(self, seconds: float | None = None) -> DeviceInfo | None:
        """The answer, after waiting for it at most so long."""
        self.start()
        self._thread.join(seconds)
        return self._info

    def _probe(self) -> None:
        from core.training.device import choose_device
        from core.training.run.message import TrainingError

        try:
            choice = choose_device(self.wanted)
        except TrainingError as error:
            choice = choose_device("auto")
            self._info = DeviceInfo(
                str(choice.device),
                f"{error.message.en}; {choice.why.en}",
                f"{error.message.zh}；{choice.why.zh}",
            )
            return
        self._info = DeviceInfo(str(choice.device), choice.why.en, choice.why.zh)


def describe(info: DeviceInfo | None, language: Language) -> tuple[str, str]:
    """Name and reason for the status bar; says that it is looking while ``info`` is None."""
    if info is None:
        return "…", text(_("checking the device"), language)
    return info.name, info.why(language)
