"""Suggestions that need no tagger: distant labels, patterns, earlier decisions."""
