"""Examines a workspace: what is inconsistent in its file and what can be mended."""
