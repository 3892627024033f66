"""What pages ask: the session, its rights, the open workspace, the active tagger, long work."""
