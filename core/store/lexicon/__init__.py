"""The word lists of a project, their versions, import and search."""
