"""Documents on disk: JSON Lines, the snapshot a run learns from, and files that are never half written."""
