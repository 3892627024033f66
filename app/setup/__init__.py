"""A new project in one dialog: its text, its labels, its dictionary."""
