"""Detects the offset convention of a file and converts it."""
