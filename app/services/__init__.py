"""Services for the pages: session, rights, open workspace, active tagger, background work."""
