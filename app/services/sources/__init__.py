"""Sources of suggestions of a project: who may use which, and asking them."""
