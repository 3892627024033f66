"""Shared UI: frame, theme, status bar, figures and widgets."""
