"""Figures and parts of figures that several pages draw."""
