"""One training on disk: its request, state, checkpoints, report and snapshot."""
