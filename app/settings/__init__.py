"""The Settings page: project, labels, people, backups."""
