"""Long work in the background: tasks, those of a project, and what a person has asked for."""
