"""``python -m core``."""

import os

# Read when torch loads. Its threads would spin while they wait for each other, which on a busy machine costs
# several times the processor time of the work itself; asleep they cost nothing.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from core.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
