"""The Dashboard page: progress, pace and labels of a project."""
