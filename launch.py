"""Open LatticeLens in a browser: `python launch.py`."""

import sys

from app.command_line import main

if __name__ == "__main__":
    sys.exit(main())
