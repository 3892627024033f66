"""Figures of the Train page."""
