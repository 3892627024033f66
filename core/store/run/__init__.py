"""Runs, their predictions, corrections as tests, and the corpus a run learned from."""
