"""A run as the pages show it: progress, scores, what it would change, and the decision to make it active."""
