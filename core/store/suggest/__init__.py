"""Suggestions besides those of runs: distant labels, patterns, earlier decisions, other people's models."""
