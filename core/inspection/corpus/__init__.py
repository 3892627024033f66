"""Analyses over many documents: errors, calibration, comparisons of runs."""
