"""Open LatticeLens in a browser: `python launch.py`."""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack, suppress


def main() -> int:
    """Parse the flags and run the app until Ctrl-C; returns the exit status."""
    free_the_port, template = (lambda: None), None
    with ExitStack() as meanwhile:
        # Until `run` serves the app: looking for garbage in what is being loaded takes half a second.
        gc.disable()
        meanwhile.callback(gc.enable)
        from app.server.options import parse

        options = parse()
        if options.demo:
            from app.server.demo_template import DemoTemplate

            with suppress(OSError):  # `run` tries again, and says what is wrong
                template = DemoTemplate()
                meanwhile.callback(template.delete)
                template.begin(options.log_format)
        if options.space is not None and options.port is not None:
            from app.server.starting import starting_page

            free_the_port = meanwhile.enter_context(starting_page(options.host, options.port))
        # After the flags: Gradio takes a second to load, and --help needs none of it.
        from app.server.run import run

        return run(options, free_the_port, template)


if __name__ == "__main__":
    sys.exit(main())
