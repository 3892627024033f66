"""What leaves a project: documents, data sets and runs."""
