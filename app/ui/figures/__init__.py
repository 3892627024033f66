"""Figures shared by several pages."""
