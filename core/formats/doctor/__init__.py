"""Finds out what the offsets of a file count, and mends them."""
