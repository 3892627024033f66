"""Open LatticeLens in a browser: `python launch.py`."""

from __future__ import annotations

import sys

from app.server.options import parse


def main() -> int:
    """Parse the flags and run the app until Ctrl-C; returns the exit status."""
    options = parse()
    from app.server.run import (
        run,  # after the flags: Gradio takes a second to load, and --help needs none of it
    )

    return run(options)


if __name__ == "__main__":
    sys.exit(main())
