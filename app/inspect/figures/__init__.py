"""Figures of the Inspect page: arrays in, a plotly figure out."""
