"""An app that tests end with Ctrl-C hears it, however the tests were started."""

from __future__ import annotations

import signal


def heard() -> None:
    """To run in the new process: what a shell starts in the background is born deaf to SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
