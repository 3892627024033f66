"""Open LatticeLens in a browser: `python launch.py`."""

import sys

from app.server.options import main

if __name__ == "__main__":
    sys.exit(main())
