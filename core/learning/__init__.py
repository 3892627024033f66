"""Distant labels, PU learning, active learning, self-training, pretraining, and the search for settings."""
