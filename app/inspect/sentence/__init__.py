"""The panels of the Inspect page about one sentence."""
