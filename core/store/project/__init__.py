"""Projects, their settings, their members, and who is given which documents."""
