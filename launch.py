"""Open LatticeLens in a browser: `python launch.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from app.server.options import parse


def main() -> int:
    """Parse the flags and run the app until Ctrl-C; returns the exit status."""
    options = parse()
    meanwhile: AbstractContextManager[Callable[[], None]]
    if options.space is None or options.port is None:
        meanwhile = nullcontext(lambda: None)
    else:
        from app.server.starting import starting_page

        meanwhile = starting_page(options.host, options.port)
    with meanwhile as free_the_port:
        from app.server.run import (
            run,  # after the flags: Gradio takes a second to load, and --help needs none of it
        )

        return run(options, free_the_port)


if __name__ == "__main__":
    sys.exit(main())
