"""What one person may take of a server that others use too."""
